# SPDX-License-Identifier: Apache-2.0
"""For run.py: which storages live when, of what kind, and made by which line. Tensors without data have storages without
memory, but these are made and die as those of a real run do.

It lies as steptime_dry_memory.py beside the sitecustomize.py that run.py is. Events go to STEPTIME_DRY_TO/memory, a line
each in their order, words apart by tabs:

    +  <storage> <bytes> <phase> <place>   made; phase: forward, backward or other
    -  <storage>                           died
    k  <storage> <kind>                    it is known to be a parameter, gradient, optimizer, buffer or communication; the last one
                                           that is told counts
    s  <n>                                 a step ended
    b                                      from here on what is made may grow with the batch
"""
import os

from steptime_dry_direct import Fillers, device_of
from steptime_dry_garbage import garbage
from steptime_dry_places import Places
from steptime_dry_plan import REAL, TO, tell
from steptime_dry_real import of_its_library
from steptime_dry_storages import Storages, storage_of
from steptime_dry_values import hear_of_checks
from steptime_inside import Outermost, as_function


def tensors_in(torch, values):
    """In lists as well, of which operators have one level."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (item for item in value if isinstance(item, torch.Tensor))


class Memory:
    """Watches every operator, from above PyTorch's mode."""

    def __init__(self, torch, on_device):
        self.torch = torch
        self.storages = Storages(torch)
        self.on_host = Storages(torch)
        self.places = Places(self.storages, self.on_host) if on_device else None
        self.ranks = None  # of a job: job.py
        self.steps = 0
        self.batches_began = False
        self.mode = self.watching()

    def watching(self):
        memory, torch, hear = self, self.torch, hear_of_checks(self.torch)
        of_library = of_its_library(torch) if REAL else ()
        from torch.utils._python_dispatch import TorchDispatchMode

        asks_device, asked_of, fillers = torch.ops.prim.device.default, device_of(torch), Fillers()

        class Watching(TorchDispatchMode):
            @classmethod
            def _should_skip_dynamo(cls):  # no guard, either
                return False

            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                if func is asks_device:
                    return asked_of(args[0])
                kwargs = kwargs or {}
                if func.namespace == "prim":  # a question
                    return func(*args, **kwargs)
                if memory.ranks:
                    memory.ranks.come(func, args)
                given = list(tensors_in(torch, (*args, *kwargs.values())))
                result = None if not REAL and fillers.fills(func, given) else func(*args, **kwargs)
                made = list(tensors_in(torch, result if isinstance(result, (list, tuple)) else (result,)))
                if func in of_library:
                    made.pop()
                memory.see(given, made)
                if memory.ranks:
                    memory.ranks.see(func, args, kwargs, result)
                hear(func, result)
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
        self.watch_sizes()
        self.mode.__enter__()

    def watch_backward(self):
        def phase(name):
            def enter(*_, **__):
                self.storages.phase = self.on_host.phase = name
                if name == "other" and self.ranks:
                    self.ranks.wait_for_all()
            return enter
        backward = self.torch.autograd.backward
        self.torch.autograd.backward = as_function(Outermost(backward, phase("backward"), phase("other")), backward)

    # ---- kinds, where a step ends: gradients are there, and so is what the optimizer keeps ----

    def end_step(self, optimizer):
        """optimizer: None where there is none."""
        if optimizer is None:
            self.tell_leaves()
        else:
            self.tell_optimizer(optimizer)
        if not self.steps:
            self.tell_modules()
        self.steps += 1
        for storages in (self.storages, self.on_host):
            storages.end_step(self.steps)

    def begin_batches(self):
        """The first batch of another size is about to be loaded."""
        if not self.batches_began:
            for storages in (self.storages, self.on_host):
                storages.events.append("b")
        self.batches_began = True

    def begin_anew(self):
        """The steps so far were none; what lives, lives on."""
        self.steps = 0
        for storages in (self.storages, self.on_host):
            storages.forget_steps()

    def tell_optimizer(self, optimizer):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                self.tell_kind(parameter, "parameter")
                self.tell_kind(parameter.grad, "gradient")
        for state in list(optimizer.state.values()):
            for value in state.values() if isinstance(state, dict) else ():
                self.tell_kind(value, "optimizer")

    def tell_leaves(self):
        """What has gradients and was computed of nothing."""
        for tensor in garbage.living(self.torch.Tensor):
            if tensor.is_leaf and tensor.requires_grad and tensor.grad is not None:
                self.tell_kind(tensor, "parameter")
                self.tell_kind(tensor.grad, "gradient")

    def tell_kind(self, value, kind):
        if isinstance(value, self.torch.Tensor):
            for storages in (self.storages, self.on_host):
                storages.tell_kind(value, kind)

    def tell_communication(self, tensor):
        """Unless it is known as something else, now or later."""
        for storages in (self.storages, self.on_host):
            storages.tell_communication(tensor)

    def watch_sizes(self):
        """Storages that are emptied and filled again, as those of parameters that are gathered."""
        Storage = self.torch.UntypedStorage
        resize = Storage.resize_

        def resized(storage, size):
            result = resize(storage, size)
            for storages in (self.storages, self.on_host):
                storages.resized(storage)
            return result
        Storage.resize_ = resized

    def tell_modules(self):
        """Parameters that no optimizer has, and buffers."""
        for module in garbage.living(self.torch.nn.Module):
            for parameter in list(module.__dict__.get("_parameters", {}).values()):
                self.tell_kind(parameter, "parameter")
            for buffer in list(module.__dict__.get("_buffers", {}).values()):
                self.tell_kind(buffer, "buffer")

    def write(self):
        """Of the device; where the script puts nothing there, of what it would put there: all."""
        nothing = self.places is not None and not self.storages.made
        if nothing:
            tell("nothing")
        with open(os.path.join(TO, "memory"), "w", encoding="utf-8", errors="replace") as out:
            out.writelines(f"{event}\n" for event in (self.on_host if nothing else self.storages).events)
