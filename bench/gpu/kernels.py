#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all families of kernels on the GPU of this machine, in under five minutes.

kernels.py [--device cuda] [--seconds 270] [--output FOLDER] [--family NAME...] [--quick]

FOLDER/kernels.csv holds what has the columns of the public tables of kernels (single precision, forward), FOLDER/further.csv
everything else, sizes named as src/ops/operators/kernel.h names them. README.md says what each column is.
"""
import argparse
import csv
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from stopwatch import device_name, kernels_of, median_us, watch_for  # first: it quiets the profiler's log

import torch

import operators_matrix
import operators_memory
import operators_vector
from operator_forms import Case
from queued import queued_us
from sizes import Sizes

FAMILIES = {**operators_matrix.FAMILIES, **operators_vector.FAMILIES, **operators_memory.FAMILIES}

# Columns of the tables that the program reads, and the words that it knows: src/model/tables/op_words.c.
GEMM = ("b", "m", "n", "k")
PAIR = ("rows", "cols")
CONVOLUTION = ("batch", "in_channels", "out_channels", "kernel_size", "input_size", "stride", "padding")
READ_TODAY = {
    "linear": GEMM, "bmm": GEMM, "conv": CONVOLUTION, "softmax": PAIR, "ln": PAIR,
    **{op.op: PAIR for op in FAMILIES["elementwise"]},
}
MEASURED = ("latency_us", "queued_us", "kernel_us", "kernel")
READ_COLUMNS = ("op", "device", *GEMM, *PAIR, *CONVOLUTION, *MEASURED)
FURTHER_SIZES = tuple(dict.fromkeys(name for family in FAMILIES.values() for op in family for name in op.names))
FURTHER_COLUMNS = ("op", "device", "form", "backward", "dtype", *FURTHER_SIZES, *MEASURED)

TIMED = 0.75          # share of the time for timing; the rest is for the names of kernels
WEIGHTS = {"elementwise": 4, "linear": 2, "bmm": 2, "convolution": 2}  # of a family in the time; else 1
LAUNCHED_US = 2000    # calls up to so long are timed in a queue, too: of longer ones the launch is next to nothing
QUICK_MOST, QUICK_ELEMENTS = 16, 1 << 14
QUICK_CASES = 4       # of each operator and type: two operators of a group are rows enough for a fit of it


@dataclass
class Measured:
    """A case and its time; the kernels where they have been looked at."""

    case: Case
    latency_us: float
    queued_us: float = None
    kernel_us: float = None
    kernel: str = ""


# ---- measuring ----

def cases_of(family, sizes):
    """Without end: every operator in every type, in turns."""
    while True:
        for operator in FAMILIES[family]:
            for dtype in operator.dtypes:
                yield Case(operator, operator.draw(sizes), dtype)


def sizes_for(family, quick):
    return Sizes(family, QUICK_MOST, QUICK_ELEMENTS) if quick else Sizes(family)


def most_cases(family, quick):
    return QUICK_CASES * sum(len(op.dtypes) for op in FAMILIES[family]) if quick else sys.maxsize


def attempt(measure, case, device, failures):
    """None where the device cannot: too little memory, a type that it has not. Counted by operator and reason."""
    try:
        return measure(case.call(device))
    except (RuntimeError, AssertionError) as problem:
        failures[case.word, str(problem).splitlines()[0][:100]] += 1
        if device.type == "cuda":
            torch.cuda.empty_cache()
        return None


def times_of(watch, call):
    """By itself, launch included, and in a queue; the second is None where it says nothing or cannot be told."""
    lone_us = median_us(watch, call)
    return lone_us, queued_us(watch, call) if lone_us <= LAUNCHED_US else None


def time_family(family, watch, device, quick, until, failures):
    """What could be timed until then. The order of cases is always the same; the clock says where it ends."""
    rows = []
    for tried, case in enumerate(cases_of(family, sizes_for(family, quick))):
        if time.monotonic() > until or tried == most_cases(family, quick):
            return rows
        times = attempt(lambda call: times_of(watch, call), case, device, failures)
        if times:
            rows.append(Measured(case, *times))


def time_families(asked, watch, device, failures):
    """A family that leaves time over leaves it to those after it."""
    until, rows = time.monotonic() + TIMED * asked.seconds, []
    weights = [WEIGHTS.get(family, 1) for family in asked.family]
    for place, family in enumerate(asked.family):
        now = time.monotonic()
        share = (until - now) * weights[place] / sum(weights[place:])
        timed = time_family(family, watch, device, asked.quick, now + share, failures)
        print(f"{family}: {len(timed)} rows in {time.monotonic() - now:.1f} s", file=sys.stderr)
        rows += timed
    return rows


def look_at_kernels(rows, watch, device, until, failures):
    """After all timing, because a profiler slows what is launched after it; in an order that thins all families alike."""
    for row in random.Random(0).sample(rows, len(rows)):
        if time.monotonic() > until:
            return
        found = attempt(lambda call: kernels_of(watch, call), row.case, device, failures)
        row.kernel, row.kernel_us = found or ("", None)


# ---- tables ----

def is_read_today(row):
    return row.case.word in READ_TODAY


def told(us):
    return "" if us is None else f"{us:.3f}"


def measured_columns(row, device):
    return {"op": row.case.word, "device": device, "latency_us": f"{row.latency_us:.3f}",
            "queued_us": told(row.queued_us), "kernel_us": told(row.kernel_us), "kernel": row.kernel}


def read_row(row, device):
    return {**measured_columns(row, device), **dict(zip(READ_TODAY[row.case.word], row.case.sizes))}


def further_row(row, device):
    operator = row.case.operator
    return {**measured_columns(row, device), **row.case.named_sizes, "form": operator.form,
            "backward": int(operator.backward), "dtype": row.case.dtype}


def write(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(f"{path}: {len(rows)} rows", file=sys.stderr)


def write_tables(folder, rows, device):
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "kernels.csv", READ_COLUMNS, [read_row(row, device) for row in rows if is_read_today(row)])
    write(folder / "further.csv", FURTHER_COLUMNS, [further_row(row, device) for row in rows if not is_read_today(row)])


# ---- the program ----

def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", type=torch.device, default=torch.device("cuda"))
    parser.add_argument("--seconds", type=float, default=270, help="for all families together (default: 270)")
    parser.add_argument("--output", type=Path, default=Path("measured"), metavar="FOLDER")
    parser.add_argument("--family", action="append", choices=FAMILIES, help="these only; may come several times")
    parser.add_argument("--quick", action="store_true", help="a few tiny cases of each operator: does it run at all?")
    asked = parser.parse_args()
    asked.family = asked.family or list(FAMILIES)
    if asked.device.type == "cuda" and not torch.cuda.is_available():
        parser.error("PyTorch finds no GPU here; --device cpu --quick tries the scripts out")
    return asked


def prepare(device):
    """Single precision is single precision, as in the public tables: no TF32."""
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    if device.type == "cpu":
        print("these are times of a processor, and say nothing of a GPU", file=sys.stderr)


def main():
    asked, began, failures = arguments(), time.monotonic(), Counter()
    prepare(asked.device)
    watch, device = watch_for(asked.device), device_name(asked.device)
    rows = time_families(asked, watch, asked.device, failures)
    look_at_kernels(rows, watch, asked.device, began + asked.seconds, failures)
    write_tables(asked.output, rows, device)
    for (word, reason), count in failures.items():
        print(f"left out: {count} x {word}: {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
