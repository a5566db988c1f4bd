#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what the program promises, as ratios within one run, and writes the figures to a file.

run.py [-o FILE] [--only WORD] [--quick]

Every figure is the median of several runs taken in turns. A figure that cannot be taken here (no traces, no peer) is
listed as missing with the reason. The exit status is 1 where one is out of its bound. --only takes the groups whose name
contains the word; --quick runs everything once.
"""
import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time

import inputs
from fixing import fixing
from fleet import fleets
from inputs import Missing
from job_mpi import jobs_over_processes
from lint_speed import linting
from measure import Failed, compare, median, run, side_by_side
from predicting import predicting

BUILD = os.path.join(inputs.TOP, "build")
PROGRAM = os.path.join(BUILD, "steptime")
READER = os.path.join(BUILD, "bench", "read_bench")
WALKER = os.path.join(BUILD, "bench", "walk_bench")
WORK = os.path.join(BUILD, "bench-inputs")
MIB = 1 << 20

LARGE = ("kineto/hta_df_index_resolver_w2r1.json.gz", "kineto/tl_h100_owlv2_pyfunc.json.gz",
         "big/dlrm-torch26-stack-shapes-mem-100steps.json.zst", "big/srgnn-torch214-stack-shapes-mem-60steps.json.zst")


class Figures:
    """What was measured so far. A bound is a pair like (">=", 1.0); None: a figure without a promise."""

    def __init__(self, times):
        self.times = times
        self.all = []

    def add(self, name, value, unit, bound=None, **detail):
        met = None if bound is None else value >= bound[1] if bound[0] == ">=" else value <= bound[1]
        figure = {"id": name, "value": value, "unit": unit, "met": met,
                  "bound": None if bound is None else f"{bound[0]} {bound[1]}", **detail}
        self.all.append(figure)
        mark = {None: "    ", True: "ok  ", False: "MISS"}[met]
        limit = "" if bound is None else f"  ({bound[0]} {bound[1]})"
        print(f"{mark} {name}: {value:.4g} {unit}{limit}", flush=True)

    def missing(self, name, reason):
        self.all.append({"id": name, "value": None, "missing": reason})
        print(f"     {name}: missing, {reason}", flush=True)

    def failed(self, name, reason):
        self.all.append({"id": name, "value": None, "met": False, "failed": reason})
        print(f"MISS {name}: {reason}", flush=True)


def short(path):
    return os.path.basename(path).split(".")[0]


READ = re.compile(r"bytes\s+(?P<bytes>[\d.]+)\s+memchr\s+(?P<memchr>[\d.]+)\s+parse\s+(?P<parse>[\d.]+) GB/s.*?"
                  r"finished\s+(?P<finished>[\d.]+) GB/s\s+columns (?P<columns>[\d.]+) MiB\s+peak (?P<peak>[\d.]+) MiB")


def read_speeds(path, times, cores):
    """The figures of read_bench for one file (GB/s of JSON and MiB), the median of several runs."""
    runs = []
    for _ in range(times):
        match = READ.search(run([READER, path], cores).out.decode())
        if not match:
            raise Failed(f"read_bench says nothing of {short(path)}")
        runs.append({name: float(value) for name, value in match.groupdict().items()})
    return {name: statistics.median(r[name] for r in runs) for name in runs[0]}


def overlap(figures, name, packed, parse_gb_s, bound):
    """Unpacking and parsing at the same time: wall time over that of the slower of the two alone."""
    both = read_speeds(packed, figures.times, cores=2)
    figures.add(name, min(both["bytes"], parse_gb_s) / both["parse"], "of the slower alone", bound,
                unpack_gb_s=both["bytes"], parse_gb_s=parse_gb_s, together_gb_s=both["parse"])


def reading(figures):
    """Bytes into columns on one core, against scanning them for newlines; memory against columns and bytes; unpacking
    and parsing at the same time, against the slower of the two."""
    if not os.path.exists(READER):
        raise Missing("read_bench was not built")
    for name in LARGE:
        packed = inputs.trace(name)
        plain = inputs.unpacked(WORK, packed)
        one = read_speeds(plain, figures.times, cores=1)
        label, json_mib = short(name), os.path.getsize(plain) / MIB
        figures.add(f"read.{label}.parse", one["parse"], "GB/s", (">=", 1.0), finished_gb_s=one["finished"])
        figures.add(f"read.{label}.of_memchr", one["parse"] / one["memchr"], "of memchr", (">=", 0.15))
        figures.add(f"read.{label}.beside_columns", one["peak"] - one["columns"], "MiB", ("<=", 32), **one)
        promised = ("<=", 0.3) if name.startswith("big/") else None  # what is small bears the 32 MiB
        figures.add(f"read.{label}.memory", one["peak"] / json_mib, "bytes a byte", promised)
        overlap(figures, f"read.{label}.overlap", inputs.gzipped(WORK, packed), one["parse"], ("<=", 1.25))
        if packed.endswith(".zst"):
            overlap(figures, f"read.{label}.overlap_zstd", packed, one["parse"], None)


SUMS = ("info", "breakdown", "kernels", "ops", "overheads", "fleet features")  # 0.3 bytes a byte
GRAPHS = ("summary", "ranks", "critical-path", "predict")  # 0.5: they build the graph


def memory(figures):
    """Peak memory of every command beside the bytes of the trace's JSON."""
    for name in LARGE:
        plain = inputs.unpacked(WORK, inputs.trace(name))
        for command in (*SUMS, *GRAPHS):
            bound = ("<=", 0.5 if command in GRAPHS else 0.3) if name.startswith("big/") else None
            peak = run([PROGRAM, *command.split(), plain]).peak_bytes
            figures.add(f"memory.{short(name)}.{command.replace(' ', '_')}", peak / os.path.getsize(plain),
                        "bytes a byte", bound)


def summary_speed(figures):
    """What a second of processor time, the kernel's included, gets through in `summary`: bytes of JSON on one thread."""
    large = [inputs.unpacked(WORK, inputs.trace(name)) for name in LARGE if name.startswith("big/")]
    for plain in (*large, inputs.unpacked(WORK, inputs.repeated(WORK, 30))):
        speeds = []
        for _ in range(figures.times):
            run(["cat", plain])  # a file that has left the system's cache would be the disk's measure
            speeds.append(os.path.getsize(plain) / 1e9 / run([PROGRAM, "summary", "--threads", "1", plain]).cpu_s)
        figures.add(f"summary.{short(plain)}.speed", statistics.median(speeds), "GB/s of processor time", (">=", 1.0))


def peer_python():
    """A Python that has HolisticTraceAnalysis; made on first use."""
    home = os.path.join(BUILD, "bench-peer")
    python = os.path.join(home, "bin", "python")
    if not os.path.exists(os.path.join(home, "ready")):
        try:
            subprocess.run([sys.executable, "-m", "venv", home], check=True, capture_output=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "HolisticTraceAnalysis==0.5.0", "pandas==2.2.3",
                            "numpy==1.26.4"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing("HolisticTraceAnalysis cannot be installed here") from error
        with open(os.path.join(home, "ready"), "w", encoding="ascii"):
            pass
    return python


def against_peer(figures):
    """`summary` against HolisticTraceAnalysis: load the same file, compute the temporal breakdown; whole processes. Each
    run of theirs is compared with runs of ours right before and right after it: the machine's speed changes."""
    python, script = peer_python(), os.path.join(inputs.TOP, "bench", "peers", "hta_run.py")
    cases = {"x10": (inputs.repeated(WORK, 10), 100), "x30": (inputs.repeated(WORK, 30), 100),
             "50MB": (inputs.trace(LARGE[0]), 40)}
    for label, (path, bound) in cases.items():
        ours, theirs, ratios = [], [], []
        for _ in range(1 if label == "x30" else min(3, figures.times)):  # minutes each
            beside = [run([PROGRAM, "summary", path]) for _ in range(figures.times)]
            theirs.append(run([python, script, path]))
            beside += [run([PROGRAM, "summary", path]) for _ in range(figures.times)]
            ratios.append(theirs[-1].wall_s / median(beside).wall_s)
            ours += beside
        ours, theirs = median(ours), median(theirs)
        figures.add(f"peer.{label}.speed", statistics.median(ratios), "times faster", (">=", bound),
                    ours_s=ours.wall_s, theirs_s=theirs.wall_s, ratios=ratios)
        figures.add(f"peer.{label}.memory", ours.peak_bytes / theirs.peak_bytes, "of its memory",
                    ("<=", 0.1) if label != "50MB" else None, ours_bytes=ours.peak_bytes, theirs_bytes=theirs.peak_bytes)


def scaling(figures):
    """Time per event as the same trace grows."""
    paths = {copies: inputs.repeated(WORK, copies) for copies in (1, 10, 30)}
    for command in ("breakdown", "critical-path"):
        costs = compare({copies: [PROGRAM, command, path, "--format", "json"] for copies, path in paths.items()},
                        figures.times)
        each = {copies: cost.wall_s / copies for copies, cost in costs.items()}
        took = {f"x{copies}_s": cost.wall_s for copies, cost in costs.items()}
        figures.add(f"scaling.{command}.x10_to_x30", each[30] / each[10], "ratio", ("<=", 1.1), **took)
        figures.add(f"scaling.{command}.x1_to_x30", each[30] / each[1], "ratio", ("<=", 1.3), **took)


def two_cores(figures, folder):
    """Eight ranks on two cores against one. Beside it what the machine gives two processes that share nothing, each
    with half of the ranks and a core of its own: its cores may share caches, memory and clock."""
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    command = [PROGRAM, "breakdown", "--format", "json"]
    one, two, apart = [], [], []
    for _ in range(figures.times):
        one.append(run([*command, folder], cores=1).wall_s)
        two.append(run([*command, folder], cores=2).wall_s)
        apart.append(side_by_side([[*command, "--threads", "1", *half] for half in (files[:4], files[4:])]))
    one, two, apart = (statistics.median(times) for times in (one, two, apart))
    figures.add("ranks.two_cores", one / two, "times faster", (">=", 1.7), one_s=one, two_s=two)
    figures.add("ranks.two_processes", one / apart, "times faster", None, one_s=one, apart_s=apart)


def many_ranks(figures):
    """Two cores against one on eight ranks; the memory of 64 ranks against that of two."""
    if len(os.sched_getaffinity(0)) < 2:
        figures.missing("ranks.two_cores", "one core")
    else:
        two_cores(figures, inputs.ranks(WORK, 8))
    peaks = {count: run([PROGRAM, "breakdown", inputs.ranks(WORK, count), "--format", "json"]).peak_bytes
             for count in (2, 64)}
    figures.add("ranks.memory_of_64", peaks[64] / peaks[2], "of that of two", ("<=", 2.0),
                two_bytes=peaks[2], sixty_four_bytes=peaks[64])


GROUPS = {"reading": reading, "memory": memory, "summary": summary_speed, "peer": against_peer,
          "scaling": scaling, "ranks": many_ranks,
          "fix": lambda figures: fixing(figures, PROGRAM), "lint": lambda figures: linting(figures, PROGRAM, WORK),
          "predict": lambda figures: predicting(figures, PROGRAM, WALKER, WORK),
          "mpi": lambda figures: jobs_over_processes(figures, PROGRAM, WORK),
          "fleet": lambda figures: fleets(figures, PROGRAM, WORK)}


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    return {"system": platform.platform(), "processor": model, "cores": len(os.sched_getaffinity(0))}


def main(only, quick, path):
    figures = Figures(1 if quick else 5)
    for name, measure in GROUPS.items():
        if only not in name:
            continue
        try:
            measure(figures)
        except Missing as reason:
            figures.missing(name, str(reason))
        except Failed as reason:
            figures.failed(name, str(reason))
    version = run([PROGRAM, "--version"]).out.decode().strip()
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"version": version, "date": time.strftime("%Y-%m-%d"), "machine": machine(), "runs": figures.times,
                   "figures": figures.all}, out, indent=1)
        out.write("\n")
    missed = [figure["id"] for figure in figures.all if figure.get("met") is False]
    print(f"written to {os.path.relpath(path)}" + (f"; out of bounds: {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", metavar="FILE", default=os.path.join(BUILD, "bench.json"))
    parser.add_argument("--only", metavar="WORD", default="")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    sys.exit(main(arguments.only, arguments.quick, arguments.o))
