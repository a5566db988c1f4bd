# SPDX-License-Identifier: Apache-2.0
"""Pipelines whose messages are recorded in the ways that PyTorch has had.

Setup.messages says which:

attributes    as PyTorch 2.13: all of the group's ranks on the call and on the kernel, who it goes to or comes from, `Seq` and
              `Comms Id`. A rank counts its own messages, so that of two neighbours' numbers one need not be the other's
annotations   as of 2022: nothing but the range around the launch
coalesced     as attributes, but what goes out and what comes in is one kernel: the calls have none, the group has it
"""
import contextlib
import hashlib

from planted.machine import BACKWARD, COMM_STREAM, COMPUTE_STREAM, KINDS, Meeting
from planted.training import StageStep

ELEMENTS, TRANSFER_US = 1 << 18, 60


def about(machine, kind, other):
    """What the call says, as torch::profiler writes it."""
    machine.counts["messages"] += 1
    number = machine.counts["messages"]
    name = hashlib.sha256(f"0 {number} p2p {machine.world}".encode()).digest()
    return {"Collective name": kind, "dtype": "Float", "In msg nelems": ELEMENTS, "Out msg nelems": ELEMENTS,
            "In split size": "[]", "Out split size": "[]", "Global rank start": 0, "Global rank stride": 1,
            "Group size": machine.world, "Process Group Name": "0", "Process Group Description": "default_pg",
            "Process Group Ranks": str(list(range(machine.world))), "Rank": other,
            "Dst Rank" if kind == "send" else "Src Rank": other, "Seq": number,
            "Comms Id": int.from_bytes(name[:8], "little"), "Is asynchronized op": False}


def meeting_of(machine, kind, other, start):
    ends = (machine.rank, other) if kind == "send" else (other, machine.rank)
    machine.counts["message", ends] += 1
    return Meeting(("message", *ends, machine.counts["message", ends]), ends, start,
                   machine.length(TRANSFER_US, "communication"))


class MessageStep(StageStep):
    """Every stage sends what it has computed while it receives what comes next."""

    @contextlib.contextmanager
    def called(self, kind, told):
        machine = self.machine
        comms = machine.row("record_param_comms", **told) if told else contextlib.nullcontext()
        with machine.row("c10d::send" if kind == "send" else "c10d::recv_"), comms:
            machine.spend(3)
            yield

    def single(self, kind, other, ready):
        machine = self.machine
        told = about(machine, kind, other) if self.setup.messages == "attributes" else {}
        with self.called(kind, told), machine.range(f"nccl:{machine.title(kind, (machine.rank, other))}"):
            start, correlation = machine.queue(COMM_STREAM, after=(ready,))
        yield from self.meet_all([meeting_of(machine, kind, other, start)], correlation, told)

    def group(self, calls, ready):
        machine = self.machine
        for kind, other in calls:
            with self.called(kind, about(machine, kind, other)):
                pass
        with machine.range("nccl:coalesced"):
            start, correlation = machine.queue(COMM_STREAM, after=(ready,))
        yield from self.meet_all([meeting_of(machine, kind, other, start) for kind, other in calls], correlation, {})

    def meet_all(self, meetings, correlation, told):
        """In one order on all ranks, so that nobody waits for ever."""
        machine, end = self.machine, 0
        for meeting in sorted(meetings):
            came = yield meeting
            machine.came.append((meeting.key, meeting.start, came))
            end = max(end, came)
        start = meetings[0].start
        machine.occupy(start, end, f"ncclDevKernel_{KINDS['send'][1]}(ncclDevKernelArgsStorage<4096ul>)", "kernel", COMM_STREAM,
                       correlation, **told)
        self.arrived = end

    def exchange(self, calls, ready):
        if self.setup.messages == "coalesced" and calls:
            yield from self.group(calls, ready)
            return
        for kind, other in calls:
            yield from self.single(kind, other, ready)

    def passes(self, before, after, work):
        """Micro-batches that come from the stage `before` and go to the one `after`; None where there is no such stage."""
        machine, streams = self.machine, self.machine.streams
        self.arrived = 0
        if before is not None:
            yield from self.exchange([("recv", before)], streams[COMPUTE_STREAM])
        for number in range(self.MICRO):
            streams[COMPUTE_STREAM] = max(streams[COMPUTE_STREAM], self.arrived if before is not None else 0)
            yield from work()
            calls = [("send", after)] if after is not None else []
            if before is not None and number + 1 < self.MICRO:
                calls.append(("recv", before))
            yield from self.exchange(calls, streams[COMPUTE_STREAM])

    def run(self):
        machine, last = self.machine, self.machine.world - 1
        layers = self.setup.layers_of(machine.rank) if self.setup.layers_of else self.setup.layers
        down, up = (machine.rank - 1 if machine.rank else None), (machine.rank + 1 if machine.rank < last else None)

        def forward():
            for number in range(layers):
                if number == 1:
                    yield from self.fault("forward")
                yield from self.layer(number)

        def backward():
            for _ in range(layers):
                self.layer_back()
            yield from ()

        yield from self.fault("before")
        begin = machine.now
        with machine.range(f"ProfilerStep#{self.number}"):
            yield from self.load()
            yield from self.passes(down, up, forward)
            with machine.thread(BACKWARD):
                yield from self.passes(up, down, backward)
            yield from self.optimizer(0)
            self.read_back()
        machine.steps.append((begin, machine.now))


class HostStep(StageStep):
    """The same on processors alone, over gloo: a rank stands still in a send or a receive until the other has come."""

    SHAPE = [512, 512]

    def operator(self, name, kernel, dims, share=1.0, **args):
        with self.machine.row(name, **{"Input Dims": dims, **args}):
            self.machine.spend(self.setup.op_us + self.kernel_us * share, "device")
        return 0

    def message(self, kind, other):
        if other is not None:
            yield from self.machine.gloo_message(kind, other, self.SHAPE, TRANSFER_US)

    def run(self):
        machine, last = self.machine, self.machine.world - 1
        layers = self.setup.layers_of(machine.rank) if self.setup.layers_of else self.setup.layers
        down, up = (machine.rank - 1 if machine.rank else None), (machine.rank + 1 if machine.rank < last else None)
        yield from self.fault("before")
        begin = machine.now
        with machine.range(f"ProfilerStep#{self.number}"):
            for micro in range(self.MICRO):
                yield from self.message("recv", down)
                for number in range(layers):
                    if micro == 0 and number == 1:
                        yield from self.fault("forward")
                    yield from self.layer(number)
                yield from self.message("send", up)
            for _ in range(self.MICRO):
                yield from self.message("recv", up)
                for _ in range(layers):
                    self.layer_back()
                yield from self.message("send", down)
            yield from self.optimizer(0)
        machine.steps.append((begin, machine.now))


def gloo_messages(machine, setup):
    for number in range(setup.first, setup.first + setup.steps):
        yield from HostStep(machine, setup, number).run()


def messages(machine, setup):
    for number in range(setup.first, setup.first + setup.steps):
        yield from MessageStep(machine, setup, number).run()
    machine.wait(max(machine.streams.values()), "cudaDeviceSynchronize")
