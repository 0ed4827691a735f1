// Small helpers for canvases and elements.

/** Makes an element: element("button", {title: "x", onclick: f}, "text", child, ...). */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

let onProcessor = false;
/** Without a GPU its stand-in would draw curves too, far slower than the processor does by itself. */
export function drawOnProcessor() { onProcessor = true; }
export const context2d = (canvas) => canvas.getContext("2d", { willReadFrequently: onProcessor });

/** A canvas sharp on its screen; returns its context in CSS pixels, and its size. */
export function sharpContext(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = context2d(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** A colour of style.css; remembered until the theme changes. */
const tokens = new Map();
export function token(name) {
  const key = `${document.documentElement.dataset.theme} ${name}`;
  if (!tokens.has(key)) tokens.set(key, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return tokens.get(key);
}

/** A function that runs at most once a picture, however often it is called. */
export function oncePerPicture(work) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      work();
    });
  };
}

/** A number for people: 5 digits, powers of ten where they are shorter. */
export function short(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(Math.max(0, digits - 2)).replace("e+", "e");
  return String(Number(x.toPrecision(digits)));
}

export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Calls back with the pointer's x while it is pressed, and where it is when it is not. */
export function dragging(canvas, onDrag, onHover = () => {}) {
  const x = (event) => event.clientX - canvas.getBoundingClientRect().left;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    onDrag(x(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) onDrag(x(event));
    onHover(x(event));
  });
  canvas.addEventListener("pointerleave", () => onHover(null));
}

/** The largest of 1, 2, 5, 10, ... not above x. */
export function niceBelow(x) {
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * (x >= 5 * ten ? 5 : x >= 2 * ten ? 2 : 1);
}
