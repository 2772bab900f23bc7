// Draws a sentence as SVG: words across with arcs above them, or words down with arcs beside them.
//
// A view is { forms, tags, heads, labels, scores, ranges, pins, changed, rtl, shows }: columns as the server gives them,
// pins (id -> { tag, head, label }), changed (a set of ids), and shows (null, or a step: see steps.js).

import { arcsOf, piecesOf, setLevels, setPorts } from "./layout.js";
import { tagClass } from "./ud.js";

const SVG = "http://www.w3.org/2000/svg";
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif';
const FONTS = { form: `500 17px ${FONT}`, tag: `600 11px ${FONT}`, label: `12px ${FONT}` };
const UNSURE = 0.5;

const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();

function measure(text, kind) {
  const key = kind + text;
  if (!widths.has(key)) {
    if (widths.size > 20_000) widths.clear();
    pen.font = FONTS[kind];
    widths.set(key, pen.measureText(text).width * (kind === "tag" ? 1.06 : 1));
  }
  return widths.get(key);
}

function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const text = (content, x, y, kind, anchor = "middle") =>
  make("text", { x: round(x), y: round(y), class: kind, "text-anchor": anchor }, content);

const round = (number) => Math.round(number * 10) / 10;

// Cuts a long form at whole characters, so that it fits.
function fitted(form, room, kind = "form") {
  if (measure(form, kind) <= room) return form;
  const characters = [...form].slice(0, 200);
  while (characters.length > 1 && measure(characters.join("") + "…", kind) > room) characters.pop();
  return characters.join("") + "…";
}

// Layouts: across, in as many rows as the room asks for, and down.
export function drawTree(view, layout, room) {
  return layout === "down" ? drawDown(view, room) : drawAcross(view, room);
}

function arcClass(view, id) {
  const names = ["arc"];
  if (view.pins.get(id)?.head !== undefined) names.push("pinned");
  if (view.scores && view.scores[id - 1] < UNSURE) names.push("unsure");
  if (view.shows?.fresh === id) names.push("fresh");
  return names.join(" ");
}

const labelClass = (view, id) => `label${view.pins.get(id)?.label !== undefined ? " pinned-text" : ""}`;

function wordGroup(view, id, box) {
  const names = ["word"];
  if (view.changed.has(id)) names.push("changed");
  const mark = view.shows?.marks.get(id);
  if (mark) names.push(mark);
  const group = make("g", { class: names.join(" "), "data-id": id, tabindex: -1, role: "button" });
  group.append(make("rect", { ...box, rx: 8, class: "box" }));
  return group;
}

const shownTag = (view, id) => (view.shows && !view.shows.tags.has(id) ? "·" : view.tags[id - 1]);
const shownArc = (view, id) => !view.shows || view.shows.arcs.has(id);

function tagText(view, id, x, y, anchor) {
  const tag = shownTag(view, id);
  const pinned = view.pins.get(id)?.tag !== undefined ? " pinned-text" : "";
  return text(tag === "_" ? "" : tag, x, y, `tag ${tagClass(tag)}${pinned}`, anchor);
}

function arcGroup(view, id, path, end, turn, label) {
  const group = make("g", { class: arcClass(view, id), "data-id": id });
  group.append(
    make("path", { d: path, class: "reach" }),
    make("path", { d: path, class: "line" }),
  );
  if (end) {
    group.append(make("path", { d: "M0,0 l-3.6,-7 h7.2 z", class: "tip-end", transform: `translate(${round(end[0])},${round(end[1])}) rotate(${turn})` }));
  }
  if (label) group.append(label);
  return group;
}

// Across ---------------------------------------------------------------------------------------------------------

const PAD = 14;
const GAP = 16;
const LEVEL = 27;
const LONGEST_FORM = 260; // pixels, or half of the room where that is more
const ROW_GAP = 12;
const GOES_ON = 34; // room at the end of a row for arcs that go on in the next one

function drawAcross(view, room) {
  const forms = view.forms.map((form) => fitted(form, Math.max(LONGEST_FORM, room / 2)));
  const wide = forms.map((form, i) => Math.max(measure(form, "form"), measure(view.tags[i], "tag"), 14) + 12);
  const arcs = arcsOf(view.heads);
  const rows = breakRows(wide, arcs, view.labels, room);
  const width = Math.max(...rows.map((row) => row.width));
  const at = (position) => (view.rtl ? width - position : position);
  const svg = make("svg", { class: "tree across", role: "group" });
  let top = 0;
  for (const row of rows) {
    const place = { row, wide, forms, at, top };
    top = drawRow(svg, view, arcs, place) + ROW_GAP;
  }
  const height = top - ROW_GAP;
  for (const [name, value] of [["width", Math.ceil(width)], ["height", height], ["viewBox", `0 0 ${Math.ceil(width)} ${height}`]]) {
    svg.setAttribute(name, value);
  }
  return svg;
}

// One row from the height `top` on: its arcs, words and multiword tokens. Gives the height at which it ends.
function drawRow(svg, view, arcs, { row, wide, forms, at, top }) {
  const pieces = piecesOf(arcs, row.first, row.last);
  const highest = setLevels(pieces, view.forms.length + 1);
  setPorts(pieces.filter(({ head }) => row.first <= head && head <= row.last), (id) => wide[id - 1] / 2);
  const root = view.heads.findIndex((head, i) => head === 0 && row.first <= i + 1 && i + 1 <= row.last) + 1;
  const ground = top + (highest + (root ? 1 : 0)) * LEVEL + 14;
  for (const piece of pieces.reverse()) { // long ones below, so that labels of short ones stay on top
    if (shownArc(view, piece.id)) svg.append(arcPiece(view, piece, row, at, ground));
  }
  if (root && shownArc(view, root)) {
    const middle = at(row.x(root));
    const start = ground - (highest + 1) * LEVEL + 10;
    const label = text(view.labels[root - 1] === "_" ? "root" : view.labels[root - 1], middle, start - 5, labelClass(view, root));
    svg.append(arcGroup(view, root, `M${round(middle)},${start} V${ground - 6}`, [middle, ground], 0, label));
  }
  for (let id = row.first; id <= row.last; id++) {
    const middle = at(row.x(id));
    const box = { x: round(middle - wide[id - 1] / 2), y: ground + 3, width: round(wide[id - 1]), height: 46 };
    const group = wordGroup(view, id, box);
    group.append(text(forms[id - 1], middle, ground + 24, "form"), tagText(view, id, middle, ground + 41));
    svg.append(group);
  }
  let end = ground + 56;
  for (const [first, last, form] of view.ranges) {
    const [from, to] = [Math.max(first, row.first), Math.min(last, row.last)];
    if (from > to) continue;
    const a = at(row.x(from) - wide[from - 1] / 2 + 6);
    const b = at(row.x(to) + wide[to - 1] / 2 - 6);
    svg.append(make("path", { class: "bracket", d: `M${round(a)},${ground + 54} v5 H${round(b)} v-5` }));
    svg.append(text(form, (a + b) / 2, ground + 74, "surface"));
    end = ground + 82;
  }
  return end;
}

// An arc, or the part of it that lies in this row: dashed where it goes on in another one.
function arcPiece(view, piece, row, at, ground) {
  const here = (id) => row.first <= id && id <= row.last;
  const top = ground - piece.level * LEVEL + 4;
  const edge = piece.to > row.last ? row.width - 2 : 2;
  const [start, end] = [here(piece.head) ? row.x(piece.head) + piece.port : edge, here(piece.id) ? row.x(piece.id) : edge].map(at);
  const way = Math.sign(end - start);
  const r = Math.min(9, Math.abs(end - start) / 2);
  const corner = (x, to) => `Q${round(x)},${top} ${round(x + to * r)},${top}`;
  const name = view.labels[piece.id - 1];
  const label = name === "_" ? null : text(name, (start + end) / 2, top + 4, labelClass(view, piece.id));
  if (here(piece.head) && here(piece.id)) {
    const path = `M${round(start)},${ground} V${top + r} ${corner(start, way)} H${round(end - way * r)} Q${round(end)},${top} ${round(end)},${top + r} V${ground - 6}`;
    return arcGroup(view, piece.id, path, [end, ground], 0, label);
  }
  const [word, far, foot] = here(piece.id) ? [end, start, ground - 6] : [start, end, ground];
  const out = Math.sign(far - word);
  const path = `M${round(word)},${foot} V${top + r} ${corner(word, out)} H${round(far - out * 16)}`;
  const group = arcGroup(view, piece.id, path, here(piece.id) ? [end, ground] : null, 0, label);
  group.append(make("path", { d: `M${round(far - out * 16)},${top} H${round(far)}`, class: "line goes-on" }));
  return group;
}

// Words side by side, moved apart where a label needs more room than its arc has; a new row where the room ends. A row
// is { first, last, width, x }: x(id) is the middle of a word.
function breakRows(wide, arcs, labels, room) {
  const ending = new Map(); // the arcs by their right end
  for (const arc of arcs) ending.set(arc.to, [...(ending.get(arc.to) ?? []), arc]);
  const open = (id) => Math.max(0, ...arcs.filter((arc) => arc.id === id).map(() => measure(labels[id - 1], "label") + 30 - wide[id - 1] / 2));
  const rows = [];
  let middles = new Map();
  let first = 1;
  let left = PAD;
  const close = (last, next) => {
    const found = middles;
    rows.push({ first, last, width: left - GAP + PAD + (next ? GOES_ON : 0), x: (id) => found.get(id) });
    [middles, first, left] = [new Map(), next, PAD];
  };
  const middleOf = (id) => {
    let x = left + wide[id - 1] / 2;
    for (const arc of ending.get(id) ?? []) {
      if (arc.from >= first) x = Math.max(x, middles.get(arc.from) + measure(labels[arc.id - 1], "label") + 30);
    }
    return x;
  };
  for (let id = 1; id <= wide.length; id++) {
    let x = middleOf(id);
    const end = PAD + (id < wide.length ? GOES_ON : 0);
    if (id > first && x + wide[id - 1] / 2 + end > room) {
      close(id - 1, id);
      left = Math.max(PAD, Math.min(open(id), room / 4)); // the label of an arc that comes from the row before
      x = middleOf(id);
    }
    middles.set(id, x);
    left = x + wide[id - 1] / 2 + GAP;
  }
  close(wide.length, 0);
  return rows;
}

// Down -----------------------------------------------------------------------------------------------------------

const ROW = matchMedia("(pointer: coarse)").matches ? 40 : 33; // fingers need more room than a mouse

function drawDown(view, room) {
  const n = view.forms.length;
  const arcs = arcsOf(view.heads);
  const highest = setLevels(arcs, n);
  setPorts(arcs, () => ROW / 2 - 2);
  const hasTree = view.heads.some((head) => head >= 0);
  const tags = Math.max(...view.tags.map((tag) => measure(tag, "tag")), 20);
  const names = hasTree ? Math.max(...view.labels.map((label) => measure(label, "label")), 20) : 0;
  const longest = Math.max(...view.forms.map((form) => measure(form, "form")), 30);
  const narrow = hasTree ? Math.max(34, highest * 6 + 22) : 8; // the gutter at its narrowest
  // Words win: where they do not fit, the bars of scores go first, then labels move below the tags.
  const spare = room - narrow - longest - tags - names - 52;
  const bar = view.scores && spare >= 44 ? 44 : 0;
  const stacked = hasTree && spare < 0;
  const beside = stacked ? Math.max(tags, names) + 36 : tags + names + bar + 52;
  const step = Math.min(16, Math.max(6, (room - beside - longest - 22) / Math.max(1, highest))); // the arcs yield first
  const gutter = hasTree ? Math.max(34, highest * step + 22) : 8;
  const words = Math.min(longest, Math.max(70, room - gutter - beside));
  const width = Math.max(200, gutter + words + beside);
  const at = (position) => (view.rtl ? width - position : position);
  const anchor = "start"; // that is the right end where the page's direction is right to left
  const height = n * ROW + 8;
  const middle = (id) => (id - 0.5) * ROW + 4;

  const svg = make("svg", {
    class: "tree down", width: Math.ceil(width), height, viewBox: `0 0 ${Math.ceil(width)} ${height}`, role: "group",
  });
  for (let id = 1; id <= n; id++) {
    const y = middle(id);
    const box = { x: round(view.rtl ? 2 : gutter), y: y - ROW / 2 + 2, width: round(width - gutter - 2), height: ROW - 4 };
    const group = wordGroup(view, id, box);
    group.append(
      text(fitted(view.forms[id - 1], words), at(gutter + 10), y + 6, "form", anchor),
      tagText(view, id, at(gutter + words + 24), y + (stacked ? -3 : 5), anchor),
    );
    if (hasTree && shownArc(view, id)) {
      const label = text(view.labels[id - 1] === "_" ? "" : view.labels[id - 1], at(gutter + words + (stacked ? 24 : tags + 38)), y + (stacked ? 12 : 5), labelClass(view, id), anchor);
      label.dataset.label = id;
      group.append(label);
    }
    if (bar) {
      const x = width - 44;
      const full = 36 * Math.max(0, Math.min(1, view.scores[id - 1]));
      group.append(
        make("rect", { class: "score-bar", x: round(at(x) - (view.rtl ? 36 : 0)), y: y - 2, width: 36, height: 4, rx: 2 }),
        make("rect", { class: "score-bar filled", x: round(at(x) - (view.rtl ? full : 0)), y: y - 2, width: round(full), height: 4, rx: 2 }),
      );
    }
    svg.append(group);
  }
  const edge = gutter - 4;
  const way = view.rtl ? 1 : -1; // arcs bulge away from the words
  const arrow = view.rtl ? 90 : -90;
  for (const arc of arcs.reverse()) {
    if (!shownArc(view, arc.id)) continue;
    const start = middle(arc.head) + arc.port;
    const end = middle(arc.id);
    const out = at(edge - arc.level * step - 4);
    const turn = Math.sign(end - start);
    const r = Math.min(7, step, Math.abs(end - start) / 2);
    const near = at(edge);
    const path = `M${round(near)},${round(start)} H${round(out - way * r)} Q${round(out)},${round(start)} ${round(out)},${round(start + turn * r)} ` +
      `V${round(end - turn * r)} Q${round(out)},${round(end)} ${round(out - way * r)},${round(end)} H${round(near + way * 6)}`;
    svg.append(arcGroup(view, arc.id, path, [near, end], arrow, null));
  }
  const root = view.heads.indexOf(0) + 1;
  if (root && shownArc(view, root)) {
    const y = middle(root);
    const path = `M${round(at(edge - highest * step - 12))},${y} H${round(at(edge) + way * 6)}`;
    svg.append(arcGroup(view, root, path, [at(edge), y], arrow, null));
  }
  return svg;
}
