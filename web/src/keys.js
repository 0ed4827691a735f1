// Keys as in a video player.
import { element } from "./drawing.js";

const HELP = [["space, k", "play or pause"], ["j, l", "1/10 of the run back or on"],
  ["← →", "half a second back or on (shift: a frame)"], [". ,", "one frame on or back"],
  ["Home End, 0 … 9", "first, last frame; tenths of the run"], ["< >", "slower, faster"],
  ["v", "spheres or surface"], ["f", "all in the picture"], ["c, p, t", "charts, panel, light or dark"],
  ["Esc", "let go of the body"], ["click", "choose a body: its numbers and curves"],
  ["double click", "turn the view around a body"],
  ["drag, wheel, right drag", "turn, zoom, move"]];

export function addKeys(app) {
  const { player } = app;
  const help = document.getElementById("help");
  help.append(element("h2", {}, "Keys"), element("table", {}, ...HELP.map(([keys, text]) =>
    element("tr", {}, element("td", {}, ...keys.split(", ").flatMap((k, i) => [i ? " " : "", element("kbd", {}, k)])),
      element("td", {}, text)))));
  help.onclick = () => help.close();
  const showHelp = () => (help.open ? help.close() : help.showModal());
  document.getElementById("help-button").onclick = showHelp;

  const part = (tenth) => player.seek(Math.round((tenth / 10) * (player.frames.length - 1)));
  const span = () => app.axis.end - app.axis.start;
  const actions = {
    " ": () => player.toggle(), k: () => player.toggle(),
    j: () => player.seekBy(-span() / 10), l: () => player.seekBy(span() / 10),
    ArrowLeft: (e) => (e.shiftKey ? player.step(-1) : jump(-0.5)),
    ArrowRight: (e) => (e.shiftKey ? player.step(1) : jump(0.5)),
    ",": () => player.step(-1), ".": () => player.step(1),
    Home: () => player.seek(0), End: () => player.seek(player.frames.length - 1),
    "<": () => player.changeSpeed(-1), ">": () => player.changeSpeed(1),
    v: () => !app.source.embedded && app.setSurface(!app.surface), f: () => app.look(null),
    c: () => app.toggleCharts(), p: () => app.togglePanel(),
    t: () => document.getElementById("theme-button").click(),
    "?": showHelp, Escape: () => app.choose(-1),
  };
  /** By time, but never by less than a frame. */
  const jump = (seconds) => {
    const before = player.place;
    player.seekBy(seconds);
    if (player.place === before) player.seek(before + Math.sign(seconds));
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tagName, type } = event.target;
    if (tagName === "SELECT" || (tagName === "INPUT" && type === "number")) return;
    if (type === "range" && /^(Arrow|Home|End|Page)/.test(event.key)) return;  // moves the slider
    if (event.key === " " && tagName === "BUTTON") event.target.blur();
    const action = /^[0-9]$/.test(event.key) ? () => part(Number(event.key)) : actions[event.key];
    if (!action || (help.open && event.key !== "?")) return;
    event.preventDefault();
    action(event);
  });
}
