// The viewer in a real browser.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { basin, copyOfBasin, end, folder, hydrolith, launch, metricsOf, onPage, open, picture, SCENE, shown, start,
  view } from "./harness.mjs";

let browser, served;
before(async () => {
  browser = await launch();
  served = await view(basin());
});
after(async () => {
  await browser?.close();
  await served?.stop();
  end();
});

async function withPage(work, address = served.address, options = {}) {
  const page = await open(browser, address, options);
  try {
    await work(page);
  } finally {
    await page.close();
  }
}

const state = (page, expression) => page.evaluate(`(() => { const v = window.viewer; return ${expression}; })()`);

test("loads: the first frame is shown, liquid and bodies, without a fault", async () => {
  await withPage(async (page) => {
    assert.equal(await page.textContent("#title"), "basin");
    assert.equal(await page.textContent("#state"), "finished");
    const files = readdirSync(join(basin(), "frames")).filter((n) => n.endsWith(".h5")).length;
    assert.equal(await state(page, "v.player.frames.length"), files);
    const all = await picture(page);
    // The basin fills a good part of 994 x 400 pixels; still water is dark blue.
    assert.ok(all.covered > 10000, `${all.covered} pixels`);
    assert.ok(all.mean[2] > 1.2 * all.mean[0], `mean colour ${all.mean}`);
    assert.equal(await page.isVisible("#loading"), false);
    assert.deepEqual(page.faults, []);
  });
});

test("plays to the end, and the picture changes on the way", async () => {
  await withPage(async (page) => {
    const first = await picture(page);
    await page.keyboard.press(" ");
    assert.equal(await state(page, "v.player.playing"), true);
    await page.waitForFunction(() => !window.viewer.player.playing && window.viewer.player.atEnd, null, { timeout: 30000 });
    const last = await picture(page);
    assert.notEqual(last.number, first.number);
    assert.equal(await state(page, "v.frame.header.time"), await state(page, "v.player.frames.at(-1)[1]"));
    await page.click("#play");  // once more, from the start
    assert.ok(await state(page, "v.player.place") < await state(page, "v.player.frames.length") - 1);
    assert.deepEqual(page.faults, []);
  });
});

test("scrubs: a click on the line of time shows the frame nearest to it", async () => {
  await withPage(async (page) => {
    const box = await (await page.$("#timeline")).boundingBox();
    const x = await state(page, `v.axis.x(0.2, ${box.width})`);
    await page.mouse.click(box.x + x, box.y + 12);
    const times = await state(page, "v.player.frames.map((f) => f[1])");
    const nearest = times.reduce((best, t, i) => (Math.abs(t - 0.2) < Math.abs(times[best] - 0.2) ? i : best), 0);
    await shown(page, nearest);
    assert.match(await page.textContent("#clock"), new RegExp(`^${times[nearest].toFixed(3)} s`));
  });
});

test("dragging fast over frames never seen asks for few of them, and ends where the pointer does", async () => {
  await withPage(async (page) => {
    const { asked, last } = await page.evaluate(async () => {
      const { player, source, store } = window.viewer, get = source.frame.bind(source);
      store.forget();
      let asked = 0;
      source.frame = async (...words) => {
        ++asked;
        await new Promise((later) => setTimeout(later, 50));  // a slow disk
        return get(...words);
      };
      const last = player.frames.length - 1;
      for (let place = 0; place <= last; ++place) player.seek(place);
      while (window.viewer.frame.header.index !== player.frames[last][0]) await new Promise((later) => setTimeout(later, 5));
      return { asked, last };
    });
    assert.ok(last >= 8 && asked <= 3, `${asked} of ${last + 1}`);  // two on their way, and then the newest
  });
});

test("keys are those of a video player", async () => {
  await withPage(async (page) => {
    const last = (await state(page, "v.player.frames.length")) - 1;
    await page.keyboard.press("End");
    await shown(page, last);
    await page.keyboard.press(",");
    await shown(page, last - 1);
    await page.keyboard.press("Home");
    await shown(page, 0);
    await page.keyboard.press(".");
    await shown(page, 1);
    await page.keyboard.press("5");
    await shown(page, Math.round(last / 2));
    await page.keyboard.press("<");
    assert.equal(await state(page, "v.player.speed"), 0.5);
    await page.keyboard.press("?");
    assert.equal(await page.isVisible("#help"), true);
  });
});

test("recolours: by field, with a legend and a range that can be fixed", async () => {
  await withPage(async (page) => {
    await page.keyboard.press("End");
    await shown(page, (await state(page, "v.player.frames.length")) - 1);
    await state(page, "v.isolate({liquid: 0})");
    const speed = await picture(page);
    await page.selectOption("#colour", "pressure");
    await page.waitForFunction(() => window.viewer.frame.header.field === "pressure");
    assert.equal(await page.textContent("#legend .name"), "pressure [Pa]");
    const pressure = await picture(page);
    // From blue to white, and from violet over green to yellow: red over blue tells them apart.
    assert.ok(pressure.mean[0] / pressure.mean[2] > speed.mean[0] / speed.mean[2] + 0.1, `${pressure.mean} ${speed.mean}`);
    assert.equal(pressure.covered, speed.covered);
    await page.click("text=fixed");
    await page.fill("#range-least", "-1e9");
    await page.fill("#range-most", "-1e8");
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent("#legend .ends"), "-1.00e9-1.00e8");
    const bright = await picture(page);  // all at the high end: yellow
    assert.ok(bright.mean[1] > 2 * pressure.mean[1] && bright.mean[2] < bright.mean[0], `${bright.mean}`);
    await page.selectOption("#colour", "");
    await page.waitForFunction(() => !window.viewer.frame.header.field);
    assert.equal(await page.isVisible("#legend"), false);
  });
});

test("a clicked body shows its exact numbers, those of metrics.csv, and its curves", async () => {
  await withPage(async (page) => {
    await page.keyboard.press("5");
    const place = await state(page, "v.player.place");
    await shown(page, place);
    const pose = await state(page, "Array.from(v.frame.poses.slice(7, 10))");
    await page.mouse.click(...(await onPage(page, pose)));
    await page.waitForFunction(() => window.viewer.bodyTable);
    assert.equal(await state(page, "v.chosen"), 1);
    assert.match(await page.textContent("#body"), /ball.*dynamic/);
    const metrics = metricsOf(basin());
    const time = await state(page, "v.frame.header.time");
    const row = metrics.time.indexOf(time);
    assert.ok(row > 0);
    for (const column of ["position.y", "orientation.w", "velocity.y", "angular_velocity.z"])
      assert.equal(await state(page, `v.bodyTable.values("${column}")[${place}]`), metrics[`ball.${column}`][row], column);
    assert.ok((await state(page, "v.charts.shown")).includes("body:position"));
    assert.ok(await page.isVisible("text=ball: position.x"));
    await page.keyboard.press("Escape");
    assert.equal(await state(page, "v.chosen"), -1);
  });
});

test("a double click on a body turns the view around it", async () => {
  await withPage(async (page) => {
    await page.waitForFunction(() => window.viewer.settled);  // the camera has found its place
    const pose = await state(page, "Array.from(v.frame.poses.slice(7, 10))");
    await page.mouse.dblclick(...(await onPage(page, pose)), { delay: 60 });
    const target = await state(page, "v.stage.controls.target.toArray()");
    target.forEach((x, k) => assert.ok(Math.abs(x - pose[k]) < 1e-5, `${target} ${pose}`));
  });
});

test("bodies coloured by speed have a legend, also beside a liquid coloured by something else", async () => {
  await withPage(async (page) => {
    await page.keyboard.press("End");
    await shown(page, (await state(page, "v.player.frames.length")) - 1);
    await page.selectOption("#body-colour", "speed");
    assert.equal(await page.textContent("#legend"), await page.textContent("#legend > div"));  // one for both
    await page.selectOption("#colour", "pressure");
    await page.waitForFunction(() => window.viewer.frame.header.field === "pressure");
    assert.deepEqual(await page.locator("#legend .name").allTextContents(), ["pressure [Pa]", "bodies: speed [m/s]"]);
    await page.selectOption("#colour", "");
    await page.waitForFunction(() => !window.viewer.frame.header.field);
    await page.click("text=fixed");  // the range is now that of bodies
    await page.fill("#range-most", "1e6");
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent("#legend .ends"), "01.00e6");
    const ball = await state(page, "v.bodyColours()[1]"), still = await state(page, "v.run.bodies[1].colour");
    assert.ok(ball[2] > 3 * ball[0], `dark blue: ${ball}, not ${still}`);
  });
});

test("a run without liquid and one without frames are shown for what they are", async () => {
  writeFileSync(join(folder, "dry.yaml"), SCENE.replace(/liquids:\n.*\n/, "").replace("output: {fields: [velocity, pressure]}\n", "")
    .replace("duration: 0.4", "duration: 0.1"));
  hydrolith("run", "dry.yaml", "-o", "dry", "-q");
  const dry = await view(join(folder, "dry"));
  await withPage(async (page) => {
    assert.ok((await picture(page)).covered > 1000);
    assert.equal(await page.isVisible("#legend"), false);
    assert.equal(await page.isVisible("#colour"), false);
    assert.equal(await page.isVisible("#range-least"), false);
    assert.deepEqual(page.faults, []);
  }, dry.address);
  await dry.stop();
  for (const name of readdirSync(join(folder, "dry/frames"))) rmSync(join(folder, "dry/frames", name));
  const empty = await view(join(folder, "dry"));
  const page = await browser.newPage();
  await page.goto(empty.address);
  await page.waitForSelector("#loading >> text=This run has no frames");
  await page.close();
  await empty.stop();
});

test("with a GPU edges are smooth; without one they cost too much", async () => {
  for (const gpu of [true, false]) {
    const context = await browser.newContext();
    if (gpu)  // this machine may have none: the name is all the page goes by
      await context.addInitScript(() => {
        const get = WebGL2RenderingContext.prototype.getParameter;
        WebGL2RenderingContext.prototype.getParameter = function (what) {
          return what === 0x9246 ? "Some GPU" : get.call(this, what);
        };
      });
    const page = await context.newPage(), faults = [];
    page.on("pageerror", (error) => faults.push(error.stack));
    await page.goto(served.address);
    await page.waitForFunction(() => window.viewer?.settled, null, { timeout: 60000 });
    assert.equal(await state(page, "v.stage.renderer.getContext().getContextAttributes().antialias"), gpu);
    assert.equal(await page.evaluate(() => document.querySelectorAll("#canvas").length), 1);
    assert.ok((await picture(page)).covered > 5000);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("a GPU that loses all it holds, as after sleep, is filled again", async () => {
  await withPage(async (page) => {
    const before = await picture(page);
    await page.evaluate(() => {
      const gl = window.viewer.stage.renderer.getContext();
      window.loss = gl.getExtension("WEBGL_lose_context");
      window.loss.loseContext();
    });
    await page.waitForFunction(() => window.viewer.stage.renderer.getContext().isContextLost());
    await page.evaluate(() => window.loss.restoreContext());
    await page.waitForFunction(() => !window.viewer.stage.renderer.getContext().isContextLost());
    await page.keyboard.press("End");
    await shown(page, (await state(page, "v.player.frames.length")) - 1);
    await page.keyboard.press("Home");
    await shown(page, 0);
    assert.deepEqual(await picture(page), before);
  });
});

test("charts hold metrics.csv to the last bit and draw it where it belongs", async () => {
  await withPage(async (page) => {
    await page.waitForFunction(() => window.viewer.charts.metrics.rows > 0);
    const metrics = metricsOf(basin());
    for (const column of Object.keys(metrics)) {
      const shownValues = await state(page, `Array.from(v.charts.metrics.values("${column}"))`);
      assert.deepEqual(shownValues, metrics[column], column);
    }
    await page.click("text=Time step");  // dt is 5 ms all along: a level line
    const found = await page.evaluate(() => {
      const canvas = [...document.querySelectorAll(".chart canvas")].at(-1);
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const rows = new Set();
      let columns = 0;
      for (let x = 0; x < canvas.width; ++x)
        for (let y = 0, hit = false; y < canvas.height; ++y) {
          const i = 4 * (y * canvas.width + x);
          if (pixels[i + 3] < 200 || pixels[i + 2] - pixels[i] < 80) continue;  // blue alone
          rows.add(y);
          if (!hit) ++columns;
          hit = true;
        }
      return { rows: Math.max(...rows) - Math.min(...rows), columns, width: canvas.width };
    });
    assert.ok(found.columns > 0.85 * found.width, JSON.stringify(found));
    assert.match(await page.textContent(".chart:last-child .key"), /dt 0(\.005)? s/);
  });
});

test("objects are hidden and isolated, and a plane cuts the view", async () => {
  await withPage(async (page) => {
    const all = await picture(page);
    await page.click(".object:has-text('water') button.eye");
    const dry = await picture(page);
    assert.ok(dry.covered < 0.7 * all.covered, `${dry.covered} of ${all.covered}`);
    await page.click(".object:has-text('water') button:has-text('only')");
    const wet = await picture(page);
    await page.click("#clip-axis button:has-text('x')");
    await page.evaluate(() => {
      const slider = document.getElementById("clip-place");
      slider.value = 0.25;  // of the tank: half of the water
      slider.dispatchEvent(new Event("input"));
    });
    const cut = await picture(page);
    assert.ok(cut.covered < 0.8 * wet.covered && cut.covered > 0.2 * wet.covered, `${cut.covered} of ${wet.covered}`);
    await page.click("text=show all");
    await page.click("#clip-axis button:has-text('off')");
    assert.equal((await picture(page)).covered, all.covered);
  });
});

test("the liquid is shown as its surface", async () => {
  await withPage(async (page) => {
    await state(page, "v.isolate({liquid: 0})");
    const spheres = await picture(page);
    await page.click("text=Surface");
    await page.waitForFunction(() => window.viewer.surfaceShown === window.viewer.frame.header.index);
    const surface = await picture(page);
    assert.notEqual(surface.number, spheres.number);
    // The same water: about the same part of the picture.
    assert.ok(Math.abs(surface.covered / spheres.covered - 1) < 0.15, `${surface.covered} ${spheres.covered}`);
    // Its velocity is known, its pressure is not: no colours, no legend of them.
    await page.waitForSelector("#legend", { state: "visible" });
    await page.selectOption("#colour", "pressure");
    await page.waitForSelector("#legend", { state: "hidden" });
    await page.selectOption("#colour", "speed");
    await page.waitForSelector("#legend .name >> text=speed");
    assert.deepEqual(page.faults, []);
  });
});

test("a damaged frame is told, and the others are still shown", async () => {
  const run = copyOfBasin("torn");
  truncateSync(join(run, "frames/frame_000003.h5"), 5000);
  truncateSync(join(run, "frames/frame_000000.h5"), 0);
  const torn = await view(run);
  await withPage(async (page) => {
    await shown(page, 1);  // the first whole one
    assert.equal(await state(page, "v.field"), "speed");
    await page.waitForSelector("#messages >> text=frame_000000.h5");
    await page.evaluate(() => window.viewer.player.seek(3));
    await page.waitForSelector("#messages >> text=frame_000003.h5");
    await page.keyboard.press(".");
    await shown(page, 4);
    assert.equal(await page.locator("#messages >> text=frame_000003.h5").count(), 0);
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");  // plays over it
    await page.waitForFunction(() => window.viewer.player.atEnd, null, { timeout: 30000 });
  }, torn.address);
  await torn.stop();
});

test("trouble of the solver is marked on the line of time", async () => {
  const run = copyOfBasin("trouble");
  const [head, ...rows] = readFileSync(join(run, "metrics.csv"), "utf8").trim().split("\n").map((l) => l.split(","));
  rows[40][head.indexOf("converged")] = "0";
  rows[60][head.indexOf("retries")] = "2";
  writeFileSync(join(run, "metrics.csv"), [head, ...rows].map((r) => r.join(",") + "\n").join(""));
  const marked = await view(run);
  await withPage(async (page) => {
    await page.waitForFunction(() => window.viewer.charts.metrics.rows > 0);
    assert.match(await page.textContent("#marks"), /1 steps? did not converge, 1 steps? taken back/);
    assert.deepEqual(await state(page, "v.timeline.marks.unfinished"), [Number(rows[40][0])]);
    await page.waitForFunction((time) => {  // red where the step is, once the next picture is drawn
      const { timeline, axis } = window.viewer;
      const x = Math.round(axis.x(time, timeline.canvas.clientWidth));
      const [red, green] = timeline.canvas.getContext("2d").getImageData(x, 6, 1, 1).data;
      return red > 150 && green < 80;
    }, Number(rows[40][0]), { timeout: 20000 });
  }, marked.address);
  await marked.stop();
});

test("a run that failed says why, until it is clicked away", async () => {
  const run = copyOfBasin("failed");
  const record = JSON.parse(readFileSync(join(run, "run.json"), "utf8"));
  writeFileSync(join(run, "run.json"), JSON.stringify({ ...record, state: "failed", message: "step 12: no step is small enough" }, null, 2));
  const failed = await view(run);
  await withPage(async (page) => {
    assert.equal(await page.textContent("#state"), "failed");
    await page.click("#messages >> text=no step is small enough");
    await page.keyboard.press("End");
    await shown(page, (await state(page, "v.player.frames.length")) - 1);
    assert.equal(await page.locator("#messages div").count(), 0);
  }, failed.address);
  await failed.stop();
});

test("what the run warned of is told, the last of it in full", async () => {
  const run = copyOfBasin("warned");
  const record = JSON.parse(readFileSync(join(run, "run.json"), "utf8"));
  const warnings = ["step 3, t = 0.01 s: 5 of 90 liquid particles are outside", "step 9, t = 0.03 s: the liquid is compressed by 1.5 %"];
  writeFileSync(join(run, "run.json"), JSON.stringify({ ...record, warnings }, null, 2));
  const warned = await view(run);
  await withPage(async (page) => {
    const text = await page.textContent("#messages");
    assert.equal(text, `Warning: ${warnings[1]} (1 before it: see log.txt)`);
    await page.click("#messages >> text=Warning");
    await page.keyboard.press("End");
    await shown(page, (await state(page, "v.player.frames.length")) - 1);
    assert.equal(await page.locator("#messages div").count(), 0);
  }, warned.address);
  await warned.stop();
});

test("a run in progress is followed, with progress and time left, until it ends", async () => {
  writeFileSync(join(folder, "long.yaml"), SCENE.replace("duration: 0.4", "duration: 1000"));
  const run = start("run", "long.yaml", "-o", "long", "-q", "-j", "1");
  while (!readdirSync(folder).includes("long") || !readdirSync(join(folder, "long")).includes("frames") ||
    !readdirSync(join(folder, "long/frames")).some((n) => n.startsWith("frame")))
    await new Promise((later) => setTimeout(later, 100));
  const live = await view(join(folder, "long"));
  await withPage(async (page) => {
    const count = await state(page, "v.player.frames.length");
    assert.match(await page.textContent("#state"), /^running, \d+ %/);
    await page.waitForFunction((n) => window.viewer.player.frames.length > n + 1, count, { timeout: 60000 });
    await page.waitForFunction(() => window.viewer.player.atEnd &&
      window.viewer.frame.header.index === window.viewer.player.frames.at(-1)[0]);
    await page.waitForSelector("#state >> text=left");
    await page.waitForFunction((n) => window.viewer.charts.metrics.rows > n,
      await state(page, "v.charts.metrics.rows"), { timeout: 20000 });
    await page.keyboard.press("Home");  // whoever looks elsewhere is not torn away
    const now = await state(page, "v.player.frames.length");
    await page.waitForFunction((n) => window.viewer.player.frames.length > n, now, { timeout: 60000 });
    assert.equal(await state(page, "v.player.place"), 0);
    run.kill("SIGINT");
    await page.waitForSelector("#state >> text=interrupted", { timeout: 30000 });
  }, live.address);
  await live.stop();
});

test("an export opens from disk, offline, and shows the same run", async () => {
  hydrolith("view", basin(), "--export", "basin.html", "--max-particles", "500", "-q");
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, offline: true });
  const asked = [];
  context.on("request", (request) => asked.push(request.url()));
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.stack));
  await page.goto(`file://${join(folder, "basin.html")}`);
  await page.waitForFunction(() => window.viewer?.ready, null, { timeout: 60000 });
  assert.ok(asked.every((url) => /^(file|data|blob):/.test(url)), asked.join(" "));
  assert.ok((await picture(page)).covered > 5000);
  const last = (await state(page, "v.player.frames.length")) - 1;
  await page.keyboard.press("End");
  await shown(page, last);
  const counts = await state(page, "v.frame.header.counts[0]");
  assert.ok(counts > 300 && counts < 700, `${counts} of 500 particles`);
  await page.evaluate(() => window.viewer.choose(1));
  await page.waitForFunction(() => window.viewer.bodyTable);
  const metrics = metricsOf(basin());
  const y = await state(page, `v.bodyTable.values("position.y")[${last}]`);
  // An export holds float32: 24 bits.
  assert.ok(Math.abs(y - metrics["ball.position.y"].at(-1)) < 1e-7 * Math.abs(y) + 1e-9);
  assert.equal(await state(page, `v.charts.metrics.values("total_energy").at(-1)`), metrics.total_energy.at(-1));
  assert.deepEqual(faults, []);
  await context.close();
});

/** Mean place and speed of the particles of frame 2, as the shader unpacks them. */
const means = (page) => page.evaluate(async () => {
  const { header: { lo, hi, axes, range }, words, halves, octets } = await window.viewer.store.get(2, "speed");
  const mean = [0, 0, 0, 0], n = words.length;
  for (let i = 0; i < n; ++i) {
    const part = [(words[i] & 0x7fff) / 32767, (words[i] >>> 15 & 0x7fff) / 32767, (halves[i] & 0x3fff) / 16383];
    axes.forEach((axis, k) => (mean[axis] += (lo[axis] + part[k] * (hi[axis] - lo[axis])) / n));
    const value = (words[i] >>> 30 << 10 | halves[i] >> 14 << 8 | octets[i]) / 4095;
    mean[3] += (range[0] + value * (range[1] - range[0])) / n;
  }
  return mean;
});

test("a particle of an export lies where it lies in the run", async () => {
  await withPage(async (page) => {
    const here = await means(page);
    hydrolith("view", basin(), "--export", "whole.html", "--max-particles", "1000000", "-q");
    await page.goto(`file://${join(folder, "whole.html")}`);
    await page.waitForFunction(() => window.viewer?.ready, null, { timeout: 60000 });
    const there = await means(page);
    // 12 bits of a box below 1.2 m, cut off: less than one step, 0.3 mm; speeds below 4 m/s likewise.
    there.forEach((x, k) => assert.ok(Math.abs(x - here[k]) < 1e-3, `${there} ${here}`));
  });
});

test("when the viewer is stopped the page says so", async () => {
  const short = await view(basin());
  await withPage(async (page) => {
    await short.stop();
    await page.waitForSelector("#messages >> text=does not answer", { timeout: 15000 });
  }, short.address);
});

test("the layout holds in a wide and in a narrow window, light and dark", async () => {
  for (const [width, height] of [[1280, 720], [400, 760]])
    for (const colorScheme of ["light", "dark"])
      await withPage(async (page) => {
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
        for (const id of ["#play", "#timeline", "#canvas", "#clock", "#charts-button"]) {
          const box = await (await page.$(id)).boundingBox();
          assert.ok(box.x >= 0 && box.x + box.width <= width + 0.5 && box.y + box.height <= height + 0.5, `${id} ${width}`);
        }
        assert.ok((await (await page.$("#canvas")).boundingBox()).height > 0.4 * height);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      }, served.address, { viewport: { width, height }, colorScheme });
});
