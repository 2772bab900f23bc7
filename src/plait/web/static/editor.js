// The small form beside a word: tag, head, label, lemma and features, and which of them are pinned. A change counts at once.

import { placeBeside } from "./place.js";
import { explainRelation, explainTag, RELATIONS, TAGS } from "./ud.js";
import { language, say } from "./words.js";

const COLUMNS = ["tag", "head", "label", "lemma", "feats"];
const WRITTEN = ["lemma", "feats"]; // by hand, not chosen from a list

export class Editor {
  constructor(dialog) {
    this.dialog = dialog;
    this.card = null;
    this.id = 0;
    for (const name of COLUMNS) {
      this.field(name).addEventListener("change", () => this.set(name));
      this.pin(name).addEventListener("click", () => this.toggle(name));
    }
    dialog.addEventListener("close", () => this.closed());
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.preventDefault();
        dialog.close();
      }
    });
    addEventListener("pointerdown", (event) => { // a press elsewhere ends it, without moving the focus back
      if (this.open && !dialog.contains(event.target)) this.leave();
    }, true);
  }

  get open() {
    return this.dialog.open;
  }

  // Close without going back to the word.
  leave() {
    this.card = null;
    this.dialog.close();
  }

  field(name) {
    return this.dialog.querySelector(`#edit-${name}`);
  }

  pin(name) {
    return this.dialog.querySelector(`.pin[data-column=${name}]`);
  }

  show(card, id) {
    this.card = card;
    this.id = id;
    card.stepper?.close();
    card.unhover();
    card.current = id;
    this.fill();
    if (!this.open) this.dialog.show();
    document.body.classList.add("editing");
    if (this.isSheet) scrollBy(0, card.word(id).getBoundingClientRect().top - 90);
    this.place();
    this.field(card.hasTree ? "head" : "tag").focus({ preventScroll: true });
  }

  // Whether the style sheet makes it a sheet at the bottom, as on a phone.
  get isSheet() {
    return matchMedia("(max-width: 640px)").matches;
  }

  // After an answer: the values may be others, and the word may stand elsewhere.
  refresh(card) {
    if (!this.open || this.card !== card) return;
    this.fill();
    this.place();
  }

  fill() {
    const { card, id } = this;
    const { forms } = card.record;
    const keeps = card.page.model().abilities.includes("keep");
    this.dialog.querySelector("#editor-title").textContent = say("edit.title", forms[id - 1].slice(0, 60));
    this.dialog.querySelector("#editor-close").setAttribute("aria-label", say("edit.close"));
    this.dialog.querySelector("#editor-note").textContent = say(keeps ? "edit.keep" : "edit.local");
    options(this.field("tag"), tagOptions(card), card.value(id, "tag"));
    options(this.field("head"), headOptions(card, id), String(card.value(id, "head")));
    options(this.field("label"), labelOptions(card), card.value(id, "label"));
    for (const name of WRITTEN) this.field(name).value = shown(card.value(id, name));
    const { predicts } = card.page.model();
    const there = { tag: true, head: card.hasTree, label: card.hasTree };
    for (const name of WRITTEN) there[name] = predicts.includes(card.column(name));
    for (const name of COLUMNS) {
      const pinned = card.pins.get(id)?.[name] !== undefined;
      const pin = this.pin(name);
      pin.setAttribute("aria-pressed", pinned);
      pin.title = say(pinned ? "unpin" : "pin");
      pin.setAttribute("aria-label", `${say(`edit.${name}`)}: ${pin.title}`);
      pin.hidden = !keeps;
      this.dialog.querySelector(`#field-${name}`).hidden = !there[name];
    }
  }

  // Beside the word, where it hides neither the word nor its head; the page moves up where there is no room below. A
  // phone's sheet has its own place.
  place() {
    if (this.isSheet) return;
    const size = this.dialog.getBoundingClientRect();
    const lacking = this.card.word(this.id).getBoundingClientRect().bottom + size.height + 16 - innerHeight;
    if (lacking > 0) scrollBy(0, lacking);
    const { left, top } = placeBeside(size, this.card.word(this.id).getBoundingClientRect(), this.card.spokenOf(this.id));
    this.dialog.style.left = `${left}px`;
    this.dialog.style.top = `${top}px`;
  }

  set(name) {
    const { value } = this.field(name);
    if (WRITTEN.includes(name)) this.card.edit(this.id, { [name]: written(name, value) });
    else this.card.edit(this.id, { [name]: name === "head" ? Number(value) : value });
  }

  toggle(name) {
    const pinned = this.card.pins.get(this.id)?.[name] !== undefined;
    this.card.edit(this.id, { [name]: pinned ? undefined : this.card.value(this.id, name) });
  }

  closed() {
    const { card, id } = this;
    this.card = null;
    document.body.classList.remove("editing");
    card?.go(id);
  }
}

// What is not given is an empty field.
const shown = (value) => (value === "_" ? "" : value);

// An emptied field is unpinned; features are in the order that CoNLL-U requires.
function written(name, value) {
  const text = value.trim().replace(/\s+/g, " ");
  if (text === "" || name === "lemma") return text || undefined;
  return text.split(/[| ]+/).filter(Boolean).sort((a, b) => a.toLowerCase() < b.toLowerCase() ? -1 : 1).join("|");
}

function options(select, choices, chosen) {
  select.replaceChildren(...choices.map(([value, text]) => new Option(text, value, false, value === chosen)));
}

// Known ones first by name, then whatever else the model has shown in this text.
function known(table, seen, explain) {
  const names = [...new Set([...Object.keys(table), ...seen])].filter((name) => name !== "_").sort();
  return names.map((name) => {
    const meaning = explain(name, language);
    return [name, meaning && meaning !== name ? `${name} · ${meaning}` : name];
  });
}

const tagOptions = (card) => known(card.tagColumn === "upos" ? TAGS : {}, card.page.seen(card.tagColumn), explainTag);

const labelOptions = (card) => known(RELATIONS, card.page.seen("deprels"), explainRelation);

function headOptions(card, id) {
  const words = card.record.forms.map((form, i) => [String(i + 1), `${i + 1} · ${form.slice(0, 40)}`]);
  return [["0", say("edit.root")], ...words.filter(([value]) => value !== String(id))];
}
