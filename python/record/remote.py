# SPDX-License-Identifier: Apache-2.0
"""Has a process that runs already record itself: `python -c` with this text and the number of the process.

It is run by the interpreter of that process, with the environment of a script that is recorded (run.py), and asks CPython
(sys.remote_exec, from 3.14 on) to run a file there, which loads the recorder. Then it waits until that is done. What keeps
it from that is a line `none` of the notes, and the exit code 3.
"""
import os
import sys
import time

from steptime_record_plan import NAME, NOTES, tell

HEARS_S = 30  # so long until the process must have come to a line of Python
RECORDER = """
import importlib.util, os, sys
names, folder = {names!r}, {folder!r}
before = dict(os.environ)
os.environ.update(names)
sys.path.insert(0, folder)
try:
    spec = importlib.util.spec_from_file_location("steptime_record", os.path.join(folder, "sitecustomize.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.begin_in_a_process_that_runs()
finally:
    sys.path.remove(folder)
    for name in names:
        os.environ.pop(name) if name not in before else os.environ.update({{name: before[name]}})
"""


def refuse(why):
    tell("none", NAME, why)
    sys.exit(3)


def ask(process):
    if not hasattr(sys, "remote_exec"):
        refuse(f"process {process} was not started with KINETO_USE_DAEMON=1, and its Python is {sys.version.split()[0]}: without "
               "that variable remote execution is needed, which CPython has from 3.14 on")
    path = os.path.join(NOTES, "steptime_remote.py")
    names = {name: value for name, value in os.environ.items() if name.startswith("STEPTIME_RECORD_")}
    with open(path, "w", encoding="utf-8") as out:
        out.write(RECORDER.format(names=names, folder=NOTES))
    try:
        sys.remote_exec(process, path)
    except PermissionError as why:
        refuse(f"process {process} may not be asked: {why}; the kernel's ptrace_scope, or CAP_SYS_PTRACE, decides that")
    except (OSError, RuntimeError, ValueError) as why:
        refuse(f"process {process} cannot be asked: {why}; was it started with PYTHON_DISABLE_REMOTE_DEBUG, or "
               "-X disable-remote-debug?")


def words_of(process):
    """What it said so far."""
    try:
        with open(os.path.join(NOTES, "notes"), encoding="utf-8", errors="replace") as notes:
            return [words[1] for words in (line.split() for line in notes) if len(words) > 1 and words[0] == str(process)]
    except OSError:
        return []


def lives(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait(process):
    begin = time.monotonic()
    while True:
        words = words_of(process)
        if "done" in words or "none" in words:
            return
        if not lives(process):
            refuse(f"process {process} ended before it had recorded all")
        if not words and time.monotonic() - begin > HEARS_S:
            refuse(f"process {process} came to no line of Python in {HEARS_S} s")
        time.sleep(0.1)


ask(int(sys.argv[1]))
wait(int(sys.argv[1]))
