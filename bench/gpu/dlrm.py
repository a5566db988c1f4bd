#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains three DLRM configurations at several batch sizes, with and without the profiler.

dlrm.py [--device cuda] [--output FOLDER] [--model NAME...] [--batch N...] [--quick]

FOLDER/dlrm.csv has a row a run: what an iteration takes without and with the profiler, how long of it the GPU is
active, and the trace (Kineto, with shapes) that `steptime predict` reads. Beside it lies each model as it was measured,
for `steptime predict dlrm:FOLDER/dlrm_NAME.toml@BATCH`. Tables that do not fit are cut, and the row says so.
"""
import argparse
import csv
import gc
import gzip
import json
import statistics
import sys
import time
from pathlib import Path

from stopwatch import device_name  # first: it quiets the profiler's log

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from dlrm_model import LOSSES, Dlrm, configurations, draw_batch

COLUMNS = ("model", "device", "batch", "table_rows", "table_rows_published", "iteration_ms", "profiled_iteration_ms",
           "gpu_active_ms", "trace")
BATCHES = (512, 1024, 2048, 4096)
MEMORY_SHARE = 0.6            # of what is free, for tables; the rest is for activations and gradients
CONFIGURATIONS = configurations()
WARM_UPS, ITERATIONS, REPEATS = 10, 30, 5
PROFILER_WARM_UPS, PROFILED = 3, 8
BATCHES_IN_TURN = 4
DEVICE_WORK = ("kernel", "gpu_memcpy", "gpu_memset")  # categories of the trace
QUICK_BYTES, QUICK_BATCH, QUICK_PROFILED = 1 << 22, 16, 2
LEARNING_RATE = 0.01


class Training:
    """A model, and batches on the host, pinned where there is a GPU, that go round."""

    def __init__(self, configuration, samples, device):
        torch.manual_seed(0)
        self.device = device
        self.model = Dlrm(configuration, device)
        self.loss_of = LOSSES[configuration.loss]()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=LEARNING_RATE)
        self.batches = [self.on_host(draw_batch(configuration, samples)) for _ in range(BATCHES_IN_TURN)]
        self.done = 0

    def on_host(self, batch):
        return [part.pin_memory() for part in batch] if self.device.type == "cuda" else batch

    def iterate(self):
        """One iteration. Reading the loss at its end waits for all of it, so that none runs into the next."""
        batch = self.batches[self.done % BATCHES_IN_TURN]
        self.done += 1
        dense, offsets, clicks, *ids = (part.to(self.device) for part in batch)
        loss = self.loss_of(self.model(dense, ids, offsets), clicks)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


# ---- measuring ----

def iterations_ms(training, iterations):
    """What an iteration takes."""
    begin = time.perf_counter()
    for _ in range(iterations):
        training.iterate()
    return 1e3 * (time.perf_counter() - begin) / iterations


def unprofiled_ms(training, quick):
    """The median of several stretches."""
    iterations_ms(training, 1 if quick else WARM_UPS)
    return statistics.median(iterations_ms(training, 1 if quick else ITERATIONS) for _ in range(REPEATS))


def record(training, iterations, path):
    """So many iterations in a trace; the wall time of each, ms."""
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (training.device.type == "cuda")
    times_ms = []
    with profile(activities=activities, record_shapes=True,
                 schedule=schedule(wait=0, warmup=PROFILER_WARM_UPS, active=iterations, repeat=1),
                 on_trace_ready=lambda recorded: recorded.export_chrome_trace(str(path))) as profiler:
        for _ in range(PROFILER_WARM_UPS + iterations):
            times_ms.append(iterations_ms(training, 1))
            profiler.step()
    return times_ms[PROFILER_WARM_UPS:]


def device_spans_us(path):
    """When kernels, copies and fills ran on the GPU: (begin, end)."""
    with gzip.open(path, "rt", encoding="utf-8") as trace:
        events = json.load(trace)["traceEvents"]
    return [(event["ts"], event["ts"] + event["dur"]) for event in events if event.get("cat") in DEVICE_WORK]


def active_us(spans):
    """How long at least one of them lasts."""
    active, until = 0, float("-inf")
    for begin, end in sorted(spans):
        active += max(0, end - max(begin, until))
        until = max(until, end)
    return active


# ---- the program ----

def memory_bytes(asked):
    """For tables."""
    if asked.quick:
        return QUICK_BYTES
    if asked.device.type == "cuda":
        gc.collect()  # the model before, whose memory PyTorch keeps for itself
        torch.cuda.empty_cache()
        return int(MEMORY_SHARE * torch.cuda.mem_get_info(asked.device)[0])
    return int(MEMORY_SHARE * host_free_bytes())


def host_free_bytes():
    with open("/proc/meminfo", encoding="ascii") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))


def measure(name, batch, asked):
    published = CONFIGURATIONS[name]
    configuration = published.within(memory_bytes(asked))
    (asked.output / f"dlrm_{name}.toml").write_text(configuration.toml, encoding="utf-8")
    training = Training(configuration, batch, asked.device)
    iteration_ms = unprofiled_ms(training, asked.quick)
    trace, iterations = asked.output / f"dlrm_{name}_b{batch}.json.gz", QUICK_PROFILED if asked.quick else PROFILED
    profiled_ms = statistics.median(record(training, iterations, trace))
    spans = device_spans_us(trace)
    return {
        "model": name, "device": device_name(asked.device), "batch": batch, "table_rows": sum(configuration.tables),
        "table_rows_published": sum(published.tables), "iteration_ms": f"{iteration_ms:.4f}",
        "profiled_iteration_ms": f"{profiled_ms:.4f}",
        "gpu_active_ms": f"{active_us(spans) / iterations / 1e3:.4f}" if spans else "", "trace": trace.name,
    }


def say(row):
    cut = "" if row["table_rows"] == row["table_rows_published"] else \
        f"; tables cut from {row['table_rows_published']} to {row['table_rows']} rows to fit"
    print(f"{row['model']} {row['batch']}: {row['iteration_ms']} ms, profiled {row['profiled_iteration_ms']} ms, "
          f"GPU active {row['gpu_active_ms'] or 'unknown'} ms{cut}", file=sys.stderr)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", type=torch.device, default=torch.device("cuda"))
    parser.add_argument("--output", type=Path, default=Path("measured"), metavar="FOLDER")
    parser.add_argument("--model", action="append", choices=CONFIGURATIONS, help="these only; may come several times")
    parser.add_argument("--batch", action="append", type=int, help=f"default: {', '.join(map(str, BATCHES))}")
    parser.add_argument("--quick", action="store_true", help="tiny tables, one batch of 16: does it run at all?")
    asked = parser.parse_args()
    asked.model = asked.model or list(CONFIGURATIONS)
    asked.batch = asked.batch or ([QUICK_BATCH] if asked.quick else BATCHES)
    if asked.device.type == "cuda" and not torch.cuda.is_available():
        parser.error("PyTorch finds no GPU here; --device cpu --quick tries the scripts out")
    return asked


def main():
    asked = arguments()
    asked.output.mkdir(parents=True, exist_ok=True)
    if asked.device.type == "cpu":
        print("these are times of a processor, and say nothing of a GPU", file=sys.stderr)
    with open(asked.output / "dlrm.csv", "w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        table.writeheader()
        for name in asked.model:
            for batch in asked.batch:
                row = measure(name, batch, asked)
                say(row)
                table.writerow(row)
                out.flush()


if __name__ == "__main__":
    main()
