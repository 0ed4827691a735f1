"""Runs on disks that are too small, one page larger each time, gives them room and resumes.

    sudo HYDROLITH_COMMAND=build/release/apps/hydrolith python3 tests/command/full_disk.py

The disk is a memory file system (mounting it needs root). Wherever it fills up (a frame, a checkpoint, metrics.csv,
log.txt, run.json): the run must end with exit code 4 and the name of the file, lose no whole frame, and after a
resume have the same bytes as a run with room."""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from kill_resume import SCENE, differences, hydrolith

PAGE = 4096


def mount(place, pages, again=False):
    options = ("remount," if again else "") + f"size={pages * PAGE}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=True)


def pages_of(folder):
    return sum(-(-f.stat().st_size // PAGE) + 1 for f in folder.rglob("*"))


def one_size(folder, disk, engine, pages):
    """Where it filled up, or None if all fitted."""
    mount(disk, pages)
    try:
        done = hydrolith("run", f"{engine}.yaml", "-o", "disk/run", "-q", folder=folder)
        if done.returncode == 0:
            return None
        said = done.stderr
        assert done.returncode == 4, f"{pages} pages: exit code {done.returncode}: {said}"
        assert "No space left" in said, f"{pages} pages: {said}"
        frames = {f.name: f.read_bytes() for f in (disk / "run" / "frames").glob("*.h5")}
        if (disk / "run" / "run.json").exists():
            shown = hydrolith("info", "disk/run", "--json", folder=folder)
            if (disk / "run" / "objects.h5").exists():
                info = json.loads(shown.stdout)
                assert not [f for f in info["faults"] if "metrics.csv" not in f], f"{pages} pages: {info['faults']}"
                assert info["frames"] == len(frames), f"{pages} pages: {info['frames']} of {len(frames)} frames are whole"
        for name, content in frames.items():
            straight = folder / f"{engine}-straight" / "frames" / name
            assert straight.read_bytes() == content, f"{pages} pages: {name} differs"
        mount(disk, 100000, again=True)
        words = ["resume", "disk/run"] if (disk / "run" / "run.json").exists() else ["run", f"{engine}.yaml", "-o",
                                                                                      "disk/run"]
        done = hydrolith(*words, "-q", folder=folder)
        assert done.returncode == 0, f"{pages} pages, then room: {done.stderr}"
        wrong = differences(folder, f"{engine}-straight", "disk/run")
        assert not wrong, f"{pages} pages, then room: {wrong}"
        return re.sub(r"[-_]?\d+", "", said.split(": cannot")[0].split("run/", 1)[-1].split("/")[-1])
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--sizes", type=int, default=100, help="of disks, for each engine")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        disk = folder / "disk"
        disk.mkdir()
        for engine in ("particles", "hybrid"):
            (folder / f"{engine}.yaml").write_text(SCENE.format(engine=engine))
            done = hydrolith("run", f"{engine}.yaml", "-o", f"{engine}-straight", "-q", folder=folder)
            assert done.returncode == 0, done.stderr
            all_pages = pages_of(folder / f"{engine}-straight") + 10
            sizes = sorted(random.Random(1).sample(range(2, all_pages), min(chosen.sizes, all_pages - 2)))
            where = collections.Counter(one_size(folder, disk, engine, pages) for pages in sizes)
            print(f"{engine}: {len(sizes)} disks of 2 to {all_pages} pages; all resumed to the same bytes. Filled up at: "
                  + ", ".join(f"{place or 'nothing'} {count}" for place, count in where.most_common()), flush=True)


if __name__ == "__main__":
    sys.exit(main())
