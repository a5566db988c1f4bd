# SPDX-License-Identifier: Apache-2.0
"""What the machines run: data-parallel training, the same over two nodes, and a pipeline of stages.

A step has places where a fault can act: before, loader, forward, operator, layer, backward, optimizer, after. `Setup.faults` are
(places, what to do) that faults.py makes; they are asked at each place and do nothing unless it is theirs.
"""
import contextlib
from dataclasses import dataclass, field

from planted.machine import BACKWARD, COMM_STREAM, COMPUTE_STREAM

WIDTH = 1024
LOADER = "enumerate(DataLoader)#_{}DataLoaderIter.__next__"
LOADER_FRAMES = {"SingleProcess": ("torch/utils/data/dataloader.py(733): __next__",
                                   "torch/utils/data/dataloader.py(788): _next_data",
                                             "torch/utils/data/_utils/fetch.py(50): fetch", "data.py(31): __getitem__"),
                 "MultiProcessing": ("torch/utils/data/dataloader.py(733): __next__",
                                     "torch/utils/data/dataloader.py(1480): _next_data",
                                     "torch/utils/data/dataloader.py(1442): _get_data",
                           "<method 'poll' of 'select.poll' objects>")}


@dataclass
class Setup:
    """Times in microseconds; those with a rank and a step may be functions of them."""

    steps: int = 6
    first: int = 2  # number of the first recorded step
    layers: int = 8
    op_us: float = 28  # of the host, an operator
    kernel_us: float = 30
    tokens: int = 4096
    loader: str = "SingleProcess"
    loader_us: float = 150
    upload: tuple = ("Pinned", 40, 1 << 20)  # memory, time, bytes
    download: tuple = None
    transfer_us: float = 400  # of a bucket
    buckets: int = 4
    compiled: bool = False
    read_back: bool = True
    nodes: int = 1
    kernel_factor: object = None  # (rank, step) -> how much longer kernels take
    token_factor: object = None
    layers_of: object = None  # rank -> layers, of a pipeline
    transfer_of: object = None  # (members, step) -> microseconds
    recorded: object = None  # (rank, step, collective) -> whether the recorder saw it
    link_of: object = None  # members -> (sender, microseconds): what this rank sends along the ring comes so much later
    messages: str = "attributes"  # how a pipeline's are recorded (pipelines.py)
    faults: list = field(default_factory=list)


class Step:
    """One step of one rank, as the faults see it."""

    def __init__(self, machine, setup, number):
        self.machine, self.setup, self.number = machine, setup, number
        self.index = number - setup.first  # among the recorded
        ask = lambda f: f(machine.rank, self.index) if f else 1
        self.kernel_us = setup.kernel_us * ask(setup.kernel_factor)
        self.tokens = round(setup.tokens * ask(setup.token_factor))
        self.kernel_us *= self.tokens / setup.tokens
        self.sequence = 1000 * (self.index + 1)
        self.collectives = 0

    def fault(self, place):
        for fault in self.setup.faults:
            yield from fault(self, place)

    # Operators

    def operator(self, name, kernel, dims, share=1.0, **args):
        machine = self.machine
        with machine.row(name, **{"Input Dims": dims, **args}):
            machine.spend(self.setup.op_us)
            end = machine.launch(kernel, self.kernel_us * share)
        return end

    def layer(self, number):
        t = self.tokens
        with self.machine.frame(f"nn.Module: Block_{number}", f"model.py({40 + number}): forward"):
            for name, kernel, dims, share in (
                    ("aten::addmm", "ampere_sgemm_128x128_tn", [[WIDTH], [t, WIDTH], [WIDTH, WIDTH]], 1.4),
                    ("aten::gelu", "void at::native::vectorized_elementwise_kernel<4, GeluCUDAKernelImpl>", [[t, WIDTH]], 0.6),
                    ("aten::native_layer_norm", "void at::native::vectorized_layer_norm_kernel<float>", [[t, WIDTH]], 1.0)):
                self.sequence += 1
                yield from self.fault("operator")
                if name == "aten::gelu":
                    yield from self.fault("layer")
                self.operator(name, kernel, dims, share, **{"Sequence number": self.sequence, "Fwd thread id": 0})

    def layer_back(self):
        t, machine = self.tokens, self.machine
        end = 0
        for node, kernels in (("NativeLayerNormBackward0", 1), ("GeluBackward0", 1), ("AddmmBackward0", 2)):
            about = {"Sequence number": self.sequence, "Fwd thread id": 1}
            self.sequence -= 1
            with machine.row(f"autograd::engine::evaluate_function: {node}", **about), machine.row(node, **about):
                for _ in range(kernels):
                    name = "aten::mm" if kernels == 2 else f"aten::{'gelu' if node[0] == 'G' else 'native_layer_norm'}_backward"
                    end = self.operator(name, "ampere_sgemm_128x64_nn" if kernels == 2 else f"{node}_kernel", [[t, WIDTH]])
        return end

    # Phases

    def load(self):
        machine, setup = self.machine, self.setup
        with machine.range(LOADER.format(setup.loader)), machine.frame(*LOADER_FRAMES[setup.loader]):
            machine.spend(setup.loader_us, "data")
            yield from self.fault("loader")
        with machine.row("aten::to"), machine.row("aten::copy_", **{"Input Dims": [[self.tokens, WIDTH]]}):
            machine.spend(15)
            machine.copy("HtoD", *setup.upload)

    def forward(self):
        with contextlib.ExitStack() as inside:
            for name in self.regions():
                inside.enter_context(name)
            for number in range(self.setup.layers):
                if number == 1:
                    yield from self.fault("forward")
                yield from self.layer(number)

    def regions(self):
        """The rows around the forward pass: of DDP, and of ordinary execution of compiled code."""
        machine = self.machine
        if machine.world > 1:
            yield machine.range("DistributedDataParallel.forward")
        if self.setup.compiled:
            with machine.row("TorchDynamo Cache Lookup"):
                machine.spend(20)
            yield machine.row("Torch-Compiled Region: 0/0")
            yield machine.row("CompiledFunction")
            yield machine.row("## Call CompiledFxGraph fbm5yrzq2lbcxwbk ##")

    def backward(self):
        """The autograd thread; each bucket is sent once its gradients are there."""
        machine, layers = self.machine, self.setup.layers
        every = max(1, layers // self.setup.buckets)
        sent = 0
        with machine.frame("torch/_tensor.py(600): backward", "torch/autograd/__init__.py(300): backward"), \
                machine.thread(BACKWARD):
            for number in reversed(range(layers)):
                if number == layers - 2:
                    yield from self.fault("backward")
                end = self.layer_back()
                if machine.world > 1 and number % every == 0:
                    sent = yield from self.send_bucket(end)
        return sent

    def send_bucket(self, ready):
        if self.setup.nodes > 1:
            return (yield from self.send_over_nodes(ready))
        everyone = tuple(range(self.machine.world))
        return (yield from self.meet("all_reduce", 1 << 20, everyone, ready))

    def send_over_nodes(self, ready):
        """Scattered inside each node, reduced between the nodes, gathered again."""
        machine, here = self.machine, self.machine.world // self.setup.nodes
        node = machine.rank // here
        inside = tuple(range(node * here, node * here + here))
        across = tuple(range(machine.rank % here, machine.world, here))
        ready = yield from self.meet("reduce_scatter", 1 << 20, inside, ready, str(1 + node))
        ready = yield from self.meet("all_reduce", (1 << 20) // here, across, ready, str(11 + machine.rank % here))
        return (yield from self.meet("all_gather", (1 << 20) // here, inside, ready, str(1 + node)))

    def meet(self, kind, elements, members, ready, group="0"):
        setup, machine = self.setup, self.machine
        self.collectives += 1
        us = setup.transfer_of(members, self.index) if setup.transfer_of else setup.transfer_us
        seen = setup.recorded is None or setup.recorded(machine.rank, self.index, self.collectives)
        link = setup.link_of(members) if setup.link_of else None
        return (yield from machine.collective(kind, elements, us, members, COMM_STREAM, (ready,), seen, group, link))

    def optimizer(self, sent):
        machine = self.machine
        machine.streams[COMPUTE_STREAM] = max(machine.streams[COMPUTE_STREAM], sent)
        with machine.range("Optimizer.step#AdamW.step"), machine.frame("torch/optim/adamw.py(150): step"):
            yield from self.fault("optimizer")
            for name in ("aten::_foreach_mul_", "aten::_foreach_lerp_", "aten::_foreach_addcmul_", "aten::_foreach_addcdiv_"):
                self.operator(name, "void at::native::multi_tensor_apply_kernel<>", [])

    def read_back(self):
        machine = self.machine
        with machine.frame("train.py(88): log_loss"), machine.row("aten::item"), machine.row("aten::_local_scalar_dense"):
            machine.spend(4)
            machine.wait(machine.copy("DtoH", "Pageable", 2, 4))

    def run(self):
        machine = self.machine
        yield from self.fault("before")
        begin = machine.now
        with machine.range(f"ProfilerStep#{self.number}"), machine.frame("train.py(61): train"):
            yield from self.load()
            yield from self.forward()
            if self.setup.download:
                machine.wait(machine.copy("DtoH", *self.setup.download))
            sent = yield from self.backward()
            yield from self.optimizer(sent)
            if self.setup.read_back:
                self.read_back()
            yield from self.fault("after")
        machine.steps.append((begin, machine.now))


def training(machine, setup):
    for number in range(setup.first, setup.first + setup.steps):
        yield from Step(machine, setup, number).run()
    machine.wait(max(machine.streams.values()), "cudaDeviceSynchronize")


class StageStep(Step):
    """A step of a stage of a pipeline: micro-batches one after the other, forward and then backward."""

    MICRO = 4

    def received(self, other):
        """What comes next on the compute stream needs what came, and its turn."""
        arrived = yield from self.neighbour("recv", other, 0)
        streams = self.machine.streams
        streams[COMPUTE_STREAM] = max(streams[COMPUTE_STREAM], arrived)

    def neighbour(self, kind, other, ready):
        members = tuple(sorted((self.machine.rank, other)))
        return (yield from self.machine.collective(kind, 1 << 18, 60, members, COMM_STREAM, (ready,), group=f"p2p{members[0]}"))

    def run(self):
        machine, last = self.machine, self.machine.world - 1
        layers = self.setup.layers_of(machine.rank) if self.setup.layers_of else self.setup.layers
        yield from self.fault("before")
        begin = machine.now
        with machine.range(f"ProfilerStep#{self.number}"):
            yield from self.load()
            for _ in range(self.MICRO):
                if machine.rank > 0:
                    yield from self.received(machine.rank - 1)
                for number in range(layers):
                    yield from self.layer(number)
                if machine.rank < last:
                    yield from self.neighbour("send", machine.rank + 1, machine.streams[COMPUTE_STREAM])
            with machine.thread(BACKWARD):
                for _ in range(self.MICRO):
                    if machine.rank < last:
                        yield from self.received(machine.rank + 1)
                    for _ in range(layers):
                        self.layer_back()
                    if machine.rank > 0:
                        yield from self.neighbour("send", machine.rank - 1, machine.streams[COMPUTE_STREAM])
            yield from self.optimizer(0)
            self.read_back()
        machine.steps.append((begin, machine.now))


def pipeline(machine, setup):
    for number in range(setup.first, setup.first + setup.steps):
        yield from StageStep(machine, setup, number).run()
    machine.wait(max(machine.streams.values()), "cudaDeviceSynchronize")
