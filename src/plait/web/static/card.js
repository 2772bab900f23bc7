// One sentence on the page: its tree, its buttons, its edits. Edits are pins; the model finds the rest under them.

import { ask, download } from "./api.js";
import { isRightToLeft } from "./layout.js";
import { Stepper } from "./stepper.js";
import { drawTree } from "./tree.js";
import { explainRelation, explainTag } from "./ud.js";
import { language, say, sayError } from "./words.js";

const LONGEST = 400; // words; a longer sentence is listed, not drawn

export class Card {
  // `page` gives model(), layout(), editor and tip: what all sentences share.
  constructor(record, number, page) {
    this.page = page;
    this.number = number;
    this.original = record;
    this.record = record;
    this.pins = new Map();
    this.history = [];
    this.changed = new Set();
    this.current = 1; // the word that Tab reaches
    this.choosing = null; // { id, target } while a head is chosen by keyboard
    this.stepper = null;
    this.build();
  }

  get tagColumn() {
    const { predicts } = this.page.model();
    return predicts.includes("upos") || !predicts.includes("xpos") ? "upos" : "xpos";
  }

  get hasTree() {
    return this.record.heads.some((head) => head >= 0);
  }

  get edited() {
    return this.history.length > 0 || this.pins.size > 0;
  }

  get wording() {
    return this.record.forms.join("\u0000");
  }

  // The same words again in a new answer: edits stay, and without any the new analysis counts.
  refresh(record, number) {
    this.number = number;
    if (this.edited) return;
    this.original = this.record = record;
    this.stepper?.refresh();
  }

  column(name) {
    return { tag: this.tagColumn, head: "heads", label: "deprels", lemma: "lemmas", feats: "feats" }[name];
  }

  value(id, name) {
    return this.record[this.column(name)][id - 1];
  }

  build() {
    this.element = document.createElement("article");
    this.element.className = "sentence";
    this.element.setAttribute("aria-busy", "false");
    this.element.innerHTML = `
      <div class="sentence-top">
        <span class="number"></span><span class="spacer"></span>
        <button class="button small" type="button" data-do="undo"></button>
        <button class="button small" type="button" data-do="reset"></button>
        <button class="button small" type="button" data-do="steps" aria-pressed="false"></button>
        <button class="button small" type="button" data-do="picture"></button>
      </div>
      <div class="canvas"></div>
      <div class="steps" hidden></div>
      <p class="message" role="status"></p>`;
    this.canvas = this.element.querySelector(".canvas");
    this.note = this.element.querySelector(".message");
    for (const button of this.element.querySelectorAll("[data-do]")) {
      button.addEventListener("click", () => this[button.dataset.do]());
    }
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("click", (event) => this.clicked(event));
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointerover", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.unhover());
    this.canvas.addEventListener("focusin", (event) => this.focused(event));
    this.canvas.addEventListener("focusout", () => this.unhover());
    this.draw();
  }

  // Drawing

  draw() {
    const { forms } = this.record;
    const rtl = isRightToLeft(forms);
    const focus = this.canvas.contains(document.activeElement);
    const top = this.element.querySelector(".sentence-top");
    top.querySelector(".number").textContent = this.number;
    for (const name of ["undo", "reset", "steps", "picture"]) top.querySelector(`[data-do=${name}]`).textContent = say(name);
    top.querySelector("[data-do=undo]").hidden = top.querySelector("[data-do=reset]").hidden = !this.history.length;
    const drawable = forms.length <= LONGEST;
    top.querySelector("[data-do=steps]").hidden = !drawable || !this.record.trace?.length;
    top.querySelector("[data-do=picture]").hidden = !drawable;
    this.element.dir = rtl ? "rtl" : "ltr";
    this.canvas.classList.toggle("plain", !drawable);
    if (!drawable) {
      this.canvas.textContent = forms.slice(0, 5000).join(" ");
      this.tell(say("too.long", forms.length.toLocaleString(language)));
      return;
    }
    const shows = this.stepper?.shows() ?? null;
    const tree = this.stepper ? this.stepper.tree : { heads: this.record.heads, labels: this.record.deprels };
    this.svg = drawTree(
      {
        forms, tags: this.record[this.tagColumn], ...tree, scores: this.record.scores ?? null, ranges: this.record.ranges,
        pins: this.pins, changed: this.changed, rtl, shows,
      },
      this.page.layout(), (this.canvas.clientWidth || this.page.room()) - 10,
    );
    this.svg.setAttribute("aria-label", this.record.text);
    this.current = Math.min(Math.max(this.current, 1), forms.length);
    for (const word of this.words()) {
      const id = Number(word.dataset.id);
      word.setAttribute("aria-label", this.spoken(id));
      word.setAttribute("tabindex", id === this.current ? 0 : -1);
    }
    const left = this.canvas.scrollLeft;
    this.canvas.replaceChildren(this.svg);
    this.canvas.scrollLeft = left;
    if (focus) this.word(this.current)?.focus({ preventScroll: true });
    this.mark();
  }

  words() {
    return this.svg?.querySelectorAll(".word") ?? [];
  }

  word(id) {
    return this.svg?.querySelector(`.word[data-id="${id}"]`);
  }

  spoken(id) {
    const { forms, heads, deprels } = this.record;
    const head = heads[id - 1];
    const place = head === 0 ? say("tip.root") : head > 0 ? say("tip.of", deprels[id - 1], forms[head - 1]) : "";
    return say("aria.word", forms[id - 1], this.value(id, "tag"), place);
  }

  mark() {
    for (const word of this.words()) {
      const id = Number(word.dataset.id);
      word.classList.toggle("chooser", this.choosing?.id === id);
      word.classList.toggle("target", this.choosing?.target === id);
    }
  }

  tell(text, bad = false) {
    this.note.textContent = text;
    this.note.classList.toggle("bad", bad);
  }

  // Looking

  hover(event) {
    if (this.dragging) return;
    const target = event.target.closest(".word, .arc");
    if (target) this.light(Number(target.dataset.id), target);
    else this.unhover();
  }

  focused(event) {
    const word = event.target.closest(".word");
    if (!word) return;
    this.current = Number(word.dataset.id);
    if (word.matches(":focus-visible")) this.light(this.current, word);
  }

  light(id, target) {
    this.dim();
    for (const part of this.svg.querySelectorAll(`[data-id="${id}"]`)) part.classList.add("lit");
    this.svg.querySelector(`[data-label="${id}"]`)?.classList.add("lit");
    const head = this.record.heads[id - 1];
    if (head > 0) this.word(head)?.classList.add("lit");
    if (!this.page.editor.open) this.page.tip.show(this.told(id), this.anchor(id, target), this.spokenOf(id));
  }

  // Where a tip about this part stands: at the word itself or, for an arc, at its label.
  anchor(id, target) {
    const label = target.classList.contains("arc") ? target.querySelector(".label") : null;
    return (label ?? this.word(id)).getBoundingClientRect();
  }

  // What must stay visible while a tip or the editor speaks of a word: the word, its head, and the label between them.
  spokenOf(id) {
    const head = this.record.heads[id - 1];
    const label = this.svg.querySelector(`.arc[data-id="${id}"] .label`);
    return [this.word(id), head > 0 ? this.word(head) : null, label].filter(Boolean).map((part) => part.getBoundingClientRect());
  }

  dim() {
    for (const part of this.svg?.querySelectorAll(".lit") ?? []) part.classList.remove("lit");
  }

  unhover() {
    this.dim();
    this.page.tip.hide();
  }

  // What the tip says of a word: lines of [text, class].
  told(id) {
    const { forms, heads, deprels, scores, trace, lemmas, feats } = this.record;
    const [tag, head, label] = [this.value(id, "tag"), heads[id - 1], deprels[id - 1]];
    const lines = [[forms[id - 1].slice(0, 200), "b"]];
    if (tag !== "_") lines.push([[tag, explainTag(tag, language)].filter(Boolean).join(" · ")]);
    if (head >= 0) {
      const place = head === 0 ? say("tip.root") : say("tip.of", label, forms[head - 1]);
      lines.push([[place, head > 0 ? explainRelation(label, language) : ""].filter(Boolean).join(" · ")]);
    }
    if (lemmas[id - 1] !== "_") lines.push([lemmas[id - 1], "dim"]);
    if (feats[id - 1] !== "_") lines.push([feats[id - 1].replaceAll("|", " "), "dim"]);
    if (scores) lines.push([say("confidence", scores[id - 1].toFixed(3))]);
    const steps = (trace ?? []).map((step, k) => ({ step, k })).filter(({ step }) => step.word === id);
    for (const { step, k } of steps) {
      lines.push([`${step.label}: ${say("tip.decided", k + 1, trace.length)}`, "dim"]);
    }
    const pins = this.pins.get(id);
    if (pins) lines.push([say("tip.pinned", Object.keys(pins).map((name) => say(`edit.${name}`)).join(", ")), "dim"]);
    return lines;
  }

  // Editing

  // Pin some of { tag, head, label, lemma, feats } of a word, or (undefined) unpin them, and let the model do the rest.
  async edit(id, values) {
    const before = { record: this.record, pins: new Map(this.pins) };
    const pins = { ...this.pins.get(id), ...values };
    if ("head" in values && values.head !== undefined && !("label" in values)) delete pins.label; // an old label need not fit
    for (const name of Object.keys(pins)) if (pins[name] === undefined) delete pins[name];
    this.pins = new Map(this.pins);
    if (Object.keys(pins).length) this.pins.set(id, pins); else this.pins.delete(id);
    this.element.setAttribute("aria-busy", "true");
    try {
      const model = this.page.model();
      if (model.abilities.includes("keep")) await this.parseAgain(id, values);
      else this.applyByHand(id, values);
      this.history.push(before);
      this.stepper?.refresh();
    } catch (error) {
      if (error.name === "AbortError") return;
      this.pins = before.pins;
      this.tell(sayError(error), true);
    }
    this.element.setAttribute("aria-busy", "false");
    this.draw();
    this.page.editor.refresh(this);
    this.changed = new Set();
  }

  async parseAgain(id, values) {
    const { forms, misc, comments, ranges } = this.record;
    const open = { heads: forms.map(() => -1) };
    for (const name of [this.tagColumn, "deprels", "lemmas", "feats"]) open[name] = forms.map(() => "_");
    for (const [word, pins] of this.pins) {
      for (const [name, value] of Object.entries(pins)) open[this.column(name)][word - 1] = value;
    }
    const sentence = { forms, misc, comments, ranges, ...open };
    let record = this.original;
    if (this.pins.size) {
      this.waiting?.abort();
      this.waiting = new AbortController();
      const { name, abilities } = this.page.model();
      const fields = { scores: abilities.includes("scores"), trace: abilities.includes("trace") };
      const answer = await ask("/v1/parse", { sentences: [sentence], keep: true, model: name, ...fields }, this.waiting.signal);
      [record] = answer.sentences;
      record.offsets ??= this.record.offsets;
    }
    this.changed = this.difference(this.record, record);
    this.record = record;
    const others = [...this.changed].filter((word) => word !== id);
    const names = others.slice(0, 6).map((word) => forms[word - 1]).join(", ") + (others.length > 6 ? " …" : "");
    if (Object.values(values).every((value) => value === undefined)) this.tell(say("unpinned"));
    else if (others.length > 1) this.tell(say("changed.many", others.length, names));
    else this.tell(others.length ? say("changed.one", names) : say("changed.none"));
  }

  difference(before, after) {
    const columns = [this.tagColumn, "heads", "deprels", "lemmas", "feats"];
    const ids = before.forms.map((_, i) => i + 1);
    return new Set(ids.filter((id) => columns.some((name) => before[name][id - 1] !== after[name][id - 1])));
  }

  // Without the model's help: change the value, and keep the tree a tree.
  applyByHand(id, values) {
    const record = structuredClone(this.record);
    for (const name of ["tag", "label", "lemma", "feats"]) {
      if (name in values) record[this.column(name)][id - 1] = values[name] ?? this.original[this.column(name)][id - 1];
    }
    if ("head" in values) {
      const head = values.head ?? this.original.heads[id - 1];
      const old = record.heads[id - 1];
      if (head === 0) {
        const root = record.heads.indexOf(0) + 1;
        if (root && root !== id) [record.heads[root - 1], record.deprels[root - 1]] = [id, "dep"];
      } else {
        let up = head;
        while (up > 0 && up !== id) up = record.heads[up - 1];
        if (up === id) [record.heads[head - 1], record.deprels[head - 1]] = [old, record.deprels[id - 1]];
      }
      record.heads[id - 1] = head;
      if (head === 0) record.deprels[id - 1] = "root";
      else if (record.deprels[id - 1] === "root") record.deprels[id - 1] = "dep";
    }
    this.changed = this.difference(this.record, record);
    this.record = record;
    this.tell(say("applied"));
  }

  undo() {
    const before = this.history.pop();
    if (!before) return;
    this.changed = this.difference(this.record, before.record);
    [this.record, this.pins] = [before.record, before.pins];
    this.stepper?.refresh();
    this.tell("");
    this.draw();
    this.page.editor.refresh(this);
    this.changed = new Set();
  }

  reset() {
    if (!this.history.length) return;
    this.history.splice(1); // the first entry is what the model said by itself
    this.undo();
  }

  // Keyboard

  key(event) {
    const word = event.target.closest(".word");
    if (!word || event.altKey) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      this.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const id = Number(word.dataset.id);
    const action = this.choosing ? this.chooseKey(event.key) : this.moveKey(event.key, id);
    if (action) {
      event.preventDefault();
      event.stopPropagation();
      action();
    }
  }

  neighbour(id, key) {
    const down = this.svg.classList.contains("down");
    const rtl = this.element.dir === "rtl" && !down;
    const [back, on] = down ? ["ArrowUp", "ArrowDown"] : rtl ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
    if (key === back) return Math.max(1, id - 1);
    if (key === on) return Math.min(this.record.forms.length, id + 1);
    if (key === "Home") return 1;
    if (key === "End") return this.record.forms.length;
    const [toHead, toChild] = down ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    if (key === toHead) return Math.max(1, this.record.heads[id - 1]) || id;
    if (key === toChild) return this.record.heads.indexOf(id) + 1 || id;
    return 0;
  }

  moveKey(key, id) {
    const to = this.neighbour(id, key);
    if (to) return () => this.go(to);
    if (key === "Enter" || key === " ") return () => this.page.editor.show(this, id);
    if (key.toLowerCase() === "h" && this.hasTree) return () => this.choose(id);
    if (key.toLowerCase() === "s" && this.record.trace?.length) return () => this.steps();
    if (key === "Delete" || key === "Backspace") {
      return this.pins.has(id) ? () => this.edit(id, { tag: undefined, head: undefined, label: undefined }) : null;
    }
    return null;
  }

  go(id) {
    this.current = id;
    for (const word of this.words()) word.setAttribute("tabindex", Number(word.dataset.id) === id ? 0 : -1);
    const word = this.word(id);
    word.focus();
    word.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  choose(id) {
    this.stepper?.close();
    const head = this.record.heads[id - 1];
    this.choosing = { id, target: head > 0 ? head : id === 1 ? 2 : 1 };
    this.unhover();
    this.tell(say("choose.head", this.record.forms[id - 1]));
    this.mark();
  }

  chooseKey(key) {
    const { id, target } = this.choosing;
    const done = (message) => {
      this.choosing = null;
      this.tell(message);
      this.mark();
    };
    if (key === "Escape" || key === "Tab") return () => done("");
    if (key === "0") return () => { done(""); return this.edit(id, { head: 0 }); };
    if (key === "Enter" || key === " ") return () => { done(""); if (target !== id) return this.edit(id, { head: target }); };
    const to = this.neighbour(target, key);
    if (!to) return null;
    return () => {
      this.choosing.target = to;
      this.mark();
      this.word(to).scrollIntoView({ block: "nearest", inline: "nearest" });
      this.page.tip.hide();
    };
  }

  // Mouse: a click edits, a drag onto another word makes that word the head

  clicked(event) {
    const target = event.target.closest(".word, .arc");
    if (!target || this.dragged) return;
    this.page.editor.show(this, Number(target.dataset.id));
  }

  press(event) {
    this.dragged = false;
    const word = event.target.closest(".word");
    if (!word || event.pointerType === "touch" || event.button !== 0 || !this.hasTree || this.stepper) return;
    event.preventDefault(); // no text selection
    const id = Number(word.dataset.id);
    this.go(id);
    const from = word.querySelector(".box").getBBox();
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("class", "drag-line");
    let target = 0;
    const move = (next) => {
      if (!this.dragging && Math.hypot(next.clientX - event.clientX, next.clientY - event.clientY) < 6) return;
      if (!this.dragging) {
        this.dragging = this.dragged = true;
        this.unhover();
        this.svg.append(line);
      }
      const point = new DOMPoint(next.clientX, next.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      line.setAttribute("d", `M${from.x + from.width / 2},${from.y + from.height / 2} L${point.x},${point.y}`);
      const over = document.elementFromPoint(next.clientX, next.clientY)?.closest(".word");
      target = over && this.svg.contains(over) && over !== word ? Number(over.dataset.id) : 0;
      for (const other of this.words()) other.classList.toggle("target", target === Number(other.dataset.id));
    };
    const end = (next) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      line.remove();
      this.dragging = false;
      this.mark();
      if (next.type === "pointerup" && target) this.edit(id, { head: target });
      setTimeout(() => { this.dragged = false; });
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }

  // Buttons

  steps() {
    if (this.stepper) {
      this.stepper.close();
      return;
    }
    this.stepper = new Stepper(this, this.element.querySelector(".steps"));
    this.element.querySelector("[data-to=on]").focus();
    this.element.querySelector("[data-do=steps]").setAttribute("aria-pressed", true);
    this.draw();
  }

  stepsClosed() {
    this.stepper = null;
    this.element.querySelector("[data-do=steps]").setAttribute("aria-pressed", false);
    this.draw();
  }

  async picture() {
    try {
      const answer = await ask("/v1/convert", { sentences: [plainRecord(this.record)], format: "svg" });
      download(`plait-${this.number}.svg`, answer, "image/svg+xml");
    } catch (error) {
      this.tell(sayError(error), true);
    }
  }
}

// A sentence as the interface takes it: without what only answers have.
export function plainRecord(record) {
  const { text, trace, ...columns } = record;
  return columns;
}
