# SPDX-License-Identifier: Apache-2.0
"""What run.py was asked for, by the environment; how it names files, and tells steptime what it does.

It lies as steptime_record_plan.py beside the sitecustomize.py that run.py is.
"""
import os
import time
from _thread import get_ident

TO = os.environ.get("STEPTIME_RECORD_TO")
NOTES = os.environ.get("STEPTIME_RECORD_NOTES", "")
NAME = os.environ.get("STEPTIME_RECORD_NAME", "script")
PLAN = os.environ.get("STEPTIME_RECORD_PLAN", "10 2 5 shapes,stacks 30 2").split()
WAIT, WARMUP, STEPS = (int(word) for word in PLAN[:3])
PASSES = PLAN[3].split(",")
IDLE_S, WINDOW_S = (float(word) for word in PLAN[4:6])  # without a step for so long: record so long. 0: never
STOP = bool(os.environ.get("STEPTIME_RECORD_STOP"))  # the script goes no further than it is recorded
ET_STEPS = 2  # of an execution trace: the second is the steadier one
MOST_BARE = 10000  # ends of steps that are kept
SETTLING = min(3, WAIT // 3)  # the first steps fill caches and choose kernels: they are no measure
RANKS = (("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
         ("SLURM_PROCID", "SLURM_NTASKS"))


# ---- how far it is ----

TELL_EVERY_S = 5


def steps_of(kind):
    """That a pass takes."""
    return {"syncs": STEPS, "et": ET_STEPS}.get(kind, WARMUP + STEPS)


class Pace:
    """How far the steps are, now and then, for people who wait."""

    def __init__(self):
        self.all = WAIT + sum(map(steps_of, PASSES))
        self.last_ns = self.told_ns = None

    def words(self, steps, now_ns):
        """"<done> <of> <seconds left>"; "": it was told just now. The last step says how long the others take."""
        length, self.last_ns = now_ns - (self.last_ns or now_ns), now_ns
        self.told_ns = self.told_ns or now_ns
        if now_ns - self.told_ns < TELL_EVERY_S * 1e9 or steps >= self.all:
            return ""
        self.told_ns = now_ns
        return f"{steps} {self.all} {(self.all - steps) * length / 1e9:.0f}"


# ---- names ----

def rank_of(torch):
    """Of a job of several; None: the process is alone."""
    dist = torch.distributed
    if dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1:
        return dist.get_rank()
    for rank, size in RANKS:
        if os.environ.get(rank, "").isdigit() and os.environ.get(size, "1") not in ("", "0", "1"):
            return int(os.environ[rank])
    return None


def base_name(torch):
    """Of the files of this process, for it alone."""
    rank = rank_of(torch)
    base = NAME if rank is None else f"{NAME}-rank{rank}"
    try:
        os.close(os.open(os.path.join(NOTES, f"{base}.claim"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return base
    except FileExistsError:
        return f"{base}-{os.getpid()}"


# ---- what is told and written ----

def tell(kind, base, words):
    """A line for steptime; run.py says which there are."""
    try:
        with open(os.path.join(NOTES, "notes"), "a", encoding="utf-8") as out:
            out.write(f"{os.getpid()} {kind} {base or NAME} {words}\n")
    except OSError:
        pass


class Whole:
    """with Whole(path) as part: what is written to `part` becomes the file when all of it is, or nothing stays."""

    def __init__(self, path):
        folder, name = os.path.split(path)
        base, dot, endings = name.partition(".")  # writers look at the endings
        self.path, self.part = path, os.path.join(folder, f".{base}.part{dot}{endings}")

    def __enter__(self):
        return self.part

    def __exit__(self, kind, problem, trace):
        if kind is None:
            os.replace(self.part, self.path)
        elif os.path.isfile(self.part):
            os.unlink(self.part)


def write_json(name, value):
    import json
    with Whole(os.path.join(TO, name)) as part, open(part, "w", encoding="ascii") as out:
        json.dump(value, out)


# ---- times ----

def median(numbers):
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def moment():
    """By the clock; and how long this thread has waited for a processor so far, None where the system does not say."""
    return time.perf_counter_ns(), waited_ns()


descriptors = {}  # of what Linux says of a thread's scheduling, by thread: opened once, as opening takes ten times as long as reading


def waited_ns():
    thread = get_ident()
    try:
        if thread not in descriptors:
            descriptors[thread] = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        return int(os.pread(descriptors[thread], 64, 0).split()[1])
    except (OSError, IndexError, ValueError):
        forget(thread)
        return None


def forget(thread):
    """The numbers of threads come again: what is open may be of one that ended."""
    if thread in descriptors:
        os.close(descriptors.pop(thread))


def waited_between(before, after):
    """0 where either is not known, or where they are of two threads, which the later one shows by having waited less."""
    return after - before if before is not None and after is not None and after >= before else 0


def lengths(moments):
    """Of steps, without waits for a processor where these are known."""
    return [after[0] - before[0] - waited_between(before[1], after[1]) for before, after in zip(moments, moments[1:])]


def columns(which, moments):
    """As steptime reads them."""
    said = {f"{which}_step_end_ns": [wall for wall, _ in moments]}
    if all(waited is not None for _, waited in moments):
        said[f"{which}_step_end_waited_ns"] = [waited for _, waited in moments]
    return said
