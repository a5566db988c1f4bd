# SPDX-License-Identifier: Apache-2.0
"""A pass of run.py: so many steps with PyTorch's profiler on.

It lies as steptime_record_pass.py beside the sitecustomize.py that run.py is.
"""
import contextlib
import os
import sys

from steptime_record_plan import NOTES, STEPS, TO, WARMUP, Whole

TIMED = ("shapes", "window")  # passes whose trace gives the times


class Steps:
    """So many steps of the script with something on that looks at them. They begin and end on one thread."""

    is_timed = False

    def __init__(self, recorder, kind, at_step):
        import threading
        self.recorder, self.kind, self.first = recorder, kind, at_step
        self.thread = threading.current_thread()
        self.ends = []
        self.steps = 0  # so far, those of a warm-up among them


class Pass(Steps):
    """The profiler, which dies on any other thread."""

    def __init__(self, recorder, kind, at_step):
        super().__init__(recorder, kind, at_step)
        torch = recorder.torch
        self.is_timed = kind in TIMED
        self.saved = False
        self.profiler = torch.profiler.profile(
            activities=torch.profiler.supported_activities(), schedule=self.action, on_trace_ready=self.save,
            **self.options())
        self.profiler.step_num = at_step  # so that ProfilerStep#k counts the script's own steps

    def options(self):
        return {"record_shapes": self.kind != "stacks", "with_stack": self.kind != "shapes"}

    def path(self):
        """Of the trace."""
        if self.kind == "stacks":
            return os.path.join(NOTES, f"{self.recorder.base}.stacks.json.gz")
        return os.path.join(TO, f"{self.recorder.base}.json.gz")

    def action(self, number):
        actions = self.recorder.torch.profiler.ProfilerAction
        done = number - self.first
        if done < WARMUP:
            return actions.WARMUP
        if done < WARMUP + STEPS - 1:
            return actions.RECORD
        return actions.RECORD_AND_SAVE if done == WARMUP + STEPS - 1 else actions.NONE

    def begin(self):
        self.profiler.current_action = self.action(self.first)
        self.profiler.start()

    def begin_window(self):
        """All that happens until it is ended."""
        self.profiler.schedule = None
        self.profiler.current_action = self.recorder.torch.profiler.ProfilerAction.RECORD_AND_SAVE
        self.profiler.start()

    def step(self, now):
        """True: it was the last one."""
        self.steps += 1
        if self.steps >= WARMUP:
            self.ends.append(now)
        self.profiler.step()
        if self.steps < WARMUP + STEPS:
            return False
        self.end()
        return True

    def end(self):
        if not self.saved:
            self.saved = True
            self.profiler.stop()

    def drop(self):
        """Ends it and saves nothing."""
        self.profiler.on_trace_ready = None
        self.end()

    def abandon(self):
        """Something failed, maybe the profiler itself. A thread that ends while it runs takes the script with it."""
        import threading
        if self.thread is threading.current_thread() and self.recorder.torch.autograd._profiler_enabled():
            with contextlib.suppress(Exception):
                self.drop()

    def save(self, profiler):
        recorder = self.recorder
        with Whole(self.path()) as part:
            profiler.export_chrome_trace(part)
        self.saved = True
        recorded = max(0, self.steps - WARMUP)
        recorder.note("saved", f"{self.kind} {recorded} {STEPS}")


def why_no_stacks(torch):
    """Where they would break something; "": they would not."""
    if not torch.profiler.kineto_available():
        return "no stacks: this PyTorch was built without Kineto, and its traces hold none"
    if sys.getprofile() is not None:
        return "no stacks: another profiler of Python is at work (cProfile?), and they would end it"
    version = tuple(int(word) for word in torch.__version__.split("+")[0].split(".")[:2])
    if sys.version_info >= (3, 13) and version < (2, 8):
        return f"no stacks: PyTorch {torch.__version__} crashes with them on Python 3.13 and later"
    return ""


def watch_profilers(torch, prepares):
    """prepares() before any profiler of PyTorch does."""
    kind = torch.autograd.profiler.profile
    prepare = kind._prepare_trace

    def wrapper(self, *arguments, **named):
        prepares()
        return prepare(self, *arguments, **named)
    kind._prepare_trace = wrapper
