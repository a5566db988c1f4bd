#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far predictions are from measurements that others published: a row for every promise, their figure beside ours.

accuracy.py [-o FILE] [--only WORD] [--program FILE] [--detail] [--keep FOLDER]

All predictions come from the program as a user calls it. No row of the tables used here was fitted or chosen on; jobs of
clusters are predicted with four constants fitted on the other half of the models (accuracy_fleet.py). What
cannot be computed here (no shared data) is listed with the reason. Exit 1 where a promise is not kept.
"""
import argparse
import dataclasses
import json
import os
import sys

import accuracy_calibrate
import accuracy_coverage
import accuracy_dlrm
import accuracy_energy
import accuracy_fleet
import accuracy_kernels
import accuracy_llm
import accuracy_models
import accuracy_own
import accuracy_serving
import accuracy_transfer
import accuracy_unseen
import coverage_measured
import fits
import held
from accuracy_data import PROGRAM, Figure, Program
from inputs import TOP, Missing

GROUPS = {
    "kernels, seen": accuracy_kernels.seen,
    "kernels, unseen": accuracy_kernels.unseen,
    "kernels, AMD": accuracy_kernels.amd,
    "left out": accuracy_transfer.left_out,
    "left out, test rows": accuracy_unseen.unseen,
    "ten rows": accuracy_transfer.ten_rows,
    "calibrated": accuracy_calibrate.calibrated,
    "own": accuracy_own.own,
    "serving": accuracy_serving.serving_kernels,
    "energy": accuracy_energy.energy,
    "models": accuracy_models.whole_models,
    "recommendation": accuracy_dlrm.figures,
    "iterations": accuracy_llm.iterations,
    "fleet": accuracy_fleet.fleet,
}


def taken(name, group, program):
    try:
        yield from group(program)
    except Missing as why:
        yield Figure(name, "mean", "", None, missing=str(why))


def percent(value):
    return "" if value is None else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def shown(figure, detail):
    """The lines of a figure: what, published, promised, ours, and the other ways to say it; or how intervals hold."""
    if isinstance(figure, held.Held):
        return [figure.line()]
    if figure.missing:
        return [f"     {figure.name:<44} missing: {figure.missing}"]
    mark = {None: "    ", True: "ok  ", False: "MISS"}[figure.met]
    stats = figure.stats
    target = "" if figure.target is None else f"< {figure.target:g}"
    cells = [percent(stats[name]) for name in ("mean", "median", "p95", "bias", "gmae")]
    left = f" {stats['unpredicted']} not predicted" if stats.get("unpredicted") else ""
    lines = [f"{mark} {figure.name:<44} {figure.published:>12} {target:>7} {percent(figure.ours):>7} {figure.metric:<5}"
             + "".join(f"{cell:>8}" for cell in cells) + f" {stats['n']:>7}{left}"]
    for part, of in figure.detail.items() if detail else ():
        lines.append(f"       {part:<60}" + " " * 13 + "".join(
            f"{percent(of[name]):>8}" for name in ("mean", "median", "p95", "bias", "gmae")) + f" {of['n']:>7}")
    return lines


def heading():
    return (f"     {'percent':<44} {'published':>12} {'promise':>7} {'ours':>7} {'':<5}"
            + "".join(f"{name:>8}" for name in ("mean", "median", "p95", "bias", "gmae")) + f" {'rows':>7}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", default=os.path.join(TOP, "build", "accuracy.json"))
    parser.add_argument("--only", default="", help="groups whose name contains this word")
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--detail", action="store_true", help="by device too")
    parser.add_argument("--keep", metavar="FOLDER", help="where fits without a GPU stay and are taken from")
    return parser.parse_args()


def covered(program, wanted):
    """The tables of the intervals; what is missing is said."""
    if wanted not in "coverage":
        return []
    print(held.heading())
    tables = []
    for coverage in (*coverage_measured.GROUPS, accuracy_coverage.coverage):
        try:
            for table in coverage(program):
                tables.append(table)
                print(table.line(), flush=True)
        except Missing as why:
            print(f"     coverage of the intervals is missing: {why}")
    return tables


def numbers(figure):
    if isinstance(figure, held.Held):
        return figure.numbers()
    return {**dataclasses.asdict(figure), "ours": figure.ours, "met": figure.met}


def main():
    asked = arguments()
    if asked.keep:
        fits.keep(asked.keep)
    program = Program(asked.program)
    print(heading())
    figures = []
    for name, group in GROUPS.items():
        if asked.only not in name:
            continue
        for figure in taken(name, group, program):
            figures.append(figure)
            print("\n".join(shown(figure, asked.detail)), flush=True)
    tables = covered(program, asked.only)
    with open(asked.output, "w") as out:
        json.dump([numbers(f) for f in figures + tables], out, indent=1)
    missed = [f.name for f in figures + tables if f.met is False]
    print(f"{len(missed)} of {sum(f.met is not None for f in figures + tables)} promises are not kept"
          + (": " + "; ".join(missed) if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
