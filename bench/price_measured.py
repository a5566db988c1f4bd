# SPDX-License-Identifier: Apache-2.0
"""steptime price through model code beside measured times: the 58 rows of models/e2e.csv that are no switch models, and beside
them what the tables of their operators say (`predict graph`).

    bench/price_measured.py [--python PYTHON] [--rows FILE]
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict

import accuracy_models
from accuracy_data import PROGRAM, Program, path, rows

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "price", "measured_model.py")


def priced(python, case, devices, *options):
    """By name of the row's device: a step, and its interval."""
    done = subprocess.run([PROGRAM, "price", "--hw", ",".join(devices), "--format", "json", *options, "--python", python, "--", SCRIPT,
                           *case], capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode:
        sys.exit(f"{case}: {done.stderr.strip()[-300:]}")
    part = next(one for one in json.loads(done.stdout)["sections"] if one["id"] == "price")
    table = next(one for one in part["tables"] if one["id"] == "devices")
    ids = [column["id"] for column in table["columns"]]
    return [dict(zip(ids, row)) for row in table["rows"]]


def case_of(row):
    return row["model"], row["mode"], row["seq"], row["batch"]


def name_of(device):
    """As tables of prices name it."""
    done = subprocess.run([PROGRAM, "hw", device, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["sections"][0]["values"][0]["value"]


def predicted_by_code(python, measured):
    """(device, case): milliseconds and the interval."""
    names = {device: name_of(device) for device in {row["device"] for row in measured}}
    of_case = defaultdict(list)
    for row in measured:
        of_case[case_of(row)].append(row["device"])
    found = {}
    for case, devices in of_case.items():
        by_name = {row["device"]: row for row in priced(python, case, devices)}
        for device in devices:
            row = by_name[names[device]]
            found[device, case] = tuple(row[name] / 1000 for name in ("step_us", "step_us_low", "step_us_high"))
            print(device, *case, *map(round, found[device, case]), file=sys.stderr, flush=True)
    return found


def predicted_by_tables(measured):
    program, found = Program(PROGRAM), {}
    for device in sorted({row["device"] for row in measured}):
        for row in program.table("predict", "graph", "--input", path("models/graphs.csv.gz"), "--hw", device, "--level", "0.9"):
            if row["predicted_ms"]:
                found[device, accuracy_models.key(row)] = tuple(float(row[name]) for name in ("predicted_ms", "low_ms", "high_ms"))
    return found


class Figures:
    def __init__(self):
        self.errors, self.held = [], 0

    def add(self, predicted, true):
        middle, low, high = predicted
        self.errors.append(100 * (middle - true) / true)
        self.held += low <= true <= high

    def line(self, name):
        sizes = list(map(abs, self.errors))
        return (f"{name},{len(sizes)},{statistics.mean(sizes):.1f},{statistics.median(sizes):.1f},"
                f"{statistics.mean(self.errors):+.1f},{self.held},{100 * self.held / len(sizes):.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rows", help="write every row here")
    asked = parser.parse_args()
    measured = [row for row in rows("models/e2e.csv") if not row["model"].startswith("switch")]
    ways = {"code": predicted_by_code(asked.python, measured), "tables": predicted_by_tables(measured)}
    figures, lines = defaultdict(Figures), []
    for row in measured:
        true, line = float(row["e2e_ms"]), [row["device"], *case_of(row), row["e2e_ms"]]
        for way, found in ways.items():
            said = found[row["device"], case_of(row)]
            line += [f"{figure:.2f}" for figure in said]
            for name in ("all", row["mode"], row["device"], row["model"]):
                figures[name, way].add(said, true)
        lines.append(line)
    print("of,by,rows,mean,median,bias,held,held_percent")
    for name, way in figures:
        print(figures[name, way].line(f"{name},{way}"))
    if asked.rows:
        with open(asked.rows, "w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows(lines)


if __name__ == "__main__":
    main()
