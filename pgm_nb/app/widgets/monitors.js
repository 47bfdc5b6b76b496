// Boxes of states: a bar for each, the share it has now, a tick where it was before anything was known.
// A click sets the state, a second click takes it back. Names are text, never HTML.

function element(tag, name, parent) {
  const made = document.createElement(tag);
  made.className = name;
  parent.append(made);
  return made;
}

const LONGEST = 19; // letters of a state that are shown; the rest is under the pointer

function build(root, data, send) {
  root.replaceChildren();
  const letters = Math.max(4, ...data.boxes.flatMap((box) => box.states.map((label) => label.length)));
  root.style.setProperty("--label", 0.92 * Math.min(letters, LONGEST) + "ch");
  const find = element("input", "find", root);
  find.type = "search";
  find.placeholder = "Find an attribute …";
  find.setAttribute("aria-label", "Find an attribute");
  find.hidden = data.boxes.length < 9;
  const grid = element("div", "grid", root);
  const nothing = element("p", "nothing", root);
  nothing.textContent = "No attribute name contains this text.";
  nothing.hidden = true;
  const boxes = new Map();
  for (const box of data.boxes) {
    const frame = element("section", "box", grid);
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", box.name);
    const head = element("div", "head", frame);
    const name = element("span", "name", head);
    name.textContent = name.title = box.name;
    const value = element("span", "value", head);
    const rows = box.states.map((label, place) => {
      const row = element("button", "state", frame);
      row.type = "button";
      row.onclick = () => {
        const set = !row.classList.contains("chosen"); // seen at once; what follows from it comes in a moment
        for (const other of rows) other.row.classList.toggle("chosen", set && other.row === row);
        send({ name: box.name, state: place });
      };
      const text = element("span", "label", row);
      text.textContent = text.title = label;
      const track = element("span", "track", row);
      const bar = element("span", "bar", track);
      const tick = element("span", "tick", track);
      const whisker = element("span", "whisker", track);
      const number = element("span", "number", row);
      return { row, bar, tick, whisker, number, label, track };
    });
    frame.onkeydown = (event) => walk(rows, event);
    boxes.set(box.name, { frame, value, rows });
  }
  find.oninput = () => {
    const wanted = find.value.trim().toLowerCase();
    let shown = 0;
    for (const [name, box] of boxes) {
      box.frame.hidden = !name.toLowerCase().includes(wanted);
      shown += !box.frame.hidden;
    }
    nothing.hidden = shown > 0;
  };
  return { boxes, grid, find };
}

const WALKS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

function walk(rows, event) { // a box is one stop of the Tab key; arrows go from state to state
  if (!(event.key in WALKS) || event.altKey || event.ctrlKey || event.metaKey) return;
  const from = rows.findIndex(({ row }) => row === event.target.closest("button"));
  if (from < 0) return;
  event.preventDefault();
  const to = Math.min(Math.max(from + WALKS[event.key], 0), rows.length - 1);
  stop(rows, to);
  rows[to].row.focus();
}

function stop(rows, place) { // make a state the one that the Tab key comes to
  rows.forEach(({ row }, other) => { row.tabIndex = other === place ? 0 : -1; });
}

function update(view, data) {
  for (const box of data.boxes) {
    const { frame, value, rows } = view.boxes.get(box.name);
    frame.classList.toggle("known", box.chosen !== null || box.value !== "");
    frame.classList.toggle("plain", !box.shares);
    value.textContent = box.value;
    if (!rows.some(({ row }) => row.matches(":focus"))) stop(rows, box.chosen ?? 0);
    rows.forEach(({ row, bar, tick, whisker, number, label, track }, place) => {
      const chosen = box.chosen === place;
      row.classList.toggle("chosen", chosen);
      row.setAttribute("aria-pressed", chosen);
      track.hidden = number.hidden = !box.shares;
      if (box.shares) {
        bar.style.width = 100 * box.shares[place] + "%";
        tick.style.left = 100 * box.before[place] + "%";
        number.textContent = box.numbers[place];
      }
      whisker.hidden = !box.low;
      if (box.low) {
        whisker.style.left = 100 * box.low[place] + "%";
        whisker.style.width = 100 * (box.high[place] - box.low[place]) + "%";
      }
      row.setAttribute("aria-label", box.name + ": " + label + (box.shares ? ", " + box.numbers[place] : ""));
    });
  }
}

function point(view, name) {
  const box = view.boxes.get(name);
  if (!box) return;
  view.find.value = "";
  view.find.oninput();
  view.grid.scrollTop = box.frame.offsetTop - view.grid.offsetTop - 8;
  box.frame.classList.remove("pointed");
  void box.frame.offsetWidth; // so that the animation starts again
  box.frame.classList.add("pointed");
}

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".monitors");
  root.classList.toggle("large", data.large);
  const shape = JSON.stringify(data.boxes.map((box) => [box.name, box.states]));
  if (root.shape !== shape) {
    root.view = build(root, data, (click) => setTriggerValue("click", { ...click, at: performance.now() }));
    root.shape = shape;
  }
  update(root.view, data);
  if (root.asked !== undefined && root.asked !== data.asked) point(root.view, data.focus);
  root.asked = data.asked;
}
