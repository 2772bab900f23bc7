// The small dark box that tells what is known of a word.

import { placeBeside } from "./place.js";

export class Tip {
  constructor(box) {
    this.box = box;
    addEventListener("scroll", () => this.hide(), { passive: true, capture: true });
  }

  // Lines are [text, class]. The box is placed beside the target and leaves the `visible` rectangles uncovered.
  show(lines, target, visible) {
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
    const { left, top } = placeBeside(this.box.getBoundingClientRect(), target, visible);
    this.box.style.left = `${left}px`;
    this.box.style.top = `${top}px`;
  }

  hide() {
    this.box.hidden = true;
  }
}
