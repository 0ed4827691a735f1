"""Runs scenes of the gallery straight through and in three parts, and compares.

    HYDROLITH_COMMAND=build/release/apps/hydrolith python3 tests/command/resume_scenes.py [SCENE ...]

The parts are made with different numbers of threads. Frames, metrics.csv and the state at the end must be
the same, byte for byte. Without names: all scenes."""

import argparse
import os
import pathlib
import sys
import tempfile
import time

from kill_resume import differences, hydrolith

SCENES = pathlib.Path(os.environ.get("HYDROLITH_SOURCE", pathlib.Path(__file__).parents[2])) / "scenes"

# [s] Long enough for what the scene is about; all others get a tenth of a second.
DURATION = {
    "ball_through_honey": 0.4, "bingham": 0.2, "card_house": 0.05, "chain": 0.05, "chain_slack": 0.05,
    "chain_taut": 0.05, "dominoes": 0.3, "erleben": 0.05, "flood": 0.2, "funnel_drain": 0.6, "hybrid_dam_break": 0.5,
    "hybrid_dam_obstacle": 0.5, "hybrid_floating": 0.4, "hybrid_hydrostatic": 0.3, "hybrid_water_wheel": 0.4,
    "koshizuka_hybrid_2d": 0.3, "net": 0.05, "nut_and_bolt": 0.05, "rising_disc_2d": 0.2, "rolling_resistance": 0.3,
    "spheres_in_pool": 0.4, "splashdown": 0.4, "thrown_bodies": 0.4, "turntable": 0.3, "viscous_coil": 0.4,
    "viscous_sheet": 0.4, "viscous_torus": 0.3,
}
# Smaller versions of large scenes, and solvers that no scene of the gallery chooses.
SMALLER = {"breaking_dam": ["parameters.size=0.6"], "fountain": ["spacing=0.02"], "flood": ["parameters.refine=0.6"]}
VARIANTS = {
    "floating": [["solver.coupling=interlinked", "solver.liquid=dfsph"],
                 ["solver.coupling=interlinked", "solver.liquid=iisph"],
                 ["solver.coupling=weak", "solver.liquid=dfsph"], ["solver.method=nncg"]],
    "stack": [["solver.method=nncg"]],
    "hydrostatic": [["solver.coupling=weak", "solver.boundary=mls"]],
    "hybrid_floating": [["hybrid.coupling=iterative"]],
}


def in_parts(folder, name, scene, settings, duration):
    """What differs between a straight run and one in three parts; "" if nothing."""
    sets = lambda seconds: [w for s in [*settings, f"duration={seconds:.6g}"] for w in ("--set", s)]
    common = ["--set", "output.checkpoint_every=0", "--set", "output.frame_rate=100"]
    steps = [("run", scene, "-o", f"{name}-straight", "-q", *common, *sets(duration)),
             ("run", scene, "-o", name, "-q", "-j", "1", *common, *sets(duration / 3)),
             ("resume", name, "-q", "-j", "2", "--set", f"duration={duration / 2:.6g}"),
             ("resume", name, "-q", "-j", "1", "--set", f"duration={duration:.6g}")]
    for words in steps:
        done = hydrolith(*words, folder=folder)
        if done.returncode != 0:
            return f"{' '.join(words)}: exit code {done.returncode}: {done.stderr}"
    return " ".join(differences(folder, f"{name}-straight", name))


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("scenes", nargs="*", help="names (default: all)")
    chosen = options.parse_args().scenes or sorted(f.stem for f in SCENES.glob("*.yaml"))
    wrong = 0
    for scene in chosen:
        for settings in [SMALLER.get(scene, []), *VARIANTS.get(scene, [])]:
            with tempfile.TemporaryDirectory() as folder:
                folder, start = pathlib.Path(folder), time.monotonic()
                told = in_parts(folder, "run", str(SCENES / f"{scene}.yaml"), settings, DURATION.get(scene, 0.1))
                record = folder / "run" / "metrics.csv"
                rows = record.read_text().count("\n") - 2 if record.exists() else 0
                wrong += bool(told)
                print(f"{scene} {' '.join(settings)}: {rows} steps, {time.monotonic() - start:.1f} s: "
                      f"{told or 'the same'}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
