# SPDX-License-Identifier: Apache-2.0
"""Records a few steps of a training script that has no profiler in it: record.py TRACE.json.gz SCRIPT.py [ARGS...]

A step of the trace ends where the optimizer's step() returns. The script stops when the trace is written.
"""
import os
import runpy
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule

WAIT, WARMUP, ACTIVE = 3, 2, 6


def recorder(path):
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * torch.cuda.is_available()
    return profile(activities=activities, schedule=schedule(wait=WAIT, warmup=WARMUP, active=ACTIVE, repeat=1),
                   on_trace_ready=lambda trace: trace.export_chrome_trace(path), record_shapes=True)


def step_with(optimizer, profiler):
    """The optimizer's step, with a step of the profiler behind it."""
    step, left = optimizer.step, iter(range(WAIT + WARMUP + ACTIVE))

    def stepped(self, *arguments, **named):
        result = step(self, *arguments, **named)
        if next(left, None) is None:
            raise SystemExit
        profiler.step()
        return result
    return stepped


def main(path, script, *arguments):
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    with recorder(path) as profiler:
        torch.optim.Adam.step = step_with(torch.optim.Adam, profiler)
        runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
