# SPDX-License-Identifier: Apache-2.0
"""What ten measured rows are worth on a GPU that was left out of the fit: the error of each operator, and how many true times
lie within the intervals of 90 %, before, with ten rows that the program chose, and with ten at random.

Rows are shown from one half of the published test rows of the GPU, and the other half judges: its training rows are short
kernels, of another state in part (a fit on 500 of them comes no nearer to the test rows). Where a table has no test rows, and of
kernels of serving engines, both are halves of what was measured there. What is chosen is chosen among 300 rows of the half that is
shown, one operator (and format) at a time.

accuracy_calibrate.py [--program FILE] [--detail] [--keep FOLDER] [FAMILY...]    fits are kept in FOLDER and taken from there
"""
import argparse
import json
import os
import random
import statistics
import sys
import tempfile
from collections import defaultdict

import accuracy_coverage
import accuracy_serving
import fits
from accuracy_data import PROGRAM, Errors, Figure, Program, csv_text

SHOWN, AMONG, JUDGED, DRAWS = 10, 300, 400, 3
# Operators of accuracy_coverage.FAMILIES, each a table.
FAMILIES = {
    "gemm": {"bmm": ("bmm",), "linear": ("linear",)},
    "rows": {"softmax": ("softmax",), "layer norm": ("ln",)},
    "elementwise": {"add": ("add",), "gelu": ("gelu",)},
    "convolution": {"convolution": ("conv",)},
    "collective": {"lone collectives": accuracy_coverage.FAMILIES["collective"][0]["collectives"]},
}
# What is left of the error of those left out, in percent, is to be below.
PROMISES = {"bmm": 50}
# In the state of the test rows shapes alike differ by a fifth (bmm), or another library ran than in training (linear).
APART = {("bmm", "Tesla T4"): "bmm, T4 apart", ("linear", "Tesla P4"): "linear, P4 apart"}
TIME = "latency_us"
WAYS = ("before", "after ten chosen", "after ten at random")


def halves(table, seed=5):
    table = list(table)
    random.Random(seed).shuffle(table)
    return table[:len(table) // 2][:AMONG], table[len(table) // 2:][:JUDGED]


class Shown:
    """A GPU left out, its models, and the rows of one operator there."""

    def __init__(self, program, models, device, table, folder):
        self.program, self.models, self.device, self.folder = program, models, device, folder
        self.pool, self.judged = halves(table)

    def file(self, name, table):
        full = os.path.join(self.folder, name)
        with open(full, "w", newline="") as out:
            out.write(csv_text(table))
        return full

    def chosen(self):
        """Ten of the pool, as the program chooses them."""
        among = self.file("among.csv", self.pool)
        answer = self.program.run("calibrate", "--among", among, "--hw", self.device, "--models", self.models, "--next",
                                  str(SHOWN), "--format", "json")
        sections = json.loads(answer)["sections"]
        section = next(section for section in sections if section["id"] == "next")
        columns = next(value["value"] for value in section["values"] if value["id"] == "next_columns").split(",")
        picked = [dict(zip(columns, row[0].split(","))) for row in section["tables"][0]["rows"]]
        names = [name for name in self.pool[0] if name in columns and name not in ("op", "device", "form", TIME)]
        return [next(row for row in self.pool if all(str(row[name]) in ("", pick[name]) for name in names)) for pick in picked]

    def judge(self, models):
        """Errors of the judged rows, and the share of them within their intervals."""
        asked = [{key: value for key, value in row.items() if key != TIME} for row in self.judged]
        errors, within = Errors(), []
        for row, answer in zip(self.judged, self.program.table("predict", "kernel", "--models", models, "--input", "-",
                                                               text=csv_text(asked))):
            if answer["predicted_us"]:
                errors.add(answer["predicted_us"], row[TIME])
                within.append(float(answer["low_us"]) <= float(row[TIME]) <= float(answer["high_us"]))
        return errors.summary()["mean"], 100 * statistics.fmean(within)

    def after(self, shown):
        adapted = os.path.join(self.folder, "adapted.txt")
        self.program.run("model", "fit", "--adapt", "--models", self.models, self.file("ten.csv", shown), "-o", adapted)
        return self.judge(adapted)

    def all(self):
        """Before, chosen, at random: error and coverage of each."""
        drawn = [self.after(random.Random(seed).sample(self.pool, min(SHOWN, len(self.pool)))) for seed in range(DRAWS)]
        return self.judge(self.models), self.after(self.chosen()), tuple(map(statistics.fmean, zip(*drawn)))


def shown_columns(row):
    return {key: value for key, value in row.items() if key != "kernel" and not key.startswith(("grid", "block"))}


def left_out_gpus(program, family, folder):
    """(operator, device, Shown) of each GPU left out of the older tables."""
    _, trained, tested, _ = accuracy_coverage.FAMILIES[family]
    test = [row for name in tested or trained for row in accuracy_coverage.read(name)]
    for devices, models in accuracy_coverage.models_without(program, family):
        for name, ops in FAMILIES[family].items():
            for device in devices:
                table = [shown_columns(row) for row in test if row["device"] == device and row["op"] in ops]
                if len(table) > 2 * SHOWN:
                    yield name, device, Shown(program, models, device, table, folder)


def left_out_serving(program, table, folder):
    """The same of a table of serving engines."""
    measured = accuracy_serving.measured(table)
    for device in (*accuracy_serving.NEAR.values(), *accuracy_serving.FAR.values()):
        own = [row for row in measured if accuracy_serving.of_device(row, device)]
        if not own:
            continue
        models = accuracy_serving.fitted_without(program, table, measured, device)
        for of, (name, *_) in accuracy_serving.TABLES[table][1].items():
            of_format = [row for row in own if of in (accuracy_serving.ALL, row.get("format", ""))]
            if of_format:
                yield name, device, Shown(program, models, device, of_format, folder)


def stats(value, count):
    return {"n": count, "mean": value, "bias": value, **dict.fromkeys(("median", "p95", "gmae"))}


def shown_figures(name, found):
    """Of an operator: what is left of the error by ten chosen and ten at random, the mean over GPUs."""
    before, chosen, drawn = (statistics.fmean(all_of[i][0] for _, all_of in found) for i in range(3))
    parts = {f"{device}: {b[0]:.1f} -> {c[0]:.1f} chosen, {r[0]:.1f} at random; within {b[1]:.0f} -> {c[1]:.0f}, {r[1]:.0f}":
             stats(100 * c[0] / b[0], 1) for device, (b, c, r) in found}
    target, count = PROMISES.get(name), len(found)
    yield Figure(f"{name}, GPU left out: error before", "mean", "-", None, stats(before, count))
    yield Figure("  of it left after ten chosen rows", "mean", "-", target, stats(100 * chosen / before, count), detail=parts)
    yield Figure("  of it left after ten at random", "mean", "-", None, stats(100 * drawn / before, count))
    for at, what in enumerate(WAYS):
        yield Figure(f"  within the intervals of 90 %, {what}", "mean", "-", None,
                     stats(statistics.fmean(all_of[at][1] for _, all_of in found), count))


def pooled(of, found, target):
    """How far the share within intervals is from 90 %, all tables of all GPUs weighing the same."""
    for at, what in enumerate(WAYS):
        shares = [all_of[at][1] for _, all_of in found]
        yield Figure(f"{of}: within 90 %, less 90, {what}", "bias", "-", target if at else None,
                     stats(statistics.fmean(shares) - 90, len(shares)))


def calibrated(program, families=(*FAMILIES, *accuracy_serving.TABLES)):
    together = []
    for family in families:
        found = defaultdict(list)
        with tempfile.TemporaryDirectory() as folder:
            cases = left_out_gpus if family in FAMILIES else left_out_serving
            for name, device, shown in cases(program, family, folder):
                found[APART.get((name, device), name)].append((device, shown.all()))
        for name, all_of in found.items():
            yield from shown_figures(name, all_of)
        together += [(name, one) for name, all_of in found.items() if "apart" not in name for _, one in all_of]
    yield from pooled("all tables", together, 5)


def main():
    import accuracy
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--detail", action="store_true")
    parser.add_argument("--keep", metavar="FOLDER", help="where fits stay and are taken from")
    every = (*FAMILIES, *accuracy_serving.TABLES)
    parser.add_argument("families", nargs="*", choices=[[], *every], default=[], metavar="FAMILY")
    asked = parser.parse_args()
    print(accuracy.heading())
    if asked.keep:
        fits.keep(asked.keep)
    kept = True
    for shown in calibrated(Program(asked.program), asked.families or every):
        kept &= shown.met is not False
        print("\n".join(accuracy.shown(shown, asked.detail)), flush=True)
    sys.exit(not kept)


if __name__ == "__main__":
    main()
