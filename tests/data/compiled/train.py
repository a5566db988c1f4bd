# SPDX-License-Identifier: Apache-2.0
"""Compiles while it trains: a function for each size, one that becomes dynamic, one with graph breaks."""
import sys

import torch
import torch._dynamo
from torch.profiler import ProfilerActivity, profile, record_function

torch._inductor.config.cpp.enable_kernel_profile = True


@torch.compile
def score(x, weight):
    hidden = torch.relu(x @ weight)
    return (hidden * 2 + 1).sum()


@torch.compile
def normalise(y):
    return (y - y.mean(0)) * 0.5


@torch.compile
def report(total):
    scaled = total.exp()
    print("a line")
    return scaled.item()


def main(trace):
    torch.manual_seed(0)
    weight = torch.randn(8, 8)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for step, size in enumerate([16, 17, 18, 19, 19]):
            with record_function(f"ProfilerStep#{step}"):
                with torch._dynamo.config.patch(automatic_dynamic_shapes=False):
                    total = score(torch.randn(size, 8), weight)
                if step < 3:
                    normalise(torch.randn(size, 4))
                if step == 0:
                    report(total)
    profiler.export_chrome_trace(trace)


main(sys.argv[1])
