# SPDX-License-Identifier: Apache-2.0
"""For run.py: calls of modules before backward(). Each begins and ends among the lives of storages, with what it returns, and
in the execution trace by nodes `steptime::call N` and `steptime::return N`.

It lies as steptime_dry_calls.py beside the sitecustomize.py that run.py is. Lines of the table of memory:

    m  <n> <class>              the call of a module begins
    e  <n> <storage>,<storage>  it ends, and returns these
"""
import functools

from steptime_dry_plan import mark
from steptime_dry_storages import storage_of

DEEPEST = 5  # of lists within what a module returns


def tensors_of(torch, value, depth=0):
    if isinstance(value, torch.Tensor):
        yield value
    elif depth < DEEPEST and isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_of(torch, item, depth + 1)
    elif depth < DEEPEST and isinstance(value, dict):
        for item in list(value.values()):
            yield from tensors_of(torch, item, depth + 1)


class Calls:
    def __init__(self, memory, marks, batch):
        """batch: hears of calls that no other is around."""
        self.memory, self.torch, self.marks, self.batch = memory, memory.torch, marks, batch
        self.made = 0
        self.depth = 0

    def watch(self):
        Module = self.torch.nn.Module
        given = Module.__call__

        @functools.wraps(given)
        def wrapper(module, *arguments, **named):
            if not self.is_forward():
                return given(module, *arguments, **named)
            if not self.depth:
                self.batch.see_call(module, arguments, named)
            number = self.begin(module)
            result = None
            try:
                result = given(module, *arguments, **named)
            finally:
                self.end(number, result)
            return result
        Module.__call__ = wrapper

    def is_forward(self):
        """What comes behind a backward() is the next forward, where gradients are accumulated."""
        if self.memory.storages.phase == "other" and not self.depth:
            self.memory.storages.phase = self.memory.on_host.phase = "forward"
        return self.memory.storages.phase == "forward"

    def begin(self, module):
        self.made += 1
        self.depth += 1
        self.note(f"m\t{self.made}\t{type(module).__name__}")
        self.mark("call", self.made)
        return self.made

    def end(self, number, result):
        self.depth -= 1
        self.mark("return", number)
        returned = [storage_of(tensor) for tensor in tensors_of(self.torch, result)]
        for storages in (self.memory.storages, self.memory.on_host):
            numbers = (storages.numbers.get(storage._cdata) for storage in returned if storage is not None)
            storages.events.append(f"e\t{number}\t{','.join(str(one) for one in numbers if one)}")

    def note(self, line):
        self.memory.storages.events.append(line)
        self.memory.on_host.events.append(line)

    def mark(self, what, number):
        if self.marks:
            mark(self.torch, f"steptime::{what} {number}")
