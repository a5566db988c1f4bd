# SPDX-License-Identifier: Apache-2.0
"""For run.py: scripts that are jobs without --ranks, or start their ranks themselves. A job of one rank is run as one; of one that
is larger it is asked how many. Of processes that a script starts by torch.multiprocessing.spawn the first is run, here.

It lies as steptime_dry_lone.py beside the sitecustomize.py that run.py is.
"""
import inspect
import os
import sys

from steptime_dry_job import is_own, join, replace
from steptime_dry_plan import DEVICE, RANKS, count
from steptime_dry_processes import processes


class Spawned:
    """What spawn gives back where it does not wait: all is done."""

    processes = ()

    def join(self, *_, **__):
        return True

    def pids(self):
        return []


# ---- ranks that nobody said ----

def size_of(signature, arguments, named):
    """Of the job that init_process_group is asked for; 0: not said."""
    try:
        size = signature.bind(*arguments, **named).arguments.get("world_size", -1)
        return size if size > 0 else int(os.environ.get("WORLD_SIZE", "0"))
    except (TypeError, ValueError):
        return 0


def ask_how_many(torch, memory):
    c10d = torch.distributed.distributed_c10d
    start, nccl = c10d.init_process_group, c10d.is_nccl_available
    signature = inspect.signature(start)

    def init_process_group(*arguments, **named):
        processes.tell()
        if memory.ranks is None:
            size = size_of(signature, arguments, named)
            if size != 1:
                raise RuntimeError(f"this is a job of {size or 'several'} ranks: say how many with --ranks N, such as "
                                   f"--ranks {size if size > 1 else 2}")
            count("skipped", "other ranks: it is run as a job of one; see --ranks")
            replace(init_process_group, start)
            join(torch, memory, 1)
        return c10d.init_process_group(*arguments, **named)
    replace(start, init_process_group)
    if DEVICE == "cuda":
        replace(nccl, lambda: True)


# ---- ranks that call each other ----

CALLS = "its processes call functions of each other (RPC), for which a dry run has no stand-in"


def refuse_calls(torch):
    def init_rpc(*_, **__):
        raise RuntimeError(CALLS)
    if torch.distributed.rpc.is_available():
        replace(torch.distributed.rpc.init_rpc, init_rpc)


def calls_others(torch):
    """Whether a module of the script has that of such calls by name."""
    rpc = getattr(torch.distributed, "rpc", None)
    return any(value is rpc for module in list(sys.modules.values()) if rpc and is_own(module) for value in vars(module).values())


# ---- processes that a script starts ----

def spawn_here(torch):
    mp = torch.multiprocessing

    def spawn(fn, args=(), nprocs=1, join=True, *_, **__):  # pylint: disable=redefined-outer-name,keyword-arg-before-vararg
        if nprocs != 1 and calls_others(torch):
            raise RuntimeError(CALLS)
        if not RANKS and nprocs != 1:
            raise RuntimeError(f"it starts {nprocs} processes itself: say how many ranks with --ranks N, such as --ranks {nprocs}")
        count("skipped", f"spawn of {nprocs}: the first is run here, as rank 0 of {RANKS or 1}")
        fn(0, *args)
        return None if join else Spawned()
    for given in (mp.spawn, mp.start_processes):
        if callable(given):
            replace(given, spawn)


def watch(torch, memory):
    spawn_here(torch)
    if torch.distributed.is_available():
        refuse_calls(torch)
        if not RANKS:
            ask_how_many(torch, memory)
