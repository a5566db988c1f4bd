# SPDX-License-Identifier: Apache-2.0
"""For run.py: what is known of a script that ends without a step: where it left, what it made until then, what it printed last;
and where it stood when the time was up, or a signal killed it.

It lies as steptime_dry_end.py beside the sitecustomize.py that run.py is.
"""
import builtins
import os
import sys
import threading

from steptime_dry_plan import LIMIT, RANKS, TO, UNTIL, is_installed, is_ours, place, place_of, short, tell

OF_A_JOB = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR")
NEAR = 5  # lines: an expression may have several
MOST_KEPT = 400  # characters of what it printed
MOST_SAID = 80  # and of what is told of it


class End:
    def __init__(self):
        self.left = self.optimizer = self.backward = self.counted = None  # places
        self.rank = None  # (name of the environment, place)
        self.printed = ""

    def watch(self, leave):
        """leave(): the process is about to end at once."""
        self.watch_exits(leave)
        self.watch_printing()
        if not RANKS:
            self.watch_environment()

    def watch_exits(self, leave):
        def watched(given):
            def wrapper(*code):
                self.left = f"{short(place())} by exit({' '.join(map(str, code))[:MOST_SAID]})"
                given(*code)
            return wrapper
        sys.exit = watched(sys.exit)
        for name in ("exit", "quit"):
            if hasattr(builtins, name):
                setattr(builtins, name, watched(getattr(builtins, name)))
        at_once = os._exit

        def leave_at_once(code):
            self.left = self.left or f"{short(place())} by exit({code})"
            leave()
            at_once(code)
        os._exit = leave_at_once

    def watch_printing(self):
        write = getattr(sys.stdout, "write", None)

        def wrapper(text):
            self.printed = (self.printed + str(text))[-MOST_KEPT:]
            return write(text)
        try:
            sys.stdout.write = wrapper
        except AttributeError:
            pass  # there is none, or another kind: then nothing is known

    def watch_environment(self):
        """A name of a job that is not set: who asks for it may be made for several ranks."""
        end = self

        class Environment(os._Environ):
            def __getitem__(self, name):
                if name in OF_A_JOB:
                    end.see_asked(self, name)
                return super().__getitem__(name)

            def __contains__(self, name):
                if name in OF_A_JOB:
                    end.see_asked(self, name)
                return super().__contains__(name)
        os.environ.__class__ = Environment

    def see_asked(self, environment, name):
        frame = sys._getframe(2)
        while frame and asks_for_others(frame.f_code.co_filename):
            frame = frame.f_back
        path = frame.f_code.co_filename if frame else ""
        if not path or is_ours(path) or is_installed(path):
            return
        if environment.encodekey(name) not in environment._data:
            self.rank = (name, f"{path}:{frame.f_lineno}")

    # ---- what is told ----

    def with_ranks(self, kind, trace, what, where):
        """The words of an error, and whether it comes from what only a job has."""
        if self.rank is None or "--ranks" in what or not self.comes_of_it(kind, trace, where):
            return what
        return f"{what} (it asks for {self.rank[0]}, which a job has: say how many ranks with --ranks N)"

    def comes_of_it(self, kind, trace, where):
        """A name that the environment lacks, or None in the place of a number. What else goes wrong there has other reasons."""
        if issubclass(kind, KeyError):
            return asks_for_others(innermost(trace)) and are_near(self.rank[1], where)
        return issubclass(kind, (TypeError, ValueError)) and self.rank[1] == where

    def why(self):
        """Why no step: parts of a sentence, what helps most first."""
        yield f"it left at {self.left}" if self.left else "it came to its end"
        said = [line.strip() for line in self.printed.splitlines() if line.strip()]
        if said:
            yield f"it printed last '{said[-1][:MOST_SAID]}'"
        if self.rank:
            yield f"it asks for {self.rank[0]} ({short(self.rank[1])}), which a job has: --ranks N"
        if self.counted and RANKS < 2:
            yield f"it was told of one GPU ({short(self.counted)}): --ranks N gives it more"
        yield f"no step() of its optimizer ({short(self.optimizer)})" if self.optimizer else "it made no optimizer"
        if self.backward:
            yield f"backward() at {short(self.backward)}"

    def tell(self):
        tell("why", words="; ".join(self.why()))


def asks_for_others(path):
    """Files of Python through which an environment is asked."""
    return os.path.basename(path) in ("os.py", "_collections_abc.py") or path.startswith("<frozen")


def innermost(trace):
    """The file that an error was raised in."""
    while trace and trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename if trace else ""


def are_near(one, other):
    (path, _, line), (other_path, _, other_line) = one.rpartition(":"), other.rpartition(":")
    return path == other_path and line.isdigit() and other_line.isdigit() and abs(int(line) - int(other_line)) <= NEAR


def tell_late():
    """Shortly before the time is up, where the script stands. The time began before this interpreter."""
    if UNTIL <= 0:
        return
    import time
    main = threading.main_thread().ident

    def watch():
        left = UNTIL - max(1.0, LIMIT / 20) - time.clock_gettime(time.CLOCK_MONOTONIC)
        threading.Event().wait(max(0.0, left))
        frame = sys._current_frames().get(main)
        if frame:
            tell("late", short(place_of(frame)))
    threading.Thread(target=watch, daemon=True).start()


def tell_of_faults():
    """A signal that kills it leaves where it stood in STEPTIME_DRY_TO/fault."""
    import faulthandler
    faulthandler.enable(open(os.path.join(TO, "fault"), "w", encoding="utf-8"),  # pylint: disable=consider-using-with
                        all_threads=False)


end = End()
