# SPDX-License-Identifier: Apache-2.0
"""For run.py, of a script in which nothing steps: a window of time is recorded, of whatever its main thread does.

It lies as steptime_record_window.py beside the sitecustomize.py that run.py is.
"""
import os
import sys
import time

from steptime_record_pass import Pass
from steptime_record_plan import IDLE_S, STOP, WINDOW_S, base_name


class Window:
    """Waits in a thread of its own; all that it does to the profiler it does in the main thread."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.called = []  # pending calls are C functions of ours: they must live on

    def watch(self):
        import threading
        if IDLE_S > 0 and WINDOW_S > 0:
            threading.Thread(target=self.idle, name="steptime", daemon=True).start()

    def may_begin(self):
        """Not where ranks are started: others make the steps."""
        starts_ranks = "torch.distributed.run" in sys.modules
        return self.recorder.is_here() and not self.recorder.steps and not self.recorder.now and not starts_ranks

    def idle(self):
        recorder = self.recorder
        while recorder.is_here() and not recorder.steps and time.monotonic() - recorder.last_step_s < IDLE_S:
            time.sleep(min(0.2, IDLE_S / 4))
        while self.may_begin():
            self.in_main_thread(self.begin)
            time.sleep(0.05)
        if not recorder.now or recorder.now.kind != "window":
            return  # it came to none
        time.sleep(WINDOW_S)
        self.in_main_thread(self.end)

    @staticmethod
    def is_importing():
        """The profiler imports modules, of which one may be half there: then the window waits."""
        frame = sys._getframe()
        while frame and not frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back
        return frame is not None

    def in_main_thread(self, function):
        """Between two instructions of Python there."""
        import ctypes
        call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: self.recorder.guard(function) or 0)
        self.called.append(call)
        ctypes.pythonapi.Py_AddPendingCall(call, None)

    def begin(self):
        recorder = self.recorder
        if not self.may_begin() or self.is_importing():
            return
        recorder.base = base_name(recorder.torch)
        recorder.note("said", f"no optimizer made a step in {IDLE_S:g} s: a window of {WINDOW_S:g} s is recorded instead")
        why = recorder.why_not("window")
        if why:
            recorder.note("said", why)
            return
        recorder.ends.hear()
        recorder.now = Pass(recorder, "window", 0)
        recorder.now.begin_window()

    def end(self):
        recorder = self.recorder
        if recorder.now and recorder.now.kind == "window":
            recorder.now.end()
            recorder.now = None
            recorder.off = True
            recorder.ends.stop_hearing()
            recorder.note("done")
            if STOP:
                os._exit(0)  # nobody hears an exception here
