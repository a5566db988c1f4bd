# SPDX-License-Identifier: Apache-2.0
"""For run.py: Python looks for garbage again and again while packages are imported, among more and more objects of which hardly one is.
Until the script makes its first module it looks seldom; from there on as always, but not among what was there before.

It lies as steptime_dry_garbage.py beside the sitecustomize.py that run.py is.
"""
import functools
import gc
import sys
import weakref

SELDOM = (200000, 20, 100)


def is_importing():
    """Packages make modules, too."""
    frame = sys._getframe(1)
    while frame:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


class Garbage:
    def __init__(self):
        self.usual = None  # how often; None: as it is
        self.before = []  # tensors and modules that are no longer looked at

    def put_off(self):
        if gc.isenabled():
            self.usual = gc.get_threshold()
            gc.set_threshold(*SELDOM)

    def watch(self, torch):
        Module = torch.nn.Module
        given = Module.__init__

        @functools.wraps(given)
        def wrapper(module, *arguments, **named):
            if not is_importing():
                Module.__init__ = given
                self.look_again(torch)
            given(module, *arguments, **named)
        Module.__init__ = wrapper

    def look_again(self, torch):
        usual, self.usual = self.usual, None
        if usual is None or gc.get_threshold() != SELDOM:  # the script has its own mind
            return
        kinds = (torch.nn.Module, torch.Tensor)
        self.before = [weakref.ref(held) for held in gc.get_objects() if issubclass(type(held), kinds)]
        gc.freeze()
        gc.set_threshold(*usual)

    def living(self, kind):
        """All objects of that class. (No list of all may be among all: it would hold itself, and everything, until Python looks again.)"""
        now = [held for held in gc.get_objects() if issubclass(type(held), kind)]
        return [held for held in (one() for one in self.before) if issubclass(type(held), kind)] + now


garbage = Garbage()
