// One picture: looked around in, searched, and clicked. What is chosen goes back to Python by its data-id.
const SVG_TYPE = "image/svg+xml";
const RANKED = ["star", "densities", "joined"]; // views that are read from the top; others begin at a node
const MAP = 100; // pixels of the longer side of the overview
const BANNED = "script, foreignObject, iframe, object, embed, animate, set, a";

function safe(text) { // the picture is data: whatever could act is taken out
  const read = new DOMParser().parseFromString(text, SVG_TYPE);
  const svg = read.documentElement;
  if (svg.nodeName !== "svg") return null;
  svg.querySelectorAll(BANNED).forEach((element) => element.remove());
  for (const element of [svg, ...svg.querySelectorAll("*")])
    for (const { name, value } of [...element.attributes])
      if (/^on/i.test(name) || (/href$/i.test(name) && !value.startsWith("#"))) element.removeAttribute(name);
  return document.importNode(svg, true);
}

function ends(id) { // of an arc: the ids of the two nodes it joins
  const found = /^(\w+)(?::\w+)?(?:->|--)(\w+)(?::\w+)?$/.exec(id);
  return found && [found[1], found[2]];
}

function easyToHit(edge) { // a thin line is hard to click: an unseen wide one lies over it
  for (const path of edge.querySelectorAll(":scope > path")) {
    const wide = path.cloneNode();
    wide.setAttribute("class", "reach");
    path.after(wide);
  }
}

function heightFor(svg, width) { // as high as the picture needs, but never higher than most of the window
  const { width: w, height: h } = svg.viewBox.baseVal;
  const unit = /pt$/.test(svg.getAttribute("width") || "") ? 4 / 3 : 1;
  const most = Math.min(Math.max(window.innerHeight * 0.66, 420), 780);
  return Math.round(Math.min(Math.max(Math.min(width / w, unit) * h + 16, 240), most));
}

function overview(root, svg) { // a small map of the whole, with a frame around what is seen
  const map = root.querySelector(".map");
  const copy = svg.cloneNode(true);
  copy.querySelectorAll("title, text").forEach((element) => element.remove());
  for (const element of [copy, ...copy.querySelectorAll("g")])
    for (const name of ["class", "data-id"]) element.removeAttribute(name); // it only shows where one is
  const seen = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  seen.setAttribute("class", "seen");
  copy.append(seen);
  map.replaceChildren(copy);
  const { width: w, height: h } = svg.viewBox.baseVal;
  const size = Math.min(MAP / w, MAP / h);
  copy.removeAttribute("style");
  copy.setAttribute("width", String(size * w));
  copy.setAttribute("height", String(size * h));
  return ({ whole, view, all }) => {
    map.hidden = whole;
    copy.setAttribute("viewBox", `${all.x} ${all.y} ${all.w} ${all.h}`);
    seen.setAttribute("stroke-width", String(1.5 / size));
    for (const [name, value] of Object.entries({ x: view.x, y: view.y, width: view.w, height: view.h }))
      seen.setAttribute(name, String(value));
  };
}

class Picture {
  constructor(root, choose) {
    this.root = root;
    this.frame = root.querySelector(".frame");
    this.search = root.querySelector("input");
    this.found = root.querySelector(".found");
    this.choose = choose;
    this.text = null;
    this.dims = true;
    const tools = { in: () => this.look.zoom(1.3), out: () => this.look.zoom(1 / 1.3), fit: () => this.look.fit() };
    for (const button of root.querySelectorAll("button"))
      button.onclick = () => this.look && tools[button.dataset.does]();
    this.search.oninput = () => this.seek(true);
    this.search.onkeydown = (event) => {
      if (event.key === "Enter" && this.hits.length) this.choose(this.hits[0]);
      if (event.key === "Escape") { this.search.value = ""; this.seek(true); }
    };
    this.frame.addEventListener("click", (event) => this.clicked(event));
    this.frame.addEventListener("keydown", (event) => event.key === "Escape" && this.selected && this.choose(""));
    this.hits = [];
    this.groups = new Map();
    this.paper = root.querySelector(".paper");
    this.paper.addEventListener("transitionend", () => this.colour()); // the page has turned light or dark
  }

  colour() {
    const [red, green, blue] = getComputedStyle(this.paper).backgroundColor.match(/[\d.]+/g).map(Number);
    this.root.classList.toggle("dark", 0.3 * red + 0.59 * green + 0.11 * blue < 128);
  }

  show(data) {
    this.labels = data.labels || {};
    this.selected = data.selected || "";
    this.more = data.more || [];
    this.dims = data.dims !== false;
    this.frame.setAttribute("aria-label", data.alternative);
    this.search.parentElement.hidden = Object.keys(this.labels).length === 0;
    this.colour();
    if (data.svg !== this.text) this.draw(data);
    this.fill(data.marks || {});
    this.mark();
  }

  draw(data) {
    this.text = data.svg;
    this.destroy();
    this.svg = safe(data.svg);
    if (!this.svg) {
      this.frame.replaceChildren("This picture cannot be shown here; download it instead.");
      return;
    }
    this.frame.style.height = `${heightFor(this.svg, this.frame.clientWidth)}px`;
    this.frame.replaceChildren(this.svg);
    this.groups.clear();
    for (const group of this.svg.querySelectorAll("g.node, g.edge")) this.groups.set(group.dataset.id, group);
    this.svg.querySelectorAll("g.edge").forEach(easyToHit);
    this.look = panzoom(this.svg, this.frame, { legible: data.legible, onmove: overview(this.root, this.svg) });
    const graph = this.svg.querySelector("g.graph");
    const begin = graph && !RANKED.includes(graph.dataset.id) ? this.svg.querySelector("g.node") : null;
    this.look.open(this.groups.get(this.selected) || begin);
    this.walk = walk(this.groups, this.labels, {
      choose: (id) => this.choose(id === this.selected ? "" : id), reveal: (box) => this.look.reveal(box),
    });
    this.seek(false);
  }

  fill(marks) { // the boxes: pieces of SVG that change while the layout stays
    if (!this.svg) return;
    this.svg.querySelectorAll("g.bars").forEach((old) => old.remove());
    for (const [id, piece] of Object.entries(marks)) {
      const read = this.groups.get(id) && safe(`<svg xmlns="http://www.w3.org/2000/svg">${piece}</svg>`);
      if (read) this.groups.get(id).append(...read.childNodes);
    }
  }

  clicked(event) {
    const state = event.target.closest("[data-state]");
    if (state) return this.set({ id: state.closest("g.node").dataset.id, state: Number(state.dataset.state) });
    const group = event.target.closest("g.node, g.edge");
    const id = group ? group.dataset.id : "";
    if (id === this.selected || (id && !(id in this.labels) && !ends(id))) return;
    this.choose(id);
  }

  near(id) { // what stays bright around a choice
    const bright = new Set([id]);
    const own = ends(id);
    if (own) own.forEach((end) => bright.add(end));
    else for (const other of this.groups.keys()) {
      const pair = ends(other);
      if (pair && pair.includes(id)) bright.add(other).add(pair[0]).add(pair[1]);
    }
    return bright;
  }

  mark() {
    if (!this.svg) return;
    const chosen = this.groups.has(this.selected) ? this.selected : "";
    if (chosen) this.walk.enter(chosen);
    const searching = this.search.value.trim() !== "";
    const all = [chosen, ...this.more].filter((id) => this.groups.has(id));
    const bright = searching ? new Set(this.hits) : chosen ? new Set(all.flatMap((id) => [...this.near(id)])) : null;
    const dims = this.dims && bright !== null && (searching || bright.size > 1 || this.groups.size > 1);
    for (const [id, group] of this.groups) {
      group.classList.toggle("selected", all.includes(id));
      if (group.hasAttribute("tabindex")) group.setAttribute("aria-pressed", String(all.includes(id)));
      group.classList.toggle("hit", searching && bright.has(id));
      group.classList.toggle("dim", dims && !bright.has(id));
      group.classList.toggle("choice", id in this.labels || ends(id) !== null);
    }
  }

  seek(move) {
    const wanted = this.search.value.trim().toLowerCase();
    const known = Object.entries(this.labels).filter(([id]) => this.groups.has(id));
    const starts = ([, label]) => (label.toLowerCase().startsWith(wanted) ? 0 : 1);
    this.hits = wanted
      ? known.filter(([, label]) => label.toLowerCase().includes(wanted)).sort((a, b) => starts(a) - starts(b))
        .map(([id]) => id)
      : [];
    this.found.textContent = !wanted ? "" : this.hits.length ? `${this.hits.length} found; Enter opens` : "none";
    if (move && this.hits.length) this.look.centre(this.groups.get(this.hits[0]));
    this.mark();
  }

  destroy() {
    if (this.look) this.look.destroy();
    this.look = null;
  }
}

const shown = new WeakMap();

export default function picture({ data, parentElement, setTriggerValue }) {
  let own = shown.get(parentElement);
  if (!own) {
    own = new Picture(parentElement.querySelector(".picture"), () => {});
    shown.set(parentElement, own);
  }
  own.choose = (id) => {
    own.selected = id;
    own.more = [];
    own.mark();
    setTriggerValue("chosen", id);
  };
  own.set = (state) => setTriggerValue("state", { ...state, at: performance.now() });
  own.show(data);
  return () => {
    if (!parentElement.isConnected) own.destroy();
  };
}
