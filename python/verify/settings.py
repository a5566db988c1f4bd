# SPDX-License-Identifier: Apache-2.0
"""For capture.py: settings of a script's loaders and optimizers, seen or changed from outside.

It lies as steptime_verify_settings.py beside the sitecustomize.py that capture.py is. STEPTIME_SETTINGS holds words:

    0.num_workers=2        the first loader that this process makes gets this argument, whatever the script gave
    fused=True             optimizers that have such an argument, and were not told, get it

Where it looks it writes, a line an event:

    W <loader> <ns> <ns>   a batch was waited for so long; and so much of it the thread was on a processor
    O <ns>                 an optimizer's step took so long; of processors where steps are timed so
    K <workers> <prefetch> <batch> <epochs> <batches> <pins> <persists> <place>   at the end: a loader, in the order of making
    P <may be fused> <place>                                                      at the end: the optimizer that made the first step
"""
import functools
import inspect
import os
import sys
import time
import weakref

from steptime_verify_draws import place

OPTIMIZERS = ("Adam", "AdamW", "SGD", "Adagrad")
OF_PROCESSORS = os.environ.get("STEPTIME_RECORD_CLOCK") == "processor"
now_ns = time.process_time_ns if OF_PROCESSORS else time.perf_counter_ns  # of optimizers, as of steps


def value_of(text):
    return {"True": True, "False": False}.get(text) if text in ("True", "False") else int(text)


def words_of(text):
    """By loader, and under None of optimizers."""
    words = {}
    for word in text.split():
        name, _, value = word.partition("=")
        loader, dot, name = name.rpartition(".")
        words.setdefault(int(loader) if dot else None, {})[name] = value_of(value)
    return words


def is_started_by_another():
    """A worker, by fork or spawn: what it makes is no loader of the training."""
    import multiprocessing
    return multiprocessing.parent_process() is not None


class Timed:
    """The batches of a loader, and how long each was waited for."""

    def __init__(self, inner, loader, say):
        self.inner, self.loader, self.say = inner, loader, say

    def __iter__(self):
        return self

    def __len__(self):
        return len(self.inner)

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __next__(self):
        begin, worked = time.perf_counter_ns(), time.thread_time_ns()
        batch = next(self.inner)
        self.loader.batches += 1
        self.say(f"W {self.loader.number} {time.perf_counter_ns() - begin} {time.thread_time_ns() - worked}")
        return batch


class Loader:
    def __init__(self, number, where):
        self.number, self.place, self.epochs, self.batches, self.like = number, where, 0, 0, (0, 0, 0, 0, 0)

    def take(self, made):
        sizes = [getattr(made, name, None) or 0 for name in ("num_workers", "prefetch_factor", "batch_size")]
        self.like = (*sizes, int(bool(getattr(made, "pin_memory", 0))), int(bool(getattr(made, "persistent_workers", 0))))

    def line(self):
        workers, prefetch, batch, pins, persists = self.like
        return f"K {workers} {prefetch} {batch} {self.epochs} {self.batches} {pins} {persists} {escaped(self.place)}"


def escaped(where):
    return where.encode("unicode_escape").decode()


class Settings:
    """say: where it looks; None where it only changes."""

    def __init__(self, say):
        self.words, self.say = words_of(os.environ.get("STEPTIME_SETTINGS", "")), say
        self.loaders, self.known = [], weakref.WeakKeyDictionary()
        self.places = weakref.WeakKeyDictionary()
        self.optimizer = None
        self.began = 0

    def lines(self):
        yield from (loader.line() for loader in self.loaders)
        if self.optimizer:
            yield self.optimizer

    # ---- loaders ----

    def watch_loaders(self, module):
        kind = module.DataLoader
        make, iterate = kind.__init__, kind.__iter__
        signature = inspect.signature(make)

        @functools.wraps(make)
        def init(made, *arguments, **named):
            if is_started_by_another():
                return make(made, *arguments, **named)
            loader = Loader(len(self.loaders), place())
            self.loaders.append(loader)
            bound = signature.bind(made, *arguments, **named)
            change_loader(bound.arguments, self.words.get(loader.number, {}))
            make(*bound.args, **bound.kwargs)
            loader.take(made)
            self.known[made] = loader
            return None

        @functools.wraps(iterate)
        def begin(made):
            batches = iterate(made)
            loader = self.known.get(made)
            if loader is None:
                return batches
            loader.epochs += 1
            return Timed(batches, loader, self.say)

        kind.__init__ = init
        if self.say:
            kind.__iter__ = begin

    # ---- optimizers ----

    def watch_optimizers(self, torch):
        for name in OPTIMIZERS if self.words.get(None, {}).get("fused") else ():
            fuse(getattr(torch.optim, name, None))
        hooks = sys.modules.get("torch.optim.optimizer")  # a name that torch.optim deletes from itself
        if not self.say or not hasattr(hooks, "register_optimizer_step_post_hook"):
            return
        base = torch.optim.Optimizer
        make = base.__init__

        def init(optimizer, *arguments, **named):
            self.places[optimizer] = place()
            make(optimizer, *arguments, **named)
        base.__init__ = init
        hooks.register_optimizer_step_pre_hook(self.begin_step)
        hooks.register_optimizer_step_post_hook(self.end_step)

    def begin_step(self, *_):
        self.began = now_ns()

    def end_step(self, optimizer, *_):
        self.say(f"O {now_ns() - self.began}")
        if self.optimizer is None:
            self.optimizer = f"P {int(may_be_fused(optimizer))} {escaped(self.places.get(optimizer, ''))}"


def change_loader(arguments, words):
    arguments.update(words)


def may_be_fused(optimizer):
    """It has that argument and nobody said which way it is to go."""
    groups = optimizer.param_groups
    return (type(optimizer).__name__ in OPTIMIZERS and type(optimizer).__module__.startswith("torch.")
            and all("fused" in group and group["fused"] is None and group.get("foreach") is None for group in groups)
            and all(parameter.is_floating_point() for group in groups for parameter in group["params"]))


def fuse(kind):
    if kind is None or "fused" not in inspect.signature(kind.__init__).parameters:
        return
    make = kind.__init__
    signature = inspect.signature(make)

    @functools.wraps(make)
    def init(*arguments, **named):
        bound = signature.bind(*arguments, **named)
        if bound.arguments.get("fused") is None and bound.arguments.get("foreach") is None:
            bound.arguments["fused"] = True
        make(*bound.args, **bound.kwargs)
    kind.__init__ = init
