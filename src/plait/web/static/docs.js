// Draws openapi.json: every address with its fields, its answers, and a form to try it.

const main = document.getElementById("docs");

function node(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(", ");
  if (schema.type === "array") return `list${schema.items ? ` of ${typeOf(schema.items)}` : ""}`;
  return [schema.type].flat().join(" or ");
}

function table(schema) {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => node("tr", {},
    node("th", { scope: "row" }, node("code", {}, name)),
    node("td", {}, typeOf(field)),
    node("td", {}, [field.description, "default" in field ? `default: ${JSON.stringify(field.default)}` : ""].filter(Boolean).join("; ")),
  ));
  return node("div", { class: "scroll" }, node("table", {}, node("tbody", {}, ...rows)));
}

function tryIt(method, path, example) {
  const box = node("textarea", { class: "try", spellcheck: "false", "aria-label": "Body of the request" });
  box.value = example ? JSON.stringify(example, null, 2) : "";
  const button = node("button", { class: "button", type: "button" }, "Send");
  const answer = node("pre", { hidden: "", tabindex: "0", "aria-live": "polite" });
  button.addEventListener("click", async () => {
    const options = example ? { method, headers: { "content-type": "application/json" }, body: box.value } : { method };
    let shown;
    try {
      const response = await fetch(path, options);
      const body = await response.text();
      const json = (response.headers.get("content-type") ?? "").includes("json");
      shown = `${response.status} ${response.statusText}\n\n${json ? JSON.stringify(JSON.parse(body), null, 2) : body}`;
    } catch {
      shown = "The server does not answer.";
    }
    answer.textContent = shown;
    answer.hidden = false;
  });
  return example ? [box, button, answer] : [button, answer];
}

function operation(path, method, described) {
  const content = described.requestBody?.content["application/json"];
  const card = node("section", { class: "card" },
    node("h2", {}, node("span", { class: "method" }, method.toUpperCase()), path),
    node("p", {}, described.summary, "."),
  );
  if (described.description) card.append(node("p", {}, described.description, "."));
  if (content) card.append(node("h3", {}, "Fields"), table(content.schema));
  card.append(node("h3", {}, "Answers"));
  const answers = Object.entries(described.responses).map(([status, { description }]) =>
    node("tr", {}, node("th", { scope: "row" }, node("code", {}, status)), node("td", {}, description)));
  card.append(node("div", { class: "scroll" }, node("table", {}, node("tbody", {}, ...answers))));
  card.append(node("h3", {}, "Try it"), ...tryIt(method.toUpperCase(), path, content?.example));
  return card;
}

const description = await (await fetch("/openapi.json")).json();
main.append(node("h1", {}, `plait ${description.info.version}: the REST interface`), node("p", {}, description.info.description));
for (const [path, methods] of Object.entries(description.paths)) {
  for (const [method, described] of Object.entries(methods)) main.append(operation(path, method, described));
}
for (const [name, schema] of Object.entries(description.components.schemas)) {
  main.append(node("section", { class: "card" }, node("h2", {}, name), node("p", {}, schema.description ?? ""), table(schema.properties.error ?? schema)));
}
main.dataset.ready = "true";
