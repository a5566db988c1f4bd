# SPDX-License-Identifier: Apache-2.0
"""For run.py: words of the asked device in a script, where PyTorch is built without it. Its tensors lie on the host instead,
and say that they lie on the device where the script asks.

It lies as steptime_dry_words.py beside the sitecustomize.py that run.py is.
"""
import os

from steptime_dry_plan import asked_by_torch

KIND = "cuda"


def means_device(word):
    return word == KIND or word.startswith(KIND + ":") if isinstance(word, str) else getattr(word, "type", None) == KIND


# What spreads tensors over ranks is told as the script is.
TOLD = tuple(os.path.join("torch", "distributed", *folder) + os.sep for folder in (("fsdp", "_fully_shard"), ("tensor",), ("_shard",)))


def words_mode(torch, places):
    """A mode that every function of PyTorch passes through, before any other."""
    Tensor, Device = torch.Tensor, torch.device
    host, on_device = Device("cpu"), Device(KIND, 0)
    asks_device, asks_kind, asks_host = (getattr(Tensor, name).__get__ for name in ("device", "is_cuda", "is_cpu"))

    def answer(func, tensor):
        there = places.lies_there(tensor)
        return (on_device if there else host) if func == asks_device else there == (func == asks_kind)

    def place_in(args, kwargs):
        """Which place is named: True the device, False the host, None no one."""
        named = [kwargs.get("device"), *args[1:]]
        words = [word for word in named if isinstance(word, (str, Device))]
        if any(map(means_device, words)) or type(named[0]) is int:
            return True
        return False if any(str(word) == "cpu" for word in words) else None

    def on_host(value):
        return host if isinstance(value, (str, Device)) and means_device(value) else value

    def to(func, args, kwargs):
        first = args[1] if len(args) > 1 else kwargs.get("other")
        where = place_in(args, kwargs)
        if type(first) is int:
            args, where = (args[0], host) + args[2:], True
        elif isinstance(first, Tensor):
            where = places.lies_there(first)
        elif where is False and asked_by_torch(TOLD):
            where = None  # to where another tensor of it really lies
        args, kwargs = translated(args, kwargs)
        return func(*args, **kwargs) if where is None else places.moved(args[0], where, func, *args[1:], **kwargs)

    def translated(args, kwargs):
        kwargs = {name: on_host(value) for name, value in kwargs.items()}
        if type(kwargs.get("device")) is int:
            kwargs["device"] = host
        return tuple(map(on_host, args)), kwargs

    def of_type(tensor, kind, *more):
        """x.type("torch.cuda.FloatTensor"), and the type itself."""
        word = kind if isinstance(kind, str) else ""
        host_kind = getattr(kind, "host", word.replace("torch.cuda.", "torch.") or kind)
        if host_kind is kind or host_kind == kind:
            return Tensor.type(tensor, kind, *more)
        return places.moved(tensor, True, Tensor.to, host, dtype_of(host_kind))

    def dtype_of(kind):
        return Tensor.new_empty(torch.empty(0, dtype=torch.uint8), 0).type(kind).dtype

    class Words(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if func in (asks_device, asks_kind, asks_host):
                return func(*args) if asked_by_torch(TOLD) else answer(func, args[0])
            if func is Device:  # a word itself; a number alone means the device
                return func(*((KIND, *args) if len(args) == 1 and type(args[0]) is int else args), **kwargs)
            if func is Tensor.cuda:
                ahead = kwargs.get("non_blocking", len(args) > 2 and args[2])
                return places.moved(args[0], True, Tensor.to, host, **({"non_blocking": True} if ahead else {}))
            if func is Tensor.cpu:
                return places.moved(args[0], False, Tensor.to, host)
            if func is Tensor.type and len(args) > 1:
                return of_type(*args)
            if func is Tensor.pin_memory:
                return args[0]
            if func is Tensor.is_pinned:
                return not places.lies_there(args[0])
            if func is Tensor.to:
                return to(func, args, kwargs)
            where = place_in((None,) + tuple(args), kwargs)
            args, kwargs = translated(args, kwargs)
            return func(*args, **kwargs) if where is None else places.making(where, func, *args, **kwargs)
    return Words()


def stay_in_words(torch, mode):
    """backward() is called from within the mode, which is off meanwhile: functions of the script, and of PyTorch's own Python,
    that run backwards pass it, too."""
    run = torch.autograd._engine_run_backward

    def wrapper(*arguments, **named):
        if torch._C._len_torch_function_stack():
            return run(*arguments, **named)
        with mode:
            return run(*arguments, **named)
    torch.autograd._engine_run_backward = wrapper


def modules_stay(torch, places):
    """Module.to: its tensors are moved where they are, so that an optimizer that has them already goes on to."""
    apply = torch.nn.Module._apply

    def put(tensor):
        places.put(tensor)
        return tensor

    def move(given):
        def wrapper(module, *arguments, **named):
            words = [*arguments, *named.values()]
            if any(isinstance(word, (str, torch.device)) and means_device(word) or type(word) is int for word in words):
                apply(module, put)
                words = [word for word in words if isinstance(word, torch.dtype)]
                return given(module, *words) if words else module
            return given(module, *arguments, **named)
        return wrapper
    torch.nn.Module.to = move(torch.nn.Module.to)
    torch.nn.Module.cuda = lambda module, device=None: apply(module, put)


def tensors_say_so(torch, places):
    """A tensor without data has a device of its own."""
    from torch._subclasses.fake_tensor import FakeTensor
    given, on_device = FakeTensor.device.fget, torch.device(KIND, 0)

    def device(tensor):
        really = given(tensor)
        return really if really.type != "cpu" or asked_by_torch(TOLD) or not places.lies_there(tensor) else on_device
    FakeTensor.device = property(device)


def defaults_there(torch, places):
    """`with torch.device("cuda")` and torch.set_default_device: what is made with no word of where lies there."""
    from torch.utils import _device
    given = _device.DeviceContext.__torch_function__

    def function(context, func, types, args=(), kwargs=None):
        if not means_device(context.device):
            return given(context, func, types, args, kwargs)
        kwargs = kwargs or {}
        if func in _device._device_constructors() and kwargs.get("device") is None:
            return places.making(True, func, *args, **kwargs)
        return func(*args, **kwargs)
    _device.DeviceContext.__torch_function__ = function
    types_by_default(torch)


def types_by_default(torch):
    """torch.set_default_tensor_type of a type of the device, from before there was a default device."""
    given = torch.set_default_tensor_type
    there = []

    def set_default_tensor_type(kind):
        host = getattr(kind, "host", kind)
        on_device = host is not kind or str(kind).startswith("torch.cuda.")
        given(kind.replace("torch.cuda.", "torch.") if isinstance(kind, str) else host)
        if on_device or there:
            torch.set_default_device(KIND if on_device else None)
        there[:] = [True] if on_device else []
    torch.set_default_tensor_type = set_default_tensor_type


def generators_on_host(torch):
    """A class, so that what asks for its type goes on to work."""
    made = torch.Generator

    class Generator(made):
        def __new__(cls, device="cpu"):
            return made.__new__(cls, "cpu")
    torch.Generator = Generator


def autocast_on_host(torch):
    """Which operators it casts is decided by lists that are nearly the same."""
    made = torch.autocast.__init__

    def wrapper(self, device_type, dtype=None, *arguments, **named):
        if means_device(device_type):
            device_type, dtype = "cpu", dtype or torch.float16
        made(self, device_type, dtype, *arguments, **named)
    torch.autocast.__init__ = wrapper
    for name in ("is_autocast_enabled", "get_autocast_dtype", "set_autocast_dtype", "set_autocast_enabled",
                 "is_autocast_available"):
        first_on_host(torch, name)


def first_on_host(torch, name):
    given = getattr(torch, name, None)
    if given is None:
        return

    def wrapper(*arguments, **named):
        return given(*("cpu" if isinstance(word, str) and means_device(word) else word for word in arguments), **named)
    setattr(torch, name, wrapper)
