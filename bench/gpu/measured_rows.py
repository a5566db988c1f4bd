#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of a measured GPU, to fit models on or to judge them: every other row of each operator is for the fit.

measured_rows.py fit|judge FOLDER

Writes the tables beside this script (measured/*.csv.gz) to FOLDER, with the column `queued`: 0 is a call launched and timed by
itself (latency_us), 1 are its kernels alone, in a queue (queued_us) or, of tables without, as the profiler timed them (kernel_us).
The names of kernels are left out.

For the fit are only rows whose families are fitted: products in single precision and unaligned ones of 16 bits, by both times;
element-wise operators, softmax and layer norm forward as lone calls, as the public tables have them. All others are judged alone:
aligned products of 16 bits, which name no engine, operators that no family fits, and what the clock left too few rows of.
"""
import argparse
import csv
import gzip
from collections import Counter
from pathlib import Path

MEASURED = Path(__file__).resolve().parent / "measured"
TIMES = (("0", ("latency_us",)), ("1", ("queued_us", "kernel_us")))
DROPPED = ("latency_us", "queued_us", "kernel_us", "kernel")
PRODUCTS = ("linear", "bmm")
ROWS = ("softmax", "ln", "layer_norm")
WHOLE = 8  # elements of 16 bits in 16 bytes


def form_of(row):
    """Rows of the table of single precision name no form: their operator does."""
    named = row.get("form")
    return named or (row["op"] if row["op"] in PRODUCTS + ROWS + ("conv",) else "elementwise")


def is_unaligned(row):
    return int(row["n"]) % WHOLE or int(row["k"]) % WHOLE


def fitted_times(row):
    """The times of the row that a fit takes."""
    form, single = form_of(row), row.get("dtype", "fp32") == "fp32"
    if form in PRODUCTS:
        return TIMES if single or is_unaligned(row) else ()
    return TIMES[:1] if form in ("elementwise", *ROWS) and row.get("backward") != "1" else ()


def halves(rows):
    """The rows with whether they are for the fit. By operator: types of an operator come in turns, and would lie in one half."""
    seen = Counter()
    for row in rows:
        seen[row["op"]] += 1
        yield row, seen[row["op"]] % 2 == 1


def rows_of(path, part):
    with gzip.open(path, "rt", newline="", encoding="utf-8") as text:
        return [row for row, fitted in halves(csv.DictReader(text)) if fitted == (part == "fit")]


def timed(row, times):
    """The row once for each of the times that it has."""
    sizes = {name: value for name, value in row.items() if name not in DROPPED}
    for queued, columns in times:
        us = next((row[column] for column in columns if row.get(column)), "")
        if us and float(us) > 0:
            yield {**sizes, "queued": queued, "latency_us": us}


def table_of(path, part):
    return [one for row in rows_of(path, part) for one in timed(row, fitted_times(row) if part == "fit" else TIMES)]


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("fit", "judge"))
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for table in sorted(MEASURED.glob("*.csv.gz")):
        path = asked.folder / f"{table.name.split('.')[0]}_{asked.part}.csv"
        write(path, table_of(table, asked.part))
        print(path)


if __name__ == "__main__":
    main()
