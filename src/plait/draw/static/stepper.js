// The bar under a sentence with which one goes through its decisions, one by one.

import { after, isSame, spelled, treeOf } from "./steps.js";
import { say } from "./words.js";

const icon = (path) => `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${path}"/></svg>`;
const FIRST = icon("M8 3a5 5 0 1 1-4.6 3h1.7A3.4 3.4 0 1 0 8 4.6V7L4 3.8 8 .6z");
const BACK = icon("M13 2.5L5.8 6.8V2.5H3v11h2.8V9.2l7.2 4.3z");
const PLAY = icon("M3.5 2l10 6-10 6z");
const PAUSE = icon("M3.5 2.5h3v11h-3z M9.5 2.5h3v11h-3z");
const NEXT = icon("M3 2.5l7.2 4.3V2.5H13v11h-2.8V9.2L3 13.5z");
const BAR = 16; // rem, of the highest score among valid decisions
const PACE = 700; // milliseconds between steps while it plays

export class Stepper {
  constructor(card, place) {
    this.card = card;
    this.place = place;
    this.count = 0;
    this.timer = 0;
    place.hidden = false;
    place.innerHTML = `
      <div class="steps-bar">
        <button class="button small" type="button" data-to="first">${FIRST}</button>
        <button class="button small" type="button" data-to="back">${BACK}</button>
        <button class="button small" type="button" data-to="play">${PLAY}</button>
        <button class="button small" type="button" data-to="on">${NEXT}</button>
        <input type="range" min="0" value="0"><output></output>
      </div>
      <p class="decision" aria-live="polite"></p><p class="pending"></p><ol class="valid"></ol>`;
    place.dir = card.element.dir;
    this.slider = place.querySelector("input");
    this.slider.addEventListener("input", () => this.stop() || this.go(Number(this.slider.value)));
    const ways = {
      first: () => this.stop() || this.go(0),
      back: () => this.stop() || this.go(this.count - 1),
      on: () => this.stop() || this.go(this.count + 1),
      play: () => this.play(),
    };
    for (const button of place.querySelectorAll("[data-to]")) button.addEventListener("click", ways[button.dataset.to]);
    this.refresh();
  }

  // The sentence has changed: begin again with its new trace.
  refresh() {
    this.stop();
    this.trace = this.card.record.trace ?? [];
    this.tree = treeOf(this.trace, this.card.record);
    this.slider.max = this.trace.length;
    this.count = 0;
    this.translate();
  }

  translate() {
    for (const button of this.place.querySelectorAll("[data-to]")) {
      button.title = say(button.dataset.to);
      button.setAttribute("aria-label", button.title);
    }
    this.slider.setAttribute("aria-label", say("step"));
    this.tell();
  }

  shows() {
    return this.known;
  }

  go(count) {
    this.count = Math.min(Math.max(count, 0), this.trace.length);
    this.tell();
    this.card.draw();
  }

  tell() {
    this.known = after(this.trace, this.card.record, this.count);
    this.slider.value = this.count;
    this.place.querySelector("output").textContent = `${this.count} / ${this.trace.length}`;
    const decision = this.place.querySelector(".decision");
    const words = document.createElement("b");
    words.textContent = this.known.text;
    const score = this.known.score === null ? "" : ` · ${say("score", this.known.score.toFixed(2))}`;
    decision.replaceChildren(words, score);
    const forms = this.card.record.forms;
    const groups = (this.known.groups ?? []).map(([name, ids]) => `${say(name)}: ${ids.map((id) => forms[id - 1]).join(" · ") || "–"}`);
    this.place.querySelector(".pending").textContent = groups.join("   |   ");
    this.place.querySelector(".valid").replaceChildren(...this.alternatives());
  }

  // What was valid at the step just taken, best first, where the record says so: words, score, and a bar for it.
  alternatives() {
    const valid = this.card.record.valid?.[this.count - 1];
    if (!valid) return [];
    const scores = valid.best.map((step) => step.score);
    const [low, high] = [Math.min(...scores), Math.max(...scores)];
    const rows = valid.best.map((step) => {
      const row = document.createElement("li");
      const bar = document.createElement("i");
      bar.style.inlineSize = `${BAR * (high > low ? 0.04 + (0.96 * (step.score - low)) / (high - low) : 1)}rem`;
      row.className = isSame(step, this.trace[this.count - 1]) ? "taken" : "";
      row.append(`${spelled(step, this.card.record)} · ${step.score.toFixed(2)}`, bar);
      return row;
    });
    const title = document.createElement("li");
    title.className = "title";
    title.textContent = say("valid", valid.size);
    return [title, ...rows];
  }

  play() {
    if (this.timer) return this.stop();
    if (this.count === this.trace.length) this.go(0);
    this.showPlay(PAUSE, "pause");
    this.timer = setInterval(() => {
      this.go(this.count + 1);
      if (this.count === this.trace.length) this.stop();
    }, PACE);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.showPlay(PLAY, "play");
  }

  showPlay(shape, word) {
    const button = this.place.querySelector("[data-to=play]");
    if (!button) return; // closed
    button.innerHTML = shape;
    button.title = say(word);
    button.setAttribute("aria-label", button.title);
  }

  close() {
    this.stop();
    this.place.hidden = true;
    this.place.replaceChildren();
    this.card.stepsClosed();
  }
}
