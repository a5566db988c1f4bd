# SPDX-License-Identifier: Apache-2.0
"""Runs inside the interpreter of a script that steptime verifies: seeds it, and records its losses or its steps.

It lies as sitecustomize.py in a folder that is first on PYTHONPATH (see inside.py), so it starts before the script, which
it leaves alone otherwise.

What it records goes, a line an event, to the file named by STEPTIME_RECORD:

    I <torch> <python>         the versions
    L <hexadecimal float>      losses: backward() was called on this scalar
    U                          losses: backward() was called on something that is no scalar
    B <ns>                     times: backward() returned
    S <ns>                     an optimizer step returned (losses: without a time)
    G <ns>                     times, at the end: the device reached the end of a step, counted from the first
    D <name>                   at the end: the device
    T <hash> <count> <offset> <key>   saved: a tensor in torch.save; its values lie in the file of values
    F <path>                   at the end: a file of Python that was imported, or is the script, without links in its path
    R <hash> <what> <place>   draws: what was drawn by chance, and where (draws.py)
    W O K P                    looks: waits for loaders, steps of optimizers, and what both are like (settings.py)
    X                          the script was stopped because it reached its last step

That it was loaded at all says an empty file beside it, <STEPTIME_RECORD>.loaded.

The first process that records anything makes the file and is the only one to write it: workers of a loader, other
ranks and forked children find it taken.
"""
import os
import sys

from steptime_inside import FirstOptimizer, Outermost, Waiting, as_function, run_the_one_in_its_place, watch_steps

PATH = os.environ.get("STEPTIME_RECORD")
WANTED = os.environ.get("STEPTIME_RECORD_WHAT", "")   # losses, times, draws, looks; with "+saved"
SEED = int(os.environ.get("STEPTIME_RECORD_SEED", "0"))
LAST_STEP = int(os.environ.get("STEPTIME_RECORD_STEPS", "0"))  # 0: let it run to its end
OF_PROCESSORS = os.environ.get("STEPTIME_RECORD_CLOCK") == "processor"
MOST_SAVED_VALUES = 1 << 25  # of all tensors together; beyond that only hashes are kept


class Record:
    """The file, opened by the first process that has something to say and by no other."""

    def __init__(self):
        self.process = os.getpid()
        self.file = None
        self.refused = os.environ.get("RANK", "0") != "0"
        self.torch = None
        self.steps = 0
        self.stopped = False
        self.events = []
        self.saved_values = 0
        self.early = []

    def open(self):
        if self.file is None and not self.refused and os.getpid() == self.process:
            try:
                self.file = os.open(PATH, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
                self.put(f"I {self.torch.__version__} {sys.version.split()[0]}")
            except OSError:
                self.refused = True
        return self.file is not None and os.getpid() == self.process

    def put(self, line):
        os.write(self.file, (line + "\n").encode())

    def say(self, line):
        if self.open():
            self.put(line)

    def say_before_torch(self, line):
        """What comes before the file is there waits for it: a script may draw before it imports PyTorch."""
        if self.torch is None:
            self.early.append(line)
        elif self.open():
            for before in self.early:
                self.put(before)
            self.early = []
            self.put(line)

    def on_device(self):
        return self.torch.cuda.is_available() and self.torch.cuda.is_initialized()

    def mark_on_device(self):
        """The device notes when it gets here; nobody waits for it."""
        if self.on_device():
            event = self.torch.cuda.Event(enable_timing=True)
            event.record()
            self.events.append(event)

    def finish(self):
        """Once, when the script ends or is stopped: what the device noted."""
        if self.file is None or os.getpid() != self.process:
            return
        events, self.events = self.events, []
        if events:
            self.torch.cuda.synchronize()
            for event in events:
                self.put(f"G {round(events[0].elapsed_time(event) * 1e6)}")
        if self.on_device():
            self.put(f"D {self.torch.cuda.get_device_name()}")
        for line in settings.lines() if settings and settings.say else ():
            self.put(line)
        for path in files_of_modules():
            self.put(f"F {path}")


def files_of_modules():
    """That are not part of an installed package."""
    paths = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    paths = {os.path.realpath(path) for path in paths if isinstance(path, str) and path.endswith(".py")}
    return sorted(path for path in paths if "\n" not in path and f"{os.sep}site-packages{os.sep}" not in path)


record = Record()
first = FirstOptimizer()


# ---- what is recorded ----

def take_loss(tensors):
    torch = record.torch
    for tensor in [tensors] if isinstance(tensors, torch.Tensor) else list(tensors):
        scalar = isinstance(tensor, torch.Tensor) and tensor.numel() == 1 and not tensor.is_complex()
        record.say("L " + float(tensor.detach().double().item()).hex() if scalar else "U")


def now_ns():
    """By the wall clock; or how long this process, all its threads, has been on processors."""
    import time
    return time.process_time_ns() if OF_PROCESSORS else time.perf_counter_ns()


def end_step(optimizer):
    if not first.makes(optimizer) or not record.open():
        return
    record.steps += 1
    if WANTED.startswith(("times", "looks")):
        now = now_ns()
        if not OF_PROCESSORS:
            record.mark_on_device()
        record.put(f"S {now}")
    else:
        record.put("S")
    if LAST_STEP and record.steps >= LAST_STEP:
        stop()


def stop():
    """Ends the script as sys.exit() would; a script that goes on regardless ends at its next step."""
    import threading
    if record.stopped or threading.current_thread() is not threading.main_thread():
        record.finish()
        os._exit(0)
    record.stopped = True
    record.put("X")
    raise SystemExit(0)


def leaves(value, key):
    """The tensors and numbers in what is saved, each with its place."""
    if isinstance(value, dict):
        for name in value:
            yield from leaves(value[name], f"{key}.{name}")
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from leaves(item, f"{key}.{i}")
    elif isinstance(value, record.torch.nn.Module):
        yield from leaves(value.state_dict(), key)
    elif isinstance(value, (bool, int, float)):
        yield record.torch.tensor(value, dtype=record.torch.float64), key
    elif isinstance(value, record.torch.Tensor) and not value.is_complex():
        yield value, key


def bytes_of(tensor):
    import struct
    flat = tensor.detach().cpu().double().reshape(-1)
    try:
        return flat.numpy().tobytes()
    except RuntimeError:  # PyTorch without NumPy
        return struct.pack(f"={len(flat)}d", *flat.tolist())


def take_saved(value):
    import hashlib
    if not record.open():
        return
    for tensor, key in leaves(value, "saved"):
        values = bytes_of(tensor)
        offset = record.saved_values
        if offset + tensor.numel() > MOST_SAVED_VALUES:
            offset = -1
        else:
            record.saved_values += tensor.numel()
            with open(PATH + ".values", "ab") as out:
                out.write(values)
        name = key.encode("unicode_escape").decode()
        record.put(f"T {hashlib.sha256(values).hexdigest()[:32]} {tensor.numel()} {offset} {name}")


# ---- where it is taken ----

def watch_backward(torch):
    def before(tensors=None, *_, **named):
        if WANTED.startswith("losses"):
            take_loss(named.get("tensors", tensors) if tensors is None else tensors)

    def after(*_, **__):
        if WANTED.startswith("times"):
            record.say(f"B {now_ns()}")

    backward = torch.autograd.backward  # Tensor.backward looks it up there
    torch.autograd.backward = as_function(Outermost(backward, before, after), backward)


def watch_save(torch):
    save = torch.save
    torch.save = as_function(Outermost(save, before=lambda obj, *_, **__: take_saved(obj)), save)


# ---- when the script imports it ----

draws = None  # where draws are wanted
settings = None  # where some are looked at, or changed


def torch_is_here(torch):
    import atexit
    record.torch = torch
    torch.manual_seed(SEED)
    atexit.register(record.finish)
    watch_backward(torch)
    watch_steps(torch, end_step)
    if WANTED.endswith("+saved"):
        watch_save(torch)
    if draws:
        draws.watch_torch(torch)
    if settings:
        settings.watch_optimizers(torch)


def loaders_are_here(module):
    if settings:
        settings.watch_loaders(module)


def numpy_is_here(numpy):
    numpy.random.seed(SEED % (1 << 32))
    if draws:
        draws.watch_numpy(numpy)


if PATH and __name__ == "sitecustomize":
    import random
    try:
        open(PATH + ".loaded", "w", encoding="ascii").close()  # also of a script that never trains
    except OSError:
        pass
    random.seed(SEED)
    if WANTED == "draws":
        from steptime_verify_draws import Draws
        draws = Draws(record.say_before_torch)
        draws.watch_python()
    if WANTED == "looks" or os.environ.get("STEPTIME_SETTINGS"):
        from steptime_verify_settings import Settings
        settings = Settings(record.say if WANTED == "looks" else None)
    sys.meta_path.insert(0, Waiting({"torch": torch_is_here, "numpy": numpy_is_here,
                                     "torch.utils.data.dataloader": loaders_are_here}))
    run_the_one_in_its_place()
