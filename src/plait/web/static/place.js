// Where a floating box goes: beside what it speaks of, and never over it.

const GAP = 8;

// The best of four places around the target: inside the window, over as little as possible of what must stay visible.
// `size` is the box's { width, height }; `target` and the `visible` ones are rectangles of the window.
export function placeBeside(size, target, visible) {
  const middle = { left: target.left + target.width / 2 - size.width / 2, top: target.top + target.height / 2 - size.height / 2 };
  const places = [
    { left: middle.left, top: target.bottom + GAP },
    { left: middle.left, top: target.top - GAP - size.height },
    { left: target.right + GAP, top: middle.top },
    { left: target.left - GAP - size.width, top: middle.top },
  ];
  let best = null;
  for (const place of places) {
    const left = Math.min(Math.max(GAP, place.left), Math.max(GAP, innerWidth - size.width - GAP));
    const top = Math.min(Math.max(GAP, place.top), Math.max(GAP, innerHeight - size.height - GAP));
    const box = { left, top, right: left + size.width, bottom: top + size.height };
    const hidden = [target, ...visible].reduce((sum, other) => sum + overlap(box, other), 0);
    if (best === null || hidden < best.hidden) best = { left, top, hidden };
  }
  return best;
}

function overlap(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}
