# SPDX-License-Identifier: Apache-2.0
"""For waits.py: which tensors of the host lie in pinned memory, and what loaders were asked for. A dry run has no pinned
memory and no workers; what the script asked for is kept beside.

It lies as steptime_dry_pins.py beside the sitecustomize.py that run.py is.
"""
import inspect
import weakref

from steptime_dry_lines import real_path
from steptime_dry_plan import place
from steptime_dry_storages import storage_of

MAKERS = ("empty", "zeros", "ones", "full", "rand", "randn", "randint", "arange", "tensor", "empty_like", "zeros_like",
          "ones_like", "full_like", "empty_strided")
MOST_LOADERS = 10000


class Pins:
    def __init__(self, torch):
        self.torch = torch
        self.pinned = set()  # addresses of storages
        self.of_loaders = set()  # the same, of batches

    def pin(self, tensor):
        storage = storage_of(tensor)
        if storage is not None and storage._cdata not in self.pinned:
            self.pinned.add(storage._cdata)
            weakref.finalize(storage, self.pinned.discard, storage._cdata)
        return tensor

    def note_batch(self, batch):
        for tensor in batch if isinstance(batch, (list, tuple)) else batch.values() if isinstance(batch, dict) else (batch,):
            storage = storage_of(tensor) if isinstance(tensor, self.torch.Tensor) else None
            if storage is not None and storage._cdata not in self.of_loaders:
                self.of_loaders.add(storage._cdata)
                weakref.finalize(storage, self.of_loaders.discard, storage._cdata)

    def is_of_loader(self, tensor):
        storage = storage_of(tensor)
        return storage is not None and storage._cdata in self.of_loaders

    def is_pinned(self, tensor):
        storage = storage_of(tensor)
        return storage is not None and storage._cdata in self.pinned

    def watch(self):
        torch, pins = self.torch, self
        torch.Tensor.pin_memory = lambda tensor, *_, **__: tensor if pins.is_pinned(tensor) else pins.pin(tensor.clone())
        torch.Tensor.is_pinned = lambda tensor, *_, **__: pins.is_pinned(tensor)
        for name in MAKERS:
            self.watch_maker(name)

    def watch_maker(self, name):
        make, pins = getattr(self.torch, name), self

        def maker(*arguments, **named):
            pinned = named.pop("pin_memory", False)
            made = make(*arguments, **named)
            return pins.pin(made) if pinned else made
        maker.__name__, maker.__doc__ = name, make.__doc__
        setattr(self.torch, name, maker)


def real_place(where):
    path, _, line = where.rpartition(":")
    return f"{real_path(path)}:{line}"


class Loader:
    def __init__(self, workers, pins, where):
        self.workers, self.pins, self.where = workers, pins, where
        self.batches = self.batches_before = 0


class Loaders:
    """Each that is made, and whether the steps go over it."""

    def __init__(self, torch, pins, lines):
        self.torch, self.pins, self.lines = torch, pins, lines
        self.made = []

    def watch(self):
        self.watch_making()
        self.watch_batches()

    def watch_making(self):
        kind, loaders = self.torch.utils.data.DataLoader, self
        make = kind.__init__
        signature = inspect.signature(make)

        def wrapper(loader, *arguments, **named):
            make(loader, *arguments, **named)
            try:
                asked = signature.bind(loader, *arguments, **named).arguments
            except TypeError:
                return
            loaders.note(loader, asked, real_place(place()))
        kind.__init__ = wrapper

    def note(self, loader, asked, where):
        if len(self.made) < MOST_LOADERS:
            loader.__dict__["steptime_loader"] = Loader(asked.get("num_workers") or 0, bool(asked.get("pin_memory")), where)
            self.made.append(loader.__dict__["steptime_loader"])

    def watch_batches(self):
        from torch.utils.data import dataloader
        kind, loaders = dataloader._BaseDataLoaderIter, self
        make, give = kind.__init__, kind.__next__

        def begin(iterator, loader):
            make(iterator, loader)
            iterator.steptime_loader = loader.__dict__.get("steptime_loader")

        def following(iterator):
            batch = give(iterator)
            known = iterator.__dict__.get("steptime_loader")
            return batch if known is None else loaders.hand_over(known, batch)
        kind.__init__, kind.__next__ = begin, following

    def hand_over(self, loader, batch):
        if self.lines.round:
            loader.batches += 1
        else:
            loader.batches_before += 1
        if loader.pins:
            from torch.utils.data._utils.pin_memory import pin_memory
            batch = pin_memory(batch)
        self.pins.note_batch(batch)
        return batch

    def begin_anew(self):
        """No round was whole so far."""
        for loader in self.made:
            loader.batches_before += loader.batches
            loader.batches = 0

    def rows(self):
        """l <workers> <pins> <batches in the rounds> <batches before them> <place>"""
        for loader in self.made:
            yield ("l", loader.workers, int(loader.pins), loader.batches, loader.batches_before, loader.where)
