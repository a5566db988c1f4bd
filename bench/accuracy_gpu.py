#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far predictions are from a GPU that was measured by bench/gpu, on the half of its rows that no fit takes.

accuracy_gpu.py [--program FILE] [--models FILE] [--all] [--sizes]

By family, and lone calls (with their launch) and kernels alone apart: rows, the error in the middle, the bias (the middle of
predicted / measured), the truths within the interval of 90 % and its half-width in the middle. --all: of both halves, for
programs and models that never saw the GPU. --sizes: of calls longer than 200 us beside it.
"""
import argparse
import math
import os
import statistics
import sys
from collections import defaultdict

from accuracy_data import PROGRAM, Program, csv_text
from inputs import TOP

sys.path.insert(0, os.path.join(TOP, "bench", "gpu"))
import measured_rows

LONG_US = 200
ENOUGH = 5  # rows that are judged
WHERE = {"0": "lone", "1": "kernel"}
NAMES = {"linear": "products, fp32", "bmm": "products, fp32", "ln": "softmax, layer norm", "layer_norm": "softmax, layer norm",
         "softmax": "softmax, layer norm", "conv": "convolution"}


def family(row):
    form, single = measured_rows.form_of(row), row.get("dtype", "fp32") == "fp32"
    if form in measured_rows.PRODUCTS and not single:
        return "products, 16 bits unaligned" if measured_rows.is_unaligned(row) else "products, 16 bits aligned"
    return NAMES.get(form, form) + (", backward" if row.get("backward") == "1" else "")


def asked_rows(path, parts):
    """Rows with both of their times, of the parts that are judged."""
    for part in parts:
        for row in measured_rows.rows_of(path, part):
            yield from ((family(row), one) for one in measured_rows.timed(row, measured_rows.TIMES))


def answered(program, path, words, parts):
    """(family, where, measured, predicted, low, high) of each row that is predicted."""
    rows = list(asked_rows(path, parts))
    asked = [{name: value for name, value in row.items() if name != "latency_us"} for _, row in rows]
    for (name, row), answer in zip(rows, program.table("predict", "kernel", *words, "--input", "-", text=csv_text(asked))):
        if answer["predicted_us"]:
            yield (name, WHERE[row["queued"]], float(row["latency_us"]),
                   *(float(answer[column]) for column in ("predicted_us", "low_us", "high_us")))


def summary(found):
    logs = [math.log(predicted / true) for true, predicted, _, _ in found]
    within = sum(low <= true <= high for true, _, low, high in found)
    return (len(found), 100 * statistics.median(abs(math.expm1(log)) for log in logs), 100 * math.expm1(statistics.median(logs)),
            100 * within / len(found), 100 * (statistics.median(high / predicted for _, predicted, _, high in found) - 1))


def line(name, where, found):
    cells = "".join(f"{value:9.1f}" for value in summary(found)[1:])
    return f"{name:<30}{where:<8}{len(found):6}{cells}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--models")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--sizes", action="store_true")
    asked = parser.parse_args()
    words = ("--models", asked.models) if asked.models else ()
    by_family = defaultdict(list)
    for path in sorted(measured_rows.MEASURED.glob("*.csv.gz")):
        for name, where, *numbers in answered(Program(asked.program), path, words, ("fit", "judge") if asked.all else ("judge",)):
            by_family[name, where].append(numbers)
            by_family["all", where].append(numbers)
    print(f"{'percent':<30}{'':<8}{'rows':>6}{'error':>9}{'bias':>9}{'within':>9}{'width':>9}")
    for (name, where), found in sorted(by_family.items()):
        if len(found) >= ENOUGH:
            print(line(name, where, found))
        long = [one for one in found if one[0] > LONG_US]
        if asked.sizes and len(long) >= ENOUGH:
            print(line(f"  above {LONG_US} us", where, long))


if __name__ == "__main__":
    main()
