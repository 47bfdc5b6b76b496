// A short tour of the pages on the sample. Where it is, and that it is over, is remembered by the browser.

const KEY = "pgm_nb tour";

function remembered() {
  try { return localStorage.getItem(KEY); } catch { return "over"; } // a browser that remembers nothing
}

function remember(text) {
  try { localStorage.setItem(KEY, text); } catch { /* then it is offered again */ }
}

function button(text, act, main) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  if (main) made.className = "main";
  made.addEventListener("click", act);
  return made;
}

function open(title, path) {
  const links = [...document.querySelectorAll('[data-testid="stTopNavLink"], [data-testid="stSidebarNavLink"]')];
  const link = links.find((each) => each.textContent.trim() === title);
  if (link) link.click();
  else window.location.assign(new URL(path, window.location.href).href);
}

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".tour");
  const place = (parentElement.getRootNode().host ?? parentElement).closest('[data-testid="stElementContainer"]');
  const draw = () => {
    const said = remembered();
    const at = said === null ? -1 : Number.parseInt(said, 10);
    const station = data.stations[at];
    const offered = said === null && data.offered;
    root.replaceChildren();
    root.hidden = !offered && (!station || station.page !== data.page);
    if (place) place.style.display = root.hidden ? "none" : ""; // no gap where there is nothing
    if (root.hidden) return;
    const words = document.createElement("p");
    words.textContent = offered ? data.offer : `${at + 1} of ${data.stations.length}. ${station.says}`;
    const end = () => { remember("over"); draw(); };
    const go = (place) => {
      remember(String(place));
      const next = data.stations[place];
      if (next.page === data.page) draw();
      else open(next.title, next.page);
    };
    root.append(words);
    if (offered) root.append(button("Start the tour", () => go(0), true), button("No, thanks", end));
    else if (at + 1 < data.stations.length) {
      root.append(button(`On to ${data.stations[at + 1].title}`, () => go(at + 1), true), button("End the tour", end));
    } else root.append(button("End the tour", end, true));
  };
  draw();
}
