# SPDX-License-Identifier: Apache-2.0
"""Snapshots of PyTorch's allocator, written after its format (torch/cuda/memory.py, _snapshot), not recorded.

`Allocator` plays a device: pieces are placed in segments as they are asked for, and everything is noted as PyTorch notes
it. `snapshot()` is what torch.cuda.memory._snapshot() returns. As a program it writes one of a size:

    snapshots.py FILE MEGABYTES
"""
import struct
import sys

MIB = 1 << 20


def frame(name, filename, line):
    return {"name": name, "filename": filename, "line": line}


TORCH = "/usr/lib/python3/dist-packages/torch"
MAIN = frame("<module>", "/home/u/train.py", 90)
CALL = frame("_call_impl", f"{TORCH}/nn/modules/module.py", 1790)
ENGINE = frame("torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&)", "??", 0)


def in_forward(line, name="forward"):
    return [frame("at::empty_cuda()", "??", 0), frame(name, "/home/u/model.py", line), CALL, MAIN]


def in_backward(node="MmBackward0"):
    return [frame(f"torch::autograd::generated::{node}::apply(std::vector<at::Tensor>&&)", "??", 0), ENGINE]


def in_optimizer():
    return [frame("_init_group", f"{TORCH}/optim/adamw.py", 131), frame("step", f"{TORCH}/optim/adamw.py", 220), MAIN]


def in_move():
    return [frame("convert", f"{TORCH}/nn/modules/module.py", 1370), frame("_apply", f"{TORCH}/nn/modules/module.py", 965),
            frame("<module>", "/home/u/train.py", 10)]


class Allocator:
    """Places each piece behind the one before it, in segments of a size."""

    def __init__(self, device=0, segment=64 * MIB):
        self.device, self.segment = device, segment
        self.events, self.marks, self.segments, self.live = [], [], [], {}
        self.time_us = 1_700_000_000_000_000
        self.address = 0x7F0000000000 + device * (1 << 40)

    def note(self, action, addr, size, frames, **more):
        self.time_us += 10
        self.events.append({"action": action, **({} if addr is None else {"addr": addr}), "size": size, "stream": 0,
                            "time_us": self.time_us, "compile_context": "N/A", "user_metadata": "", "frames": frames, **more})

    def place(self, room):
        """Where so much is free; a segment more where it is nowhere."""
        for segment in self.segments:
            at = segment["address"]
            for addr, (_, taken, _) in sorted(self.live.items()):
                if segment["address"] <= addr < segment["address"] + segment["total_size"]:
                    if addr - at >= room:
                        return at
                    at = addr + taken
            if segment["address"] + segment["total_size"] - at >= room:
                return at
        return None

    def alloc(self, size, frames):
        room = -(-size // 512) * 512
        addr = self.place(room)
        if addr is None:
            addr, total = self.address, max(self.segment, room)
            self.address += total + 4 * MIB
            self.segments.append({"address": addr, "total_size": total})
            self.note("segment_alloc", addr, total, frames)
        self.live[addr] = (size, room, frames)
        self.note("alloc", addr, size, frames)
        return addr

    def free(self, addr, frames):
        size, _, _ = self.live.pop(addr)
        self.note("free_requested", addr, size, frames)
        self.note("free_completed", addr, size, frames)

    def out_of_memory(self, size, frames, device_free=3 * MIB):
        self.note("oom", None, size, frames, device_free=device_free)

    def mark(self, name):
        """The range begins; what is returned ends it."""
        self.time_us += 10
        self.marks.append({"stage": "START", "name": name, "device": 0, "time_us": self.time_us})

        def end():
            self.time_us += 10
            self.marks.append({"stage": "END", "name": name, "device": 0, "time_us": self.time_us})
        return end

    def blocks_of(self, segment):
        at, end, blocks = segment["address"], segment["address"] + segment["total_size"], []

        def gap(until):
            if until > at:
                blocks.append({"address": at, "size": until - at, "requested_size": 0, "state": "inactive", "frames": []})
        for addr, (size, room, frames) in sorted(self.live.items()):
            if at <= addr < end:
                gap(addr)
                blocks.append({"address": addr, "size": room, "requested_size": size, "state": "active_allocated",
                               "frames": frames})
                at = addr + room
        gap(end)
        return blocks

    def segments_told(self):
        return [{"device": self.device, **segment, "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 0,
                 "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
                 "blocks": self.blocks_of(segment)} for segment in self.segments]


def snapshot(*allocators, last=None):
    """`last`: so many events of each device are kept, as max_entries does."""
    return {"segments": [told for allocator in allocators for told in allocator.segments_told()],
            "device_traces": [allocator.events[-last:] if last else allocator.events for allocator in allocators],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.0,
                                   "expandable_segments": False, "roundup_power2_divisions": {"1": 0, "2": 0}},
            "external_annotations": [mark for allocator in allocators for mark in allocator.marks]}


def training(steps=8, leak=0, allocator=None, marked=True):
    """Parameters, then steps of forward, backward and AdamW; `leak` bytes stay of each step."""
    a = allocator or Allocator()
    parameters = [a.alloc(4 * MIB, in_move()) for _ in range(4)]
    state, gradients = [], []
    for number in range(steps):
        for addr in gradients:
            a.free(addr, [frame("zero_grad", f"{TORCH}/optim/optimizer.py", 900), MAIN])
        kept = [a.alloc(8 * MIB, in_forward(20)) for _ in range(3)]
        if leak:
            a.alloc(leak, in_forward(33, "log"))
        gradients = []
        for addr in reversed(kept):
            temporary = a.alloc(2 * MIB, in_backward("ReluBackward0"))
            gradients.append(a.alloc(4 * MIB, in_backward()))
            a.free(temporary, in_backward("ReluBackward0"))
            a.free(addr, in_backward())
        end = a.mark("Optimizer.step#AdamW.step") if marked else lambda: None
        if not state:
            state = [a.alloc(4 * MIB, in_optimizer()) for _ in parameters for _ in range(2)]
        a.free(a.alloc(MIB, in_optimizer()), in_optimizer())
        end()
    return a


# ---- as PyTorch's C++ code pickles it (torch/csrc/jit/serialization/pickler.cpp): protocol 2, kept once it is whole ----

class AsInC:
    def __init__(self):
        self.out, self.kept, self.places = b"\x80\x02", 0, {}

    def put(self, value):
        if isinstance(value, bool):
            self.out += b"\x88" if value else b"\x89"
        elif isinstance(value, int):
            self.out += (b"K" + bytes([value]) if 0 <= value < 256 else b"M" + struct.pack("<H", value) if 0 <= value < 1 << 16
                         else b"J" + struct.pack("<i", value) if abs(value) < 1 << 31 else b"\x8a\x08" + struct.pack("<q", value))
        elif isinstance(value, float):
            self.out += b"G" + struct.pack(">d", value)
        elif value in self.places if isinstance(value, str) else id(value) in self.places:
            place = self.places[value if isinstance(value, str) else id(value)]
            self.out += b"h" + bytes([place]) if place < 256 else b"j" + struct.pack("<I", place)
        else:
            self.put_whole(value)
            self.out += b"q" + bytes([self.kept]) if self.kept < 256 else b"r" + struct.pack("<I", self.kept)
            self.places[value if isinstance(value, str) else id(value)] = self.kept
            self.kept += 1

    def put_whole(self, value):
        if isinstance(value, str):
            self.out += b"X" + struct.pack("<I", len(value.encode())) + value.encode()
            return
        begin, items, end = {dict: (b"}", [part for pair in value.items() for part in pair] if isinstance(value, dict) else [], b"u"),
                             list: (b"]", value, b"e"), tuple: (b"", value, b"\x86")}[type(value)]
        self.out += begin + (b"(" if begin and items else b"")
        for item in items:
            self.put(item)
        self.out += end if items else b""


def as_in_c(value):
    pickler = AsInC()
    pickler.put(value)
    return pickler.out + b"."


# ---- a large one, as pickle.dump would write it, without making it in memory first ----

def text(word):
    data = word.encode()
    return (b"\x8c" + bytes([len(data)]) if len(data) < 256 else b"X" + struct.pack("<I", len(data))) + data


def number(value):
    return b"J" + struct.pack("<i", value) if value < 1 << 31 else b"\x8a\x08" + struct.pack("<q", value)


def named(place):
    return b"h" + bytes([place]) if place < 256 else b"j" + struct.pack("<I", place)


class Large:
    """Protocol 4. Texts and frames come first, in lists under a key that nobody knows, and are named from then on."""

    def __init__(self, file):
        self.file, self.kept, self.places, self.written = file, 0, {}, 0

    def write(self, data):
        self.file.write(data)
        self.written += len(data)

    def keep(self, data, key=None):
        self.write(data + b"\x94")
        self.places[key] = self.kept
        self.kept += 1

    def begin(self, words, stacks):
        self.write(b"\x80\x04")
        self.keep(b"}")
        self.write(b"(")
        self.keep(text("words"))
        self.keep(b"]")
        self.write(b"(")
        for word in words:
            self.keep(text(word), word)
        self.write(b"e" + text("stacks"))
        self.keep(b"]")
        self.write(b"(")
        for stack in stacks:
            for one in stack:
                self.keep(b"}", id(one))
                self.write(b"(" + named(self.places["name"]) + text(one["name"]) + named(self.places["filename"]) +
                           text(one["filename"]) + named(self.places["line"]) + number(one["line"]) + b"u")
        self.write(b"e")

    def event(self, action, addr, size, time_us, stack):
        self.write(b"}\x94(")
        for key, value in (("action", named(self.places[action])), ("addr", number(addr)), ("size", number(size)),
                           ("stream", b"K\x00"), ("time_us", number(time_us))):
            self.write(named(self.places[key]) + value)
        self.write(named(self.places["frames"]) + b"]\x94(" + b"".join(named(self.places[id(one)]) for one in stack) + b"eu")


def write_large(path, megabytes, depth=60):
    stacks = [[frame(f"at::native::call_{k}()", "??", 0) for k in range(depth - 4)] + in_forward(20 + i) for i in range(200)]
    with open(path, "wb") as file:
        large = Large(file)
        large.begin(["name", "filename", "line", "action", "addr", "size", "stream", "time_us", "frames", "alloc",
                     "free_requested", "free_completed"], stacks)
        large.write(text("device_traces") + b"](]")
        time_us, count = 1_700_000_000_000_000, 0
        while large.written < megabytes * 1_000_000:
            large.write(b"(")
            for k in range(333):
                addr, stack = 0x7F0000000000 + (count % 5000) * MIB, stacks[count % len(stacks)]
                for action in ("alloc", "free_requested", "free_completed"):
                    time_us += 3
                    large.event(action, addr, 1000 + count % 5000, time_us, stack)
                count += 1
            large.write(b"e")
        large.write(b"e" + text("segments") + b"]u.")
    return count


if __name__ == "__main__":
    print(write_large(sys.argv[1], int(sys.argv[2])), "allocations")
