// Connects the player with the page: new content restarts it, a step in the address moves it,
// and the page hears of the step at which it comes to rest.

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector(".root");
  let held = root.held;
  if (!held || held.name !== data.name) {
    const before = held?.player; // of another view: its speed, its step and its run go on
    const playing = before?.playing() ?? false;
    const step = playing ? before.step() : data.step;
    const speed = before ? before.speed() : data.speed;
    before?.stop();
    held = root.held = { name: data.name, told: new Set(), timer: null };
    const onstep = (step) => {
      clearTimeout(held.timer);
      held.timer = setTimeout(() => { held.told.add(step); held.latest = step; held.tell("step", step); }, 400);
    };
    const onspeed = (factor) => held.tell("speed", factor);
    held.player = player(root, data.play, { step, onstep, speed, onspeed });
    if (playing) held.player.play();
  } else if (!held.told.has(data.step) && data.step !== held.player.step()) {
    held.player.show(data.step); // Back, or a link
  }
  if (data.step === held.latest) held.told = new Set([data.step]);
  held.tell = setStateValue;
  root.firstElementChild.classList.toggle("dark", data.dark);

  return () => setTimeout(() => {
    if (!root.isConnected) { clearTimeout(held.timer); held.player.stop(); }
  });
}
