// Where arcs go: how high each one rises so that none crosses a word or lies on another. Words count from 1.

// Arcs between words; the root's and open ones (head 0 and -1) are not among them.
export function arcsOf(heads) {
  const arcs = [];
  heads.forEach((head, i) => {
    const id = i + 1;
    if (head > 0) arcs.push({ id, head, from: Math.min(id, head), to: Math.max(id, head) });
  });
  return arcs.sort((a, b) => (a.to - a.from) - (b.to - b.from) || a.from - b.from);
}

// The arcs that begin or end among the words first..last, as pieces whose ends lie at most one place outside of them.
export function piecesOf(arcs, first, last) {
  const inside = (id) => first <= id && id <= last;
  const pieces = arcs.filter(({ from, to }) => inside(from) || inside(to))
    .map((arc) => ({ ...arc, port: 0, from: Math.max(arc.from, first - 1), to: Math.min(arc.to, last + 1) }));
  return pieces.sort((a, b) => (a.to - a.from) - (b.to - b.from) || a.from - b.from);
}

// Shorter arcs first; each lies one level above everything between its ends. Gives the highest level.
export function setLevels(arcs, n) {
  const height = new Int32Array(n + 1); // height[i]: levels taken between the words i and i + 1
  let highest = 0;
  for (const arc of arcs) {
    let level = 0;
    for (let i = arc.from; i < arc.to; i++) level = Math.max(level, height[i]);
    arc.level = level + 1;
    for (let i = arc.from; i < arc.to; i++) height[i] = arc.level;
    highest = Math.max(highest, arc.level);
  }
  return highest;
}

// How far from the middle of its head an arc starts: long arcs near the middle, short ones outside, so that they nest.
export function setPorts(arcs, room) {
  const sides = new Map();
  for (const arc of arcs) {
    const key = `${arc.head}${arc.id > arc.head ? "+" : "-"}`;
    sides.set(key, [...(sides.get(key) ?? []), arc]);
  }
  for (const list of sides.values()) {
    const step = Math.min(6, (room(list[0].head) - 3) / list.length);
    list.forEach((arc, k) => { arc.port = (arc.id > arc.head ? 1 : -1) * step * (list.length - k); });
  }
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// The direction of a sentence is that of its first letter.
export function isRightToLeft(forms) {
  for (const form of forms) {
    const letter = form.match(/\p{L}/u);
    if (letter) return RIGHT_TO_LEFT.test(letter[0]);
  }
  return false;
}
