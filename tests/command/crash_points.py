"""Ends a run at every single moment at which it changes a file, and resumes it.

    HYDROLITH_COMMAND=build/release/apps/hydrolith HYDROLITH_BAD_DISK=build/release/tests/libbad_disk.so \\
        python3 tests/command/crash_points.py

A run opens, writes, flushes, renames and removes files a few hundred times. One after the other, each of these calls is
the last one (kill -9, writes cut in half), or the one from which on the disk is full. The first resume is ended in the
same way. Then frames, metrics.csv and the state at the end must be those of a run that was left alone, and until
then no frame that was whole may be lost or damaged."""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from kill_resume import COMMAND, SCENE, differences, hydrolith

BAD_DISK = os.environ.get("HYDROLITH_BAD_DISK", "")


def on_bad_disk(plan, *words, folder):
    return subprocess.run([COMMAND, *words, "-q"], cwd=folder, text=True, capture_output=True,
                          env={**os.environ, "LD_PRELOAD": BAD_DISK, "BAD_DISK": plan})


class CrashPoints:
    def __init__(self, folder, engine, duration=0.1):
        self.folder, self.engine = pathlib.Path(folder), engine
        (self.folder / f"{engine}.yaml").write_text(SCENE.format(engine=engine))
        self.scene = (f"{engine}.yaml", "--set", f"duration={duration}")
        self.straight = f"{engine}-straight"
        done = on_bad_disk(f"count:{self.folder}/count", "run", *self.scene, "-o", self.straight, folder=folder)
        assert done.returncode == 0, done.stderr
        self.calls = int((self.folder / "count").read_text())
        self.whole = {f.name: f.read_bytes() for f in (self.folder / self.straight / "frames").glob("*.h5")}

    def words(self, run):
        there = (self.folder / run / "run.json").exists()
        return ("resume", run) if there else ("run", *self.scene, "-o", run)

    def frames(self, run):
        """Names of the frames there are; each must be whole."""
        found = {f.name: f.read_bytes() for f in (self.folder / run / "frames").glob("*.h5")}
        for name, content in found.items():
            # The last frame of an attempt that ended early stands outside the schedule.
            assert content == self.whole.get(name), f"{name} is torn"
        return set(found)

    def end_at(self, kind, call, again):
        run = f"{self.engine}-{kind}-{call}"
        had = set()
        for plan in (f"{kind}:{call}", f"{kind}:{again}"):
            words = self.words(run)
            done = on_bad_disk(plan, *words, folder=self.folder)
            where = f"{plan} of {' '.join(words)}: exit code {done.returncode}: {done.stderr}"
            if kind == "kill":
                assert done.returncode in (0, -9), where
            else:
                assert done.returncode in (0, 4), where
                assert done.returncode == 0 or "No space left" in done.stderr, where
            had = self.frames(run)
        done = hydrolith(*self.words(run), "-q", folder=self.folder)
        assert done.returncode == 0, f"{kind}:{call}, {kind}:{again}, then left alone: {done.stderr}"
        assert had <= self.frames(run), f"{kind}:{call}: lost {had - self.frames(run)}"
        wrong = differences(self.folder, self.straight, run)
        assert not wrong, f"{kind}:{call}, {kind}:{again}: {wrong}"
        subprocess.run(["rm", "-r", run], cwd=self.folder, check=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--every", type=int, default=1, help="only every Nth call")
    chosen = options.parse_args()
    if not BAD_DISK:
        sys.exit("HYDROLITH_BAD_DISK names libbad_disk.so, which is built with the tests")
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for engine in ("particles", "hybrid"):
            points = CrashPoints(folder, engine)
            calls = range(1, points.calls + 1, chosen.every)
            for kind in ("kill", "full"):
                for call in calls:
                    points.end_at(kind, call, dice.randint(1, points.calls))
                print(f"{engine}, {kind}: {len(calls)} of {points.calls} calls, each and one of the resume after it the "
                      f"last; all ended with the same bytes", flush=True)


if __name__ == "__main__":
    sys.exit(main())
