# SPDX-License-Identifier: Apache-2.0
"""Waits in all kinds of Python frames, with the lock given back, as PyTorch does; writes what the lines should be.

lines_program.py STUB RECORDER OUT.json

For CPython 3.9 and later, so it keeps to what 3.9 has. A wait's stack is what sys._getframe tells, the innermost 16.
"""
import ctypes
import json
import sys
import threading
import time

STUB, RECORDER, OUT = sys.argv[1:]
unlocked, locked = ctypes.CDLL(STUB), ctypes.PyDLL(STUB)
expected = {}  # native thread -> stacks, in order


def stack_of(frame):
    stack = []
    while frame and len(stack) < 16:
        code = frame.f_code
        stack.append([code.co_filename, code.co_name, code.co_firstlineno, frame.f_lineno])
        frame = frame.f_back
    return stack


def wait(library=unlocked):
    mine, call = expected.setdefault(threading.get_native_id(), []), library.stub_wait
    mine.append(stack_of(sys._getframe())); call()


def deep(n):
    return deep(n - 1) if n else wait()


def generator():
    wait()
    yield 1
    wait()
    yield from inner()


def inner():
    for _ in range(2):
        wait()
        yield 2


def in_blocks():
    try:
        with open(__file__, encoding="utf-8") as _:
            wait()
        raise ValueError
    except ValueError:
        wait()
    finally:
        (wait
         (
         ))


class Thing:
    def __init__(self):
        wait()

    @property
    def value(self):
        return wait()

    def __enter__(self):
        wait()
        return self

    def __exit__(self, *_):
        wait()

    def __lt__(self, other):
        wait()
        return True

    @classmethod
    def made(cls):
        return cls()


async def coroutine():
    wait()
    await other()


async def other():
    wait()


def with_a_cell():
    kept = 1

    def closure():
        wait()
        return kept
    return closure()


def all_kinds():
    deep(3)
    deep(40)
    list(generator())
    [wait() for _ in range(2)]
    {i: wait() for i in range(2)}
    sum(1 for _ in [0, 1] if not wait())
    (lambda: (
        wait()))()
    sorted(range(3), key=lambda _: wait() or 0)
    sorted([Thing(), Thing()])
    in_blocks()
    with Thing.made() as thing:
        thing.value
    try:
        coroutine().send(None)
    except StopIteration:
        pass
    with_a_cell()
    list(map(lambda _: wait(), [1]))


def far_lines():
    """Lines far from the first, and a function so long that its table has entries of every form."""
    body = "".join(f"    x = {i}\n" + "\n" * (i % 5 * 70) for i in range(300))
    text = "def long():\n" + body + "    wait()\n" + "    y = [\n" + "\n" * 300 + "    wait(),\n" + "\n" * 200 + "    1]\n"
    space = {"wait": wait}
    exec(compile(text, "far.py", "exec"), space)
    space["long"]()


def other_names():
    for name in ("\u00e9t\u00e9.py", "\u6a21\u578b.py", "\U0001f600.py", "", "odd\udc80.py", "a" * 3000, "\u00e9" * 3000):
        exec(compile("def \u00fc\u6a21():\n wait()\n\u00fc\u6a21()", name, "exec"), {"wait": wait})


def freed_and_used_again():
    """Code objects that live for a moment, at the same addresses, with other lines each time."""
    for i in range(400):
        exec(compile("\n" * (i % 7) + f"def f{i % 3}():\n" + "\n" * (i % 11) + f" wait()\nf{i % 3}()", f"<{i % 5}>", "exec"),
             {"wait": wait})


def busy(until):
    n = 0
    while time.monotonic() < until:
        n += sum(i for i in range(100))


def with_others():
    """Other threads hold the lock, run, wait themselves, and make and free code meanwhile."""
    until = time.monotonic() + 0.3
    threads = [threading.Thread(target=target, args=args) for target, args in
               [(busy, (until,)), (busy, (until,)), (all_kinds, ()), (freed_and_used_again, ()), (deep, (5,))]]
    for thread in threads:
        thread.start()
    while time.monotonic() < until:
        deep(2)
    for thread in threads:
        thread.join()


def main():
    assert ctypes.CDLL(RECORDER).InitializeInjection() == 1
    for _ in range(1000):  # the main thread runs Python, so what is read can be compared
        pass
    all_kinds()
    wait(locked)
    far_lines()
    other_names()
    freed_and_used_again()
    with_others()
    with open(OUT, "w", encoding="utf-8") as out:
        json.dump(expected, out)


main()
