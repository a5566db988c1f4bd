# SPDX-License-Identifier: Apache-2.0
"""Running programs and taking their measure: wall time, processor time and peak memory, as the system counts them."""
import os
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass


@dataclass
class Cost:
    wall_s: float
    cpu_s: float
    peak_bytes: int
    out: bytes = b""


class Failed(Exception):
    """A program under measure that did not end well."""


def run(command, cores=None, first=0):
    """One run. cores: how many of this process's cores it may use, from the first on (None: all)."""
    own = sorted(os.sched_getaffinity(0))
    allowed = set(own[first:first + cores] if cores else own)
    with tempfile.TemporaryFile() as complaint:
        begin = time.perf_counter()
        child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=complaint, preexec_fn=lambda: os.sched_setaffinity(0, allowed))
        with child.stdout:
            out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        wall_s = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        complaint.seek(0)
        last = complaint.read().decode("utf-8", "replace").strip().splitlines()[-1:]
    if child.returncode:
        raise Failed(f"{os.path.basename(str(command[0]))} ended with {child.returncode}: {' '.join(last)}")
    return Cost(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out)


def side_by_side(commands):
    """Commands at the same time, each on a core of its own: the wall time until the last is done."""
    begin = time.perf_counter()
    with ThreadPoolExecutor(len(commands)) as pool:
        for done in [pool.submit(run, command, 1, core) for core, command in enumerate(commands)]:
            done.result()
    return time.perf_counter() - begin


def median(costs):
    return Cost(statistics.median(c.wall_s for c in costs), statistics.median(c.cpu_s for c in costs),
                statistics.median(c.peak_bytes for c in costs), costs[0].out)


def compare(commands, times, cores=None):
    """The median cost of each of several commands, run in turns so that a noisy minute hits all of them."""
    costs = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            costs[name].append(run(command, cores))
    return {name: median(of) for name, of in costs.items()}
