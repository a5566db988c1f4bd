# SPDX-License-Identifier: Apache-2.0
"""One rank of a small data-parallel training over gloo, with one thing wrong on one rank (record.py starts the ranks).

real_job.py PLANT RANK_OF_THE_PLANT TRACE.json TOLD.json

TOLD.json gets what was planted as this rank's own clock saw it: [[step, ns], ...] of the recorded steps; of `sequence`
the processor time of each step, on every rank, as there the work itself is longer.
"""
import gc
import io
import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.data import DataLoader, Dataset

SIZE, BATCH, WAIT, WARM_UP, ACTIVE, SLEEP_S = 256, 64, 2, 2, 4, 0.2
FIRST = WAIT + WARM_UP  # recorded step


class Plant:
    """Does the wrong thing where the plant says so, and notes how long it took."""

    def __init__(self, name, everywhere):
        self.name, self.everywhere, self.step, self.told = name, everywhere, 0, []

    def at(self, name, work=lambda: time.sleep(SLEEP_S)):
        if name != self.name:
            return
        begin = time.perf_counter_ns()
        work()
        self.told.append([self.step, time.perf_counter_ns() - begin])


class Late(torch.autograd.Function):
    """The identity; its backward does what the plant says."""

    @staticmethod
    def forward(ctx, x, plant):
        ctx.plant = plant
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        ctx.plant.at("backward")
        return gradient, None


class Model(nn.Module):
    def __init__(self, plant):
        super().__init__()
        self.first, self.second, self.plant = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, SIZE), plant

    def forward(self, x):
        x = torch.relu(self.first(x))
        if self.plant.name == "forward":
            with record_function("embedding lookup"):
                self.plant.at("forward")
        return Late.apply(self.second(x), self.plant)


class Batches(Dataset):
    def __init__(self, count, rows, plant):
        self.inputs, self.plant = torch.randn(count, rows, SIZE), plant

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        self.plant.at("loader")
        return self.inputs[index]


def collect():
    with record_function("gc"):
        gc.collect()


def save(model):
    with record_function("checkpoint"):
        torch.save(model.state_dict(), io.BytesIO())
        time.sleep(SLEEP_S)  # the disk


def compiled(step):
    """A function of which each size is compiled again, in two recorded steps."""
    torch._dynamo.reset()
    function = torch.compile(lambda x: (torch.sin(x) * torch.cos(x)).sum(), dynamic=False, backend="aot_eager")
    function(torch.randn(8 + step, 8))


def burden(plant):
    """Garbage that a collection has to walk through."""
    if plant.name != "gc":
        return None
    gc.disable()
    return [{i: [i]} for i in range(400_000)]


def after_backward(plant, model):
    """What delays the next step; nothing before the recording, or it would delay the first recorded step."""
    step = plant.step
    if step >= FIRST:
        plant.at("gc", collect)
    if step in (FIRST + 1, FIRST + 3):
        plant.at("checkpoint", lambda: save(model))
    if step in (FIRST + 1, FIRST + 2):
        plant.at("compile", lambda: compiled(step))


def before_step(plant):
    if plant.step == FIRST + 1:
        plant.at("skewed_start")


def train(plant, trace):
    torch.manual_seed(dist.get_rank())
    total = FIRST + ACTIVE
    rows = 64 * BATCH if plant.name == "sequence" else BATCH
    loader = iter(DataLoader(Batches(total, rows, plant), batch_size=None))
    model = DistributedDataParallel(Model(plant))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    kept = burden(plant)
    by_work = plant.everywhere == "sequence"
    plan = schedule(wait=WAIT, warmup=WARM_UP, active=ACTIVE)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, record_shapes=True) as profiler:
        for plant.step in range(total):
            before_step(plant)
            begin = time.process_time_ns()
            loss = model(next(loader)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            after_backward(plant, model)
            optimizer.step()
            if by_work:
                plant.told.append([plant.step, time.process_time_ns() - begin])
            if plant.step + 1 == total:
                dist.barrier()
            profiler.step()
    profiler.export_chrome_trace(trace)
    return kept


def come_first():
    """Before whatever else wants the cores, where that is allowed."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(10))
    except PermissionError:
        pass


def main(name, planted_on, trace, told):
    come_first()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    plant = Plant(name if dist.get_rank() == int(planted_on) else None, name)
    train(plant, trace)
    with open(told, "w", encoding="ascii") as file:
        json.dump([entry for entry in plant.told if entry[0] >= FIRST], file)
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)  # gloo's threads may abort a process that leaves in order


if __name__ == "__main__":
    main(*sys.argv[1:])
