#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a copy or a wait costs the program more when the CUDA recorder keeps its Python lines.

cuda_lines.py BUILD [PYTHON...]

The same calls of the stub of CUPTI, with the functions told of and not, at several depths of the stack; the least of seven runs each.
The lock is given back before each call, as PyTorch does, so frames are read from memory.
"""
import os
import subprocess
import sys
import tempfile

INNER = """
import ctypes, os, sys, time
stub = ctypes.CDLL(os.environ["STEPTIME_CUPTI"])
ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection()
wait = stub.stub_wait
def work(count):
    begin = time.thread_time()
    for _ in range(count):
        wait()
    return (time.thread_time() - begin) / count * 1e9
def at(depth):
    return at(depth - 1) if depth > 3 else work(20000)
print(min(at(int(sys.argv[1])) for _ in range(7)))
"""


def run(build, python, depth, silent):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "STEPTIME_CUPTI": os.path.join(build, "tests/cuda/libstub_cupti.so"), "STUB_PATIENT": "1",
                       "CUDA_INJECTION64_PATH": os.path.join(build, "cuda/libsteptime_cuda.so"), "STEPTIME_CUDA_QUIET": "1",
                       "STEPTIME_CUDA_TO": os.path.join(folder, "a"), "STUB_SILENT": "1" if silent else "0"}
        done = subprocess.run([python, "-c", INNER, str(depth)], env=environment, capture_output=True, text=True, check=True)
        return float(done.stdout)


if __name__ == "__main__":
    for interpreter in sys.argv[2:] or [sys.executable]:
        for depth in (4, 12, 32):
            bare, with_lines = (min(run(sys.argv[1], interpreter, depth, silent) for _ in range(3)) for silent in (True, False))
            print(f"{interpreter}: depth {depth}: {with_lines - bare:.0f} ns a call ({bare:.0f} without)")
