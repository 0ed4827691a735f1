#!/usr/bin/env python3
"""Runs the validation cases with both engines and writes docs/validation.md, its plots and docs/validation.json.

    bench/validate.py                          # everything; `make validate` builds first
    bench/validate.py --small                  # some short cases, no page: part of the tests
    bench/validate.py --case slosh --engines cells --set spacing=0.01

A quantity that misses its goal makes the command fail (exit code 1) unless bench/validation/known_faults.json lists it with
an error of that size (a quarter more is let pass). The page is written only if all cases are run with all of them.
Needs Python 3 and nothing else."""

import argparse
import json
import math
import pathlib
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "bench"))
sys.dont_write_bytecode = True

from validation import cases, page, runs  # noqa: E402

SCENES = SOURCE / "bench" / "validation"
FAULTS = SCENES / "known_faults.json"
REFERENCES = SCENES / "references.json"
ENGINES = page.ENGINES
# A run that broke off, or one in which what is looked for never happens, fails its case and not the others.
UNMEASURED = (RuntimeError, ValueError, LookupError, StopIteration, ZeroDivisionError)
SLACK = 1.25  # a known fault may be so much worse than listed: other compilers, other round-off


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=SOURCE / "build/release/apps/hydrolith", type=pathlib.Path)
    parser.add_argument("--engines", default=",".join(ENGINES), help="comma-separated: cells, kernel, hybrid (default: all)")
    parser.add_argument("--case", action="append", default=[], help="only this one; may be repeated")
    parser.add_argument("--small", action="store_true", help="only the short cases")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for runs of the particle engine")
    parser.add_argument("--threads", type=int, default=0, help="of every run (default: all cores)")
    parser.add_argument("--output", default=SOURCE / "runs/validation", type=pathlib.Path, help="folder of the runs")
    parser.add_argument("--page", type=pathlib.Path, help="where to write it (default: docs/validation.md, but with --set none)")
    parser.add_argument("--reuse", action="store_true", help="take runs that are finished in the output folder as they are")
    parser.add_argument("--references", action="store_true",
                        help="run the grid engine at finer spacings and store what it finds; half an hour")
    parser.add_argument("--update-faults", action="store_true", help="write what misses into the list of known faults")
    return parser.parse_args(words)


def load(path, default):
    return json.loads(path.read_text()) if path.exists() else default


def store(path, data):
    path.write_text(json.dumps(data, indent=1) + "\n")


def chosen(options):
    everything = cases.all_cases()
    names = [case.name for case in everything]
    for name in options.case:
        if name not in names:
            sys.exit(f"--case {name}: there is no such case. There are: {', '.join(names)}")
    return [case for case in everything
            if (not options.case or case.name in options.case) and (not options.small or case.small)]


def refined(scene, factor):
    """Settings that divide spacing and step of a scene of ours, whose numbers may carry units."""
    def value(key):
        line = next(line for line in (SCENES / f"{scene}.yaml").read_text().splitlines() if line.startswith(key + ":"))
        return line.split(":", 1)[1].split("#")[0].strip()
    return [f"{key}={value(key)}/{factor:g}" for key in ("spacing", "time_step")]


def run_variant(variant, number, case, engine, options, extra=()):
    folder = options.output / f"{case.name}_{number}_{'fine' if extra else engine}"
    settings = [*page.ENGINES[engine], *variant.settings, *extra]
    settings += options.set if engine != "hybrid" else []
    return runs.run(options.command, SCENES / f"{variant.scene}.yaml", settings, folder, options.threads, options.reuse)


def verdict(error, goal, known):
    """Of a quantity with this error; `known` is the error of the list, if it is there."""
    if not math.isfinite(error):
        return "failed"
    if abs(error) <= goal:
        return "met"
    if known is None:
        return "unlisted miss"
    return "known fault" if abs(error) <= SLACK * abs(known) else "worse than known"


def judge(case, engine, quantities, references, faults):
    """Rows of the page: values, errors and verdicts."""
    known = next((f["errors"] for f in faults if f["case"] == case.name and f["engine"] == engine), {})
    rows = []
    for q in quantities:
        reference = references.get(case.name, {}).get(q.like or q.name, math.nan) if q.reference == cases.grid else q.reference
        error = (q.value - reference) / (q.scale or reference)
        rows.append({"quantity": q.name, "unit": q.unit, "value": q.value, "reference": reference,
                     "grid": q.reference == cases.grid, "error": error, "goal": q.goal,
                     "verdict": verdict(error, q.goal, known.get(q.name))})
    return rows


def make_references(options):
    """Of every quantity that has no theory, what the grid engine finds at a finer spacing."""
    stored = load(REFERENCES, {})
    for case in chosen(options):
        for number, variant in enumerate(case.variants):
            if "hybrid" not in case.engines:
                continue
            # Scenes whose quantities are all theory's need no finer run: one look at the coarse one tells.
            coarse = run_variant(variant, number, case, "hybrid", options)
            wanted = [q.name for q in variant.measure(coarse) if q.reference == cases.grid and q.like in ("", q.name)]
            if not wanted:
                continue
            fine = run_variant(variant, number, case, "hybrid", options, extra=refined(variant.scene, case.finer))
            found = {q.name: round(q.value, 6) for q in variant.measure(fine) if q.name in wanted}
            stored.setdefault(case.name, {}).update(found)
            store(REFERENCES, stored)
            print(case.name, variant.label, found, flush=True)


def validate(options):
    """Runs and measures: [(case, {engine: [Quantity]})] and the curves of all cases."""
    measured, curves = [], {}
    for case in chosen(options):
        found, lines = {}, []
        for engine in options.engines.split(","):
            if engine not in case.engines:
                continue
            start = time.monotonic()
            found[engine] = []
            for number, variant in enumerate(case.variants):
                try:
                    run = run_variant(variant, number, case, engine, options)
                    found[engine] += variant.measure(run)
                    lines.append((engine, variant.label, *variant.curve(run)))
                except UNMEASURED as error:
                    name = f"{variant.label or variant.scene}: run and measure"
                    print(f"{case.name}, {engine}: {name}: {type(error).__name__} {error}", flush=True)
                    found[engine].append(cases.Quantity(name, math.nan, 0.0, 1.0, scale=1.0))
            print(f"{case.name}, {engine}: {time.monotonic() - start:.0f} s", flush=True)
        measured.append((case, found))
        curves[case.name] = lines
    return measured, curves


def judge_all(measured, faults):
    references = load(REFERENCES, {})
    return [(case, {engine: judge(case, engine, quantities, references, faults) for engine, quantities in found.items()})
            for case, found in measured]


def report(results):
    for case, found in results:
        for engine, rows in found.items():
            print(f"\n{case.name}, {engine}")
            for row in rows:
                print(f"  {row['quantity']:<58} {row['value']:>10.4g} {row['unit']:<4} reference {row['reference']:<9.4g} "
                      f"error {100 * row['error']:+.1f} % of {100 * row['goal']:g} %  {row['verdict']}")


def updated_faults(results, before):
    """Keeps reasons, takes new numbers, drops what is mended."""
    ran = {(case.name, engine) for case, found in results for engine in found}
    faults = [f for f in before if (f["case"], f["engine"]) not in ran]
    for case, found in results:
        for engine, rows in found.items():
            errors = {row["quantity"]: round(row["error"], 4) for row in rows
                      if row["verdict"] not in ("met", "failed")}
            if errors:
                why = next((f["why"] for f in before if (f["case"], f["engine"]) == (case.name, engine)), "not looked into yet.")
                faults.append({"case": case.name, "engine": engine, "why": why, "errors": errors})
    order = [(case.name, engine) for case in cases.all_cases() for engine in ENGINES]
    return sorted(faults, key=lambda f: order.index((f["case"], f["engine"])))


def mended(results, faults):
    """What the list has and what now meets its goal."""
    met = {(case.name, engine, row["quantity"]) for case, found in results for engine, rows in found.items()
           for row in rows if row["verdict"] == "met"}
    return [key for f in faults for key in ((f["case"], f["engine"], name) for name in f["errors"]) if key in met]


def main():
    options = arguments()
    options.output = options.output.resolve()
    if not options.page and not options.set:
        options.page = SOURCE / "docs/validation.md"
    if options.references:
        return make_references(options)
    start = time.monotonic()
    measured, curves = validate(options)
    faults = load(FAULTS, [])
    results = judge_all(measured, faults)
    if options.update_faults:
        faults = updated_faults(results, faults)
        store(FAULTS, faults)
        results = judge_all(measured, faults)
    report(results)
    complete = len(results) == len(cases.all_cases()) and set(options.engines.split(",")) == set(ENGINES)
    if complete and options.page:
        page.write(results, curves, faults, options.page)
        print(f"\nwritten: {options.page}")
    print()
    for case, engine, name in mended(results, faults):
        print(f"mended: {case}, {engine}: {name} meets its goal; --update-faults takes it off the list")
    bad = [(case.name, engine, row) for case, found in results for engine, rows in found.items() for row in rows
           if row["verdict"] not in ("met", "known fault")]
    for case, engine, row in bad:
        print(f"{row['verdict']}: {case}, {engine}: {row['quantity']} is off by {100 * row['error']:+.1f} %, "
              f"goal {100 * row['goal']:g} %")
    print(f"{len(results)} cases, {len(bad)} unexpected misses, {time.monotonic() - start:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
