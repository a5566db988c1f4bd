#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a training script unchanged and writes what its steps took and the most memory it held on the GPU.

watched.py OUT.json [--snapshot OUT.pickle] [--lock FILE] SCRIPT [ARGS...]

A step ends with the step() of the first optimizer that makes one, as in `steptime price`. Nothing waits for the GPU that the script
does not wait for, but at the end of the third step: `steps_ms` are the host's times between ends of steps, and `mean_ms` their mean. What
the GPU still has to do when the host ends its last step is in none of them, so a script that never waits is told too fast. --snapshot keeps PyTorch's history of
allocations. --lock: imports come first, and the script runs while this file is locked, so that several scripts can share one GPU.
"""
import argparse
import fcntl
import importlib
import json
import os
import runpy
import sys
import time

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

FIRST = 3  # steps that do not count: modules are loaded, algorithms chosen


class Watch:
    def __init__(self):
        self.ends_ns, self.of_one, self.last_memory = [], None, {}

    def end(self, optimizer, *_):
        if self.of_one not in (None, id(optimizer)):
            return
        self.of_one = id(optimizer)
        if len(self.ends_ns) + 1 == FIRST:
            settle()
        self.ends_ns.append(time.perf_counter_ns())
        self.last_memory = memory()

    def result(self):
        ends = self.ends_ns[FIRST - 1:]
        steps = [(after - before) / 1e6 for before, after in zip(ends, ends[1:])]
        return {"steps": len(self.ends_ns), "steps_ms": steps, "first_ms": [
            (after - before) / 1e6 for before, after in zip(self.ends_ns, self.ends_ns[1:FIRST])],
            "mean_ms": (ends[-1] - ends[0]) / 1e6 / len(steps) if steps else None, "torch": torch.__version__,
            "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU", **self.last_memory}


def settle():
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def memory():
    if not torch.cuda.is_available():
        return {}
    free, total = torch.cuda.mem_get_info()
    return {"allocated_bytes": torch.cuda.max_memory_allocated(), "reserved_bytes": torch.cuda.max_memory_reserved(),
            "used_bytes": total - free}


def import_if_there(module, names):
    try:
        importlib.import_module(module)
        for name in names:
            getattr(sys.modules[module], name, None)
    except ImportError:  # a module beside the script
        pass


def import_all_of(script):
    """Packages that the script names at the left margin."""
    with open(script, encoding="utf-8") as file:
        for line in file:
            words = line.replace(",", " ").split()
            if line[0].isalpha() and words[0] in ("import", "from"):
                import_if_there(words[1], words[3:] if words[0] == "from" else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--snapshot")
    parser.add_argument("--lock")
    parser.add_argument("script")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    watch = Watch()
    register_optimizer_step_post_hook(watch.end)
    if args.lock:
        import_all_of(args.script)
        lock = open(args.lock, "w", encoding="utf-8")  # held to the end
        fcntl.flock(lock, fcntl.LOCK_EX)
    if args.snapshot and torch.cuda.is_available():
        torch.cuda.memory._record_memory_history(max_entries=40000)
    sys.path[0] = os.path.dirname(os.path.abspath(args.script))
    sys.argv = [args.script, *args.args]
    try:
        runpy.run_path(args.script, run_name="__main__")
    finally:
        settle()
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(watch.result() if watch.ends_ns else {"steps": 0}, file)
        if args.snapshot and torch.cuda.is_available():
            torch.cuda.memory._dump_snapshot(args.snapshot)


if __name__ == "__main__":
    main()
