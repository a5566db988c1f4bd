# SPDX-License-Identifier: Apache-2.0
"""For run.py: nothing is compiled in a dry run, so PyTorch's compiler (torch._dynamo, a second of processor time to import) stays
asleep until somebody asks for more of it than its settings, and nothing need be kept from it: each operator would pass two guards
for that.

It lies as steptime_dry_direct.py beside the sitecustomize.py that run.py is.
"""
import gc
import importlib
import importlib.util
import inspect
import sys
import types

COMPILER = "torch._dynamo"
NEEDED = ("config", "source", "_trace_wrapped_higher_order_op")  # by the mode without data, and by transformers


# ---- guards ----

def unguarded(function=None, recursive=True, **_):
    """In the place of PyTorch's decorator."""
    return function if function is not None else unguarded


def open_guards(guard):
    """Of functions that were decorated until now: each asks its own function what to call."""
    code = guard(lambda: None).__code__
    for held in gc.get_objects():
        if type(held) is types.FunctionType and held.__code__ is code:
            held.__wrapped__.__dynamo_disable = held.__wrapped__


# ---- the compiler ----

def as_it_is(function=None, *_, **__):
    return function


class Compiled:
    """What a compiler makes of modules: there are none."""


# What is said to the compiler, or asked about what it did.
IDLE = {"graph_break": lambda *_, **__: None, "disable": unguarded, "allow_in_graph": as_it_is, "disallow_in_graph": as_it_is,
        "assume_constant_result": as_it_is, "mark_static": as_it_is, "mark_static_address": as_it_is, "mark_dynamic": as_it_is,
        "maybe_mark_dynamic": as_it_is, "is_compiling": lambda: False, "OptimizedModule": Compiled,
        "eval_frame": types.SimpleNamespace(OptimizedModule=Compiled)}


class Asleep(types.ModuleType):
    """A package whose own code has not run; what it lacks wakes it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        wake(self)
        return getattr(self, name)


class Waker:
    """Other parts of it are imported behind the whole."""

    def find_spec(self, name, *_):
        compiler = sys.modules.get(COMPILER)
        if name.startswith(f"{COMPILER}.") and type(compiler) is Asleep:
            wake(compiler)
        return None


def wake(compiler):
    if type(compiler) is not Asleep:
        return
    compiler.__class__ = types.ModuleType
    for name in IDLE:
        vars(compiler).pop(name, None)
    compiler.__spec__.loader.exec_module(compiler)


def put_to_sleep(torch):
    """Where it cannot sleep it is as it always was."""
    spec = importlib.util.find_spec(COMPILER)
    if spec is None or COMPILER in sys.modules:
        return
    compiler = importlib.util.module_from_spec(spec)
    sys.modules[COMPILER] = torch._dynamo = compiler
    try:
        for name in NEEDED:
            importlib.import_module(f"{COMPILER}.{name}")
    except (ImportError, AttributeError):
        wake_whole(torch)
        return
    vars(compiler).update(IDLE)
    compiler.__class__ = Asleep
    sys.meta_path.insert(0, Waker())


def wake_whole(torch):
    for name in [name for name in sys.modules if name == COMPILER or name.startswith(f"{COMPILER}.")]:
        del sys.modules[name]
    del torch._dynamo


# ---- operators ----

def device_of(torch):
    """As PyTorch's mode answers what lists of tensors ask a hundred thousand times."""
    from torch._subclasses.fake_tensor import FakeTensor
    meta = torch.device("meta")

    def answer(tensor):
        if not isinstance(tensor, FakeTensor):
            return tensor.device
        return meta if tensor.fake_mode.in_kernel_invocation else tensor.fake_device
    return answer


def dispatch_directly(torch):
    """Neither do calls need to be counted."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    run = inspect.unwrap(FakeTensorMode.__torch_dispatch__)
    asks_device, answer = torch.ops.prim.device.default, device_of(torch)

    def dispatch(mode, func, types, args=(), kwargs=None):
        return answer(args[0]) if func is asks_device else run(mode, func, types, args, kwargs)
    FakeTensorMode.__torch_dispatch__ = dispatch
    FakeTensorMode.dispatch = inspect.unwrap(FakeTensorMode.dispatch)


class Fillers:
    """Operators on lists that write into these and make nothing: without data there is nothing to do."""

    def __init__(self):
        self.known = {}

    def fills(self, func, given):
        if func not in self.known:
            self.known[func] = func._schema.name.startswith("aten::_foreach_") and not func._schema.returns
        return self.known[func] and all(getattr(tensor, "constant", None) is None for tensor in given)


# ---- lines of PyTorch's own ----

def name_lines_quickly(utils):
    """utils: torch._library.utils. For each operator that a package registers it names the line, for which it looks through all modules."""
    def get_source(stacklevel):
        frame = sys._getframe(stacklevel)
        return f"{frame.f_code.co_filename}:{frame.f_lineno}"
    utils.get_source = get_source


# ---- all of it ----

def go_directly(torch):
    """From 2.1 on there are guards; before, nothing is other than it was."""
    guard = getattr(torch, "_disable_dynamo", None)
    if guard is None:
        return
    put_to_sleep(torch)
    open_guards(guard)
    torch._disable_dynamo = torch._compile._disable_dynamo = unguarded
    dispatch_directly(torch)
