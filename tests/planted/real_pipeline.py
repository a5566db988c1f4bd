# SPDX-License-Identifier: Apache-2.0
"""One stage of a small pipeline over gloo, of which one has more layers than the others (record.py starts the ranks).

real_pipeline.py PLANT RANK_OF_THE_PLANT TRACE.json TOLD.json

TOLD.json gets the processor time of each recorded step: [[step, ns], ...].
"""
import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

from real_job import ACTIVE, FIRST, WAIT, WARM_UP, come_first

SIZE, ROWS, LAYERS, MORE, MICRO = 512, 256, 2, 6, 3


def received(source):
    buffer = torch.empty(ROWS, SIZE)
    dist.recv(buffer, source)
    return buffer


def step(stage, optimizer, down, up):
    """Micro-batches one after the other, all forward and then all backward."""
    kept = []
    for _ in range(MICRO):
        given = torch.randn(ROWS, SIZE) if down is None else received(down)
        given.requires_grad_(True)
        made = stage(given)
        if up is not None:
            dist.send(made.detach(), up)
        kept.append((given, made))
    for given, made in kept:
        made.backward(torch.ones(ROWS, SIZE) if up is None else received(up))
        if down is not None:
            dist.send(given.grad, down)
    optimizer.step()
    optimizer.zero_grad()


def main(_, planted_on, trace, told):
    come_first()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    stage = nn.Sequential(*[nn.Linear(SIZE, SIZE) for _ in range(MORE if rank == int(planted_on) else LAYERS)])
    optimizer = torch.optim.SGD(stage.parameters(), lr=0.01)
    spent = []
    plan = schedule(wait=WAIT, warmup=WARM_UP, active=ACTIVE)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, record_shapes=True) as profiler:
        for number in range(FIRST + ACTIVE):
            begin = time.thread_time_ns()
            step(stage, optimizer, rank - 1 if rank else None, rank + 1 if rank < last else None)
            spent.append([number, time.thread_time_ns() - begin])
            profiler.step()
    profiler.export_chrome_trace(trace)
    with open(told, "w", encoding="ascii") as file:
        json.dump(spent[FIRST:], file)
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)  # gloo's threads may abort a process that leaves in order


if __name__ == "__main__":
    main(*sys.argv[1:])
