# SPDX-License-Identifier: Apache-2.0
"""What run.py was asked for, by the environment; what it tells steptime, and at which line of the script.

It lies as steptime_dry_plan.py beside the sitecustomize.py that run.py is.
"""
import functools
import os
import sys

TO = os.environ.get("STEPTIME_DRY_TO")  # a private folder: the execution trace, notes and the table of memory
STEPS = int(os.environ.get("STEPTIME_DRY_STEPS", "3"))
DEVICE = os.environ.get("STEPTIME_DRY_DEVICE", "cpu")  # "cpu", or "cuda": PyTorch answers as such a device would
DEVICE_NAME = os.environ.get("STEPTIME_DRY_DEVICE_NAME", "")
DEVICE_BYTES = int(os.environ.get("STEPTIME_DRY_DEVICE_BYTES", "0"))
DEVICE_SMS = int(os.environ.get("STEPTIME_DRY_DEVICE_SMS", "0"))
DEVICE_CAPABILITY = tuple(int(word) for word in os.environ.get("STEPTIME_DRY_CAPABILITY", "8.0").split("."))
BEGAN_IN = os.getcwd()  # Python names files as they were given, which may be relative to it
WAITS = os.environ.get("STEPTIME_DRY_WAITS") == "1"  # whether to note where the host would wait for the device
BATCH = int(os.environ.get("STEPTIME_DRY_BATCH", "0"))  # of DataLoaders, in the place of theirs; 0: theirs
PRECISION = os.environ.get("STEPTIME_DRY_PRECISION", "")  # "bfloat16", "float16": all of it in autocast
SHAPES = os.environ.get("STEPTIME_DRY_BATCH_SHAPE", "")  # of batches, where data is absent
RANKS = int(os.environ.get("STEPTIME_DRY_RANKS", "0"))  # of the job, of which this is the first; 0: it is none
REAL = os.environ.get("STEPTIME_DRY_REAL") == "1"  # tensors have data: a run of few samples, where none without data can be
LOADS = os.environ.get("STEPTIME_DRY_LOADS") == "1"  # whether to time what loading takes
SERVER = int(os.environ.get("STEPTIME_DRY_SERVER", "8"))  # devices of a server
LIMIT = float(os.environ.get("STEPTIME_DRY_LIMIT", "0"))  # seconds, behind which steptime ends it; 0: not known
UNTIL = float(os.environ.get("STEPTIME_DRY_UNTIL", "0"))  # when that is, by CLOCK_MONOTONIC; 0: not known
MOST_TOLD = 2000  # lines; what comes behind is one line of each kind

OURS = ("steptime_", "sitecustomize")
PYTHON = os.path.dirname(os.__file__) + os.sep


# ---- places ----

@functools.lru_cache(None)
def is_ours(path):
    return os.path.basename(path).startswith(OURS)


@functools.lru_cache(None)
def is_installed(path):
    """A package's or Python's own, what was compiled of such (Cython), and no file at all."""
    return (path.startswith("<") or path.endswith((".pyx", ".pxi", ".pxd")) or f"{os.sep}site-packages{os.sep}" in path
            or f"{os.sep}dist-packages{os.sep}" in path or path.startswith(PYTHON))


@functools.lru_cache(None)
def is_torch(path):
    return f"{os.sep}torch{os.sep}" in path and is_installed(path)


def place_of(frame):
    """FILE:LINE of the innermost frame of the script's own code; without one, of a package other than PyTorch."""
    package = None
    while frame:
        path = frame.f_code.co_filename
        if not is_ours(path):
            if not is_installed(path):
                return f"{path}:{frame.f_lineno}"
            if package is None and not is_torch(path) and not path.startswith("<"):
                package = f"{path}:{frame.f_lineno}"
        frame = frame.f_back
    return package or "?:0"


def place_of_error(trace):
    """The last line of the script's own code on the way to it; without one, the last of all."""
    own = last = "-"
    while trace:
        path = trace.tb_frame.f_code.co_filename
        if not is_ours(path):
            last = f"{path}:{trace.tb_lineno}"
            own = own if is_installed(path) else last
        trace = trace.tb_next
    return last if own == "-" else own


def short(where):
    """FILE:LINE as seen from where the script was started."""
    return where[len(BEGAN_IN) + 1:] if where.startswith(BEGAN_IN + os.sep) else where


def where_and_what(kind, problem, trace):
    """FILE:LINE of an error and its words. What is no Python has no line that was on the way, but one of its own."""
    if isinstance(problem, SyntaxError) and problem.filename and problem.lineno:
        return f"{problem.filename}:{problem.lineno}", f"{kind.__name__}: {problem.msg}"
    return place_of_error(trace), f"{kind.__name__}: {shadowed(problem) or problem}"


def shadowed(problem):
    """Of a module that was found, but is another than was meant."""
    path = getattr(problem, "path", None) if isinstance(problem, ImportError) else None
    if not path or is_installed(path):
        return ""
    return f"{str(problem).partition(' (')[0]}: {short(path)} goes before a package of that name"


def place():
    return place_of(sys._getframe(1))


def called_from(*endings):
    """Whether a frame of the last few that are not ours lies in a file with such an ending."""
    frame, looked = sys._getframe(1), 0
    while frame and looked < 6:
        path = frame.f_code.co_filename
        if not is_ours(path):
            looked += 1
            if path.endswith(endings):
                return True
        frame = frame.f_back
    return False


# ---- marks in the execution trace ----

class Marks:
    noted = False  # whether anybody observes


marks = Marks()


def mark(torch, words):
    """A node of that name. (PyTorch's quick annotations are no nodes where no profiler runs.)"""
    if not marks.noted:
        return
    with torch._C._DisableTorchDispatch():
        record = torch.ops.profiler._record_function_enter_new.default(words, None)
        torch.ops.profiler._record_function_exit._RecordFunction(record)


# ---- who asks ----

def asked_by_torch(told=()):
    """PyTorch's own code decides by where tensors really are, but for these folders of it."""
    frame = sys._getframe(1)
    while frame and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    path = frame.f_code.co_filename if frame else ""
    return is_torch(path) and not any(folder in path for folder in told)


# ---- what is told ----

told = {}  # (kind, place, words): how often


def count(kind, words, where=None):
    """Told at the end, each line once with how often it came."""
    key = (kind, where or place(), words)
    if key not in told and len(told) >= MOST_TOLD:
        key = (kind, "-", "at further lines")
    told[key] = told.get(key, 0) + 1


def one_line(words):
    return " ".join(str(words).split())[:400]


def tell(kind, where="-", words="", times=1):
    with open(os.path.join(TO, "notes"), "a", encoding="utf-8", errors="replace") as out:
        out.write(f"{kind}\t{times}\t{where}\t{one_line(words)}\n")


def tell_counts():
    for (kind, where, words), times in told.items():
        tell(kind, where, words, times)
    told.clear()
