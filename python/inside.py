# SPDX-License-Identifier: Apache-2.0
"""What capture.py and record.py share: how they get into a script's interpreter and hear of its steps.

It lies as steptime_inside.py beside the module that python loads as sitecustomize.py, in a folder that is first on
PYTHONPATH. It imports neither numpy nor torch; it waits until the script does.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


# ---- calls ----

class Outermost:
    """A function that tells `before` or `after` of its outermost call in a thread, not of calls within."""

    def __init__(self, function, before=None, after=None):
        import threading
        self.function, self.before, self.after = function, before, after
        self.thread = threading.local()

    def __call__(self, *arguments, **named):
        if getattr(self.thread, "inside", False):
            return self.function(*arguments, **named)
        if self.before:
            self.before(*arguments, **named)
        self.thread.inside = True
        try:
            result = self.function(*arguments, **named)
        finally:
            self.thread.inside = False
        if self.after:
            self.after(*arguments, **named)
        return result


def as_function(outermost, function):
    import functools

    @functools.wraps(function)
    def wrapper(*arguments, **named):
        return outermost(*arguments, **named)
    del wrapper.__wrapped__  # the compiler peels wrappers off by it
    wrapper._torchdynamo_disable = True
    wrapper.steptime = True
    return wrapper


# ---- steps ----

class FirstOptimizer:
    """Steps are those of one optimizer, the first to make one: a pair of networks has two."""

    def __init__(self):
        self.known = None

    def makes(self, optimizer):
        import weakref
        if self.known is None or self.known() is None:
            self.known = weakref.ref(optimizer)
        return self.known() is optimizer


def watch_steps(torch, ended):
    """ended(optimizer) behind each outermost step. Each class of optimizers is watched from its first instance on, from
    the outside of whatever else wraps its step."""
    base = torch.optim.Optimizer
    nested = Outermost(lambda step, *arguments, **named: step(*arguments, **named),
                       after=lambda step, optimizer, *_, **__: ended(optimizer))

    def watch(kind):
        step = kind.step
        if getattr(step, "steptime", False):
            return
        kind.step = as_function(lambda *arguments, **named: nested(step, *arguments, **named), step)

    def then_watch(function):
        def wrapper(self, *arguments, **named):
            function(self, *arguments, **named)
            watch(type(self))
        return wrapper

    base.__init__ = then_watch(base.__init__)
    base.__setstate__ = then_watch(base.__setstate__)


# ---- when the script imports it ----

class Waiting:
    """For sys.meta_path: a finder that finds nothing itself: it hears of the modules it waits for when they were imported."""

    def __init__(self, then):
        self.then = then

    def find_spec(self, name, path=None, target=None):
        hear = self.then.pop(name, None)
        if hear is None:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self and hasattr(finder, "find_spec") else None
            if spec and spec.loader:
                self.listen(spec.loader, hear)
                return spec
        self.then[name] = hear
        return None

    @staticmethod
    def listen(loader, hear):
        execute = loader.exec_module

        def exec_module(module):
            loader.exec_module = execute
            execute(module)
            hear(module)
        loader.exec_module = exec_module


def run_the_one_in_its_place():
    """The sitecustomize that python would have found without this one."""
    import importlib.machinery
    import importlib.util
    elsewhere = [folder for folder in sys.path if os.path.abspath(folder or ".") != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)
