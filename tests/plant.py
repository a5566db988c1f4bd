# SPDX-License-Identifier: Apache-2.0
"""Traces whose numbers are known because they were put there.

A Plant collects the events of one rank and writes them as Kineto JSON. Times are in microseconds, whole or not.

    plant = Plant(rank=3)
    plant.step(0, 0, 5000)
    plant.work(launch=0, at=0, dur=1000)
    plant.write("rank3.json.gz")

As a program it writes one of the scenes below: plant.py SCENE OUT.json[.gz]
"""
import sys

from support import span, write_trace

HOST, MAIN, BACKWARD, GLOO = 100, 1, 2, 3
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


class Plant:
    def __init__(self, rank=0, world=1, device=0):
        self.rank, self.world, self.device = rank, world, device
        self.events, self.correlation = [], 0

    # On the host

    def host(self, name, at, dur, cat="cpu_op", tid=MAIN, **args):
        self.events.append(span(name, at, dur, cat=cat, pid=HOST, tid=tid, **args))
        return len(self.events) - 1

    def step(self, number, at, dur):
        return self.host(f"ProfilerStep#{number}", at, dur, cat="user_annotation")

    def annotation(self, name, at, dur, tid=MAIN):
        return self.host(name, at, dur, cat="user_annotation", tid=tid)

    def call(self, name, at, dur, tid=MAIN, **args):
        return self.host(name, at, dur, cat="cuda_runtime", tid=tid, **args)

    def python(self, name, at, dur, tid=MAIN):
        return self.host(name, at, dur, cat="python_function", tid=tid)

    def overhead(self, at, dur, name="Buffer Flush"):
        self.events.append(span(name, at, dur, cat="overhead", pid=-1, tid=0))

    # On the device

    def row(self, name, at, dur, stream=7, cat="kernel", **args):
        """A row of a stream that no launch leads to."""
        device = args.pop("device", self.device)
        self.events.append(span(name, at, dur, cat=cat, pid=device, tid=stream, device=device, stream=stream, **args))
        return len(self.events) - 1

    def work(self, at, dur, launch=None, launch_dur=5, name="sgemm_128x64", stream=7, cat="kernel", tid=MAIN, call=None,
             **args):
        """Device work and the call that launches it, by default at the work's start."""
        self.correlation += 1
        default = {"kernel": "cudaLaunchKernel", "gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}[cat]
        self.call(call or default, at if launch is None else launch, launch_dur, tid=tid, correlation=self.correlation)
        return self.row(name, at, dur, stream=stream, cat=cat, correlation=self.correlation, **args)

    def copy(self, at, dur, direction="HtoD", memory="Pinned", bytes=0, **more):
        host, device = (memory, "Device")
        ends = {"HtoD": (host, device), "DtoH": (device, host), "DtoD": (device, device)}[direction]
        return self.work(at, dur, name=f"Memcpy {direction} ({ends[0]} -> {ends[1]})", cat="gpu_memcpy", bytes=bytes, **more)

    # To a file

    def write(self, path, **more):
        info = {"backend": "nccl", "rank": self.rank, "world_size": self.world}
        return write_trace(path, self.events, distributedInfo=info, **more)


# Scenes: the step is [0, 5000) us, the device works in [0, 1000) and [4000, 5000), the gap of 3 ms has one cause.


def gap(launch=4000, launch_dur=0, first_stream=7):
    plant = Plant()
    plant.step(0, 0, 5000)
    plant.work(0, 1000, launch_dur=0, stream=first_stream)
    plant.work(4000, 1000, launch=launch, launch_dur=launch_dur)
    plant.host("aten::mm", 0, 1)
    return plant


def gap_data_loading():
    plant = gap()
    plant.annotation(LOADER, 1000, 3000)
    return plant


def gap_blocked():
    plant = gap()
    plant.call("cudaStreamSynchronize", 900, 3100)
    return plant


def gap_launching():
    return gap(launch=1000, launch_dur=3000)


def gap_framework():
    plant = gap()
    plant.host("aten::nonzero", 900, 3200)
    return plant


def gap_between_operators():
    return gap()


def gap_launch_latency():
    return gap(launch=500, launch_dur=5)


def gap_dependency():
    return gap(launch=500, launch_dur=5, first_stream=20)


def gap_profiler():
    plant = gap()
    plant.overhead(1000, 3000)
    return plant


def gap_unknown():
    plant = Plant()
    plant.row("a", 0, 1000)
    plant.row("b", 4000, 1000)
    return plant


def overlap_40_percent():
    plant = Plant()
    plant.step(0, 0, 1000)
    plant.work(0, 400, launch_dur=0)
    plant.work(200, 500, name=NCCL, stream=20, launch=1, launch_dur=0)
    return plant


GAPS = {name[len("gap_"):]: scene for name, scene in list(globals().items()) if name.startswith("gap_")}
SCENES = {name: scene for name, scene in list(globals().items()) if name.startswith(("gap_", "overlap_"))}


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in SCENES:
        sys.exit(__doc__ + "\nscenes: " + " ".join(SCENES))
    SCENES[sys.argv[1]]().write(sys.argv[2])
