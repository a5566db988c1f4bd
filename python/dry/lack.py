# SPDX-License-Identifier: Apache-2.0
"""For run.py: whether what a script died of comes from its tensors having no data. Then it may run where they have some.

It lies as steptime_dry_lack.py beside the sitecustomize.py that run.py is.
"""
from steptime_dry_plan import is_torch, told

# Where PyTorch stands in for operators by their shapes alone.
REFUSERS = ("torch._subclasses", "torch.fx.experimental.symbolic_shapes")
WORDS = ("FakeTensor", "fake tensor", "fake impl", "meta tensor", "Meta tensor", "meta kernel", "'Meta'", "data is not allocated yet",
         "Cannot access data pointer", "data dependent", "data-dependent", "device='meta'", "device(type='meta')")
OWN = (ImportError, OSError, SyntaxError, NameError, MemoryError, SystemExit)  # whatever values there are
STOOD_IN = ("value", "branch", "shape")
MOST_LINKED = 10


def linked(problem):
    """It, and what it was raised from or beside."""
    found = []
    while problem is not None and problem not in found and len(found) < MOST_LINKED:
        found.append(problem)
        problem = problem.__cause__ or problem.__context__
    return found


def frames_of(problem):
    trace = problem.__traceback__
    while trace:
        yield trace.tb_frame.f_code.co_filename
        trace = trace.tb_next


def is_own(problem):
    """Whatever values there are: of such a kind, or a name that a module has not."""
    return isinstance(problem, OWN) or (isinstance(problem, AttributeError) and str(problem).startswith("module '"))


def is_refusal(problem):
    """Of the mode itself, or of an operator that asks for data."""
    if is_own(problem):
        return False
    if type(problem).__module__.startswith(REFUSERS):
        return True
    if isinstance(problem, NotImplementedError):
        return any(map(is_torch, frames_of(problem)))
    return isinstance(problem, (RuntimeError, ValueError, TypeError)) and any(word in str(problem) for word in WORDS)


def why_for_want_of_data(problem):
    """The rest of a sentence; "": by itself."""
    if any(map(is_refusal, linked(problem))):
        return "it needs data"
    stood_in = any(kind in STOOD_IN for kind, _, _ in told)
    if stood_in and not any(map(is_own, linked(problem))):
        return "it had got stand-ins for values, which may be why"
    return ""
