# SPDX-License-Identifier: Apache-2.0
"""Waits with the lock held, from code whose file is not UTF-8, while there is garbage whose end gives the lock to another thread.

collected_program.py STUB RECORDER

A wait that never comes back ends the program with a traceback. Else it prints how many collections began while a wait was under way.
"""
import ctypes
import faulthandler
import gc
import sys
import threading
import time

STUB, RECORDER = sys.argv[1:]
WAIT = """
def wait_amid_garbage():
    gc.disable()
    Garbage()
    gc.set_threshold(1)
    kept = [[] for _ in range(10)]
    gc.enable()  # a collection begins with the next object that may be in a cycle
    begin_wait()
    return kept
"""
WAIT_LINE = 1 + WAIT.split("\n").index("    begin_wait()")
begin_wait = ctypes.PyDLL(STUB).stub_wait
is_over = False
lines = []


class Garbage:
    def __init__(self):
        self.itself = self

    def __del__(self):
        lines.append(sys._getframe(1).f_lineno)
        time.sleep(0.002)


def wait_in_another():
    while not is_over:
        begin_wait()


faulthandler.dump_traceback_later(20, exit=True)
assert ctypes.PyDLL(RECORDER).InitializeInjection() == 1
exec(compile(WAIT, "odd\udc80.py", "exec"))
thread = threading.Thread(target=wait_in_another)
thread.start()
for _ in range(50):
    wait_amid_garbage()
    assert gc.isenabled()
is_over = True
thread.join()
assert len(lines) == 50
print(lines.count(WAIT_LINE))
