# SPDX-License-Identifier: Apache-2.0
"""For run.py: the execution trace of a dry run. Observed are the first step and the last: the last is priced, and the first stands in for
it where the script makes no other. What lies between is run and not observed, which would be a third of the work of each.

It lies as steptime_dry_trace.py beside the sitecustomize.py that run.py is. The trace is STEPTIME_DRY_TO/et.json: of the first step, until the
last is whole and takes its place.
"""
import os

from steptime_dry_plan import STEPS, TO, marks
from steptime_dry_streams import tell_current

FIRST, LAST = os.path.join(TO or "", "et.json"), os.path.join(TO or "", "et-last.json")


class Trace:
    def __init__(self):
        self.torch = self.observer = self.label = None
        self.began = self.is_last = False

    def begin(self, torch):
        self.torch = torch
        self.began, self.is_last = True, STEPS == 1
        self.observe(FIRST)
        self.enter_step(0)

    def observe(self, path):
        self.observer = self.torch.profiler.ExecutionTraceObserver()
        self.observer.register_callback(path)
        self.observer.start()
        marks.noted = True

    def stop(self):
        if self.observer is None:
            return
        self.leave_step()
        self.observer.stop()
        self.observer.unregister_callback()
        self.observer = None
        marks.noted = False

    def leave(self):
        """In a process that was forked: what it does is none of this trace."""
        if self.observer:
            self.observer.stop()

    # ---- steps ----

    def enter_step(self, step):
        self.label = self.torch.profiler.record_function(f"ProfilerStep#{step}")
        self.label.__enter__()

    def leave_step(self):
        label, self.label = self.label, None
        if label:
            label.__exit__(None, None, None)

    def end_step(self, steps):
        """So many were made."""
        self.leave_step()
        if steps == STEPS:
            self.end()
        elif steps == STEPS - 1:
            self.begin_last(steps)
        else:
            self.stop()

    def begin_last(self, steps):
        """Where a step comes before it, in a file of its own: that of the first is kept until it is whole."""
        self.stop()
        self.is_last = True
        self.observe(LAST)
        tell_current()
        self.enter_step(steps)

    def end(self):
        self.stop()
        if os.path.exists(LAST):
            os.replace(LAST, FIRST)
