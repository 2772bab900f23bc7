// The decisions of a model one after the other: what is known after each of them.
//
// An easy-first trace is a list of { word, action, label, head, score }; a transition trace is a list of names,
// SHIFT, APPEND, SWAP, LEFT-label and RIGHT-label, which act on a stack; APPEND lengthens the word that was shifted.

import { say } from "./words.js";

export const isTransitions = (trace) => trace.some((step) => typeof step === "string");

// The arcs that the whole trace makes; they may differ from the tree where crossing arcs were lifted.
export function treeOf(trace, sentence) {
  const heads = sentence.forms.map(() => -1);
  const labels = sentence.forms.map(() => "_");
  for (const state of walk(trace, sentence)) {
    if (state.arc) [heads[state.arc.id - 1], labels[state.arc.id - 1]] = [state.arc.head, state.arc.label];
  }
  return { heads, labels };
}

// What is known after `count` steps: { arcs, tags, marks, fresh, text, score, groups }.
export function after(trace, sentence, count, tagColumn) {
  const tagged = trace.some((step) => step.action === "tag");
  const everything = new Set(sentence.forms.map((_, i) => i + 1));
  const known = { arcs: new Set(), tags: tagged ? new Set() : everything, marks: new Map(), fresh: 0, text: say("step.start"), score: null };
  let last = null;
  for (const state of walk(trace.slice(0, count), sentence)) {
    if (state.arc) known.arcs.add(state.arc.id);
    if (state.tag) known.tags.add(state.word);
    last = state;
  }
  if (last) {
    known.text = last.text;
    known.score = last.score;
    known.fresh = last.arc ? last.arc.id : 0;
    known.marks.set(last.word, "now");
  }
  if (isTransitions(trace)) {
    const [stack, buffer] = last ? [last.stack, last.buffer] : [[], sentence.forms.map((_, i) => i + 1)];
    for (const id of stack) if (known.marks.get(id) !== "now") known.marks.set(id, "stack");
    for (const id of everything) if (!stack.includes(id) && !buffer.includes(id) && known.marks.get(id) !== "now") known.marks.set(id, "faded");
    known.groups = [["stack", stack], ["buffer", buffer]];
  } else {
    for (const id of known.arcs) if (known.marks.get(id) !== "now") known.marks.set(id, "faded");
    if (trace.some((step) => step.head >= 0)) known.groups = [["pending", [...everything].filter((id) => !known.arcs.has(id))]];
  }
  return known;
}

// One easy-first decision in words.
export const spelled = (step, sentence) => decisions([step], sentence).next().value.text;

export const isSame = (a, b) => a.word === b.word && a.action === b.action && a.label === b.label && a.head === b.head;

function* walk(trace, sentence) {
  yield* isTransitions(trace) ? transitions(trace, sentence) : decisions(trace, sentence);
}

function* decisions(trace, sentence) {
  const form = (id) => sentence.forms[id - 1];
  for (const step of trace) {
    const score = step.action === "set_root" ? null : step.score;
    if (step.action === "tag") {
      yield { word: step.word, tag: step.label, text: say("step.tag", form(step.word), step.label), score };
    } else if (step.head === 0) {
      yield { word: step.word, arc: { id: step.word, head: 0, label: step.label || "root" }, text: say("step.root", form(step.word)), score };
    } else {
      const words = say(step.label ? "step.attach" : "step.attach.bare", form(step.word), form(step.head), step.label);
      yield { word: step.word, arc: { id: step.word, head: step.head, label: step.label || "_" }, text: words, score };
    }
  }
}

function* transitions(trace, sentence) {
  const form = (id) => (id === 0 ? "ROOT" : sentence.forms[id - 1]);
  const stack = [];
  const buffer = sentence.forms.map((_, i) => i + 1);
  for (const name of trace) {
    const dash = name.indexOf("-");
    const [action, label] = dash < 0 ? [name, ""] : [name.slice(0, dash), name.slice(dash + 1)];
    const top = stack.at(-1);
    const second = stack.at(-2) ?? 0; // below the last word lies the root
    let state;
    if (action === "SHIFT") {
      stack.push(buffer.shift());
      state = { word: stack.at(-1), text: say("step.shift", form(stack.at(-1))) };
    } else if (action === "APPEND") {
      state = { word: top, text: say("step.append", form(top)) };
    } else if (action === "SWAP") {
      stack.splice(-2, 1);
      buffer.unshift(second);
      state = { word: second, text: say("step.swap", form(second), form(top)) };
    } else {
      const [id, head] = action === "LEFT" ? [second, top] : [top, second];
      stack.splice(action === "LEFT" ? -2 : -1, 1);
      const words = say(action === "LEFT" ? "step.left" : "step.right", form(id), form(head), label);
      state = { word: id, arc: { id, head, label }, text: words };
    }
    yield { ...state, score: null, stack: [...stack], buffer: [...buffer] };
  }
}
