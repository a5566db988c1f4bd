# SPDX-License-Identifier: Apache-2.0
"""For run.py: collectives of a job (job.py). They come back at once; what they are, of whom and how large is left as marks
in the execution trace.

It lies as steptime_dry_ranks.py beside the sitecustomize.py that run.py is. Marks are nodes, words apart by blanks:

    steptime::comm <work> <kind> <bytes in> <bytes out> <ranks> <apart>    below the operator; apart: 1 on a stream of its own
    steptime::stages <n>                                                    a pipeline of so many, of which this is the first
    steptime::wait <work>                                                   the current stream waits for it

`ranks` names those of the group: "0-15", "0-56:8", "0-3,8-11".
"""
import weakref

from steptime_dry_plan import mark
from steptime_dry_storages import storage_of

KINDS = {"allreduce_": "all_reduce", "allreduce_coalesced_": "all_reduce", "broadcast_": "broadcast", "reduce_": "reduce",
         "allgather_": "all_gather", "_allgather_base_": "all_gather", "allgather_coalesced_": "all_gather",
         "allgather_into_tensor_coalesced_": "all_gather", "reduce_scatter_": "reduce_scatter",
         "_reduce_scatter_base_": "reduce_scatter", "reduce_scatter_tensor_coalesced_": "reduce_scatter",
         "alltoall_": "all_to_all", "alltoall_base_": "all_to_all", "gather_": "gather", "scatter_": "scatter",
         "send": "send", "recv_": "recv", "recv_any_source_": "recv", "barrier": "barrier"}
FUNCTIONAL = {"all_reduce": "all_reduce", "all_reduce_": "all_reduce", "all_reduce_coalesced": "all_reduce",
              "all_reduce_coalesced_": "all_reduce", "broadcast": "broadcast", "broadcast_": "broadcast",
              "all_gather_into_tensor": "all_gather", "all_gather_into_tensor_out": "all_gather",
              "all_gather_into_tensor_coalesced": "all_gather", "reduce_scatter_tensor": "reduce_scatter",
              "reduce_scatter_tensor_out": "reduce_scatter", "reduce_scatter_tensor_coalesced": "reduce_scatter",
              "all_to_all_single": "all_to_all"}
FIRST_WRITTEN = ("alltoall", "allgather", "_allgather", "_reduce_scatter", "reduce_scatter", "gather", "scatter")
SPACES = ("c10d", "_c10d_functional", "_c10d_functional_autograd")
CALLS = ("allreduce", "allreduce_coalesced", "broadcast", "reduce", "allgather", "_allgather_base", "allgather_coalesced",
         "allgather_into_tensor_coalesced", "reduce_scatter", "_reduce_scatter_base", "reduce_scatter_tensor_coalesced",
         "all_gather_single", "reduce_scatter_single", "alltoall", "alltoall_base", "gather", "scatter", "send", "recv",
         "recv_anysource", "barrier")


# ---- words ----

def range_word(first, last, step):
    if first == last:
        return f"{first}"
    return f"{first}-{last}" if step == 1 else f"{first}-{last}:{step}"


def ranks_word(ranks):
    """Runs of equal steps."""
    words, at = [], 0
    while at < len(ranks):
        step = ranks[at + 1] - ranks[at] if at + 1 < len(ranks) else 1
        end = at
        while end + 1 < len(ranks) and ranks[end + 1] - ranks[end] == step:
            end += 1
        words.append(range_word(ranks[at], ranks[end], step))
        at = end + 1
    return ",".join(words)


def flat(torch, value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(torch, item)


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


# ---- collectives ----

class Ranks:
    def __init__(self, torch, memory):
        self.torch, self.memory = torch, memory
        self.dist = torch.distributed
        self.made = 0  # works
        self.works = weakref.WeakKeyDictionary()  # what calls gave back: their number
        self.stages = 0  # of a pipeline
        self.last = None
        self.words = {}
        self.reduced = set()  # works of DDP
        self.due = {}  # storages that a work was put on and that nobody waited for: its number

    def mark(self, words):
        mark(self.torch, words)

    def group_of(self, args):
        for value in args:
            if isinstance(value, self.torch.ScriptObject) and "ProcessGroup" in str(value._type()):
                return self.dist.ProcessGroup.unbox(value)
            if isinstance(value, self.dist.ProcessGroup):
                return value
        names = [value for value in args if isinstance(value, str)]
        return self.dist.distributed_c10d._resolve_process_group(names[-1]) if names else None

    def members(self, group):
        word = self.words.get(group.group_name)
        if word is None:
            word = self.words[group.group_name] = ranks_word(self.dist.get_process_group_ranks(group))
        return word

    def peers(self, kind, group, args):
        """Of a message the two ends."""
        if kind not in ("send", "recv"):
            return self.members(group)
        other = next((value for value in args[2:] if type(value) is int), 0)
        ranks = self.dist.get_process_group_ranks(group)
        return ranks_word(sorted((self.dist.get_rank(), ranks[other] if other < len(ranks) else 0)))

    # ---- operators ----

    def come(self, func, args):
        """Before an operator: what C++ waits for shows where a storage is used again."""
        if not self.due or func.is_view:
            return
        for tensor in flat(self.torch, args):
            storage = storage_of(tensor)
            if storage is not None and storage._cdata in self.due:
                self.wait_for(self.due[storage._cdata])

    def see(self, func, args, kwargs, result):
        """An operator has run."""
        if func.namespace == "fsdp":
            self.hold(list(flat(self.torch, (args, list(kwargs.values()), result))))
        if func.namespace not in SPACES:
            return
        name = func._schema.name.split("::")[1]
        if func.namespace == "c10d":
            self.see_call(func, name, args, kwargs)
        elif name in FUNCTIONAL:
            made = list(flat(self.torch, result))
            given = list(flat(self.torch, args))
            self.tell(FUNCTIONAL[name], (*args, *kwargs.values()), given, made, True)

    def see_call(self, func, name, args, kwargs):
        if name not in KINDS:
            return
        named = dict(zip((argument.name for argument in func._schema.arguments), args))
        named.update(kwargs)
        tensors = [list(flat(self.torch, value)) for value in args[:2]]
        out, given = tensors if name.startswith(FIRST_WRITTEN) and tensors[1] else (tensors[0], tensors[0])
        out = [] if name == "send" else out
        apart = KINDS[name] in ("send", "recv") or bool(named.get("async_op", True))
        self.last = (self.tell(KINDS[name], args, given, out, apart), out)

    def tell(self, kind, args, given, made, apart):
        group = self.group_of(args)
        self.made += 1
        self.hold(given + made)
        if kind == "barrier" or group is None or group.size() < 2:
            return self.made
        if kind == "recv" and self.stages:
            self.mark(f"steptime::stages {self.stages}")
        self.mark(f"steptime::comm {self.made} {kind} {bytes_of(given)} {bytes_of(made)} {self.peers(kind, group, args)} {int(apart)}")
        for tensor in made if apart else ():
            self.due[tensor.untyped_storage()._cdata] = self.made
        return self.made

    def hold(self, tensors):
        places = self.memory.places
        if places and any(map(places.lies_there, tensors)):  # what is written is no result of every operator
            for tensor in tensors:
                places.put(tensor)
        for tensor in tensors:
            self.memory.tell_communication(tensor)

    # ---- waiting ----

    def wait_for(self, number):
        self.mark(f"steptime::wait {number}")
        for address in [address for address, due in self.due.items() if due == number]:
            del self.due[address]

    def wait_for_all(self):
        """Where backward() ends DDP has waited for all."""
        for number in sorted(self.reduced & set(self.due.values())):
            self.wait_for(number)
        self.reduced.clear()

    def watch_works(self):
        """What a call gives back is the work of the collective that it told of."""
        Group, Work, Future = self.dist.ProcessGroup, self.dist.Work, self.torch.futures.Future
        for name in CALLS:
            if hasattr(Group, name):
                self.watch_call(Group, name)
        for Kind in (Work, *Work.__subclasses__()):
            if "wait" in vars(Kind):
                self.watch_wait(Kind)

        def future_of(work):
            future = Future()
            future.set_result(self.works[work][1] if work in self.works else [])
            return future
        for Kind in (Work, *Work.__subclasses__()):
            Kind.get_future = future_of

    def watch_wait(self, Kind):
        wait = Kind.wait

        def waited(work, *arguments, **named):
            if work in self.works:
                self.wait_for(self.works[work][0])
            return wait(work, *arguments, **named)
        Kind.wait = waited

    def watch_call(self, Group, name):
        call = getattr(Group, name)

        def called(group, *arguments, **named):
            self.last = None
            work = call(group, *arguments, **named)
            if self.last is not None and work is not None:
                self.works[work] = self.last
            return work
        setattr(Group, name, called)
