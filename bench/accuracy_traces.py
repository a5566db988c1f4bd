#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near modelled device time is to recorded, over the shared traces with shapes, each on its own device.

    bench/accuracy_traces.py [--units build/bench/units_bench] [--most 30] [TRACE...]

The traces first: device time by the kernel models alone, its interval of 90 %, and what was recorded. Then what must hold, then
forms and operators by how much of the recorded time they miss. No coefficient is fitted to these traces; which counts of
instructions and starts were read off kernels of some says doc/models.md, and a trace most of whose time follows from a constant
that was read off it is no test: shown, and not judged. Nor is one whose work is told by its bytes alone. Work without shapes and
communication are left out.
"""
import argparse
import collections
import glob
import math
import os
import statistics
import subprocess
import sys

from inputs import SHARED, TOP

FOLDERS = ("kineto/*.json.gz", "multirank/*/*rank0*.json.gz")
MOST_GUESSED = 0.5
READ_OFF = ("kineto_resnet50_train_workers",)  # the beginning of names: windows of one position (doc/models.md, convolution)
Unit = collections.namedtuple(
    "Unit", "file device operator way form sizes dtype kernels launches recorded modelled doubt dims values kernel")


class Total(collections.namedtuple("Total", "file device recorded guessed modelled low high")):
    """A trace: microseconds."""
    @property
    def error(self):
        return self.modelled / self.recorded - 1

    @property
    def within(self):
        return self.low <= self.recorded <= self.high

    @property
    def half_width(self):
        return self.high / self.modelled - 1

    @property
    def judged(self):
        return self.guessed <= MOST_GUESSED * self.recorded and not os.path.basename(self.file).startswith(READ_OFF)


def lines(program, traces):
    done = subprocess.run([program, *traces], capture_output=True, text=True, errors="replace", check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def read(program, traces):
    """Units of operators, and the sums of traces."""
    found, totals = [], []
    for cells in lines(program, traces):
        if cells[0] == "total":
            totals.append(Total(cells[1], cells[2], *map(float, cells[3:])))
        else:
            unit = Unit(*cells)
            found.append(unit._replace(recorded=float(unit.recorded), modelled=float(unit.modelled)))
    return found, totals


def units(program, traces):
    return read(program, traces)[0]


def name_of(path):
    """A rank is told by its folder."""
    name = os.path.basename(path)
    return os.path.join(os.path.basename(os.path.dirname(path)), name) if "rank" in name else name


def show_traces(totals):
    print(f"{'trace':56}{'recorded ms':>12}{'modelled':>10}{'error':>8}{'90 %: from':>12}{'to':>10}{'within':>8}{'guessed':>9}")
    for total in sorted(totals, key=lambda t: -t.recorded):
        print(f"{name_of(total.file)[:54]:56}{total.recorded / 1e3:12.2f}{total.modelled / 1e3:10.2f}"
              f"{100 * total.error:+7.1f}%{total.low / 1e3:12.2f}{total.high / 1e3:10.2f}"
              f"{('yes' if total.within else 'NO') if total.judged else '-':>8}{100 * total.guessed / total.recorded:7.0f} %")
    print()


def show_judgement(totals):
    """Whether what must hold does."""
    judged = [total for total in totals if total.judged]
    errors = [abs(total.error) for total in judged]
    within = sum(total.within for total in judged)
    mean, middle = statistics.mean(errors), statistics.median(errors)
    width = statistics.median(total.half_width for total in judged)
    bias = math.expm1(statistics.mean(math.log(total.modelled / total.recorded) for total in judged))
    weighted = sum(abs(t.modelled - t.recorded) for t in judged) / sum(t.recorded for t in judged)
    held = ((f"within 90 %: {within} of {len(judged)}, {100 * within / len(judged):.0f} %, 85 asked", within >= 0.85 * len(judged)),
            (f"mean error {100 * mean:.1f} %, below 15 asked", mean < 0.15),
            (f"half-width in the middle {100 * width:.1f} %, {width / middle:.1f} times the error in the middle, 4 at most",
             width <= 4 * middle))
    for words, met in held:
        print(f"{'ok  ' if met else 'MISS'} {words}")
    print(f"     error in the middle {100 * middle:.1f} %, bias {100 * bias:+.1f} % (of logarithms), by time {100 * weighted:.1f} %\n")
    return all(met for _, met in held)


def show_groups(title, groups, most):
    """What misses most: of each trace's time the share that a group is off by, summed over traces."""
    print(f"{title:64}{'recorded ms':>12}{'modelled':>10}{'ratio':>7}{'off by, % of a step':>21}{'at most':>9}")
    for name, (recorded, modelled, off) in sorted(groups.items(), key=lambda item: -sum(map(abs, item[1][2].values())))[:most]:
        print(f"{name[:62]:64}{recorded / 1e3:12.2f}{modelled / 1e3:10.2f}{modelled / recorded:7.2f}"
              f"{100 * sum(map(abs, off.values())) / len(off):20.1f}{100 * max(map(abs, off.values())):9.1f}")
    print()


def grouped(found, totals, key):
    whole = {total.file: total.recorded for total in totals}
    groups = collections.defaultdict(lambda: [0.0, 0.0, collections.defaultdict(float)])
    for unit in found:
        if unit.way not in ("kernels", "calls", "bytes") or unit.file not in whole or unit.recorded <= 0:
            continue
        group = groups[key(unit)]
        group[0] += unit.recorded
        group[1] += unit.modelled
        group[2][unit.file] += (unit.modelled - unit.recorded) / whole[unit.file]
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", default=os.path.join(TOP, "build", "bench", "units_bench"))
    parser.add_argument("--most", type=int, default=30)
    parser.add_argument("traces", nargs="*")
    asked = parser.parse_args()
    shared = [name for folder in FOLDERS for name in glob.glob(os.path.join(SHARED, "data", "traces", folder))]
    found, totals = read(asked.units, asked.traces or sorted(shared))
    if not totals:
        sys.exit("no trace with shapes on a device that is known")
    show_traces(totals)
    met = show_judgement(totals) if any(total.judged for total in totals) else True
    show_groups("form", grouped(found, totals, lambda u: f"{u.form} {u.dtype}"), asked.most)
    show_groups("device, operator", grouped(found, totals, lambda u: f"{u.device}, {u.operator}"), asked.most)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
