# SPDX-License-Identifier: Apache-2.0
"""For dry_run.py: words of the asked device in a script, where PyTorch is built without it. Its tensors lie on the host instead,
and say that they lie on the device where the script asks.

It lies as steptime_dry_words.py beside the sitecustomize.py that dry_run.py is.
"""
import sys

from steptime_dry_plan import is_ours, is_torch

KIND = "cuda"


def means_device(word):
    return word == KIND or word.startswith(KIND + ":") if isinstance(word, str) else getattr(word, "type", None) == KIND


def asked_by_torch():
    """PyTorch's own code decides by where tensors really are."""
    frame = sys._getframe(1)
    while frame and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return bool(frame) and is_torch(frame.f_code.co_filename)


def words_mode(torch):
    """A mode that every function of PyTorch passes through, before any other."""
    Tensor, Device = torch.Tensor, torch.device
    host, on_device = Device("cpu"), Device(KIND, 0)
    asks = {Tensor.device.__get__: on_device, Tensor.is_cuda.__get__: True, Tensor.is_cpu.__get__: False}
    stays = {Tensor.cuda, Tensor.pin_memory}
    numbered = {Tensor.to}

    def translated(value):
        if isinstance(value, (str, Device)) and means_device(value):
            return host
        return value

    class Words(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func in stays:
                return args[0]
            if func in asks and not asked_by_torch():
                return asks[func]
            if func is Tensor.is_pinned:
                return True
            if func in numbered and len(args) > 1 and type(args[1]) is int:
                args = (args[0], host) + args[2:]
            kwargs = {name: translated(value) for name, value in kwargs.items()} if kwargs else {}
            if type(kwargs.get("device")) is int:
                kwargs["device"] = host
            return func(*map(translated, args), **kwargs)
    return Words()


def tensors_say_so(torch):
    """A tensor without data has a device of its own."""
    from torch._subclasses.fake_tensor import FakeTensor
    given, on_device = FakeTensor.device.fget, torch.device(KIND, 0)

    def device(tensor):
        really = given(tensor)
        return really if really.type != "cpu" or asked_by_torch() else on_device
    FakeTensor.device = property(device)


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
