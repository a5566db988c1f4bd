# SPDX-License-Identifier: Apache-2.0
"""For run.py: hears of the end of a script, of its thread, or by a signal. A trace that nobody saves is lost.

It lies as steptime_record_ends.py beside the sitecustomize.py that run.py is.
"""
import os


class Ends:
    """Calls finish(), maybe more than once: at the end of the interpreter and in os._exit always; while somebody hears also
    at the end of that thread, and at SIGTERM where the script leaves that alone."""

    def __init__(self, finish):
        self.finish = finish
        self.sigterm = None

    def make(self):
        """Ends the script as sys.exit() would; where that ends only a thread, at once."""
        import threading
        if threading.current_thread() is threading.main_thread():
            raise SystemExit(0)
        os._exit(0)

    def watch(self):
        import atexit
        atexit.register(self.finish)
        leave = os._exit

        def wrapper(status):
            self.finish()
            leave(status)
        os._exit = wrapper

    def hear(self):
        import signal
        import threading
        thread = threading.current_thread()
        if thread is not threading.main_thread():
            self.hear_thread(thread)
        elif signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            self.sigterm = self.on_sigterm
            signal.signal(signal.SIGTERM, self.sigterm)

    def hear_thread(self, thread):
        """_delete is the last that runs in it."""
        delete = thread._delete

        def end_then_delete():
            self.finish()
            delete()
        if not hasattr(delete, "steptime"):
            end_then_delete.steptime = True
            thread._delete = end_then_delete

    def stop_hearing(self):
        import signal
        if self.sigterm and signal.getsignal(signal.SIGTERM) == self.sigterm:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.sigterm = None

    def on_sigterm(self, number, frame):
        import signal
        self.finish()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
