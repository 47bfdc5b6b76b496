// Look around in an SVG: drag, pinch, Ctrl + wheel, keys. The page below keeps its own scrolling.
//
// panzoom(svg, frame, { legible, onmove }) -> { fit, open, zoom, pan, centre, reveal, destroy }
//   svg      shown inside frame; its viewBox says how large it is
//   frame    an element with a size of its own, which can have the keyboard's focus
//   legible  the smallest scale (1 = 96 pixels per inch) at which the picture opens; smaller only by "fit"
//   onmove   called with { whole, view, all } after every move
function panzoom(svg, frame, { legible = 0.6, onmove = () => {} } = {}) {
  const PIXELS_PER_POINT = 4 / 3, CLOSEST = 4, CLICK = 4, STEP = 60;
  const box = svg.viewBox.baseVal;
  const all = { x: box.x, y: box.y, w: box.width, h: box.height };
  const unit = /pt$/.test(svg.getAttribute("width") || "") ? PIXELS_PER_POINT : 1;
  const view = { ...all };
  const pointers = new Map();
  let dragged = false, fitted = true;

  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.removeAttribute("style");
  svg.setAttribute("preserveAspectRatio", "xMidYMid meet");

  const size = () => ({ w: Math.max(frame.clientWidth, 1), h: Math.max(frame.clientHeight, 1) });
  const scale = () => size().w / view.w; // pixels per unit of the viewBox
  const whole = () => Math.min(size().w / all.w, size().h / all.h);

  function look(x, y, pixels) { // show the point (x, y) of the picture in the middle, at a scale
    const { w, h } = size();
    const nearest = CLOSEST * unit, farthest = Math.min(whole(), unit) * 0.8;
    const at = Math.min(Math.max(pixels, farthest), nearest);
    view.w = w / at;
    view.h = h / at;
    view.x = within(x, view.w, all.x, all.w) - view.w / 2;
    view.y = within(y, view.h, all.y, all.h) - view.h / 2;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
    fitted = false;
    onmove({ whole: view.w >= all.w * 0.98 && view.h >= all.h * 0.98, view: { ...view }, all });
  }

  function within(middle, shown, start, length) { // the picture never leaves the frame
    if (shown >= length) return start + length / 2;
    return Math.min(Math.max(middle, start + shown * 0.25), start + length - shown * 0.25);
  }

  const middle = () => [view.x + view.w / 2, view.y + view.h / 2];

  function fit() {
    look(all.x + all.w / 2, all.y + all.h / 2, Math.min(whole(), unit));
    fitted = true;
  }

  function open(element) { // legible at first sight: whole if that can be, else around an element or the top
    if (whole() >= legible * unit) return fit();
    const across = size().w / all.w; // the scale at which nothing is cut off at the sides
    const at = across > 0.8 * legible * unit ? Math.min(across, legible * unit) : legible * unit;
    const { x, y } = element ? place(element) : { x: all.x + all.w / 2, y: all.y };
    const w = size().w / at, h = size().h / at;
    look(edge(x, w, all.x, all.w), edge(y, h, all.y, all.h), at);
  }

  function edge(middle, shown, start, length) { // as near to an element as leaves no empty room
    if (shown >= length) return start + length / 2;
    return Math.min(Math.max(middle, start + shown / 2), start + length - shown / 2);
  }

  function zoom(factor, clientX, clientY) { // the point under the pointer stays where it is
    const bounds = frame.getBoundingClientRect();
    const across = clientX === undefined ? 0.5 : (clientX - bounds.left) / bounds.width;
    const down = clientY === undefined ? 0.5 : (clientY - bounds.top) / bounds.height;
    const x = view.x + across * view.w, y = view.y + down * view.h;
    const at = Math.min(scale() * factor, CLOSEST * unit);
    const w = size().w / at, h = size().h / at;
    look(x + (0.5 - across) * w, y + (0.5 - down) * h, at);
  }

  function pan(right, down) { // by pixels
    const [x, y] = middle();
    look(x - right / scale(), y - down / scale(), scale());
  }

  function place(element) { // the middle of an element, in units of the viewBox
    const shape = element.getBoundingClientRect(), bounds = svg.getBoundingClientRect();
    const matrix = svg.getScreenCTM();
    if (!matrix || !bounds.width) return { x: all.x + all.w / 2, y: all.y + all.h / 2 };
    const x = shape.left + shape.width / 2, y = shape.top + shape.height / 2;
    return { x: (x - matrix.e) / matrix.a, y: (y - matrix.f) / matrix.d };
  }

  function centre(element) { // bring an element to the middle, large enough to read
    const { x, y } = place(element);
    look(x, y, Math.max(scale(), legible * unit * 1.2));
  }

  function reveal(element) { // bring an element into sight, if it is not
    const shape = element.getBoundingClientRect(), bounds = frame.getBoundingClientRect();
    const seen = shape.left >= bounds.left && shape.right <= bounds.right
      && shape.top >= bounds.top && shape.bottom <= bounds.bottom;
    if (!seen) centre(element);
  }

  const on = [];
  function listen(name, action, options) {
    frame.addEventListener(name, action, options);
    on.push(() => frame.removeEventListener(name, action, options));
  }

  listen("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 200), event.clientX, event.clientY);
  }, { passive: false });

  listen("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    if (pointers.size === 0) dragged = false;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, far: 0 });
  });

  listen("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const right = now.x - before.x, down = now.y - before.y;
    now.far = before.far + Math.hypot(right, down);
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      const was = Math.hypot(before.x - other.x, before.y - other.y);
      const is = Math.hypot(now.x - other.x, now.y - other.y);
      if (was > 0) zoom(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
      pan(right / 2, down / 2);
      dragged = true;
    } else if (dragged || now.far > CLICK) {
      if (!dragged) frame.setPointerCapture(event.pointerId);
      dragged = true;
      frame.classList.add("dragging");
      pan(right, down);
    }
    pointers.set(event.pointerId, now);
  });

  for (const name of ["pointerup", "pointercancel"]) listen(name, (event) => {
    pointers.delete(event.pointerId);
    if (pointers.size === 0) frame.classList.remove("dragging");
  });

  listen("click", (event) => { // the end of a drag is no click
    if (!dragged) return;
    dragged = false;
    event.stopImmediatePropagation();
  }, { capture: true });

  listen("dblclick", fit);

  const KEYS = {
    ArrowLeft: () => pan(STEP, 0), ArrowRight: () => pan(-STEP, 0),
    ArrowUp: () => pan(0, STEP), ArrowDown: () => pan(0, -STEP),
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: fit,
  };
  listen("keydown", (event) => {
    if (event.target !== frame || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  const sizes = new ResizeObserver(() => (fitted ? fit() : look(...middle(), scale())));
  sizes.observe(frame);

  return {
    fit, open, zoom, pan, centre, reveal,
    destroy() { sizes.disconnect(); on.forEach((off) => off()); },
  };
}
