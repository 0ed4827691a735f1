"""Kills runs at random moments, resumes them, and compares with runs that were left alone.

    HYDROLITH_COMMAND=build/release/apps/hydrolith python3 tests/command/kill_resume.py --kills 200

For each engine: frames, metrics.csv and the state at the end must be the same, byte for byte."""

import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

COMMAND = os.environ["HYDROLITH_COMMAND"]

# A little of everything that has a memory: an emitter, an outlet, a kinematic body, contacts with
# friction, two liquids, probes, expectations, frames and metrics on schedules of their own.
SCENE = """\
name: everything
engine: {engine}
spacing: 0.05
duration: 0.4
time_step: {{max: 4 ms}}
domain: {{min: [-0.5, -1, -0.5], max: [0.6, 2, 0.5]}}
liquids:
  - {{name: water, shape: {{box: {{size: [0.3, 0.3, 0.3]}}, at: [-0.2, 0.2, 0]}}, viscosity: 0.5}}
emitters:
  - {{liquid: water, at: [0.25, 0.6, 0], direction: [0, -1, 0], radius: 0.08, speed: 1.5}}
outlets:
  - {{shape: {{box: {{size: [2, 0.2, 2]}}, at: [0, -0.15, 0]}}}}
bodies:
  - {{name: floor, kind: static, shape: {{box: {{size: [0.8, 0.1, 0.8]}}}}, at: [0, -0.05, 0]}}
  - {{name: paddle, kind: kinematic, shape: {{box: {{size: [0.1, 0.3, 0.4]}}}}, at: [0.42, 0.2, 0],
     motion: {{velocity: ["-0.4 * sin(10 * t)", 0, 0]}}}}
  - {{name: low, shape: {{box: {{size: [0.2, 0.1, 0.2]}}}}, at: [0.1, 0.051, 0], density: 700, friction: 0.4}}
  - {{name: high, shape: {{box: {{size: [0.15, 0.1, 0.15]}}}}, at: [0.11, 0.155, 0.01], density: 700, friction: 0.4}}
probes:
  - {{name: low, force: low}}
  - {{name: high, pose: high}}
output: {{frame_rate: 60, metrics_every: 7 ms, checkpoint_steps: 3, formats: [hdf5, vtk]}}
expect:
  - {{metric: high.position.y, when: mean, above: -100}}
  - {{metric: total_energy, when: max, below: 1e9}}
"""


def hydrolith(*words, folder):
    return subprocess.run([COMMAND, *words], cwd=folder, text=True, capture_output=True)


def fingerprint(folder, run):
    return json.loads(hydrolith("info", run, "--quick", "--json", folder=folder).stdout)["checkpoints"][-1]["fingerprint"]


def differences(folder, first, second):
    """Names of files that differ between two runs; "state" for the newest checkpoint."""
    a, b = folder / first, folder / second
    names = lambda run: {str(f.relative_to(run)) for f in run.rglob("*") if f.is_file()
                         and f.relative_to(run).parts[0] in ("frames", "vtk", "objects.h5", "metrics.csv")}
    found = sorted(names(a) ^ names(b))
    found += [n for n in sorted(names(a) & names(b)) if (a / n).read_bytes() != (b / n).read_bytes()]
    if fingerprint(folder, first) != fingerprint(folder, second):
        found.append("state")
    return found


def half_written(run):
    """What was being written when a run was killed."""
    for part in ("checkpoint", "frame"):
        if any((run / f"{part}s").glob(".*.tmp")):
            return part
    rows = run / "metrics.csv"
    return "steps" if rows.exists() and rows.read_bytes().count(b"\n") > 1 else "start"


class Torture:
    """Runs one scene again and again, killing it, until `kills` kills were survived."""

    def __init__(self, folder, engine, dice, scene=SCENE):
        self.folder, self.engine, self.dice = pathlib.Path(folder), engine, dice
        (self.folder / f"{engine}.yaml").write_text(scene.format(engine=engine))
        start = time.monotonic()
        done = hydrolith("run", f"{engine}.yaml", "-o", f"{engine}-straight", "-q", folder=folder)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        self.seconds = time.monotonic() - start
        self.kills = self.runs = 0
        self.moments = collections.Counter()

    def kill(self, process, run, during):
        """At once, or while a file of this kind is being written."""
        until = time.monotonic() + 0.2 * self.seconds
        while during != "anything" and time.monotonic() < until and process.poll() is None:
            if half_written(run) == during:
                break
        if process.poll() is None:
            process.kill()
            process.wait()
            self.kills += 1
            self.moments[half_written(run)] += 1

    def survive(self, kills):
        while self.kills < kills:
            self.one_run(kills)

    def one_run(self, kills):
        run = f"{self.engine}-{self.runs}"
        words = ["run", f"{self.engine}.yaml", "-o", run]
        while True:
            process = subprocess.Popen([COMMAND, *words, "-q"], cwd=self.folder,
                                       stderr=subprocess.PIPE, text=True)
            if self.kills < kills:
                try:
                    process.wait(self.dice.uniform(0, 0.7 * self.seconds))
                except subprocess.TimeoutExpired:
                    self.kill(process, self.folder / run, self.dice.choice(("anything", "frame", "checkpoint")))
            _, errors = process.communicate()
            if (self.folder / run / "run.json").exists():
                words = ["resume", run]
            if process.returncode == 0:
                break
            if process.returncode > 0:
                raise AssertionError(f"{words}: exit code {process.returncode}: {errors}")
        self.runs += 1
        wrong = differences(self.folder, f"{self.engine}-straight", run)
        if wrong:
            raise AssertionError(f"{self.engine}, run {run}: {wrong}")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--kills", type=int, default=200, help="for each engine")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for engine in ("particles", "hybrid"):
            torture = Torture(folder, engine, random.Random(chosen.seed))
            torture.survive(chosen.kills)
            moments = ", ".join(f"{n} in {what}" for what, n in torture.moments.most_common())
            print(f"{engine}: {torture.kills} kills in {torture.runs} runs ({moments}); "
                  f"all ended with the same bytes", flush=True)


if __name__ == "__main__":
    sys.exit(main())
