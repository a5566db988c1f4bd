#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near modelled device time is to recorded, over the shared traces with shapes: by trace, then by operator.

    bench/accuracy_traces.py [--units build/bench/units_bench] [--most 30] [TRACE...]

Nothing is fitted to these traces but the counts of instructions of traffic. Operators without shapes are left out.
"""
import argparse
import collections
import glob
import os
import subprocess

from inputs import SHARED, TOP

FOLDERS = ("kineto/*.json.gz", "multirank/*/*rank0*.json.gz")
Unit = collections.namedtuple(
    "Unit", "file device operator way form sizes dtype kernels launches recorded modelled doubt dims values kernel")


def units(program, traces):
    done = subprocess.run([program, *traces], capture_output=True, text=True, errors="replace", check=True)
    for line in done.stdout.splitlines():
        if line.startswith("total\t"):
            continue
        unit = Unit(*line.split("\t"))
        yield unit._replace(recorded=float(unit.recorded), modelled=float(unit.modelled))


def show(title, groups, most):
    """Recorded and modelled ms of what has kernels, and the share of recorded time guessed from bytes."""
    print(f"{title:64}{'recorded ms':>12}{'modelled':>10}{'ratio':>7}{'guessed':>9}")
    for name, group in sorted(groups.items(), key=lambda item: -sum(u.recorded for u in item[1]))[:most]:
        lowered = [u for u in group if u.way in ("kernels", "calls")]
        guessed = sum(u.recorded for u in group if u.way == "bytes")
        recorded, modelled = sum(u.recorded for u in lowered), sum(u.modelled for u in lowered)
        ratio = f"{modelled / recorded:7.2f}" if recorded else f"{'-':>7}"
        share = guessed / max(recorded + guessed, 1e-9)
        print(f"{name[:62]:64}{recorded / 1e3:12.2f}{modelled / 1e3:10.2f}{ratio}{100 * share:7.0f} %")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", default=os.path.join(TOP, "build", "bench", "units_bench"))
    parser.add_argument("--most", type=int, default=30)
    parser.add_argument("traces", nargs="*")
    asked = parser.parse_args()
    shared = [name for folder in FOLDERS for name in glob.glob(os.path.join(SHARED, "data", "traces", folder))]
    by_file, by_operator = collections.defaultdict(list), collections.defaultdict(list)
    for unit in units(asked.units, asked.traces or sorted(shared)):
        if unit.way not in ("kernels", "calls", "bytes"):
            continue
        by_file[f"{os.path.basename(unit.file)}, {unit.device}"].append(unit)
        by_operator[f"{unit.device}, {unit.operator}"].append(unit)
    show("trace", by_file, asked.most)
    show("device, operator", by_operator, asked.most)


if __name__ == "__main__":
    main()
