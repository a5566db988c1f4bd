# SPDX-License-Identifier: Apache-2.0
"""Runs inside the interpreter of a script that steptime prices: lets it make three steps without data, and ends it.

It lies as sitecustomize.py in a folder that is first on PYTHONPATH (see inside.py), beside what it is made of:
plan.py (what was asked for, lines, notes), values.py, asserts.py, shapes.py and known.py (stand-ins, and where there is no
need of them), elements.py (filled number by number, or pickled), strides.py (where its elements lie), device.py (answers as the asked device would), attention.py
(its kernels of attention), ctc.py (its lengths), recurrent.py (its recurrent layers), recurrent_real.py, packed.py (sequences of several lengths), words.py (its words in the script), quiet.py (what would be in the way), files.py (what it writes), memory.py, calls.py and storages.py (which storages live when, in which
calls of modules), places.py (which of them on the device), streams.py (streams and events), job.py and ranks.py (a
job of several ranks), lone.py (one whose ranks nobody said), processes.py (processes that train), batch.py (samples of a step), data.py (batches where data
is absent), loader.py (what loading one takes), weights.py (weights without data, or absent), direct.py (what nothing compiled needs), garbage.py (how often Python looks for garbage), end.py (why there is no step) and lack.py (whether that is for want
of data), types.py (what types are equal to) and kinds.py (a script's own), sparse.py (sparse tensors); where that is asked for waits.py (where the host would wait for the device) and real.py (tensors with data).

From the import of PyTorch on, all tensors are of its FakeTensorMode: shapes and types, no data (where STEPTIME_DRY_REAL asks for it
they are as PyTorch makes them, and all else is the same). From the first optimizer on, an ExecutionTraceObserver writes what the
script does (trace.py); each step has a ProfilerStep of its own and ends with the step() of an optimizer, as for record.py; of a script that runs backward() before it makes any, with backward().
Where it makes one later, all begins anew. After the last step the process ends at once. Lines for who waits go to
STEPTIME_DRY_TO/notes, their words apart by tabs, `-` for no place:

    loaded    1  -  <python>            an interpreter took this module
    torch     1  -  <version>           PyTorch was imported
    step      1  -  <n>                 a step ended
    value     <times> <place> <call>    a stand-in was given for a value that nobody knows
    branch    <times> <place> <call>    the script asked whether a stand-in is true, so chose its way by it
    shape     <times> <place> <call>    a stand-in for a shape that depends on values: the largest it could be
    skipped   <times> <place> <call>    what was not done: saving, writing, waiting
    batch     1  <place> <basis> <samples> <tokens> <batches>   what a step took, by what: loader or module
    instead   1  <place> <own> <ran>    loaders that got another batch would have handed out <own> items for it, not <ran>
    rebatched 1  <place> <n>      a loader got another batch than it asked for
    shaped    1  <place>                a loader handed out batches of the shapes that were asked for
    loading   1  <place>                what loading a batch takes is about to be timed
    load      1  <place> <ns> <n> <workers> <worked>   what loading a batch takes one process here, how many a step takes, for how many
              workers, and for how long of it the process worked
    unloaded  1  <place> <why>          that is not known
    nothing   1                         it put nothing on the device
    lacks     1  <place> <why>          what it died of, or may have died of, is that there is no data
    died      1  <place> <error>        an error ended the script; at which line of it
    anew      1  <place>                an optimizer was made behind steps that ended with backward(): steps count from here
    by_hand   1  <place>                steps end with backward() there: there is no optimizer
    late      1  <place>                the time is nearly up, and this is where the script stands
    why       1  -  <words>             why there was no step of one that ended
    ended     1  -  <n>                 it ended by itself, after so many steps
    done      1  -  <n>                 all steps were made
"""
import os
import sys

from steptime_dry_direct import go_directly, name_lines_quickly
from steptime_dry_end import end, tell_late, tell_of_faults
from steptime_dry_files import hold_back
from steptime_dry_garbage import garbage
from steptime_dry_lack import why_for_want_of_data
from steptime_dry_processes import processes, watch as watch_processes
from steptime_dry_plan import DEVICE, RANKS, REAL, SHAPES, STEPS, TO, WAITS, count, place, short, tell, tell_counts, where_and_what
from steptime_dry_sparse import tell_of_sparse_tensors
from steptime_dry_trace import Trace
from steptime_dry_types import types_compare
from steptime_dry_weights import drop_data, need_no_weights
from steptime_inside import FirstOptimizer, Outermost, Waiting, as_function, run_the_one_in_its_place, watch_steps


class DryRun:
    """Of this process; forked children make no steps of their own."""

    def __init__(self):
        self.process = os.getpid()
        self.torch = self.mode = self.memory = self.batch = self.loaders = self.waits = None
        self.library = None  # of operators of ours; they last as long
        self.trace = Trace()
        self.first = FirstOptimizer()
        self.steps = 0
        self.by_hand = False
        self.over = False

    def is_here(self):
        return os.getpid() == self.process and not self.over

    # ---- the way in ----

    def enter(self, torch):
        self.torch = torch
        tell("torch", words=torch.__version__)
        tell_late()
        go_directly(torch)
        self.mode = None if REAL else mode_of(torch)
        import steptime_dry_batch
        import steptime_dry_calls
        import steptime_dry_ctc
        import steptime_dry_data
        import steptime_dry_device
        import steptime_dry_elements
        import steptime_dry_kinds
        import steptime_dry_known
        import steptime_dry_loader
        import steptime_dry_lone
        import steptime_dry_memory
        import steptime_dry_quiet
        import steptime_dry_recurrent
        import steptime_dry_strides
        import steptime_dry_values
        import torch.utils.data
        self.batch = steptime_dry_batch.Batch(torch)
        data = steptime_dry_data.Data(torch, self.batch) if SHAPES else None
        steptime_dry_quiet.keep_quiet(torch, data)
        if REAL:
            import steptime_dry_real
            steptime_dry_real.keep_in_bounds(torch)
        else:
            drop_data(torch, self.mode)
            steptime_dry_strides.give_strides(torch, self.mode)
            steptime_dry_values.give(torch)
            steptime_dry_known.keep_values(torch)
            steptime_dry_elements.fill_quickly(torch, lambda: self.trace.began)
            steptime_dry_elements.pickle_shapes(torch)
            steptime_dry_kinds.kinds_without_data(torch)
        tell_of_sparse_tensors(torch)
        leave_annotations_out(torch)
        self.memory = steptime_dry_memory.Memory(torch, DEVICE == "cuda")
        self.batch.began = self.memory.begin_batches
        (data or self.batch).watch()
        self.loaders = steptime_dry_loader.Loaders(torch)
        self.loaders.watch()
        steptime_dry_calls.Calls(self.memory, DEVICE == "cuda", self.batch).watch()
        garbage.watch(torch)
        if not REAL:
            self.library = steptime_dry_ctc.read_lengths(torch, self.memory.places)
        self.watch_optimizers(torch)
        watch_steps(torch, self.end_step)
        if self.mode:
            self.mode.__enter__()
        self.memory.enter()
        self.watch_backward(torch)
        if DEVICE == "cuda":
            steptime_dry_device.answer(torch, self.memory.places)
            steptime_dry_recurrent.recurrent_as_there(torch, self.memory.places, self.mode)
        if RANKS:
            import steptime_dry_job
            steptime_dry_job.join(torch, self.memory, RANKS)
        steptime_dry_lone.watch(torch, self.memory)
        watch_processes(self)
        steptime_dry_batch.another_precision(torch)
        if WAITS:
            import steptime_dry_waits
            self.waits = steptime_dry_waits.Waits(torch, self.memory.places)
            self.waits.enter()

    def watch_optimizers(self, torch):
        """The observer starts with the first: what comes before is setting up."""
        make = torch.optim.Optimizer.__init__

        def wrapper(optimizer, *arguments, **named):
            make(optimizer, *arguments, **named)
            if not self.is_here():
                processes.tell()
                return
            end.optimizer = end.optimizer or place()
            if self.by_hand:
                self.begin_anew()
            elif not self.trace.began:
                self.observe()
        torch.optim.Optimizer.__init__ = wrapper

    def watch_backward(self, torch):
        """Where it comes before any optimizer, the script may have none: it makes its steps by hand."""
        backward = torch.autograd.backward
        torch.autograd.backward = as_function(Outermost(backward, after=self.end_backward), backward)

    def end_backward(self, *_, **__):
        if not self.is_here():
            processes.tell()
            return
        end.backward = place()
        self.batch.end_backward()
        if end.optimizer:
            return
        if not self.trace.began:
            self.by_hand = True
            self.observe()
        elif self.by_hand:
            self.count_step(None)

    def observe(self):
        garbage.look_again(self.torch)
        self.trace.begin(self.torch)

    def begin_anew(self):
        """An optimizer behind steps by hand: these were setting up."""
        self.by_hand = False
        self.trace.stop()
        self.steps = 0
        self.memory.begin_anew()
        self.batch.begin_step()
        if self.waits:
            self.waits.begin_anew()
        tell("anew", end.optimizer)
        self.observe()

    # ---- steps ----

    def end_step(self, optimizer):
        if self.is_here() and self.first.makes(optimizer):
            self.count_step(optimizer)

    def count_step(self, optimizer):
        """optimizer: None where there is none."""
        self.steps += 1
        self.memory.end_step(optimizer)
        self.batch.end_step()
        self.loaders.end_step()
        tell("step", words=self.steps)
        if self.waits:
            self.waits.end_step()
        self.trace.end_step(self.steps)
        if self.steps >= STEPS:
            self.finish("done")

    # ---- the way out ----

    def close(self):
        self.over = True
        processes.end()
        if self.waits:
            self.waits.close()
        self.trace.stop()
        if self.memory and self.steps:  # not that of a launcher, which ends behind the script that it started
            self.memory.write()
            if self.waits:
                self.waits.write()
        if self.by_hand and self.steps:
            tell("by_hand", end.backward)
            count("skipped", "step() of an optimizer: there is none, steps end with backward()", end.backward)
        tell_counts()

    def time_loading(self):
        if self.loaders and self.steps:
            self.loaders.tell()

    def finish(self, kind):
        """At once: what the script does on its way out belongs to a training that was."""
        self.close()
        tell(kind, words=self.steps)
        self.time_loading()
        os._exit(0)

    def end(self):
        if self.is_here():
            self.close()
            end.tell()
            tell("ended", words=self.steps)
            self.time_loading()

    def die(self, kind, problem, trace):
        if not self.is_here() or issubclass(kind, KeyboardInterrupt):
            return
        why = "" if REAL else why_for_want_of_data(problem)
        self.close()
        where, what = where_and_what(kind, problem, trace)
        if why:
            tell("lacks", short(where), why)
        tell("died", short(where), end.with_ranks(kind, trace, what, where))
        self.time_loading()
        os._exit(1)


def mode_of(torch):
    """Where there is none, this is the end."""
    try:
        from torch._subclasses.fake_tensor import FakeTensorMode
        torch.profiler.ExecutionTraceObserver  # pylint: disable=pointless-statement
        return FakeTensorMode(allow_non_fake_inputs=True)
    except (ImportError, AttributeError, TypeError):
        tell("died", words=f"PyTorch {torch.__version__} cannot run a script without data: that needs a newer one")
        os._exit(1)


def leave_annotations_out(torch):
    """record_function is an operator for the mode, which would have what lies within it as its own."""
    annotation = torch.autograd.profiler.record_function

    def without_modes(function):
        def wrapper(*arguments, **named):
            with torch._C._DisableTorchDispatch():
                return function(*arguments, **named)
        return wrapper
    annotation.__enter__ = without_modes(annotation.__enter__)
    annotation.__exit__ = without_modes(annotation.__exit__)


run = DryRun()


def hear_of_the_end():
    import atexit
    heard = sys.excepthook

    def hook(kind, problem, trace):
        heard(kind, problem, trace)
        run.die(kind, problem, trace)
    sys.excepthook = hook
    atexit.register(run.end)
    end.watch(run.end)


if TO and __name__ == "sitecustomize":
    tell("loaded", words=sys.version.split()[0])
    garbage.put_off()
    hear_of_the_end()
    tell_of_faults()
    hold_back()
    if not REAL:
        types_compare()
    sys.meta_path.insert(0, Waiting({"torch": run.enter, "torch._library.utils": name_lines_quickly,
                                     "transformers.modeling_utils": need_no_weights}))
    run_the_one_in_its_place()
