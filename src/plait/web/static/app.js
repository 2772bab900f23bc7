// The page: text in, sentences out, live. What all sentences share is here; what one sentence does is in card.js.

import { ask, download } from "./api.js";
import { Card, plainRecord } from "./card.js";
import { Editor } from "./editor.js";
import { examplesFor } from "./examples.js";
import { Tip } from "./tip.js";
import { language, many, remember, remembered, say, sayError, setLanguage, translate } from "./words.js";

const PAUSE = 250; // milliseconds without a key before the text is sent
const SHOWN = 30; // sentences drawn at once
const SCRIPTS = ["en", "zh"]; // where the server has both, it can choose by the script of the text

const at = (id) => document.getElementById(id);
const text = at("text");
const chooser = at("model");
const status = at("status");
const results = at("results");

let models = [];
let cards = [];
let sentences = []; // all that the server found; cards are the first of them
let answering = ""; // the model that gave the last answer
let waiting = null;
let timer = 0;
let layout = "auto"; // across, down, or whichever fits

const page = {
  editor: new Editor(at("editor")),
  tip: new Tip(at("tip")),
  model: () => models.find((model) => model.name === (chooser.value || answering)) ?? models[0],
  layout: () => (layout === "auto" && innerWidth < 640 ? "down" : layout),
  room: () => results.clientWidth - 24,
  seen: (column) => cards.flatMap((card) => card.record[column]),
};

// Analysing

function soon() {
  fit();
  results.setAttribute("aria-busy", "true");
  clearTimeout(timer);
  timer = setTimeout(parse, PAUSE);
}

// The box is as high as its text, within what the style sheet allows.
function fit() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight}px`;
}

async function parse() {
  fit();
  clearTimeout(timer);
  timer = 0;
  waiting?.abort();
  waiting = new AbortController();
  const { signal } = waiting;
  if (!text.value.trim()) {
    show([]);
    tell("");
    results.setAttribute("aria-busy", "false");
    return;
  }
  const asked = chooser.value ? [page.model()] : models.filter(({ name }) => SCRIPTS.includes(name));
  const fields = { model: chooser.value || undefined };
  for (const name of ["scores", "trace"]) fields[name] = asked.every(({ abilities }) => abilities.includes(name));
  const slow = setTimeout(() => tell(say("working")), 150); // quick answers need no notice
  results.setAttribute("aria-busy", "true");
  try {
    const answer = await ask("/v1/parse", { text: text.value, ...fields }, signal);
    if (answering !== answer.model) show([]); // another model's edits are not this one's
    answering = answer.model;
    show(answer.sentences);
    tell(`${chooser.value ? "" : `${answering} · `}${say("took", answer.milliseconds.toFixed(1))}`);
    keepAddress();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error.code === "busy") {
      timer = setTimeout(parse, 1000);
    } else {
      tell(sayError(error), true);
    }
  } finally {
    clearTimeout(slow);
    if (!signal.aborted && !timer) results.setAttribute("aria-busy", "false");
  }
}

function tell(words, bad = false) {
  status.textContent = words;
  status.classList.toggle("bad", bad);
}

// Sentences with the same words keep their cards, and so their edits, while the text around them changes.
function show(found) {
  const kept = new Map();
  for (const card of cards) kept.set(card.wording, [...(kept.get(card.wording) ?? []), card]);
  sentences = found;
  cards = [];
  showMore(kept);
  const gone = [...kept.values()].flat();
  if (gone.includes(page.editor.card)) page.editor.leave();
  for (const card of gone) card.element.remove();
}

function showMore(kept = new Map()) {
  const from = cards.length;
  for (const record of sentences.slice(from, from + SHOWN)) {
    const number = cards.length + 1;
    let card = kept.get(record.forms.join("\u0000"))?.shift();
    if (card) card.refresh(record, number);
    else card = new Card(record, number, page);
    cards.push(card);
    const there = results.children[number - 1];
    if (there !== card.element) results.insertBefore(card.element, there ?? null);
    card.draw(); // now that it has a width
  }
  summarise();
}

function summarise() {
  const words = sentences.reduce((sum, record) => sum + record.forms.length, 0);
  at("count").textContent = say("count", many("sentence", sentences.length), many("word", words));
  at("result-bar").hidden = at("hint").hidden = !sentences.length;
  at("more").hidden = cards.length >= sentences.length;
  at("more").textContent = say("more", Math.min(SHOWN, sentences.length - cards.length));
}

// Text and model are part of the address, so that it can be sent to somebody; long texts do not fit there.
function keepAddress() {
  const hash = `#${new URLSearchParams({ ...(chooser.value && { model: chooser.value }), text: text.value })}`;
  history.replaceState(null, "", hash.length < 2000 ? hash : location.pathname);
}

// Choices

function chooseModel() {
  const model = chooser.value ? page.model() : { name: "", segments: true, predicts: ["heads"] };
  const notes = [];
  if (!model.segments) notes.push(say("note.spaces"));
  if (!model.predicts.includes("heads")) notes.push(say("note.tags"));
  at("model-note").textContent = notes.join(" ");
  at("model-note").hidden = !notes.length;
  at("examples").replaceChildren(...examplesFor(model, language).map((example) => {
    const chip = document.createElement("button");
    chip.type = "button";
    chip.className = "chip";
    chip.textContent = example;
    chip.addEventListener("click", () => {
      text.value = example;
      parse();
    });
    return chip;
  }));
}

const THEMES = ["auto", "light", "dark"];

function showTheme() {
  const theme = remembered("plait.theme") ?? "auto";
  at("theme").setAttribute("aria-label", say("theme", say(`theme.${theme}`)));
  at("theme").title = at("theme").getAttribute("aria-label");
  return theme;
}

function speak() {
  translate();
  text.placeholder = say("text.placeholder");
  at("language").textContent = language === "zh" ? "English" : "中文";
  at("language").lang = language === "zh" ? "en" : "zh";
  at("language").title = say("language");
  at("examples").setAttribute("aria-label", say("examples"));
  at("layout").setAttribute("aria-label", say("layout"));
  at("hint").lastElementChild.textContent = say(matchMedia("(hover: hover)").matches ? "hint.mouse" : "hint.touch");
  at("help-list").replaceChildren(...say("help").flatMap(([keys, meaning]) => {
    const term = document.createElement("dt");
    for (const key of keys.split(" ")) {
      const cap = document.createElement("kbd");
      cap.textContent = key;
      term.append(cap, " ");
    }
    const description = document.createElement("dd");
    description.textContent = meaning;
    return [term, description];
  }));
  showTheme();
  if (chooser.options[0]?.value === "") chooser.options[0].textContent = say("model.auto");
  if (models.length) chooseModel();
  for (const card of cards) {
    card.stepper?.translate();
    card.draw();
  }
  summarise();
}

function showLayout() {
  for (const input of at("layout").querySelectorAll("input")) input.checked = input.value === layout;
}

function redraw() {
  showLayout();
  for (const card of cards) card.draw();
}

// Beginning

text.addEventListener("input", soon);
chooser.addEventListener("change", () => {
  remember("plait.model", chooser.value);
  const example = [...at("examples").children].findIndex((chip) => chip.textContent === text.value);
  chooseModel();
  if (example >= 0) text.value = at("examples").children[example].textContent; // as this model takes it
  parse();
});
at("more").addEventListener("click", () => showMore());
at("language").addEventListener("click", () => {
  setLanguage(language === "zh" ? "en" : "zh");
  speak();
});
at("theme").addEventListener("click", () => {
  remember("plait.theme", THEMES[(THEMES.indexOf(showTheme()) + 1) % THEMES.length]);
  dispatchEvent(new Event("plait-theme"));
  showTheme();
});
at("layout").addEventListener("change", (event) => {
  layout = event.target.value;
  redraw();
});
at("download-conllu").addEventListener("click", async () => {
  const records = sentences.map((record, i) => plainRecord(cards[i]?.record ?? record));
  try {
    download("plait.conllu", await ask("/v1/convert", { sentences: records, format: "conllu" }), "text/plain");
  } catch (error) {
    tell(sayError(error), true);
  }
});
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) { // a phone's keyboard changes the height only
    fit();
    redraw();
  }
  width = innerWidth;
});

speak();
showLayout();
if (matchMedia("(hover: hover)").matches) text.focus(); // on a phone the keyboard would hide the page
try {
  ({ models } = await ask("/v1/models"));
  chooser.replaceChildren(...models.map(({ name, system }) => new Option(name === system ? name : `${name} · ${system}`, name)));
  if (SCRIPTS.every((script) => models.some(({ name }) => name === script))) {
    chooser.prepend(new Option(say("model.auto"), "", true, true));
  }
  const given = new URLSearchParams(location.hash.slice(1));
  const wanted = given.get("model") ?? (given.has("text") ? null : remembered("plait.model"));
  if ([...chooser.options].some(({ value }) => value === wanted)) chooser.value = wanted;
  chooseModel();
  text.value ||= given.get("text") ?? at("examples").children[0].textContent;
  parse();
} catch (error) {
  tell(sayError(error), true);
}
