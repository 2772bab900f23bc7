// The colour scheme, set before the first paint; a plain script for that reason.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    let choice = "auto";
    try { choice = localStorage.getItem("plait.theme") ?? "auto"; } catch { /* no storage: follow the system */ }
    if (choice === "auto") choice = system.matches ? "dark" : "light";
    document.documentElement.dataset.theme = choice;
  };
  system.addEventListener("change", apply);
  addEventListener("plait-theme", apply);
  apply();
})();
