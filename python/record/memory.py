# SPDX-License-Identifier: Apache-2.0
"""A pass of run.py: every allocation of some steps, with the line that made it.

It lies as steptime_record_memory.py beside the sitecustomize.py that run.py is. PyTorch's profiler tells the allocations of all
devices; that makes steps longer, so it has a pass of its own and enters no times. Where the script uses CUDA, PyTorch's own
history of its allocator is kept as well, for those who know how to look at that. People are told how much was held at most,
in which step, and which line had allocated most of it.
"""
import functools
import gc
import os
import pickle
import sys

from steptime_record_pass import Pass, why_no_stacks
from steptime_record_plan import TO, Whole
from steptime_record_syncs import Frames

HISTORY_OF = "cuda"  # whose allocator keeps one
HISTORY_ENTRIES = 200000  # of CUDA's allocator: the last ones are kept
UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def in_bytes(count):
    for unit, word in UNITS:
        if count >= unit:
            return f"{count / unit:.3g} {word}"
    return f"{count} B"


# ---- what the profiler saw ----

def walk(roots):
    """All events of its trees, however deep."""
    left = list(roots)
    while left:
        event = left.pop()
        yield event
        left.extend(event.children)


def by_device(events):
    """Allocations and what was freed, in the order of time."""
    devices = {}
    for event in events:
        if hasattr(event.extra_fields, "alloc_size"):
            devices.setdefault(str(event.extra_fields.device), []).append(event)
    for of_device in devices.values():
        of_device.sort(key=lambda event: event.start_time_ns)
    return devices


def step_at(moment_ns, steps):
    """The number of the step that it lies in; None: it lies in none."""
    return next((int(step.name.partition("#")[2]) for step in steps
                 if step.start_time_ns <= moment_ns <= step.end_time_ns), None)


@functools.lru_cache(maxsize=None)
def whole_path(path):
    """The profiler takes from paths the folder of sys.path that they lie in."""
    folders = (folder for folder in sys.path if os.path.exists(os.path.join(folder, path)))
    return path if os.path.isabs(path) else os.path.join(next(folders, ""), path)


def line_of(event, frames):
    """The innermost line of the user's own that it was called from, as (file, line); None: no frame says."""
    while event:
        caller = getattr(event.extra_fields, "caller", None)  # frames alone have one
        if caller and not frames.is_library(whole_path(caller.file_name)):
            return caller.file_name, caller.line_number
        event = event.parent
    return None


def highest(events):
    """(bytes, event): the most that was held beyond the begin, and what reached it; (0, None) where it only fell."""
    held, most, reached = 0, 0, None
    for event in events:
        held += event.extra_fields.alloc_size
        if held > most:
            most, reached = held, event
    return most, reached


def live_at(events, reached):
    """Those allocated since the begin that were not freed when `reached` was made."""
    live = {}
    for event in events:
        fields = event.extra_fields
        if fields.alloc_size < 0:
            live.pop(fields.ptr, None)
        else:
            live[fields.ptr] = event
        if event is reached:
            break
    return live.values()


def by_line(live, frames):
    """[((file, line) or None, bytes, how many)], the largest first."""
    lines = {}
    for event in live:
        of_line = lines.setdefault(line_of(event, frames), [0, 0])
        of_line[0] += event.extra_fields.alloc_size
        of_line[1] += 1
    return sorted(((line, size, count) for line, (size, count) in lines.items()), key=lambda of: -of[1])


# ---- what the program's objects are ----

def address_of(tensor):
    """Where its memory begins; None: it has none of its own on a device of CUDA."""
    try:
        local = getattr(tensor, "_local_tensor", tensor)  # of a DTensor the part that is here
        return local.untyped_storage().data_ptr() if local.device.type == HISTORY_OF else None
    except Exception:  # pylint: disable=broad-exception-caught  # fake tensors, subclasses without a storage: what the script made of them
        return None


def tensors_of_modules(module):
    for name, parameter in module._parameters.items():
        if parameter is not None:
            yield parameter, "parameter", f"{type(module).__name__}.{name}"
            if parameter.grad is not None:
                yield parameter.grad, "gradient", f"{type(module).__name__}.{name}"
    for name, buffer in module._buffers.items():
        if buffer is not None:
            yield buffer, "parameter", f"{type(module).__name__}.{name}"


def tensors_of_optimizers(optimizer, torch):
    for state in optimizer.state.values():
        if isinstance(state, dict):
            yield from ((value, "optimizer", f"{type(optimizer).__name__}.{key}")
                        for key, value in state.items() if isinstance(value, torch.Tensor))


def owners(torch):
    """[{"addr", "role", "name"}] of all parameters, gradients and states of optimizers that there are. No object is asked
    for its class: what the script made may answer that with code of its own."""
    found = {}
    for thing in gc.get_objects():
        if issubclass(type(thing), torch.nn.Module) and "_parameters" in vars(thing):
            tensors = tensors_of_modules(thing)
        elif issubclass(type(thing), torch.optim.Optimizer) and "state" in vars(thing):
            tensors = tensors_of_optimizers(thing, torch)
        else:
            continue
        for tensor, role, name in tensors:
            address = address_of(tensor)
            if address:
                found.setdefault(address, {"addr": address, "role": role, "name": name})
    return list(found.values())


# ---- what is told ----

def words_of(device, events, steps, frames):
    most, reached = highest(events)
    if reached is None:
        return f"memory of {device}: nothing was held beyond what was there when its pass began"
    step = step_at(reached.start_time_ns, steps)
    words = (f"memory of {device}: at most {in_bytes(most)} beyond what was held when its pass began"
             f"{'' if step is None else f', in step {step}'}")
    line, size, count = by_line(live_at(events, reached), frames)[0]
    if line is None:
        return words
    return f"{words}; {in_bytes(size)} of it from {os.path.basename(line[0])}:{line[1]}, in {count} allocation{'s' * (count > 1)}"


class MemoryPass(Pass):
    """The profiler, with allocations and, where they break nothing, stacks."""

    def __init__(self, recorder, kind, at_step):
        self.history = None
        super().__init__(recorder, kind, at_step)

    def options(self):
        return {"profile_memory": True, "with_stack": not why_no_stacks(self.recorder.torch)}

    def begin(self):
        self.history = History(self.recorder)
        self.history.begin()
        super().begin()

    def path(self):
        return os.path.join(TO, f"{self.recorder.base}.memory.json.gz")

    def save(self, profiler):
        super().save(profiler)
        self.history.save()
        events = list(walk(profiler.profiler.kineto_results.experimental_event_tree()))
        steps = [event for event in events if event.name.startswith("ProfilerStep#")]
        frames = Frames()
        for device, of_device in sorted(by_device(events).items()):
            self.recorder.note("found", words_of(device, of_device, steps, frames))

    def end(self):
        super().end()
        self.history.end()

    def abandon(self):
        super().abandon()
        self.history.end()


class History:
    """Of CUDA's allocator, as PyTorch keeps it by itself: its blocks and what was done to them, with Python's lines."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.memory = recorder.torch.cuda.memory
        self.on = False

    def why_not(self):
        torch = self.recorder.torch
        if not torch.cuda.is_initialized():  # to ask for more would initialise it
            return "the script uses no CUDA device"
        if not hasattr(torch._C, "_cuda_isHistoryEnabled"):
            return f"PyTorch {torch.__version__} does not say whether the script keeps it already"
        if torch._C._cuda_isHistoryEnabled():
            return "the script keeps it already"
        return ""

    def begin(self):
        if not self.why_not():
            self.memory._record_memory_history(max_entries=HISTORY_ENTRIES, stacks="python")
            self.on = True

    def save(self):
        if not self.on:
            return
        name = f"{self.recorder.base}.memory.pickle"
        snapshot = self.memory._snapshot()
        snapshot["steptime_owners"] = owners(self.recorder.torch)
        with Whole(os.path.join(TO, name)) as part, open(part, "wb") as file:
            pickle.dump(snapshot, file)
        self.recorder.note("found", f"history of CUDA's allocator: {name}, which 'steptime memory' shows, and PyTorch's memory_viz")

    def end(self):
        on, self.on = self.on, False
        if on:
            self.memory._record_memory_history(enabled=None)


def why_no_memory(torch):
    """Where allocations are not told; "": they are."""
    if not torch.profiler.kineto_available():
        return "no memory: this PyTorch was built without Kineto, and its traces hold no allocations"
    return ""
