// The small dark box that tells what is known of a word.

export class Tip {
  constructor(box) {
    this.box = box;
    addEventListener("scroll", () => this.hide(), { passive: true, capture: true });
  }

  // Lines are [text, class]; the box stands below the target, or above it where there is no room.
  show(lines, target) {
    this.box.replaceChildren(...lines.map(([text, kind]) => {
      const line = document.createElement("div");
      const inner = document.createElement(kind === "b" ? "b" : "span");
      if (kind === "dim") inner.className = "dim";
      inner.textContent = text;
      inner.dir = "auto";
      line.append(inner);
      return line;
    }));
    this.box.hidden = false;
    const at = target.getBoundingClientRect();
    const size = this.box.getBoundingClientRect();
    const word = target.classList.contains("word");
    const below = (word ? at.bottom : at.top + 20) + 8;
    const top = below + size.height < innerHeight ? below : at.top - size.height - 8;
    const left = Math.min(Math.max(6, at.left + at.width / 2 - size.width / 2), innerWidth - size.width - 6);
    this.box.style.left = `${left}px`;
    this.box.style.top = `${top}px`;
  }

  hide() {
    this.box.hidden = true;
  }
}
