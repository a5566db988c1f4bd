#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `steptime record` costs a training script: its bare steps, and the steps that are recorded.

    STEPTIME_TORCH_PYTHON=venv/bin/python bench/record_overhead.py build/steptime [--rounds 15]

- outside: what a step costs that is not recorded. An optimizer that does nothing makes 100,000 steps, alone and under
  `record` once that has ended: the difference in processor time, of all threads, is what a step pays. Below 1 % of a
  step where the step takes a hundred times as much.
- inside: how many times as long a step is while it is recorded (times and shapes), against the same with PyTorch's
  profiler called by hand in the same steps, with the same options. Each is taken against the bare steps of its own process,
  since two processes differ by more than what is asked for here; and each is the first profiler of its process, since a
  second one is quicker. Steps of half a millisecond are the hard case.

Steps are taken in processor time on one core: other programs of the machine then count for little. Each figure is the median
over rounds, with the range that holds the true one with 95 % (sign test).
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

WAIT, WARMUP, STEPS, ALL = 40, 2, 20, 240
EMPTY = 100_000
SETTLING = 5

SCRIPT = f'''
import json, sys, time
import torch

class Nothing(torch.optim.SGD):
    def step(self, closure=None):
        pass

torch.manual_seed(1)
width, layers = int(sys.argv[1]), int(sys.argv[2])
model = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(layers)])
optimizer = torch.optim.SGD(model.parameters(), 0.01)
profiler = None
steps = []
x = torch.randn(64, width)
for i in range({ALL}):
    if sys.argv[4] == "by-hand" and i == {WAIT}:
        profiler = torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True,
            schedule=torch.profiler.schedule(wait=0, warmup={WARMUP}, active={STEPS}, repeat=1))
        profiler.start()
    begun = time.process_time_ns()
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    if profiler:
        profiler.step()
    steps.append(time.process_time_ns() - begun)
    if profiler and i == {WAIT + WARMUP + STEPS}:
        profiler.stop()
        profiler = None
nothing = Nothing(model.parameters(), 0.01)
cpu = time.process_time_ns()
for _ in range({EMPTY}):
    nothing.step()
json.dump((steps, (time.process_time_ns() - cpu) / {EMPTY}), open(sys.argv[3], "w"))
'''


def run(program, python, size, how):
    with tempfile.TemporaryDirectory() as folder:
        script, out = os.path.join(folder, "train.py"), os.path.join(folder, "steps.json")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        command = [python, script, *map(str, size), out, how]
        if how == "record":
            command = [program, "record", "-o", os.path.join(folder, "recorded"), "--wait", str(WAIT),
                       "--warmup", str(WARMUP), "--steps", str(STEPS), "--", *command]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr.strip()[-400:])
        with open(out, encoding="utf-8") as file:
            return json.load(file)


def slowed(steps):
    """How many times as long as a bare step one is that the profiler sees; the first of each sets up tables."""
    first = WAIT + WARMUP
    return statistics.median(steps[first + 1:first + STEPS - 1]) / statistics.median(steps[SETTLING:WAIT])


def middle(values):
    """Median, and the range that holds the true one with 95 % where there are six or more: order statistics of the sign test."""
    values, n = sorted(values), len(values)
    skip = 0
    while 2 * sum(math.comb(n, k) for k in range(skip + 1)) / 2 ** n <= 0.05:
        skip += 1
    skip = max(skip - 1, 0)
    return statistics.median(values), values[skip], values[n - 1 - skip]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    python = os.environ.get("STEPTIME_TORCH_PYTHON", sys.executable)
    for size in ((64, 8), (256, 24)):
        outside, inside = [], []
        for _ in range(arguments.rounds):
            by_hand, alone_ns = run(arguments.program, python, size, "by-hand")
            recorded, recorded_ns = run(arguments.program, python, size, "record")
            outside.append((recorded_ns - alone_ns) / 1e3)
            inside.append(slowed(recorded) / slowed(by_hand))
        bare = statistics.median(recorded[SETTLING:WAIT]) / 1e6
        print(f"{size[1]} layers of {size[0]}: a step takes {bare:.2f} ms bare, {slowed(by_hand):.2f} times that by hand")
        mid, low, high = middle(outside)
        print(f"  outside: {mid:.2f} us a step ({low:.2f} to {high:.2f}), {mid / bare / 10:.2f} %")
        mid, low, high = middle(inside)
        print(f"  inside, against the profiler by hand: {100 * (mid - 1):+.1f} % ({100 * (low - 1):+.1f} to {100 * (high - 1):+.1f})")


if __name__ == "__main__":
    main()
