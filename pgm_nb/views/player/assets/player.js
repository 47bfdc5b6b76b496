// The player of a growth: one picture (or one per step), a cursor, and everything that follows it.
// player(root, data, {step, onstep, speed, onspeed}) fills `root` and returns {show, step, speed, playing, play, stop}.
// Texts are not trusted: they only ever become text nodes.

function player(root, data, options = {}) {
  const SVG = "http://www.w3.org/2000/svg";
  const SECONDS = 1.2; // a step at speed 1
  const count = data.steps.length;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let step = clamp(options.step ?? 1);
  let timer = null;

  function clamp(k) { return Math.min(Math.max(Math.round(k) || 1, 1), count); }

  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  function draw(tag, attributes = {}, text) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  // ---- the bar -------------------------------------------------------------------------------------
  const ICONS = {
    first: "M6 5h2v14H6zM20 5v14L9 12z", back: "M16 5v14L6 12z", play: "M7 4v16l13-8z",
    pause: "M6 5h4v14H6zM14 5h4v14h-4z", next: "M8 5v14l10-7z", last: "M16 5h2v14h-2zM4 5v14l11-7z",
    less: "M5 11h14v2H5z", more: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
    fit: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  };

  function icon(name) {
    const picture = draw("svg", { viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true" });
    picture.append(draw("path", { d: ICONS[name], fill: "currentColor" }));
    return picture;
  }

  function button(name, label, act) {
    const node = make("button", { type: "button", class: name, "aria-label": label, title: label }, icon(name));
    node.addEventListener("click", act);
    return node;
  }

  const play = button("play", "Play (space)", () => (timer === null ? start() : pause()));
  const slider = make("input", { type: "range", min: 1, max: count, step: 1, "aria-label": data.cursor });
  slider.addEventListener("input", () => { pause(); show(+slider.value); });
  const place = make("output", { class: "place" });
  const speed = make("select", { "aria-label": "Speed", title: "Speed" });
  for (const factor of [0.5, 1, 2, 4]) {
    const usual = factor === (options.speed ?? 1) ? { selected: "" } : {};
    speed.append(make("option", { value: factor, ...usual }, `${factor}×`));
  }
  speed.addEventListener("change", () => options.onspeed?.(+speed.value));
  const bar = make("div", { class: "bar", role: "group", "aria-label": "Player" },
    button("first", "First (Home)", () => { pause(); show(1); }),
    button("back", "Back (left arrow)", () => { pause(); show(step - 1); }),
    play,
    button("next", "Next (right arrow)", () => { pause(); show(step + 1); }),
    button("last", "Last (End)", () => { pause(); show(count); }),
    slider, place, speed,
    make("div", { class: "sizes", role: "group", "aria-label": "Size of the picture" },
      button("less", "Smaller picture", () => magnify(0.8)),
      button("fit", "Fit the picture", () => magnify(0)),
      button("more", "Larger picture", () => magnify(1.25))));

  // ---- the picture ---------------------------------------------------------------------------------
  const figure = make("div", { class: "picture", role: "img", "aria-label": data.alternative, tabindex: 0 });
  const pictures = data.pictures.map((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const picture = document.importNode(parsed, true);
    const { width, height } = picture.viewBox.baseVal;
    const unit = /pt$/.test(picture.getAttribute("width") ?? "") ? 4 / 3 : 1;
    picture.style.setProperty("--wide", `${width * unit}px`);
    picture.style.setProperty("--tall", `${width / height}`);
    picture.style.maxWidth = "none";
    figure.append(picture);
    return picture;
  });
  figure.classList.toggle("many", pictures.length > 1);
  const grown = Array.from({ length: count + 1 }, () => []); // elements by the step they appear in
  if (pictures.length === 1) {
    for (const node of pictures[0].querySelectorAll("[class]")) {
      const found = /(?:^| )s(\d+)(?: |$)/.exec(node.getAttribute("class"));
      if (found && +found[1] <= count) grown[+found[1]].push(node);
    }
  }

  let zoom = 1;
  function magnify(factor) {
    zoom = Math.min(Math.max(factor === 0 ? 1 : zoom * factor, 0.4), 4);
    figure.style.setProperty("--zoom", zoom);
    seeClass();
  }
  let grip = null; // where a drag began, and how far the picture was scrolled
  figure.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button === 0) grip = [event.clientX + figure.scrollLeft, event.clientY + figure.scrollTop];
  });
  figure.addEventListener("pointermove", (event) => {
    if (grip && event.buttons) figure.scrollTo(grip[0] - event.clientX, grip[1] - event.clientY);
  });
  figure.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    magnify(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 200));
  }, { passive: false });
  figure.addEventListener("dblclick", () => magnify(0));

  function follow(nodes) { // scroll to what is new, if it is not all in sight
    if (figure.scrollHeight <= figure.clientHeight + 4 && figure.scrollWidth <= figure.clientWidth + 4) return;
    const boxes = nodes.filter((node) => node.classList.contains("node")).map((node) => node.getBoundingClientRect());
    if (!boxes.length) return;
    const top = Math.min(...boxes.map((box) => box.top)), bottom = Math.max(...boxes.map((box) => box.bottom));
    const left = Math.min(...boxes.map((box) => box.left)), right = Math.max(...boxes.map((box) => box.right));
    const frame = figure.getBoundingClientRect();
    if (top >= frame.top && bottom <= frame.bottom && left >= frame.left && right <= frame.right) return;
    figure.scrollTo({
      top: figure.scrollTop + (top + bottom - frame.top - frame.bottom) / 2,
      left: figure.scrollLeft + (left + right - frame.left - frame.right) / 2,
      behavior: still ? "auto" : "smooth",
    });
  }

  // Runners-up: their boxes come forward, and a dashed line with their number leads to the mother.
  const CANDIDATES = 3;
  const byId = new Map();
  const numbers = draw("g", { class: "candidates" });
  const overlay = pictures.length === 1 && pictures[0].querySelector("g.graph") ? draw("g", { class: "candidates" }) : null;
  if (overlay) {
    for (const node of pictures[0].querySelectorAll("g.node[data-id]")) byId.set(node.dataset.id, node);
    const first = pictures[0].querySelector("g.graph > g");
    first.before(overlay); // lines behind the boxes, numbers before them
    first.parentElement.append(numbers);
  }

  function middle(node) {
    const { x, y, width, height } = node.querySelector("path, polygon, ellipse, rect").getBBox();
    return [x + width / 2, y + height / 2, y + height];
  }

  const ALONG = [...Array(19).keys()].map((k) => 0.5 + 0.04 * (k % 2 ? 1 : -1) * Math.ceil(k / 2)); // where on its line a number may stand

  function free([x, y], mark, taken) { // does a number there cover neither a box nor another number?
    const wide = 3.5 * mark.length + 2, tall = 5;
    return taken.every((box) => x + wide < box.x || x - wide > box.x + box.width || y + tall < box.y || y - tall > box.y + box.height);
  }

  function propose(contenders) {
    if (!overlay) return;
    overlay.replaceChildren();
    numbers.replaceChildren();
    const taken = [...byId.values()].map((node) => node.querySelector("path, polygon, ellipse, rect").getBBox());
    for (const node of byId.values()) node.classList.remove("candidate");
    const below = new Map(); // runners-up that would join one cluster stand below it
    for (const { box, mothers, mark, home } of contenders.filter((each) => byId.has(each.box)).slice(0, CANDIDATES)) {
      const [x, y, bottom] = middle(byId.get(box));
      if (home && byId.get(box).classList.contains("later")) continue;
      if (!home) byId.get(box).classList.add("candidate");
      if (!mothers.length) {
        below.set(box, (below.get(box) ?? 0) + 1);
        numbers.append(draw("text", { x, y: bottom - 1 + 13 * below.get(box), "text-anchor": "middle" }, mark));
      }
      mothers.filter((id) => byId.has(id)).forEach((id, k) => {
        const [x1, y1] = middle(byId.get(id));
        byId.get(id).classList.add("candidate");
        const bend = 0.12; // beside the lines of the tree, not on them; below boxes of one rank
        const lower = Math.abs(y - y1) < 20 ? 64 : 0;
        const [cx, cy] = [(x + x1) / 2 + bend * (y - y1), (y + y1) / 2 - bend * (x - x1) + lower];
        overlay.append(draw("path", { d: `M${x1},${y1}Q${cx},${cy} ${x},${y}` }));
        if (k > 0) return;
        const spots = ALONG.map((t) => [(1 - t) ** 2 * x1 + 2 * t * (1 - t) * cx + t * t * x, (1 - t) ** 2 * y1 + 2 * t * (1 - t) * cy + t * t * y]);
        const [left, top] = spots.find((spot) => free(spot, mark, taken)) ?? spots[0];
        taken.push({ x: left - 3.5 * mark.length, y: top - 5, width: 7 * mark.length, height: 10 });
        numbers.append(draw("text", { x: left, y: top + 4, "text-anchor": "middle" }, mark));
      });
    }
  }

  // The class stays in sight: when its box is not, its name stands in the corner.
  const crown = figure.querySelector("g.node.class");
  const sign = make("div", { class: "sign", "aria-hidden": "true", hidden: "" },
    make("span", {}, crown ? [...crown.querySelectorAll("text")].map((line) => line.textContent).join(" ") : ""));
  if (crown) {
    figure.prepend(sign);
    figure.addEventListener("scroll", seeClass, { passive: true });
  }

  function seeClass() {
    if (!crown) return;
    const box = crown.getBoundingClientRect(), frame = figure.getBoundingClientRect();
    const seen = box.bottom > frame.top + 8 && box.top < frame.bottom && box.right > frame.left + 8 && box.left < frame.right - 8;
    sign.hidden = seen || !box.width;
  }

  function paint() {
    if (pictures.length > 1) {
      pictures.forEach((picture, k) => picture.toggleAttribute("data-off", k !== step - 1));
      return;
    }
    grown.forEach((nodes, k) => {
      for (const node of nodes) {
        if (node.classList.contains("only")) { node.toggleAttribute("data-off", k !== step); continue; }
        node.classList.toggle("later", k > step);
        node.classList.toggle("fresh", k === step);
      }
    });
    propose(data.steps[step - 1].contenders);
    follow(grown[step]);
    seeClass();
  }

  // ---- the words and numbers -----------------------------------------------------------------------
  const title = make("h3");
  const why = make("p", { class: "why", "aria-live": "polite" });
  const facts = make("dl");
  const contenders = make("tbody");
  const heads = [...data.heads.map((head) => make("th", { scope: "col" }, head)),
    make("th", { scope: "col", colspan: 2, class: "amount" }, data.number)];
  const table = make("table", {}, make("caption", {}, data.contest), make("thead", {}, make("tr", {}, ...heads)), contenders);

  function describe() {
    const now = data.steps[step - 1];
    title.textContent = now.title;
    why.replaceChildren(...now.parts.map((part, k) => (k % 2 ? make("strong", {}, part) : part)));
    facts.replaceChildren(...now.facts.map(([name, value]) => {
      const help = data.help[name] ? { title: data.help[name] } : {};
      return make("div", help, make("dt", {}, name), make("dd", {}, value.replace(/ bits$/, "\u00a0bits")));
    }));
    const largest = Math.max(...now.contenders.map((contender) => contender.value), 1e-12);
    contenders.replaceChildren(...now.contenders.map((contender) => {
      const length = make("span", { class: "length" });
      length.style.width = `${Math.max(0, (100 * contender.value) / largest)}%`;
      const names = data.heads.map((_, k) => make("td", {}, contender.names[k] ?? ""));
      const amount = make("td", { class: "amount" }, contender.number);
      return make("tr", contender.won ? { class: "won" } : {}, ...names, make("td", { class: "track" }, length), amount);
    }));
    table.hidden = now.contenders.length === 0;
  }

  // ---- the curves ----------------------------------------------------------------------------------
  const [W, H, TOP, BOTTOM, SIDE] = [200, 76, 8, 68, 6];
  const across = (k) => (count === 1 ? W / 2 : SIDE + (k * (W - 2 * SIDE)) / (count - 1));
  const cursors = data.curves.map((curve) => {
    const known = curve.numbers.filter((number) => number !== null);
    const low = Math.min(...known), high = Math.max(...known);
    const up = (number) => BOTTOM - ((number - low) / (high - low || 1)) * (BOTTOM - TOP);
    const picture = draw("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve", role: "img", "aria-label": `${curve.name} at every step` });
    if (data.chosen !== null) {
      picture.append(draw("line", { class: "chosen", x1: across(data.chosen), x2: across(data.chosen), y1: 0, y2: H }));
    }
    const runs = [[]];
    curve.numbers.forEach((number, k) => (number === null ? runs.push([]) : runs.at(-1).push(`${across(k)},${up(number)}`)));
    for (const run of runs) picture.append(draw("polyline", { points: run.join(" ") }));
    const line = draw("line", { class: "cursor", y1: 0, y2: H });
    const dot = draw("circle", { class: "dot", r: 4 });
    picture.append(line, dot);
    const value = make("output");
    const box = make("div", { class: "curvebox" }, make("div", { class: "head" }, make("span", {}, curve.name), value), picture);
    const jump = (event) => {
      const frame = picture.getBoundingClientRect();
      const x = ((event.clientX - frame.left) / frame.width) * W;
      pause();
      show(1 + ((x - SIDE) / (W - 2 * SIDE)) * (count - 1));
    };
    picture.addEventListener("pointerdown", (event) => { picture.setPointerCapture(event.pointerId); jump(event); });
    picture.addEventListener("pointermove", (event) => { if (event.buttons) jump(event); });
    const move = () => {
      const number = curve.numbers[step - 1], x = across(step - 1);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", number === null ? -20 : up(number));
      value.textContent = curve.texts[step - 1];
    };
    return { box, move };
  });

  // ---- the cursor ----------------------------------------------------------------------------------
  function show(k, quiet = false) {
    step = clamp(k);
    slider.value = step;
    place.textContent = `${step} of ${count}`;
    slider.setAttribute("aria-valuetext", `${step} of ${count}: ${data.steps[step - 1].title}`);
    paint();
    describe();
    for (const cursor of cursors) cursor.move();
    if (!quiet && timer === null) options.onstep?.(step);
  }

  function tick() {
    if (step >= count) { pause(); return; }
    show(step + 1);
    timer = setTimeout(tick, (1000 * SECONDS) / +speed.value);
  }

  function start() {
    if (step >= count) show(1);
    timer = setTimeout(tick, (500 * SECONDS) / +speed.value);
    play.replaceChildren(icon("pause"));
    play.setAttribute("aria-label", "Pause (space)");
    play.title = "Pause (space)";
    why.setAttribute("aria-live", "off"); // nobody can listen that fast
  }

  function pause() {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    play.replaceChildren(icon("play"));
    play.setAttribute("aria-label", "Play (space)");
    play.title = "Play (space)";
    why.setAttribute("aria-live", "polite");
    options.onstep?.(step);
  }

  const ACTS = {
    ArrowLeft: () => { pause(); show(step - 1); }, ArrowRight: () => { pause(); show(step + 1); },
    Home: () => { pause(); show(1); }, End: () => { pause(); show(count); },
    " ": () => (timer === null ? start() : pause()),
  };

  function key(event) {
    const target = event.composedPath()[0];
    const ours = event.composedPath().includes(whole), idle = target === document.body;
    if (!(ours || idle) || event.altKey || event.ctrlKey || event.metaKey || !ACTS[event.key]) return;
    if (idle && (event.key === "Home" || event.key === "End")) return; // those scroll the page
    if (target.localName === "select" || (event.key === " " && target.localName === "button")) return;
    event.preventDefault();
    ACTS[event.key]();
  }

  const words = make("div", { class: "words" }, title, why);
  const figures = make("div", { class: "numbers" }, facts,
    make("div", { class: "curves" }, ...cursors.map((cursor) => cursor.box)), table);
  const whole = make("section", { class: "growth", "aria-label": data.title },
    bar, make("div", { class: "body" }, words, figure, figures));
  root.replaceChildren(whole);
  document.addEventListener("keydown", key);
  show(step, true);

  return {
    show: (k) => { pause(); show(k, true); },
    step: () => step,
    speed: () => +speed.value,
    playing: () => timer !== null,
    play: () => timer === null && start(),
    stop: () => { clearTimeout(timer); document.removeEventListener("keydown", key); },
  };
}
