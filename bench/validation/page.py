"""docs/validation.md, its plots and its numbers, from judged results."""

import json

from . import chart

# What is compared, and the settings of each: the particle liquid on cells, by its kernel, and the grid liquid.
ENGINES = {"cells": ["engine=particles", "solver.volumes=cells"],
           "kernel": ["engine=particles", "solver.volumes=kernel"],
           "hybrid": ["engine=hybrid"]}
MARKS = {"met": "", "known fault": " (known fault)", "unlisted miss": " **(miss)**", "worse than known": " **(worse)**",
         "failed": " **(failed)**"}

HEAD = """# Validation

Long-established answers against both engines, as they are: what is wrong stands here too. *Cells* and *kernel* are the
particle engine with `solver: {volumes: cells}` and `{volumes: kernel}`, *hybrid* is `engine: hybrid`. Written by `make validate`
([how](../bench/validate.py)), which runs every case anew in some minutes; do not edit. Runs are
deterministic, so are the numbers ([all of them](validation.json)). Scenes: [bench/validation](../bench/validation). They are coarse on
purpose: bodies are 6 to 10 spacings wide, as people run them.

An error is (value - reference) / reference, or in parts of what the case names. A case meets its goal if all its
quantities do. What misses its goal is in the list of [known faults](#what-is-known-to-be-wrong) or makes the command fail.
"Grid engine at half the spacing" is `engine: hybrid` with half the spacing and half the step (3D: 1 / 1.4 of both): an
independent method, not nature. It has its own errors, of about the size of its difference to itself at full spacing.

"""

LIMITS = """
What the page does not say:

- Theory of potential flow knows no drag and no eddies. Late times of fast bodies have no exact reference here.
- Goals were set with first results in sight: where the grid engine itself changes by 6 % with its spacing the goal is 10 %, and so
  is that of the outflow, whose head is known to some percent. Read the errors, not only the verdicts.
- Reasons given above for faults are the likely ones; few of them were isolated by an experiment.
- One run each, at one spacing and one step. Order of convergence is not shown.
- Not covered: viscous flow with a free surface, surface tension, contact under water, impact pressures, several liquids.
"""


def number(value):
    return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"


def percent(error):
    return f"{100 * error:+.1f} %" if abs(error) < 10 else f"{100 * error:+.0f} %"


def summary(results):
    lines = ["| case | reference | worst error, cells | kernel | hybrid | goal |", "|---|---|---|---|---|---|"]
    for case, found in results:
        cells = []
        for engine in ENGINES:
            rows = found.get(engine)
            if not rows:
                cells.append("-")
                continue
            worst = max(rows, key=lambda row: abs(row["error"]) / row["goal"])
            verdicts = {row["verdict"] for row in rows}
            mark = next((MARKS[v] for v in reversed(list(MARKS)) if v in verdicts), "")
            cells.append(f"{percent(worst['error'])}{mark}")
        goals = sorted({row["goal"] for rows in found.values() for row in rows})
        kinds = {row["grid"] for rows in found.values() for row in rows}
        source = "experiment" if case.points else \
            " and ".join(name for name, there in (("theory", False in kinds), ("finer grid engine", True in kinds)) if there)
        lines.append(f"| [{case.title}](#{anchor(case.title)}) | {source} | {' | '.join(cells)} | "
                     f"{', '.join(f'{100 * goal:g} %' for goal in goals)} |")
    return "\n".join(lines) + "\n"


def anchor(title):
    """The name GitHub gives a heading."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def section(case, found):
    text = f"## {case.title}\n\n{case.reference}\n\n![{case.title}](images/validation/{case.name}.svg)\n\n"
    text += "| quantity | reference | cells | error | kernel | error | hybrid | error | goal |\n|---|---|---|---|---|---|---|---|---|\n"
    rows = {row["quantity"]: row for engine in ENGINES for row in found.get(engine, [])}
    for name, any_row in rows.items():
        cells = []
        for engine in ENGINES:
            row = next((row for row in found.get(engine, []) if row["quantity"] == name), None)
            cells += [number(row["value"]), percent(row["error"]) + MARKS[row["verdict"]]] if row else ["-", "-"]
        unit = f" [{any_row['unit']}]" if any_row["unit"] else ""
        text += f"| {name}{unit} | {number(any_row['reference'])} | {' | '.join(cells)} | {100 * any_row['goal']:g} % |\n"
    return text + (f"\n{case.note}\n" if case.note else "") + "\n"


def faults_section(results, faults):
    text = "## What is known to be wrong\n\n"
    titles = {case.name: case.title for case, _ in results}
    for fault in faults:
        title = titles.get(fault["case"])
        if not title:
            continue
        worst = max(fault["errors"].values(), key=abs)
        text += f"- **{fault['engine']}, [{title}](#{anchor(title)})**, up to {percent(worst)}: {fault['why']}\n"
    return text + LIMITS


def write(results, curves, faults, page):
    """`results`: [(case, {engine: rows})]; `curves`: {case name: [(engine, label, x, y)]}."""
    images = page.parent / "images" / "validation"
    images.mkdir(parents=True, exist_ok=True)
    for case, _ in results:
        theory = [(curve.name, curve.x, curve.y) for curve in case.theory]
        (images / f"{case.name}.svg").write_text(chart.line_chart(case.axes, curves[case.name], theory, case.points))
    text = HEAD + summary(results) + "\n"
    text += "".join(section(case, found) for case, found in results) + faults_section(results, faults)
    page.write_text(text)
    numbers = {case.name: {engine: [{key: None if value != value else value for key, value in row.items()} for row in rows]
                           for engine, rows in found.items()} for case, found in results}
    page.with_suffix(".json").write_text(json.dumps(numbers, indent=1) + "\n")
