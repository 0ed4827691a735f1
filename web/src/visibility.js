// What is hidden: liquids by number, bodies by number. `what` is {liquid: i} or {bodies: [i, ...]}.

export class Visibility {
  #liquids = new Set();
  #bodies = new Set();
  #app;

  constructor(app) { this.#app = app; }

  has({ liquid, bodies }) {
    if (bodies) return bodies.some((b) => !this.#bodies.has(b));
    return !this.#liquids.has(liquid);
  }

  toggle(what) {
    this.#set(what, !this.has(what));
    this.#apply();
  }

  only(what) {
    this.#bodies = new Set(this.#app.run.bodies.keys());
    this.#liquids = new Set(this.#app.run.liquids.keys());
    this.#set(what, true);
    this.#apply();
  }

  all() {
    this.#bodies.clear();
    this.#liquids.clear();
    this.#apply();
  }

  #set({ liquid, bodies }, visible) {
    if (bodies) bodies.forEach((b) => this.#bodies[visible ? "delete" : "add"](b));
    else this.#liquids[visible ? "delete" : "add"](liquid);
  }

  #apply() {
    const { run, bodies, liquid, panel } = this.#app;
    run.bodies.forEach((_, i) => bodies.setVisible(i, !this.#bodies.has(i)));
    run.liquids.forEach((_, i) => liquid.setVisible(i, !this.#liquids.has(i)));
    bodies.refresh();
    panel.refresh();
  }
}
