# SPDX-License-Identifier: Apache-2.0
"""For dry_run.py: which storages live when, of what kind, and made by which line. Tensors without data have storages without
memory, but these are made and die as those of a real run do.

It lies as steptime_dry_memory.py beside the sitecustomize.py that dry_run.py is. Events go to STEPTIME_DRY_TO/memory, a line
each in their order, words apart by tabs:

    +  <storage> <bytes> <phase> <place>   made; phase: forward, backward or other
    -  <storage>                           died
    k  <storage> <kind>                    it is known to be a parameter, gradient, optimizer or buffer
    s  <n>                                 a step ended
"""
import gc
import os
import weakref

from steptime_dry_plan import TO, place
from steptime_dry_places import Places
from steptime_inside import Outermost, as_function


def tensors_in(torch, values):
    """In lists as well, of which operators have one level."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (item for item in value if isinstance(item, torch.Tensor))


def storage_of(tensor):
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):  # sparse ones have several
        return None


class Storages:
    """Those that live, each with a number of its own."""

    def __init__(self, torch):
        self.torch = torch
        self.numbers = {}  # by address
        self.events = []
        self.made = 0
        self.phase = "forward"

    def add(self, storage):
        if storage is None or storage._cdata in self.numbers:
            return
        self.made += 1
        self.numbers[storage._cdata] = self.made
        self.events.append(f"+\t{self.made}\t{storage.nbytes()}\t{self.phase}\t{place()}")
        weakref.finalize(storage, self.drop, storage._cdata, self.made)

    def drop(self, address, number):
        if self.numbers.get(address) == number:
            del self.numbers[address]
            self.events.append(f"-\t{number}")

    def tell_kind(self, tensor, kind, told):
        storage = storage_of(tensor) if isinstance(tensor, self.torch.Tensor) else None
        number = self.numbers.get(storage._cdata) if storage is not None else None
        if number and number not in told:
            told.add(number)
            self.events.append(f"k\t{number}\t{kind}")


class Memory:
    """Watches every operator, from above PyTorch's mode."""

    def __init__(self, torch, on_device):
        self.torch = torch
        self.storages = Storages(torch)
        self.places = Places(self.storages) if on_device else None
        self.told = set()
        self.steps = 0
        self.mode = self.watching()

    def watching(self):
        memory, torch = self, self.torch
        from torch.utils._python_dispatch import TorchDispatchMode

        class Watching(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                kwargs = kwargs or {}
                result = func(*args, **kwargs)
                given = list(tensors_in(torch, (*args, *kwargs.values())))
                made = list(tensors_in(torch, result if isinstance(result, (list, tuple)) else (result,)))
                memory.see(given, made)
                return result
        return Watching()

    def see(self, given, made):
        if self.places:
            self.places.see(given, made)
        else:
            for tensor in made:
                self.storages.add(storage_of(tensor))

    def enter(self):
        self.watch_backward()
        self.mode.__enter__()

    def watch_backward(self):
        def phase(name):
            def enter(*_, **__):
                self.storages.phase = name
            return enter
        backward = self.torch.autograd.backward
        self.torch.autograd.backward = as_function(Outermost(backward, phase("backward"), phase("other")), backward)

    # ---- kinds, where a step ends: gradients are there, and so is what the optimizer keeps ----

    def end_step(self, optimizer):
        tell = self.storages.tell_kind
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                tell(parameter, "parameter", self.told)
                tell(parameter.grad, "gradient", self.told)
        for state in list(optimizer.state.values()):
            for value in state.values() if isinstance(state, dict) else ():
                tell(value, "optimizer", self.told)
        if not self.steps:
            self.tell_modules()
        self.steps += 1
        self.storages.events.append(f"s\t{self.steps}")
        self.storages.phase = "forward"

    def tell_modules(self):
        """Parameters that no optimizer has, and buffers."""
        Module = self.torch.nn.Module
        for module in [held for held in gc.get_objects() if issubclass(type(held), Module)]:
            for parameter in list(module.__dict__.get("_parameters", {}).values()):
                self.storages.tell_kind(parameter, "parameter", self.told)
            for buffer in list(module.__dict__.get("_buffers", {}).values()):
                self.storages.tell_kind(buffer, "buffer", self.told)

    def write(self):
        with open(os.path.join(TO, "memory"), "w", encoding="utf-8", errors="replace") as out:
            out.writelines(f"{event}\n" for event in self.storages.events)
