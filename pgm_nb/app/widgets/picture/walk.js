// Walk from box to box with the keyboard: Tab enters the picture, arrows walk, Enter or Space chooses.
//
// walk(groups, labels, { choose, reveal }) -> { enter }
//   groups   the boxes and lines, by their data-id
//   labels   what can be chosen: data-id to name
//   choose   called with a data-id
//   reveal   called with a box that may be out of sight
//   enter    enter(id) makes a box the one that Tab comes to
function walk(groups, labels, { choose, reveal }) {
  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const boxes = [...groups].filter(([id, group]) => id in labels && group.matches("g.node"));

  const middle = (box) => {
    const { left, top, width, height } = box.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };

  function next(from, [right, down]) { // the nearest box in a direction; aside counts twice
    const [x, y] = middle(from);
    let best = null, least = Infinity;
    for (const [id, box] of boxes) {
      const [toX, toY] = middle(box);
      const ahead = (toX - x) * right + (toY - y) * down;
      const aside = Math.abs((toX - x) * down) + Math.abs((toY - y) * right);
      if (ahead > 1 && ahead + 2 * aside < least) [best, least] = [id, ahead + 2 * aside];
    }
    return best;
  }

  function enter(wanted) {
    const [first] = boxes;
    const id = boxes.some(([known]) => known === wanted) ? wanted : first && first[0];
    for (const [other, box] of boxes) box.setAttribute("tabindex", other === id ? "0" : "-1");
  }

  for (const [id, box] of boxes) {
    box.setAttribute("role", "button");
    box.setAttribute("aria-label", labels[id]);
    box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const to = WAYS[event.key] && next(box, WAYS[event.key]);
      if (event.key === "Enter" || event.key === " ") choose(id);
      else if (to) { enter(to); groups.get(to).focus({ preventScroll: true }); reveal(groups.get(to)); }
      else if (!WAYS[event.key]) return;
      event.preventDefault();
    });
    box.addEventListener("focus", () => box.matches(":focus-visible") && reveal(box));
  }
  enter(null);
  return { enter };
}
