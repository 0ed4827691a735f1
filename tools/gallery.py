#!/usr/bin/env python3
"""Writes docs/gallery.md: a picture of every scene and one line of what it shows.

    tools/gallery.py COMMAND [--runs runs/gallery] [NAME ...]

Scenes that have no finished run in the folder of runs are run first (some minutes each on two cores). Pictures are
made by `hydrolith render` and, where pngquant is installed, stored with a palette."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs/images/gallery"

# The moment worth a picture [s]; the end of the run where none is given.
MOMENT = {"flood": 0.6, "dominoes": 1.3, "dam_break": 0.6, "hybrid_dam_break": 0.5, "hybrid_dam_obstacle": 0.7,
          "rising_sphere": 0.1, "splashdown": 0.4, "koshizuka_2d": 0.25, "koshizuka_hybrid_2d": 0.25,
          "spheres_in_pool": 0.5, "breakwater": 0.8, "breaking_dam": 3.9, "card_house": 2.8, "growing_pillar": 3.7}

# Where the liquid is drawn as a surface to look through.
SURFACE = """flood dam_break hybrid_dam_break hybrid_dam_obstacle floating hybrid_floating neutral moored_buoy
             rising_sphere stack_under_water splashdown spheres_in_pool thrown_bodies breakwater breaking_dam tower
             propeller_pump pillar ball_through_honey viscous_coil viscous_sheet viscous_torus fountain""".split()

SECTIONS = {
    "Water and bodies": "flood fountain floating pillar splashdown spheres_in_pool thrown_bodies tower propeller_pump "
                        "bolt_valve moored_buoy block_dam_holds block_dam_slides breaking_dam breakwater funnel_drain "
                        "growing_pillar neutral rising_sphere stack_under_water",
    "On the grid (engine: hybrid)": "hybrid_dam_break hybrid_dam_obstacle hybrid_floating hybrid_water_wheel "
                                    "hybrid_hydrostatic",
    "Honey, syrup, paste": "viscous_coil viscous_sheet viscous_torus ball_through_honey bingham",
    "Contact and friction": "arch card_house stack stack_40 tower_dry thousand_to_one dominoes erleben incline "
                            "incline_slide incline_stick box_on_fixed_box rolling_resistance cylinder_rolling "
                            "sphere_rolling turntable tumble",
    "Machines": "chain chain_taut chain_slack net nut_and_bolt lewis_lift water_wheel_gate",
    "Liquid alone": "dam_break koshizuka_2d koshizuka_hybrid_2d hydrostatic hydrostatic_mls",
    "Two dimensions, and shapes": "pool_2d rising_disc_2d shapes",
}


def description(name):
    text = (ROOT / "scenes" / f"{name}.yaml").read_text()
    found = re.search(r'^description:\s*"?(.*?)"?\s*$', text, re.MULTILINE)
    if not found:
        sys.exit(f"scenes/{name}.yaml has no description")
    return found.group(1)


def finished(run):
    record = run / "run.json"
    return record.exists() and json.loads(record.read_text())["state"] == "finished"


def frame_at(run, time):
    """Number of the frame nearest to a time: frames are evenly spaced."""
    last = len(list((run / "frames").glob("frame_*.h5"))) - 1
    duration = json.loads((run / "run.json").read_text())["time"]
    return last if time is None else min(last, round(time / duration * last))


def picture(command, run, name):
    with tempfile.TemporaryDirectory() as folder:
        liquid = ["--liquid", "surface"] if name in SURFACE else []
        subprocess.run([command, "render", run, "-o", folder, "--size", "480x300", "--samples", "32", "--no-video",
                        "--no-legend", "-q", "--frames", str(frame_at(run, MOMENT.get(name))), *liquid], check=True)
        (made,) = pathlib.Path(folder).glob("*.png")
        IMAGES.mkdir(parents=True, exist_ok=True)
        target = IMAGES / f"{name}.png"
        if shutil.which("pngquant"):
            subprocess.run(["pngquant", "--force", "--speed", "1", "--output", target, "128", made], check=True)
        else:
            shutil.copy(made, target)


def page():
    lines = ["# Gallery", "", "Every scene that comes with Hydrolith: `hydrolith run NAME`, then `hydrolith view "
             "runs/NAME`. The pictures are made by", "`hydrolith render` (`tools/gallery.py` makes this page).", ""]
    for section, names in SECTIONS.items():
        lines += [f"## {section}", "", "| | |", "|---|---|"]
        for name in names.split():
            shown = f"![{name}](images/gallery/{name}.png)" if (IMAGES / f"{name}.png").exists() else ""
            lines.append(f"| {shown} | **[{name}](../scenes/{name}.yaml)**: {description(name)} |")
        lines.append("")
    (ROOT / "docs/gallery.md").write_text("\n".join(lines))


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("command")
    options.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/gallery")
    options.add_argument("--no-runs", action="store_true", help="pictures of the runs there are, no new ones")
    options.add_argument("names", nargs="*")
    chosen = options.parse_intermixed_args()
    listed = [name for names in SECTIONS.values() for name in names.split()]
    there = sorted(file.stem for file in (ROOT / "scenes").glob("*.yaml"))
    if sorted(listed) != there:
        sys.exit(f"not in a section, or without a scene: {sorted(set(listed) ^ set(there))}")
    for name in chosen.names or listed:
        run = chosen.runs / name
        if not finished(run):
            if chosen.no_runs:
                continue
            shutil.rmtree(run, ignore_errors=True)
            subprocess.run([chosen.command, "run", ROOT / "scenes" / f"{name}.yaml", "-o", run, "-q"], check=True)
        picture(chosen.command, run, name)
    page()


if __name__ == "__main__":
    main()
