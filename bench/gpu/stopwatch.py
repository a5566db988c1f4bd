# SPDX-License-Identifier: Apache-2.0
"""How long a call takes on a device, launched and timed by itself as the public tables are: the launch is in it.

The device is idle before each repeat and nothing is flushed, so that operands lie in L2 as far as they fit, as they do
in training where the operator before has just written them. The median of the repeats counts.
"""
import os
import platform
import re
import statistics
import time

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler's own log, a line a profile; read when torch is loaded

import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

WARM_UPS = 3
FEWEST, MOST = 5, 30  # repeats of a call
ENOUGH_US = 40000     # more repeats than fewest only within this time
CLOCKS_US = 2500      # clocks a microsecond that no GPU exceeds


def processor_name():
    """What the processor calls itself."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            found = re.search(r"^model name\s*:\s*(.*)$", lines.read(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1) if found else platform.processor() or platform.machine()


def device_name(device):
    """As the tables spell it; a processor is called one, so that its rows pass for no GPU's."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else f"CPU {processor_name()}"


class HostWatch:
    """Of calls that are done when they return."""

    activity = ProfilerActivity.CPU

    def wait(self):
        pass

    def once_us(self, call):
        begin = time.perf_counter()
        call()
        return 1e6 * (time.perf_counter() - begin)

    def behind_us(self, _, call, calls):
        """Nothing waits in a queue here: the calls one after the other."""
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        return 1e6 * (time.perf_counter() - begin)


class DeviceWatch:
    """Of calls that launch work: events on both sides, recorded by the device."""

    activity = ProfilerActivity.CUDA

    def __init__(self):
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def wait(self):
        torch.cuda.synchronize()

    def once_us(self, call):
        self.wait()
        self.begin.record()
        call()
        self.end.record()
        self.wait()
        return 1e3 * self.begin.elapsed_time(self.end)

    def behind_us(self, hold_us, call, calls):
        """All calls behind a kernel that spins for so long at least; None where it ended before the last was launched."""
        hold = getattr(torch.cuda, "_sleep", None)
        if hold is None:
            return None
        self.wait()
        hold(int(hold_us * CLOCKS_US))
        self.begin.record()
        for _ in range(calls):
            call()
        self.end.record()
        held = not self.begin.query()
        self.wait()
        return 1e3 * self.begin.elapsed_time(self.end) if held else None


def watch_for(device):
    return DeviceWatch() if device.type == "cuda" else HostWatch()


def median_us(watch, call):
    for _ in range(WARM_UPS):
        last_us = watch.once_us(call)
    repeats = min(MOST, max(FEWEST, int(ENOUGH_US / max(last_us, 1))))
    return statistics.median(watch.once_us(call) for _ in range(repeats))


def kernels_of(watch, call):
    """The longest kernel of the call and the time of all; ("", None) where the profiler tells of none."""
    call()
    watch.wait()
    with profile(activities=[watch.activity]) as recorded:
        call()
        watch.wait()
    lengths = [(event.time_range.elapsed_us(), event.name) for event in recorded.events()
               if event.device_type != DeviceType.CPU]
    return (max(lengths)[1], sum(length for length, _ in lengths)) if lengths else ("", None)
