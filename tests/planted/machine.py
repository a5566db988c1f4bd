# SPDX-License-Identifier: Apache-2.0
"""Ranks that run in a simulation and write what Kineto would have recorded of it.

A Machine is one rank: a host that moves on by what it does, streams that take work in order, and a Plant that collects the
rows. What a program of a machine does is a generator: it yields a Meeting where it needs to know when a collective ended,
and is sent that time (nanoseconds). run() lets all machines meet: a collective ends for all once the last has come and the
bytes have moved. So what follows from a fault, the waiting of others, comes by itself.

Each time belongs to one resource (host, device, communication, copies, data, stalls, start_up), and `scale` multiplies those of
one: the same job with a device twice as fast, or communication free, is run, not guessed. Jitter is drawn in the same order
whether something is planted or not, so that two runs differ by the plant alone.
"""
import collections
import contextlib
import random
import zlib

from plant import BACKWARD, GLOO, HOST, MAIN, Plant

LAUNCH_LATENCY_NS, WAKE_NS, JITTER = 4_000, 2_000, 0.02
ENTRY_NS, EXIT_NS = 250, 150  # a recorded row costs the host a little, so that no two begin together
COMPUTE_STREAM, COPY_STREAM, COMM_STREAM = 7, 13, 20
KINDS = {"all_reduce": ("allreduce", "AllReduce_Sum_f32_RING_LL"), "all_gather": ("_allgather_base", "AllGather_RING_LL"),
         "reduce_scatter": ("_reduce_scatter_base", "ReduceScatter_Sum_f32_RING_LL"),
         "all_to_all": ("all_to_allv", "SendRecv"), "barrier": ("barrier", "AllReduce_Sum_i8_RING_LL"),
         "send": ("send", "SendRecv"), "recv": ("recv", "SendRecv")}
CUDA = {"kernel": "cudaLaunchKernel", "gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}
MTIA = {"cudaLaunchKernel": "runFunction - job_prep_and_submit_for_execution",
        "cudaMemcpyAsync": "enqueueCommand memcpyHtoDAsync",
        "cudaStreamSynchronize": "synchronizeStream", "cudaDeviceSynchronize": "synchronize"}

THREADS = {MAIN: "thread 1 (python)", BACKWARD: "thread 2 (pt_autograd_0)", GLOO: "thread 3 (pt_gloo_runloop)"}

# Of one rank: when it came, how long bytes take; of a ring with a slow link (who sends over it, nanoseconds a message).
Meeting = collections.namedtuple("Meeting", "key members start transfer link", defaults=(None,))


class Machine:
    """Names: those of the calls, by the kind of device work, where they are not CUDA's."""

    def __init__(self, rank=0, world=1, seed="job", scale=None, frames=False, vendor="cuda", clock=lambda ns: ns):
        self.rank, self.world, self.frames, self.vendor, self.clock = rank, world, frames, vendor, clock
        self.plant = Plant(rank, world)
        self.random = random.Random(f"{seed} {rank}")
        self.scale = scale or {}
        self.now, self.tid = 1_000_000 + 10_000 * rank, MAIN
        self.streams, self.counts, self.open_frames = collections.Counter(), collections.Counter(), [None]
        self.spent = collections.Counter()  # nanoseconds, by resource
        self.came = []  # (key, start, end) of every meeting
        self.steps = []  # (begin, end)

    # Time

    def spend(self, us, resource="host", exact=False):
        """The host is busy with something. Plants are exact, all else jitters."""
        self.now += self.length(us, resource, exact)

    def length(self, us, resource, exact=False):
        jitter = 1 if exact else self.random.uniform(1 - JITTER, 1 + JITTER)
        ns = round(us * 1000 * jitter * self.scale.get(resource, 1))
        self.spent[resource] += ns
        return ns

    # Rows

    def write_row(self, begin, end, name, cat, tid, **args):
        begin, end = self.clock(begin), self.clock(end)
        self.plant.host(name, begin / 1000, (end - begin) / 1000, cat=cat, tid=tid, **args)

    def write_device(self, begin, end, name, cat, stream, **args):
        begin, end = self.clock(begin), self.clock(end)
        self.plant.row(name, begin / 1000, (end - begin) / 1000, stream=stream, cat=cat, **args)

    @contextlib.contextmanager
    def row(self, name, cat="cpu_op", **args):
        begin, tid = self.now, self.tid
        self.now += round(ENTRY_NS * self.scale.get("host", 1))
        yield
        self.now += round(EXIT_NS * self.scale.get("host", 1))
        self.write_row(begin, self.now, name, cat, tid, **args)

    def range(self, name):
        return self.row(name, cat="user_annotation")

    @contextlib.contextmanager
    def frame(self, *names):
        """Python frames, the outermost first; only where the recording has stacks."""
        with contextlib.ExitStack() as stack:
            for name in names if self.frames else ():
                stack.enter_context(self.one_frame(name))
            yield

    @contextlib.contextmanager
    def one_frame(self, name):
        self.counts["frame"] += 1
        number, parent = self.counts["frame"], self.open_frames[-1]
        self.open_frames.append(number)
        with self.row(name, cat="python_function", **{"Python id": number, "Python parent id": parent}):
            yield
        self.open_frames.pop()

    @contextlib.contextmanager
    def thread(self, tid):
        """What follows happens on another thread, for which this one waits."""
        before, self.tid = self.tid, tid
        frames, self.open_frames = self.open_frames, [None]
        yield
        self.tid, self.open_frames = before, frames

    # Calls and device work

    def named(self, call):
        return MTIA[call] if self.vendor == "mtia" else call.replace("cuda", "hip", 1) if self.vendor == "hip" else call

    def call(self, name, us, resource="host", exact=False, **args):
        with self.row(self.named(name), cat="mtia_runtime" if self.vendor == "mtia" else "cuda_runtime", **args):
            self.spend(us, resource, exact)

    def launch(self, name, us, stream=COMPUTE_STREAM, cat="kernel", resource="device", after=(), call=None, call_us=3,
               exact=False, call_resource="host", **args):
        """Device work and its call; the end of the work."""
        start, correlation = self.queue(stream, cat, after, call, call_us, exact, call_resource)
        return self.occupy(start, start + self.length(us, resource), name, cat, stream, correlation, **args)

    def queue(self, stream, cat="kernel", after=(), call=None, call_us=3, exact=False, resource="host"):
        """The call alone: when its work can begin, and its correlation."""
        self.plant.correlation += 1
        correlation, begin = self.plant.correlation, self.now
        self.call(call or CUDA[cat], call_us, resource, exact, correlation=correlation)
        return max(begin + LAUNCH_LATENCY_NS, self.now, self.streams[stream], *after), correlation

    def occupy(self, start, end, name, cat, stream, correlation, **args):
        assert start >= self.streams[stream] or stream == COMM_STREAM, f"{name}: two at once on stream {stream}"
        self.streams[stream] = end
        if self.vendor == "mtia":
            name, cat = "dma_request" if cat == "gpu_memcpy" else "pe_exe", "mtia_ccp_events"
        if correlation is not None:
            self.write_device(start, end, name, cat, stream, correlation=correlation, **args)
        return end

    def copy(self, kind, memory, us, bytes, stream=COMPUTE_STREAM):
        ends = {"HtoD": (memory, "Device"), "DtoH": ("Device", memory)}[kind]
        end = self.launch(f"Memcpy {kind} ({ends[0]} -> {ends[1]})", us, stream=stream, cat="gpu_memcpy", resource="copies",
                          bytes=bytes)
        if memory == "Pageable" and kind == "HtoD":  # the call returns once the copy is done
            call = self.plant.events[-2]
            self.now = max(self.now, end)
            call["dur"] = (self.clock(self.now) - round(call["ts"] * 1000)) / 1000
        return end

    def wait(self, until, name="cudaStreamSynchronize", own_us=2):
        with self.row(self.named(name), cat="mtia_runtime" if self.vendor == "mtia" else "cuda_runtime"):
            self.spend(own_us)
            if until > self.now:
                self.now = until + WAKE_NS

    # Collectives

    def collective(self, kind, elements, transfer_us, members=None, stream=COMM_STREAM, after=(), recorded=True, group="0",
                   link=None):
        """On the device; a generator that returns its end."""
        members = tuple(members or range(self.world))
        name, kernel = KINDS[kind]
        self.counts[members] += 1
        about = {"Collective name": name, "dtype": "Float", "In msg nelems": elements, "Out msg nelems": elements,
                 "In split size": "[]", "Out split size": "[]", "Global rank start": members[0],
                 "Global rank stride": members[1] - members[0] if len(members) > 1 else 0, "Group size": len(members),
                 "Process Group Name": group, "Process Group Description": "default_pg" if group == "0" else f"group_{group}",
                 "Process Group Ranks": str(list(members)), "Rank": self.rank, "Seq": self.counts[members],
                 "Comms Id": zlib.crc32(f"{group} {members} {self.counts[members]}".encode()) << 32 | 7}
        if kind in ("send", "recv"):
            other = next(rank for rank in members if rank != self.rank)
            about.update({"Src Rank": self.rank if kind == "send" else other, "Dst Rank": other if kind == "send" else self.rank})
        with self.row(f"c10d::{name}_" if kind not in ("send", "recv") else f"c10d::{name}"):
            self.spend(3)
            with self.row("record_param_comms", **about), self.range(f"nccl:{self.title(kind, members)}"):
                self.spend(2)
                start, correlation = self.queue(stream, after=after)
                self.spend(1)
        slow = link and (link[0], self.length(link[1], "communication", exact=True))
        end = yield Meeting((members, self.counts[members]), members, start, self.length(transfer_us, "communication"), slow)
        self.came.append(((members, self.counts[members]), start, end))
        return self.occupy(start, end, f"ncclDevKernel_{kernel}(ncclDevKernelArgsStorage<4096ul>)", "kernel", stream,
                           correlation if recorded else None, **about)

    def title(self, kind, members):
        if kind not in ("send", "recv"):
            return kind
        other = next(rank for rank in members if rank != self.rank)
        return f"send {self.rank}->{other}" if kind == "send" else f"recv {self.rank}<-{other}"

    def gloo(self, kind, elements, transfer_us, call="c10d::allreduce_"):
        """On the host: a worker thread does it while the caller waits."""
        members = tuple(range(self.world))
        self.counts[members] += 1
        key = (members, self.counts[members])
        with self.row(call):
            self.spend(8)
        begin = self.now
        end = yield Meeting(key, members, begin, self.length(transfer_us, "communication"))
        self.came.append((key, begin, end))
        self.write_row(begin, end, f"gloo:{kind}", "user_annotation", GLOO, **{"Input Dims": [[elements]]})
        self.now = end + WAKE_NS

    def gloo_message(self, kind, other, shape, transfer_us):
        """A send or a receive on the host: its work stands on the calling thread, until that has waited for it."""
        ends = (self.rank, other) if kind == "send" else (other, self.rank)
        self.counts["message", ends] += 1
        key, begin = ("message", *ends, self.counts["message", ends]), self.now
        told = {"Concrete Inputs": ["", "", str(other), "0"], "Input type": ["TensorList", "", "Scalar", "Scalar"],
                "Input Dims": [[shape], [], [], []]}
        with self.row("c10d::send" if kind == "send" else "c10d::recv_", **told):
            self.spend(20)
            work = self.now
            self.spend(3)
        end = yield Meeting(key, ends, begin, self.length(transfer_us, "communication"))
        self.came.append((key, begin, end))
        self.write_row(work, end, f"gloo:{kind}", "user_annotation", self.tid, **{
            "Input Dims": [shape], "Input type": ["float"], "Concrete Inputs": [""]})
        self.now = end + WAKE_NS

    # To a file

    def write(self, path, **more):
        for tid, name in THREADS.items():
            self.plant.events.append({"ph": "M", "name": "thread_name", "pid": HOST, "tid": tid, "ts": 0, "args": {"name": name}})
        device = {"cuda": "NVIDIA A100-SXM4-80GB", "hip": "AMD Instinct MI300X", "mtia": "ARTEMIS"}[self.vendor]
        settings = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": device}], "record_shapes": 1,
                    "with_stack": int(self.frames), "host_name": "node0", "baseTimeNanoseconds": 1790857026000000000, **more}
        return self.plant.write(path, **settings)


def skew_ns(key, rank):
    """How much later than the first a rank leaves a collective: small, and always the same."""
    return zlib.crc32(f"{key} {rank}".encode()) % 5_000


def run(programs):
    """Lets programs (a generator a rank) run until all have ended."""
    came, ready = collections.defaultdict(dict), collections.deque((rank, None) for rank in range(len(programs)))
    open_ranks = set(range(len(programs)))
    while ready:
        rank, sent = ready.popleft()
        try:
            meeting = programs[rank].send(sent)
        except StopIteration:
            open_ranks.discard(rank)
            continue
        came[meeting.key][rank] = meeting
        if len(came[meeting.key]) == len(meeting.members):
            ready.extend(settle(meeting.key, came.pop(meeting.key)))
    assert not open_ranks, f"ranks wait for ever: {sorted(open_ranks)} at {sorted(came)}"


def settle(key, came):
    """(rank, end) of all who meet."""
    ends = ring_ends(came)
    return [(rank, ends[rank] + skew_ns(key, rank)) for rank in sorted(came)]


def ring_ends(came):
    """{rank: end}: once the last has come bytes go round, from each to the next; those of a slow link come later."""
    begin, transfer = max(meeting.start for meeting in came.values()), max(meeting.transfer for meeting in came.values())
    link = next((meeting.link for meeting in came.values() if meeting.link), None)
    if not link:
        return dict.fromkeys(came, begin + transfer)
    members = next(iter(came.values())).members
    rounds, ends = 2 * (len(members) - 1), dict.fromkeys(members, begin)
    for _ in range(rounds):
        ends = {rank: max(ends[rank], ends[before]) + transfer // rounds + (link[1] if before == link[0] else 0)
                for before, rank in zip(members[-1:] + members[:-1], members)}
    return ends
