# SPDX-License-Identifier: Apache-2.0
"""Runs inside the interpreter of a script that steptime records: leaves some steps bare, records some, lets it run on.

It lies as sitecustomize.py in a folder that is first on PYTHONPATH (see inside.py). What the script prints, saves and
ends with stays as it is: whatever goes wrong in here is noted, and recording ends.

    bare steps | warm-up | recorded: shapes | warm-up | recorded: stacks | bare steps to the end

The first pass gives the times. Stacks cost up to as much again, so they have a pass of their own, and steptime joins
them to the times of the first by the order of operators. A pass that the script's end cuts short is saved as it is.

Each process that makes steps writes BASE.json.gz and BASE.steps.json into STEPTIME_RECORD_TO, where BASE is the script's
name with its rank, and BASE.stacks.json.gz into STEPTIME_RECORD_NOTES, with lines for who waits, `notes`:

    PID loaded BASE                             an interpreter took this module
    PID torch BASE                              PyTorch was imported
    PID begun BASE <wait> <warm-up> <steps>     the first step was made
    PID bare BASE <steps> <median ns>           the bare steps before the first pass
    PID saved BASE <pass> <steps> <of>          a pass ended, and its trace is written
    PID done BASE                               all passes have
    PID none BASE <words>                       the process ends without a trace, and why
    PID said BASE <words>                       something that people should know
"""
import os
import sys
import time

from steptime_inside import FirstOptimizer, Waiting, run_the_one_in_its_place, watch_steps

TO = os.environ.get("STEPTIME_RECORD_TO")
NOTES = os.environ.get("STEPTIME_RECORD_NOTES", "")
NAME = os.environ.get("STEPTIME_RECORD_NAME", "script")
PLAN = os.environ.get("STEPTIME_RECORD_PLAN", "10 2 5 shapes,stacks 30 2").split()
WAIT, WARMUP, STEPS = (int(word) for word in PLAN[:3])
PASSES = PLAN[3].split(",")
IDLE_S, WINDOW_S = (float(word) for word in PLAN[4:6])  # without a step for so long: record so long. 0: never
MOST_BARE = 10000  # ends of steps that are kept
SETTLING = min(3, WAIT // 3)  # the first steps fill caches and choose kernels: they are no measure
RANKS = (("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
         ("SLURM_PROCID", "SLURM_NTASKS"))


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


def median(numbers):
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def lengths(ends):
    return [after - before for before, after in zip(ends, ends[1:])]


# ---- a pass ----

class Pass:
    """So many steps with the profiler on. It begins and ends on one thread: the profiler dies on any other."""

    def __init__(self, recorder, kind, at_step):
        import threading
        torch = recorder.torch
        self.recorder, self.kind, self.first = recorder, kind, at_step
        self.thread = threading.current_thread()
        self.ends = []
        self.steps = 0   # so far, those of the warm-up among them
        self.saved = False
        self.profiler = torch.profiler.profile(
            activities=torch.profiler.supported_activities(), schedule=self.action, on_trace_ready=self.save,
            record_shapes=kind != "stacks", with_stack=kind != "shapes")
        self.profiler.step_num = at_step  # so that ProfilerStep#k counts the script's own steps

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

    def save(self, profiler):
        recorder = self.recorder
        folder, ending = (NOTES, ".stacks.json.gz") if self.kind == "stacks" else (TO, ".json.gz")
        path = os.path.join(folder, recorder.base + ending)
        part = os.path.join(folder, f".{recorder.base}.part.json.gz")
        profiler.export_chrome_trace(part)
        os.replace(part, path)
        self.saved = True
        recorded = max(0, self.steps - WARMUP)
        recorder.note("saved", f"{self.kind} {recorded} {STEPS}")


# ---- the recorder ----

class Recorder:
    """Of this process. Off once it has recorded, or where it must not."""

    def __init__(self):
        self.process = os.getpid()
        self.torch = None
        self.base = None
        self.first = FirstOptimizer()
        self.steps = 0
        self.bare = []
        self.recorded = []
        self.waiting = list(PASSES)
        self.now = None  # the pass that runs
        self.off = False
        self.entered = False  # our own calls of the profiler
        self.last_step_s = time.monotonic()
        self.sigterm = None

    def is_here(self):
        return not self.off and os.getpid() == self.process

    def note(self, kind, words=""):
        try:
            with open(os.path.join(NOTES, "notes"), "a", encoding="utf-8") as out:
                out.write(f"{os.getpid()} {kind} {self.base or NAME} {words}\n")
        except OSError:
            pass

    def guard(self, function, *arguments):
        """The script goes on whatever happens in here."""
        self.entered = True
        try:
            return function(*arguments)
        except Exception as problem:  # pylint: disable=broad-except
            self.stand_back(f"recording failed: {type(problem).__name__}: {problem}".replace("\n", " "))
            return None
        finally:
            self.entered = False

    def stand_back(self, why):
        self.off = True
        self.now = None
        self.note("said", why)

    # ---- steps ----

    def end_step(self, optimizer):
        now = time.perf_counter_ns()
        if os.getpid() == self.process and self.first.makes(optimizer):
            self.last_step_s = time.monotonic()
            self.guard(self.take_step, now)

    def take_step(self, now):
        import threading
        self.steps += 1
        if self.base is None:
            self.base = base_name(self.torch)
            self.note("begun", f"{WAIT} {WARMUP} {STEPS}")
        if self.now is None:
            self.leave_bare(now)
        elif self.now.thread is threading.current_thread() and self.now.step(now):
            self.end_pass()

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
            return self.begin_pass() if self.waiting and not self.off else None
        self.hear_the_end()
        self.now = Pass(self, kind, self.steps)
        self.now.begin()
        return None

    def why_not(self, kind):
        if self.torch.autograd._profiler_enabled():
            self.off = True
            return "the script profiles itself at this time: recording stands back"
        if kind == "stacks" and not self.torch.profiler.kineto_available():
            return "no stacks: this PyTorch was built without Kineto, and its traces hold none"
        if kind == "stacks" and sys.getprofile() is not None:
            return "no stacks: another profiler of Python is at work (cProfile?), and they would end it"
        version = tuple(int(word) for word in self.torch.__version__.split("+")[0].split(".")[:2])
        if kind == "stacks" and sys.version_info >= (3, 13) and version < (2, 8):
            return f"no stacks: PyTorch {self.torch.__version__} crashes with them on Python 3.13 and later"
        return ""

    def end_pass(self):
        ended, self.now = self.now, None
        self.waiting.pop(0)
        if ended.kind != "stacks":
            self.recorded = ended.ends
            self.write_times()
        self.stop_hearing()
        if self.waiting:
            self.begin_pass()
        else:
            self.note("done")

    # ---- a window of time, where nothing steps ----

    def watch_idleness(self):
        import threading
        if IDLE_S > 0 and WINDOW_S > 0:
            threading.Thread(target=self.idle, name="steptime", daemon=True).start()

    def idle(self):
        while self.is_here() and not self.steps and time.monotonic() - self.last_step_s < IDLE_S:
            time.sleep(min(0.2, IDLE_S / 4))
        while self.is_here() and not self.steps and not self.now:
            self.in_main_thread(self.begin_window)
            time.sleep(0.05)
        time.sleep(WINDOW_S)
        self.in_main_thread(self.end_window)

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
        if not hasattr(self, "called"):
            self.called = []  # pending calls are C functions of ours: they must live on
        call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: self.guard(function) or 0)
        self.called.append(call)
        ctypes.pythonapi.Py_AddPendingCall(call, None)

    def begin_window(self):
        if self.steps or self.now or not self.is_here() or self.is_importing():
            return
        self.base = base_name(self.torch)
        self.note("said", f"no optimizer made a step in {IDLE_S:g} s: a window of {WINDOW_S:g} s is recorded instead")
        if self.why_not("window"):
            self.note("said", "the script profiles itself at this time: recording stands back")
            return
        self.hear_the_end()
        self.now = Pass(self, "window", 0)
        self.now.profiler.schedule = None
        self.now.profiler.current_action = self.torch.profiler.ProfilerAction.RECORD_AND_SAVE
        self.now.profiler.start()

    def end_window(self):
        if self.now and self.now.kind == "window":
            self.now.end()
            self.now = None
            self.off = True
            self.stop_hearing()
            self.note("done")

    # ---- the end ----

    def hear_the_end(self):
        """Of this thread, or by a signal: a trace that nobody saves is lost."""
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

    def finish(self):
        """The script ends: what was recorded so far is saved."""
        if os.getpid() == self.process:
            self.guard(self.save_the_rest)

    def save_the_rest(self):
        import threading
        cut, self.now = self.now, None
        if cut and cut.thread is threading.current_thread():
            if cut.kind != "stacks":
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
        import json
        path = os.path.join(TO, f"{self.base}.steps.json")
        part = f"{path}.part"
        with open(part, "w", encoding="ascii") as out:
            json.dump({"version": 1, "clock": "monotonic", "bare_step_end_ns": self.bare,
                       "recorded_step_end_ns": self.recorded,
                       "recorder": {"torch": self.torch.__version__, "python": sys.version.split()[0],
                                    "wait": WAIT, "warmup": WARMUP, "steps": STEPS}}, out)
        os.replace(part, path)

    # ---- others that profile ----

    def stand_back_from(self, profiler):
        """Called before any profiler of PyTorch prepares; ours ends first."""
        if self.entered or not self.is_here():
            return
        cut, self.now = self.now, None
        if cut:
            cut.profiler.on_trace_ready = None
            self.guard(cut.end)
        if self.waiting:
            self.stand_back("the script profiles itself: recording stands back; use its own trace")


recorder = Recorder()


def watch_profilers(torch):
    kind = torch.autograd.profiler.profile
    prepare = kind._prepare_trace

    def wrapper(self, *arguments, **named):
        recorder.stand_back_from(self)
        return prepare(self, *arguments, **named)
    kind._prepare_trace = wrapper


def watch_sudden_end():
    leave = os._exit

    def wrapper(status):
        recorder.finish()
        leave(status)
    os._exit = wrapper


def torch_is_here(torch):
    import atexit
    recorder.torch = torch
    recorder.note("torch")
    recorder.last_step_s = time.monotonic()
    watch_steps(torch, recorder.end_step)
    watch_profilers(torch)
    watch_sudden_end()
    atexit.register(recorder.finish)
    recorder.watch_idleness()


if TO and __name__ == "sitecustomize":
    recorder.note("loaded")
    sys.meta_path.insert(0, Waiting({"torch": torch_is_here}))
    run_the_one_in_its_place()
