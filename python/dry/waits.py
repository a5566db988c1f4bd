# SPDX-License-Identifier: Apache-2.0
"""For run.py: where the host would wait for a CUDA device, in which order, and what the device had been given since the wait
before. Only where STEPTIME_DRY_WAITS is set.

It lies as steptime_dry_waits.py beside the sitecustomize.py that run.py is; operators.py knows operators, pins.py
pinned memory and loaders, lines.py which lines ran. Rows go to STEPTIME_DRY_TO/waits, their words apart by tabs, as
doc/dry-waits.md says.
"""
import os
import sys

from steptime_dry_lines import Lines, real_path
from steptime_dry_memory import tensors_in
from steptime_dry_operators import Operators
from steptime_dry_pins import Loaders, Pins
from steptime_dry_plan import TO, is_installed, is_ours, is_torch

VERSION = 1
MOST_ROWS = 200000
MOST_AROUND = 3
OF_BATCH = "a batch to the device"
WAITING_CALLS = {"item": ".item()", "tolist": ".tolist()", "numpy": ".numpy()", "__array__": "numpy.asarray()",
                 "__int__": "int()", "__float__": "float()", "__index__": "an index", "__bool__": "bool()",
                 "__format__": "format()", "__repr__": "print()", "__contains__": "in"}
KINDS = {".item()": "item", ".tolist()": "tolist", ".numpy()": "numpy", "numpy.asarray()": "numpy", "int()": "number",
         "float()": "number", "an index": "index", "bool()": "bool", "in": "bool", "format()": "print", "print()": "print"}
BETWEEN = tuple(os.path.join("torch", *path) for path in (("_compile.py",), ("_dynamo", "eval_frame.py"),
                                                              ("_dynamo", "external_utils.py")))
BUILDS = ("tensor", "as_tensor", "asarray")


def is_between(path):
    """Ours, and what PyTorch puts around the functions of modes."""
    return is_ours(path) or path.endswith(BETWEEN)


def places():
    """FILE:LINE of the innermost frame of the script's own; of the package's within, or "-"; and of the script's own around it,
    the innermost first."""
    frame, via, own = sys._getframe(2), "-", []
    while frame and len(own) <= MOST_AROUND:
        path = frame.f_code.co_filename
        if not is_between(path):
            if not is_installed(path):
                own.append(f"{real_path(path)}:{frame.f_lineno}".replace("|", "/"))
            elif via == "-" and not own and not path.startswith("<"):
                via = f"{path}:{frame.f_lineno}"
        frame = frame.f_back
    return (own[0] if own else "?:1"), via, "|".join(own[1:]) or "-"


class Waits:
    def __init__(self, torch, where):
        self.torch, self.where = torch, where  # where: dry_places.Places
        self.operators = Operators(torch)
        self.pins = Pins(torch)
        self.lines = Lines()
        self.loaders = Loaders(torch, self.pins, self.lines)
        self.rows = []
        self.dropped = 0
        self.stays = {}  # place, via, call: times and bytes of copies that wait for nothing
        self.step = 1
        self.queued = self.heavy = 0  # since the last wait
        self.call = None  # the outermost call of a tensor's that waits
        self.told = 0  # rows ever
        self.quiet = False
        self.over = False

    # ---- rows ----

    def add(self, kind, call, size):
        """The host waits: the device is empty behind it."""
        if self.quiet or self.over:
            return
        where, via, around = places()
        self.told += 1
        if len(self.rows) < MOST_ROWS:
            self.rows.append(("w", self.step, kind, size, self.queued, self.heavy, where, via, around, call))
        else:
            self.dropped += 1
        self.queued = self.heavy = 0

    def launch(self, heavy):
        self.queued += 1
        self.heavy += heavy

    def stay(self, call, size):
        where, via, _ = places()
        key = (where, via, call)
        if key in self.stays or len(self.stays) < MOST_ROWS:
            seen = self.stays.setdefault(key, [0, 0])
            seen[0] += self.lines.round > 0
            seen[1] += size
        self.launch(False)

    def end_step(self):
        self.rows.append(("s", self.step, self.queued, self.heavy))
        self.step += 1
        self.lines.begin_round()

    def begin_anew(self):
        """The steps so far were none: what was before the first."""
        self.rows = [(row[0], 1, *row[2:]) for row in self.rows if row[0] != "s"]
        self.step = 1
        for seen in self.stays.values():
            seen[0] = 0
        self.loaders.begin_anew()
        self.lines.begin_anew()

    def close(self):
        """Before the file is written: nothing more is heard."""
        self.over = True
        self.lines.stop()

    def write(self):
        with open(os.path.join(TO, "waits"), "w", encoding="utf-8", errors="replace") as out:
            out.write(f"steptime-waits\t{VERSION}\n")
            for row in self.all_rows():
                out.write("\t".join(str(word).replace("\t", " ").replace("\n", " ") for word in row) + "\n")
            out.write("end\n")

    def all_rows(self):
        yield from self.rows
        for (where, via, call), (times, size) in self.stays.items():
            yield ("c", times, size, where, via, call)
        yield from self.loaders.rows()
        yield from self.lines.rows()
        if self.dropped or self.lines.full:
            yield ("m", self.dropped, int(self.lines.full))

    # ---- operators ----

    def enter(self):
        self.pins.watch()
        self.loaders.watch()
        self.watch_tensors()
        self.watch_building()
        self.watch_synchronisations()
        self.watching().__enter__()

    def watching(self):
        waits, torch = self, self.torch
        from torch.utils._python_dispatch import TorchDispatchMode

        class Watching(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                kwargs = kwargs or {}
                if func.namespace == "prim":  # questions
                    return func(*args, **kwargs)
                given = list(tensors_in(torch, (*args, *kwargs.values())))
                there = [waits.where.lies_there(tensor) for tensor in given]
                result = func(*args, **kwargs)
                made = list(tensors_in(torch, result if isinstance(result, (list, tuple)) else (result,)))
                waits.see(func, args, kwargs, given, there, made)
                return result
        return Watching()

    def see(self, func, args, kwargs, given, there, made):
        from_device = any(there)
        to_device = any(map(self.where.lies_there, made))
        name = self.operators.name(func)
        if name in ("_to_copy", "copy_"):
            if is_sparse(args[0]):
                self.see_sparse(args[0], made[0], kwargs)
            else:
                self.see_copy(func, args, kwargs, there, to_device)
            return
        if not from_device and not to_device:
            return
        if from_device:
            self.see_upload_of_index(name, args, there)
            kind = self.operators.waits(func, args, kwargs, self.where.lies_there)
            if kind == "value":
                self.add(KINDS.get(self.call, "item"), self.call or "a value is read", size_of(given[0]))
                return
            if kind:
                self.add(kind, name, sum(map(size_of, made)))
                self.launch(False)  # what it fills
                return
        if self.operators.launches(func):
            self.launch(self.operators.is_heavy(name, given, made))

    def see_copy(self, func, args, kwargs, there, to_device):
        """`_to_copy` of one tensor, `copy_` into the first of two."""
        into = self.operators.name(func) == "copy_"
        source, from_device = (args[1], there[1] if len(there) > 1 else False) if into else (args[0], there[0])
        if into and not there[0]:
            to_device = False
            if from_device:
                self.where.on_device.discard(self.where.address(args[0]))
        waits = not (kwargs.get("non_blocking") or (into and len(args) > 2 and args[2]))
        if from_device == to_device:
            if to_device:
                self.launch(self.operators.is_heavy("copy", [source], []))
        elif to_device:
            self.see_upload(source, waits)
        else:
            self.see_read_back(args[0], source, into, waits)

    def see_sparse(self, source, made, kwargs):
        """It has several storages: where it lies is kept with itself."""
        there = getattr(source, "steptime_lies_there", False)
        made.steptime_lies_there = there if self.where.goes_to is None else self.where.goes_to
        if made.steptime_lies_there and not there and not kwargs.get("non_blocking"):
            self.add("upload", "a copy to the device", size_of(source))
        elif there and not made.steptime_lies_there:
            self.add("cpu", self.call or "a copy to the host", size_of(source))

    def see_upload(self, source, waits):
        call = OF_BATCH if self.pins.is_of_loader(source) else "a copy to the device"
        if waits:
            self.launch(False)
            self.queued -= 1  # its own copy is no queue
            self.add("upload", call, size_of(source))
        elif self.pins.is_pinned(source):
            self.stay("pinned", size_of(source))
        else:
            self.stay("pageable", size_of(source))

    def see_read_back(self, into_what, source, into, waits):
        if not waits and (not into or self.pins.is_pinned(into_what)):
            self.stay("to host", size_of(source))  # PyTorch pins what it makes for such a copy
        else:
            self.add("cpu", self.call or "a copy to the host", size_of(source))

    def see_upload_of_index(self, name, args, there):
        """A device tensor is indexed by tensors of the host: these are copied first."""
        if name not in ("index", "index_put", "index_put_", "_index_put_impl_") or not there[0]:
            return
        on_host = [index for index in args[1] if isinstance(index, self.torch.Tensor) and not self.where.lies_there(index)]
        if on_host and not within_torch():
            self.add("host-index", name, sum(map(size_of, on_host)))

    # ---- calls ----

    def watch_tensors(self):
        for name, call in WAITING_CALLS.items():
            self.watch_call(self.torch.Tensor, name, call)
        self.torch._subclasses.fake_tensor.FakeTensor.tolist = self.torch.Tensor.tolist
        one_hot = self.torch.nn.functional.one_hot

        def one_hot_as_there(tensor, num_classes=-1):
            before, self.quiet = self.quiet, self.quiet or num_classes >= 0
            try:
                return one_hot(tensor, num_classes)  # only the host looks whether classes are in their range
            finally:
                self.quiet = before
        self.torch.nn.functional.one_hot = one_hot_as_there

    def watch_call(self, kind, name, call):
        given, waits = getattr(kind, name), self

        def wrapper(tensor, *arguments, **named):
            if waits.call is not None or not waits.where.lies_there(tensor):
                return given(tensor, *arguments, **named)
            waits.call, told = call, waits.told
            try:
                return given(tensor, *arguments, **named)
            finally:
                waits.call = None
                if waits.told == told:
                    waits.add(KINDS[call], call, size_of(tensor))
        wrapper.__name__, wrapper.__wrapped__ = name, getattr(given, "__wrapped__", given)
        setattr(kind, name, wrapper)

    def watch_building(self):
        """Out of values of the host, at once on the device: PyTorch makes them there first, and copies."""
        for name in BUILDS:
            self.watch_build(self.torch, name)
        self.watch_build(self.torch.Tensor, "new_tensor", of_tensor=True)

    def watch_build(self, kind, name, of_tensor=False):
        given, waits = getattr(kind, name), self

        def wrapper(*arguments, **named):
            told = waits.told
            result = given(*arguments, **named)
            data = arguments[of_tensor] if len(arguments) > of_tensor else named.get("data")
            if of_tensor and "device" not in named and waits.where.lies_there(arguments[0]):
                waits.where.put(result)
            is_there = isinstance(data, waits.torch.Tensor) and waits.where.lies_there(data)
            if waits.told == told and waits.where.lies_there(result) and not is_there:
                waits.add("built", name, size_of(result))
            return result
        wrapper.__name__, wrapper.__doc__ = name, given.__doc__
        setattr(kind, name, wrapper)

    def watch_synchronisations(self):
        torch = self.torch
        self.watch_wait(torch.cuda, "synchronize", "torch.cuda.synchronize()", "sync")
        self.watch_wait(torch.cuda, "empty_cache", "torch.cuda.empty_cache()", "sync")
        self.watch_wait(torch.cuda.Stream, "synchronize", "Stream.synchronize()", "sync")
        self.watch_wait(torch.cuda.Event, "synchronize", "Event.synchronize()", "sync")
        torch.cuda.memory.empty_cache = torch.cuda.empty_cache
        if hasattr(torch, "accelerator"):
            self.watch_wait(torch.accelerator, "synchronize", "torch.accelerator.synchronize()", "sync")

    def watch_wait(self, kind, name, call, of):
        given, waits = getattr(kind, name, None), self
        if given is None:
            return

        def wrapper(*arguments, **named):
            waits.add(of, call, 0)
            return given(*arguments, **named)
        setattr(kind, name, wrapper)


def is_sparse(tensor):
    return str(tensor.layout) != "torch.strided"


def size_of(tensor):
    try:
        return tensor.numel() * tensor.element_size()
    except (RuntimeError, NotImplementedError, TypeError):  # sparse ones, and numbers
        return 0


def within_torch():
    """Whether PyTorch's own Python called, which makes its tensors where they really lie."""
    frame = sys._getframe(1)
    while frame and is_between(frame.f_code.co_filename):
        frame = frame.f_back
    return bool(frame) and is_torch(frame.f_code.co_filename)
