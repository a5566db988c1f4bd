# SPDX-License-Identifier: Apache-2.0
"""Kernels of LLM serving on GPUs that were left out of the fit: near, where another GPU of the generation was fitted (B200
or GB200 left out), and far, where none was (A100 or H100 left out).

Each GPU is predicted by a fit of this program that never saw a row of it. Errors are the mean of |predicted / measured - 1|
over rows of the newest version of each engine there, the engine told, then the mean over the GPUs. Of intervals the columns
mean, median and gmae are the share within, the half-width in the middle, and that over the error in the middle. Not scored: rows timed
with the host, and rows that took more than twice as long as both neighbours in m (spikes, of which the tables' remarks tell), and caches that
were read faster than memory allows.

accuracy_serving.py [--program FILE] [--detail] [TABLE...]     alone, of the tables named (all: about ten minutes)
"""
import argparse
import math
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass

import serving
from accuracy_data import PROGRAM, Errors, Figure, Program, figure, path

NEAR = {"B200": "NVIDIA B200", "GB200": "NVIDIA GB200"}
FAR = {"H100": "NVIDIA H100 SXM 80GB", "A100": "NVIDIA A100-SXM4-80GB"}
FITTED, SCORED = 700, 2500  # rows of a GPU, engine, format and types
MANY = {"prefill": 2500}  # fitted, where kernels of a few shapes are to be learned
# A table of serving.py: the family that answers; by format what it is called, and what is promised near and far.
TABLES = {
    "products": ("gemm_matrix", {"": ("products, bf16", 8, 14), "w8a8_fp8": ("products, fp8", 8, 20),
                                 "w8a8_fp8_block": ("products, fp8_block", None, None)}),
    "prefill": ("attention", {"": ("attention, prefill", 8, 22)}),
    "encoder": ("attention", {"": ("attention, encoder", 8, 19)}),
    "decode": ("attention_decode", {"": ("attention, decode", 10, 23)}),
    "collectives": ("collective_queued", {"": ("collectives", 8, 25)}),
    "latent": ("attention,attention_decode", {"": ("attention, latent", None, None)}),
}


def saved(rows, folder, name):
    full = os.path.join(folder, name)
    with open(full, "w", newline="") as out:
        serving.write(rows, out)
    return full


def left_out(program, families, rows, fitted, device, folder):
    """The rows of the device, some of each engine and format, with the predictions of a fit without it."""
    model = os.path.join(folder, "model.txt")
    table = saved(serving.thinned(rows, fitted), folder, "fit.csv")
    with open(model, "w", encoding="utf-8") as all_families:
        for family in families.split(","):
            part = os.path.join(folder, family)
            program.run("model", "fit", table, "--family", family, "--without", device, "-o", part)
            with open(part, encoding="utf-8") as text:
                all_families.write(text.read())
    own = [row for row in rows if serving.DEVICES.get(row["device"], row["device"]) == device]
    tested = list(serving.thinned(own, SCORED))
    asked = saved([{key: value for key, value in row.items() if key != "latency_us"} for row in tested], folder,
                  "asked.csv")
    return tested, program.table("predict", "kernel", "--models", model, "--input", asked)


class Held(list):
    """Of the rows of a device: how far off each was and how wide its interval, as logarithms."""

    def add(self, answer, row):
        predicted = float(answer["predicted_us"])
        self.append((abs(math.log(float(row["latency_us"]) / predicted)), math.log(float(answer["high_us"]) / predicted)))

    def summary(self):
        """The share within, percent; the half-width and the error in the middle, and the first over the second."""
        width = statistics.median(math.expm1(half) for _, half in self)
        error = statistics.median(math.expm1(off) for off, _ in self)
        return {"n": len(self), "mean": 100 * statistics.fmean(off <= half for off, half in self), "median": 100 * width,
                "p95": None, "bias": None, "gmae": width / error}


@dataclass
class Within(Figure):
    """
    Truths within the intervals of 90 %. A device of 200 rows or more must have 75 to 99 %, all devices of the table together,
    each weighing the same, 85 to 95, and the half-width in the middle must be at most four times the error in the middle.
    """
    pooled: bool = False

    @property
    def met(self):
        if self.pooled:
            return 85 <= self.ours <= 95 and self.stats["gmae"] <= 4
        return all(75 <= part["mean"] <= 99 for part in self.detail.values() if part["n"] >= 200)


def scored(program, table, devices):
    """By format: errors and intervals of each device that has rows."""
    families, formats = TABLES[table]
    rows = [row for row in serving.converted(path("serving"), table) if row.get("format", "") in formats]
    measured = {serving.DEVICES.get(row["device"], row["device"]) for row in rows}
    errors, within = defaultdict(dict), defaultdict(dict)
    for name, device in devices.items():
        if device not in measured:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for row, answer in zip(*left_out(program, families, rows, MANY.get(table, FITTED), device,
                                              folder)):
                of = row.get("format", "")
                errors[of].setdefault(name, Errors()).add(answer["predicted_us"], row["latency_us"])
                if answer["predicted_us"]:
                    within[of].setdefault(name, Held()).add(answer, row)
    return errors, within


def joined(name, target, parts):
    """The mean over devices; what else is said of errors is of all rows together."""
    together = Errors([value for part in parts.values() for value in part.signed])
    shown = figure(name, "mean", "-", target, together, parts)
    shown.stats["mean"] = statistics.fmean(part.summary()["mean"] for part in parts.values())
    return shown


def share_within(name, within, pooled=False):
    parts = {device: held.summary() for device, held in within.items()}
    middle = {key: statistics.fmean(part[key] for part in parts.values()) for key in ("mean", "median", "gmae")}
    return Within(name, "mean", "-", None, {"n": sum(map(len, within.values())), "p95": None, "bias": None, **middle},
                  detail=parts, pooled=pooled)


def serving_kernels(program, tables=TABLES):
    for table in tables:
        _, formats = TABLES[table]
        together = defaultdict(dict)
        for how, devices in (("near", NEAR), ("far", FAR)):
            errors, within = scored(program, table, devices)
            for of, (name, *targets) in formats.items():
                if of in errors:
                    yield joined(f"{name}, {how}: {'/'.join(errors[of])} left out", targets[how == "far"], errors[of])
                    yield share_within("  within 90 %; half-width; over error", within[of])
                    together[of] |= within[of]
        for of, (name, *_) in formats.items():
            yield share_within(f"{name}: all within 90 %", together[of], pooled=True)


def main():
    import accuracy
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--detail", action="store_true")
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], default=[], metavar="TABLE")
    asked = parser.parse_args()
    print(accuracy.heading())
    kept = True
    for shown in serving_kernels(Program(asked.program), asked.tables or TABLES):
        kept &= shown.met is not False
        print("\n".join(accuracy.shown(shown, asked.detail)), flush=True)
    sys.exit(not kept)


if __name__ == "__main__":
    main()
