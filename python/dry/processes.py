# SPDX-License-Identifier: Apache-2.0
"""For run.py: processes that a script starts by multiprocessing.Process. Those that wait for the script, or work for it, are
really started. One that trains, or joins a job, ends there, and leaves word; then the first of its kind is run here, as rank 0.

It lies as steptime_dry_processes.py beside the sitecustomize.py that run.py is. Word is a line in a file and a signal, so that it
reaches a script that waits, for whatever it is. All are forked: tensors without data cannot be sent to a fresh interpreter.
"""
import os
import signal

from steptime_dry_plan import TO, count

WORD = os.path.join(TO or "", "processes")
SIGNAL = signal.SIGUSR2
WORK = ("_target", "_args", "_kwargs")  # which a process forgets when it was started
OF_OTHERS = ("multiprocessing.", "concurrent.", "torch.")  # pools and the like, which hand out work themselves


class Processes:
    def __init__(self):
        self.run = None  # of steps: whether any was made here
        self.started = []
        self.ran = False
        self.leave = os._exit
        self.die_with_parent = None

    # ---- in the script's own process ----

    def start(self, given, process):
        """Before this returns, the process may have left word."""
        if not self.run.is_here() or not self.is_of_the_script(process):
            return given(process)
        if not self.started and not self.hear():
            return given(process)
        process.steptime_number = len(self.started)
        process.steptime_work = {name: value for name, value in vars(process).items() if name in WORK}
        self.started.append(process)
        return given(process)

    @staticmethod
    def is_of_the_script(process):
        target = getattr(process, "_target", None)
        what = type(process) if target is None else target
        return not (getattr(what, "__module__", None) or "").startswith(OF_OTHERS)

    def hear(self):
        try:
            import ctypes
            self.die_with_parent = getattr(ctypes.CDLL(None), "prctl", None)
        except (ImportError, OSError):
            pass
        try:
            signal.signal(SIGNAL, self.take)
            return True
        except ValueError:  # in another thread
            return False

    def take(self, *_):
        if not self.run.is_here() or self.ran or self.run.steps:
            return
        with open(WORD, encoding="ascii") as words:
            number = int(words.readline())
        self.ran = True
        first = next(process for process in self.started if self.kind_of(process) == self.kind_of(self.started[number]))
        count("skipped", "processes that train: the first of them is run here")
        vars(first).update(first.steptime_work)
        try:
            first.run()
        except SystemExit:
            pass
        except Exception as problem:  # pylint: disable=broad-except
            self.run.die(type(problem), problem, problem.__traceback__)  # where the signal came an error may be lost

    @staticmethod
    def kind_of(process):
        return process.steptime_work.get("_target") or type(process)

    def end(self):
        """Where the script ends at once, those that it started would stay."""
        for process in self.started:
            try:
                process.kill()
            except (AttributeError, OSError, ValueError):
                pass

    # ---- in one that it started ----

    def tell(self):
        """It trains, or joins a job: that is done in the other one."""
        import multiprocessing
        number = getattr(multiprocessing.current_process(), "steptime_number", None)
        if number is None:
            return
        if self.run.process == os.getppid():
            with open(WORD, "a", encoding="ascii") as words:
                words.write(f"{number}\n")
            os.kill(os.getppid(), SIGNAL)
        self.leave(0)

    def begin(self):
        """It was just forked: it ends with the script, which may not have come to know it when it is killed."""
        if self.started and self.die_with_parent:
            self.die_with_parent(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        self.run.trace.leave()


def fork_all():
    from multiprocessing import context
    fork = getattr(context, "ForkProcess", None)
    for name in ("SpawnProcess", "ForkServerProcess"):
        Kind = getattr(context, name, None)
        if fork and Kind:
            Kind._Popen = staticmethod(fork._Popen)


def watch(run):
    """run.trace.leave(): in a process that was forked."""
    from multiprocessing import process
    processes.run = run
    given = process.BaseProcess.start
    process.BaseProcess.start = lambda one: processes.start(given, one)
    os.register_at_fork(after_in_child=processes.begin)
    fork_all()


processes = Processes()
