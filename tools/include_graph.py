#!/usr/bin/env python3
"""Prints who includes whom among the folders of src/, and fails on an include that is not allowed.

The order of the house (docs/architecture.md): a folder may include itself, include/hydrolith, and the
folders named below."""

import pathlib
import re
import sys

ALLOWED = {
    "core": [],
    "scene": ["core"],
    "geometry": ["core"],
    "sampling": ["core", "geometry"],
    "cells": ["core", "geometry"],
    "rigid": ["core", "geometry"],
    "linalg": ["core"],
    "setup": ["core", "scene", "geometry", "sampling", "rigid"],
    "contact": ["core", "scene", "geometry", "sampling", "rigid", "linalg", "setup"],
    "film": ["core", "scene", "geometry", "cells", "sampling", "rigid", "linalg", "setup"],
    "particles": ["core", "scene", "geometry", "cells", "sampling", "rigid", "linalg", "setup", "contact", "film"],
    "hybrid": ["core", "scene", "geometry", "cells", "sampling", "rigid", "linalg", "setup", "contact", "film"],
    "output": ["core", "geometry"],
    "surface": ["core"],
    "exports": ["core", "output", "surface"],
    "render": ["core", "geometry", "surface"],
    "viewer": ["core", "output", "surface"],
    "app": ["core", "scene", "geometry", "sampling", "rigid", "setup", "contact", "particles", "hybrid", "output"],
}
# Public headers that are data only; simulation.h is implemented by app/ and is for app/ and above.
OPEN_HEADERS = {"hydrolith/vec.h", "hydrolith/error.h", "hydrolith/frame.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    edges: dict[str, set[str]] = {}
    faults = []
    for file in sorted((root / "src").rglob("*")):
        if file.suffix not in {".h", ".cpp"}:
            continue
        folder = file.relative_to(root / "src").parts[0]
        edges.setdefault(folder, set())
        for name in INCLUDE.findall(file.read_text()):
            target = name.split("/")[0]
            where = f"{file.relative_to(root)}: includes \"{name}\""
            if target == "hydrolith":
                if name not in OPEN_HEADERS and folder != "app":
                    faults.append(f"{where}, which is above it")
            elif target == folder:
                continue
            elif target not in ALLOWED:
                faults.append(f"{where}: write the path from src/")
            elif target not in ALLOWED.get(folder, []):
                faults.append(f"{where}: {folder}/ may not include {target}/")
            else:
                edges[folder].add(target)
    for folder in ALLOWED:
        print(f"{folder:10} -> {' '.join(t for t in ALLOWED if t in edges.get(folder, ()))}")
    for unknown in sorted(set(edges) - set(ALLOWED)):
        faults.append(f"src/{unknown}: not in the table of tools/include_graph.py")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
