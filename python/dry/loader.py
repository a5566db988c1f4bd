# SPDX-License-Identifier: Apache-2.0
"""For run.py: what loading a batch takes. A dry run has no data, and what the loader does between its operators is Python, which no
model knows; so behind the last step the loaders that handed out its batches hand out a few more, with data, and are timed. Tensors that
their datasets keep, and that have no data, are made again, of zeros.

It lies as steptime_dry_loader.py beside the sitecustomize.py that run.py is. The time is that of this machine, of one process: reading,
decoding, and putting samples together, but neither a copy to the device nor what workers send. It is that of the clock less what the
thread waited for a processor that another program had.
"""
import time

from steptime_dry_plan import LOADS, REAL, UNTIL, place, short, tell

DEEPEST = 3  # containers in containers, datasets in datasets
MOST_BATCHES = 6
MOST_S = 1.0  # of timing, all loaders together, but one batch of each
MOST_BYTES = 256 << 20  # of tensors that are made again
TOO_LONG_S = 5.0  # a batch that took so long in the dry run is not loaded again


class NotTimed(Exception):
    """Why, as the rest of a sentence."""


class Used:
    """A loader in a step."""

    def __init__(self, loader):
        self.loader, self.batches, self.place = loader, 0, "-"


class Loaders:
    def __init__(self, torch):
        self.torch = torch
        self.used, self.last = {}, {}  # by id of the loader: of this step, and of the last whole one
        self.longest_s = {}  # a batch of it in the whole run, the first included
        self.left_s, self.left_bytes = MOST_S, MOST_BYTES

    def watch(self):
        """The loader knows its iterators, so it is noted where it makes one; what it would have had for workers quiet.py keeps."""
        from torch.utils.data import dataloader
        make, hand_out = dataloader._BaseDataLoaderIter.__init__, dataloader._BaseDataLoaderIter.__next__

        def made(iterator, loader, *more):
            iterator.steptime_loader = loader
            make(iterator, loader, *more)

        def handed_out(iterator):
            began = time.perf_counter()
            batch = hand_out(iterator)
            self.see(iterator.steptime_loader, time.perf_counter() - began)
            return batch
        dataloader._BaseDataLoaderIter.__init__, dataloader._BaseDataLoaderIter.__next__ = made, handed_out

    def see(self, loader, took_s):
        used = self.used.setdefault(id(loader), Used(loader))
        used.batches += 1
        self.longest_s[id(loader)] = max(self.longest_s.get(id(loader), 0.0), took_s)
        used.place = place()

    def end_step(self):
        self.used, self.last = {}, self.used

    # ---- behind the last step, when all else is told: what dies or hangs here takes nothing from it ----

    def tell(self):
        for used in self.last.values() if LOADS else ():
            tell("loading", short(used.place))
            try:
                took_s, worked_s = self.timed(used)
            except Exception as problem:  # pylint: disable=broad-except
                why = problem if isinstance(problem, NotTimed) else f"with data it ends with {type(problem).__name__}: {problem}"
                tell("unloaded", short(used.place), why)
                continue
            tell("load", short(used.place), f"{round(took_s * 1e9)} {used.batches} {workers_of(used.loader)} {round(worked_s * 1e9)}")

    def timed(self, used):
        """Seconds of a batch, and how many of them its thread worked: the middle one of a few, the first of which opens what is opened once."""
        longest_s = self.longest_s[id(used.loader)]
        if longest_s > TOO_LONG_S:
            raise NotTimed(f"a batch took {longest_s:.0f} s in the dry run, too long to load more")
        if 0 < UNTIL < time.clock_gettime(time.CLOCK_MONOTONIC) + 2 * TOO_LONG_S:
            raise NotTimed("the time is nearly up; see --limit")
        with self.with_data(used.loader):
            self.give_data(used.loader.dataset)
            batches = self.batches_of(used.loader)
            self.look(next(batches))
            took = []
            while not took or self.left_s > 0 and len(took) < MOST_BATCHES:
                began, worked, queued = time.perf_counter(), time.thread_time(), queued_s()
                self.look(next(batches))
                clock = time.perf_counter() - began
                took.append((max(clock - (queued_s() - queued), 0.0), time.thread_time() - worked))
                self.left_s -= clock
        return sorted(took)[len(took) // 2]

    def with_data(self, loader):
        """As outside the dry run; a worker computes on one thread."""
        import contextlib
        from torch.utils._python_dispatch import _disable_current_modes
        ways = contextlib.ExitStack()
        ways.enter_context(self.torch._C.DisableTorchFunction())
        ways.enter_context(_disable_current_modes())
        if workers_of(loader):
            ways.callback(self.torch.set_num_threads, self.torch.get_num_threads())
            self.torch.set_num_threads(1)
        return ways

    def give_data(self, dataset, depth=0):
        """To the tensors that it keeps, and those that it is a part or a sum of."""
        Dataset = self.torch.utils.data.Dataset
        for name, value in getattr(dataset, "__dict__", {}).items():
            if isinstance(value, Dataset) and depth < DEEPEST:
                self.give_data(value, depth + 1)
            elif isinstance(value, (list, tuple)) and value and isinstance(value[0], Dataset) and depth < DEEPEST:
                for part in value:
                    self.give_data(part, depth + 1)
            else:
                dataset.__dict__[name] = self.with_zeros(value)

    def with_zeros(self, value, depth=0):
        """The same with data; lists and dictionaries of one depth that hold tensors alone are taken to begin with one."""
        if self.is_without_data(value):
            self.left_bytes -= value.numel() * value.element_size()
            if self.left_bytes < 0:
                raise NotTimed(f"its samples are over {MOST_BYTES >> 20} MiB of tensors that the script made, which have no data here")
            return self.torch.zeros(value.shape, dtype=value.dtype)
        if type(value) in (list, tuple) and value and depth < DEEPEST:
            return type(value)(self.with_zeros(item, depth + 1) for item in value) if self.begins_with_one(value) else value
        if type(value) is dict and value and depth < DEEPEST:
            return {key: self.with_zeros(item, depth + 1) for key, item in value.items()}
        return value

    def begins_with_one(self, value, depth=0):
        while isinstance(value, (list, tuple, dict)) and value and depth < DEEPEST:
            value, depth = next(iter(value.values())) if isinstance(value, dict) else value[0], depth + 1
        return self.is_without_data(value)

    def is_without_data(self, value):
        from torch._subclasses.fake_tensor import FakeTensor
        return isinstance(value, FakeTensor)

    def batches_of(self, loader):
        """As many as are asked for; of a run of few samples with as many as it would have by itself."""
        own = getattr(getattr(loader, "batch_sampler", None), "steptime_own", 0)
        if own and REAL:
            loader.batch_sampler.batch_size = own
        seen = True
        while seen:
            seen = False
            for batch in self.torch.utils.data.dataloader._SingleProcessDataLoaderIter(loader):
                seen = True
                yield batch
        raise NotTimed("it has no batch")

    def look(self, value, depth=0):
        """Nothing is known of a batch without data."""
        if self.is_without_data(value):
            raise NotTimed("its samples are tensors that the script made, which have no data here")
        if isinstance(value, dict) and depth < DEEPEST:
            self.look(list(value.values()), depth + 1)
        elif isinstance(value, (list, tuple)) and depth < DEEPEST:
            for item in value:
                self.look(item, depth + 1)


def queued_s():
    """How long the thread has been ready and without a processor (Linux; else that is not known, and taken for nothing)."""
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as figures:
            return int(figures.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def workers_of(loader):
    return getattr(loader, "steptime_workers", 0)
