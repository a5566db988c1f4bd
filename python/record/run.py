# SPDX-License-Identifier: Apache-2.0
"""Runs inside the interpreter of a script that steptime records: leaves some steps bare, records some, lets it run on.

It lies as sitecustomize.py in a folder that is first on PYTHONPATH (see inside.py), beside what it is made of:
plan.py (what was asked for, names, notes), pass.py (the profiler), syncs.py (lines that wait),
et.py (an execution trace), memory.py (allocations), window.py (nothing steps) and ends.py (the script ends). What the script
prints, saves and ends with stays as it is: whatever goes wrong in here is noted, and recording ends.

    bare steps | warm-up | recorded: shapes | warm-up | recorded: stacks | what else was asked for | bare steps to the end

The first pass gives the times. Stacks cost up to as much again, so they have a pass of their own, and steptime joins
them to the times of the first by the order of operators. A pass that the script's end cuts short is saved as it is.

Each process that makes steps writes BASE.json.gz and BASE.steps.json into STEPTIME_RECORD_TO, where BASE is the script's
name with its rank, and BASE.stacks.json.gz and BASE.et.json into STEPTIME_RECORD_NOTES, with lines for who waits, `notes`:

    PID loaded BASE                             an interpreter took this module
    PID torch BASE                              PyTorch was imported
    PID begun BASE <wait> <warm-up> <steps>     the first step was made
    PID pace BASE <steps> <of> <seconds left>   every five seconds, until all passes have ended
    PID bare BASE <steps> <median ns>           the bare steps before the first pass
    PID saved BASE <pass> <steps> <of>          a pass ended, and its trace is written
    PID found BASE <words>                      what a pass found, for people to read at the end
    PID done BASE                               all passes have
    PID none BASE <words>                       the process ends without a trace, and why
    PID said BASE <words>                       something that people should know
"""
import os
import sys
import time
from _thread import get_ident

from steptime_record_ends import Ends
from steptime_record_et import ObservedPass, why_no_et
from steptime_inside import FirstOptimizer, Waiting, run_the_one_in_its_place, watch_steps
from steptime_record_memory import MemoryPass, why_no_memory
from steptime_record_pass import Pass, watch_profilers, why_no_stacks
from steptime_record_plan import (MOST_BARE, PASSES, SETTLING, STEPS, STOP, TO, WAIT, WARMUP, Pace, base_name, columns, lengths,
                           median, moment, tell, write_json)
from steptime_record_syncs import SyncPass, why_no_syncs
from steptime_record_window import Window

KINDS = {"syncs": SyncPass, "et": ObservedPass, "memory": MemoryPass}  # of passes; the others are the profiler's
WHY_NO = {"stacks": why_no_stacks, "syncs": why_no_syncs, "et": why_no_et, "memory": why_no_memory}


class Recorder:
    """Of this process. Off once it has recorded, or where it must not."""

    def __init__(self):
        self.process = os.getpid()
        self.torch = None
        self.base = None
        self.first = FirstOptimizer()
        self.ends = Ends(self.finish)
        self.pace = Pace()
        self.steps = 0
        self.bare = []
        self.recorded = []  # ends of steps, as the bare ones: see moment()
        self.waiting = list(PASSES)
        self.now = None  # the pass that runs
        self.off = False
        self.entered = set()  # threads in which this module is at work: what happens to the profiler there is ours
        self.last_step_s = time.monotonic()

    def is_here(self):
        return not self.off and os.getpid() == self.process

    def note(self, kind, words=""):
        tell(kind, self.base, words)

    def guard(self, function, *arguments):
        """The script goes on whatever happens in here. A call may come within another, where the window interrupts."""
        thread = get_ident()
        within = thread in self.entered
        self.entered.add(thread)
        try:
            return function(*arguments)
        except Exception as problem:  # pylint: disable=broad-except
            self.stand_back(f"recording failed: {type(problem).__name__}: {problem}".replace("\n", " "))
            return None
        finally:
            if not within:
                self.entered.discard(thread)

    def stand_back(self, why):
        self.off = True
        cut, self.now = self.now, None
        if cut:
            cut.abandon()
        self.note("said", why)

    # ---- steps ----

    def end_step(self, optimizer):
        now = moment()
        if os.getpid() == self.process and self.first.makes(optimizer):
            self.last_step_s = time.monotonic()
            self.guard(self.take_step, now)

    def take_step(self, now):
        import threading
        self.steps += 1
        if self.steps == 1:
            self.begin_steps()
        how_far = self.pace.words(self.steps, now[0]) if self.waiting and not self.off else ""
        if how_far:
            self.note("pace", how_far)
        if self.now is None:
            self.leave_bare(now)
        elif self.now.kind != "window" and self.now.thread is threading.current_thread() and self.now.step(now):
            self.end_pass()

    def begin_steps(self):
        """The first. A window that waited in vain for it is dropped, where its profiler can be ended from here."""
        import threading
        late = self.now
        if late and late.thread is threading.current_thread():
            self.now = None
            late.drop()
            self.ends.stop_hearing()
            self.note("said", "an optimizer makes steps after all: they are recorded, and not the window")
        self.base = self.base or base_name(self.torch)
        self.note("begun", f"{WAIT} {WARMUP} {STEPS}")

    def leave_bare(self, now):
        if SETTLING < self.steps and len(self.bare) < MOST_BARE:
            self.bare.append(now)
        if self.waiting and not self.off and self.steps >= WAIT:
            if self.steps == WAIT and len(self.bare) > 1:
                self.note("bare", f"{len(self.bare)} {median(lengths(self.bare)):.0f}")
            self.begin_pass()

    def begin_pass(self):
        kind = self.waiting[0]
        why = self.why_not(kind)
        if why:
            self.note("said", why)
            self.waiting.pop(0)
            if self.waiting and not self.off:
                return self.begin_pass()
            return self.all_done() if self.recorded else None
        self.ends.hear()
        self.now = KINDS.get(kind, Pass)(self, kind, self.steps)
        self.now.begin()
        return None

    def why_not(self, kind):
        if self.torch.autograd._profiler_enabled():
            self.off = True
            return "the script profiles itself at this time: recording stands back"
        why_no = WHY_NO.get(kind)
        return why_no(self.torch) if why_no else ""

    def end_pass(self):
        ended, self.now = self.now, None
        self.waiting.pop(0)
        if ended.is_timed:
            self.recorded = ended.ends
            self.write_times()
        self.ends.stop_hearing()
        if self.waiting:
            self.begin_pass()
        else:
            self.all_done()

    def all_done(self):
        self.note("done")
        if STOP:
            self.ends.make()

    # ---- the end ----

    def finish(self):
        """The script ends: what was recorded so far is saved."""
        if os.getpid() == self.process:
            self.guard(self.save_the_rest)

    def save_the_rest(self):
        import threading
        cut, self.now = self.now, None
        if cut and cut.thread is threading.current_thread():
            if cut.is_timed:
                self.recorded = cut.ends
            cut.end()
        elif not self.steps and not cut and not self.off:
            self.note("none", "nothing was recorded: the script ended without a step of an optimizer")
        elif self.steps and self.waiting == PASSES and not self.off and not cut:
            self.note("none", f"nothing was recorded: the script ended after {self.steps} steps, before recording began; "
                              f"see --wait, which is {WAIT}")
        self.off = True
        self.write_times()

    def write_times(self):
        """Bare and recorded ends of steps, for steptime to tell what recording cost."""
        if len(self.bare) < 2 or len(self.recorded) < 2 or self.base is None:
            return
        write_json(f"{self.base}.steps.json",
                   {"version": 1, "clock": "monotonic", **columns("bare", self.bare), **columns("recorded", self.recorded),
                    "recorder": {"torch": self.torch.__version__, "python": sys.version.split()[0],
                                 "wait": WAIT, "warmup": WARMUP, "steps": STEPS}})

    # ---- others that profile ----

    def stand_back_from_others(self):
        """Called before any profiler of PyTorch prepares; ours ends first."""
        if get_ident() in self.entered or not self.is_here():
            return
        cut, self.now = self.now, None
        if cut:
            self.guard(cut.drop)
        if self.waiting:
            self.stand_back("the script profiles itself: recording stands back; use its own trace")


recorder = Recorder()


def torch_is_here(torch):
    recorder.torch = torch
    recorder.note("torch")
    recorder.guard(watch, torch)


def watch(torch):
    recorder.last_step_s = time.monotonic()
    watch_steps(torch, recorder.end_step)
    watch_profilers(torch, recorder.stand_back_from_others)
    recorder.ends.watch()
    Window(recorder).watch()


def begin_in_a_process_that_runs():
    """Its classes of optimizers have instances, and their step() may be bound already: PyTorch's own hook hears of all."""
    recorder.torch = sys.modules.get("torch")
    recorder.note("loaded")
    hooks = sys.modules.get("torch.optim.optimizer")  # a name that torch.optim deletes from itself
    if not hasattr(hooks, "register_optimizer_step_post_hook"):
        recorder.note("none", "nothing was recorded: the process has not imported PyTorch 2.0 or later")
        return
    recorder.note("torch")
    recorder.guard(watch_running, recorder.torch, hooks)


def watch_running(torch, hooks):
    hooks.register_optimizer_step_post_hook(lambda optimizer, *_: recorder.end_step(optimizer))
    watch_profilers(torch, recorder.stand_back_from_others)
    recorder.ends.watch()


if TO and __name__ == "sitecustomize":
    recorder.note("loaded")
    sys.meta_path.insert(0, Waiting({"torch": torch_is_here}))
    run_the_one_in_its_place()
