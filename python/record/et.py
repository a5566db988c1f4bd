# SPDX-License-Identifier: Apache-2.0
"""A pass of run.py: an execution trace, the operators of a step with their shapes and data, and no times.

It lies as steptime_record_et.py beside the sitecustomize.py that run.py is. PyTorch's observer makes a step many times as long
(five to ten on small models), so it has steps of its own, without a profiler; steptime joins them to a trace by the order
of operators.
"""
import os

from steptime_record_pass import Steps
from steptime_record_plan import ET_STEPS, NOTES


class ObservedPass(Steps):
    """So many steps with the observer on, each in a ProfilerStep of its own."""

    def __init__(self, recorder, kind, at_step):
        super().__init__(recorder, kind, at_step)
        self.path = os.path.join(NOTES, f"{recorder.base}.et.json")
        self.observer = self.mark = None

    def begin(self):
        from torch.profiler import ExecutionTraceObserver
        self.observer = ExecutionTraceObserver()
        self.observer.register_callback(self.path)
        self.observer.start()
        self.enter()

    def enter(self):
        self.mark = self.recorder.torch.profiler.record_function(f"ProfilerStep#{self.first + self.steps}")
        self.mark.__enter__()

    def leave(self):
        mark, self.mark = self.mark, None
        if mark:
            mark.__exit__(None, None, None)

    def step(self, now):
        """True: it was the last one."""
        self.leave()
        self.steps += 1
        if self.steps < ET_STEPS:
            self.enter()
            return False
        self.end()
        return True

    def close(self):
        """True: it had not been closed before."""
        observer, self.observer = self.observer, None
        if observer:
            self.leave()
            observer.stop()
            observer.unregister_callback()
        return observer is not None

    def end(self):
        if not self.steps:  # half a step is of no use
            self.drop()
        elif self.close():
            self.recorder.note("saved", f"{self.kind} {self.steps} {ET_STEPS}")

    def drop(self):
        if self.close():
            os.unlink(self.path)

    def abandon(self):
        self.close()


def why_no_et(torch):
    """Where there is none; "": there is."""
    if not hasattr(torch.profiler, "ExecutionTraceObserver"):
        return f"no execution trace: PyTorch {torch.__version__} has no observer of that kind"
    return ""
