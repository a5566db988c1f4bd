# SPDX-License-Identifier: Apache-2.0
"""For run.py: a job of several ranks, of which this is the first. The others are PyTorch's fake process group.

It lies as steptime_dry_job.py beside the sitecustomize.py that run.py is.
"""
import functools
import sys
import types

from steptime_dry_plan import DEVICE, RANKS, is_installed, is_ours
from steptime_dry_processes import processes
from steptime_dry_ranks import Ranks

# ---- the job ----

def replace(given, instead):
    """Wherever PyTorch, or the script, has it by name."""
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and (name.startswith("torch.") or is_own(module)):
            for known in [known for known, value in list(vars(module).items()) if value is given]:
                setattr(module, known, instead)


def is_own(module):
    """Of the script, no package's."""
    path = getattr(module, "__file__", None)
    return isinstance(path, str) and not is_ours(path) and not is_installed(path)


def start_alone(torch, size):
    """init_process_group: whatever it asks for, the others are not there."""
    from torch.testing._internal.distributed.fake_pg import FakeStore
    c10d = torch.distributed.distributed_c10d
    start, make = c10d.init_process_group, c10d._new_process_group_helper
    asked = {}

    def init_process_group(backend=None, *_, **named):
        processes.tell()
        asked["backend"] = str(backend or ("nccl" if DEVICE == "cuda" else "gloo")).rpartition(":")[2]
        kept = {name: named[name] for name in ("timeout",) if named.get(name) is not None}
        start("fake", rank=0, world_size=size, store=FakeStore(), **kept)

    def helper(size, rank, ranks, backend, *arguments, **named):
        return make(size, rank, ranks, c10d.Backend("fake"), *arguments, **named)
    c10d._new_process_group_helper = helper
    answers = {"init_process_group": init_process_group, "is_nccl_available": lambda: True,
               "get_backend": lambda group=None: c10d.Backend(asked.get("backend", "nccl")),
               "is_torchelastic_launched": lambda: RANKS > 0, "monitored_barrier": lambda *_, **__: None}
    for name, answer in answers.items():
        replace(getattr(c10d, name), answer)


def hand_objects_on(torch):
    """Objects go through bytes, which have no values here: all ranks have what this one has."""
    import copy
    c10d = torch.distributed.distributed_c10d

    def all_gather_object(objects, value, group=None):
        objects[:] = [copy.copy(value) for _ in range(c10d.get_world_size(group))]

    def gather_object(value, objects=None, *_, group=None, **__):
        if objects is not None:
            all_gather_object(objects, value, group)

    def scatter_object_list(out, values=None, *_, **__):
        out[0] = values[0] if values else None
    answers = {"all_gather_object": all_gather_object, "gather_object": gather_object,
               "broadcast_object_list": lambda *_, **__: None, "send_object_list": lambda *_, **__: None,
               "recv_object_list": lambda *_, **__: 0, "scatter_object_list": scatter_object_list}
    for name, answer in answers.items():
        replace(getattr(c10d, name), answer)


def by_ready_order(dist, Reducer):
    """From the second step on buckets follow the order in which gradients come, of which ranks agree by values: here from the
    first on, by that of the parameters, backwards."""
    def make(parameters, buckets, limits, *rest):
        sparse, cap, first, last = rest[1], rest[2], rest[6], len(parameters) - 1
        if len(buckets) <= 1:
            sizes = [first, cap] if first < cap else [cap]
            found, limits = dist._compute_bucket_assignment_by_size(parameters[::-1], sizes, sparse[::-1])
            buckets = [[last - index for index in bucket] for bucket in found]
        return Reducer(parameters, buckets, limits, *rest)
    Reducer._rebuild_buckets = lambda *_: False
    return make


def reduce_by_buckets(torch, ranks):
    """DDP's reducer asks what its collectives come to, which the fake group does not say: this hook does. A hook of the
    script's own stays."""
    from torch.nn.parallel import distributed as ddp
    dist = torch.distributed
    dist._verify_params_across_processes = lambda *_, **__: None

    def reduce(group, bucket):
        work = dist.all_reduce(bucket.buffer(), group=group, async_op=True)
        ranks.reduced.add(ranks.made)
        return work.get_future().then(lambda done: done.value()[0])
    dist.Reducer = by_ready_order(dist, dist.Reducer)
    made = ddp.DistributedDataParallel.__init__

    def init(module, *arguments, **named):
        named.pop("device_ids", None)  # really all lies on the host
        named.pop("output_device", None)
        made(module, arguments[0], **named) if len(arguments) > 1 else made(module, *arguments, **named)
    ddp.DistributedDataParallel.__init__ = init
    before = ddp.DistributedDataParallel._pre_forward

    def pre_forward(module, *arguments, **named):
        if not module._comm_hooks and not getattr(module, "steptime_hooked", False):
            module.steptime_hooked = True
            dist._register_comm_hook(module.reducer, module.process_group, reduce)
        return before(module, *arguments, **named)
    ddp.DistributedDataParallel._pre_forward = pre_forward


def mesh_has_values(torch):
    """Which rank stands where in a mesh are numbers that PyTorch reads."""
    from torch.distributed import device_mesh
    from torch.utils._python_dispatch import _disable_current_modes

    def with_values(function):
        @functools.wraps(function)
        def wrapper(*arguments, **named):
            with _disable_current_modes():
                return function(*arguments, **named)
        return wrapper
    replace(device_mesh.init_device_mesh, with_values(device_mesh.init_device_mesh))
    Mesh = device_mesh.DeviceMesh
    for name, member in list(vars(Mesh).items()):
        if isinstance(member, types.FunctionType) and name not in ("__enter__", "__exit__", "__hash__", "__eq__"):
            setattr(Mesh, name, with_values(member))
        elif isinstance(member, staticmethod):
            setattr(Mesh, name, staticmethod(with_values(member.__func__)))
        elif isinstance(member, property):
            setattr(Mesh, name, property(with_values(member.fget)))


def stages_agree(torch, ranks):
    """A pipeline's stages send each other what their tensors look like: gradients come back like what was sent."""
    try:
        from torch.distributed.pipelining import _utils, stage
        Stage, Metas, derive = stage.PipelineStage, _utils._StageBackwardMeta, stage._derive_grad_metas
        Stage._warmup_backward_result, Stage._recv_meta  # pylint: disable=pointless-statement
    except (ImportError, AttributeError):
        return

    def ask(stage, *_, **__):
        ranks.stages = stage.num_stages
        return torch.tensor([0])
    Stage._warmup_backward_result = ask
    Stage._recv_meta = lambda self, _: Metas(derive(self._stage_meta.outputs))


def shards_lie_there(torch, places):
    """FSDP2 moves what it shards to the device itself."""
    try:
        from torch.distributed.fsdp._fully_shard import _fsdp_init
        move = _fsdp_init._move_states_to_device
    except (ImportError, AttributeError):
        return

    def put(parameters, buffers, *_, **__):
        for tensor in (*parameters, *buffers):
            places.put(getattr(tensor, "_local_tensor", tensor))
    replace(move, put)
    torch._C._get_accelerator = lambda *_: torch.device("cuda")


def join(torch, memory, size):
    """A job of so many ranks."""
    ranks = Ranks(torch, memory)
    memory.ranks = ranks
    start_alone(torch, size)
    hand_objects_on(torch)
    mesh_has_values(torch)
    reduce_by_buckets(torch, ranks)
    stages_agree(torch, ranks)
    if memory.places:
        shards_lie_there(torch, memory.places)
    ranks.watch_works()
