# SPDX-License-Identifier: Apache-2.0
"""For run.py: `type(x) == torch.Tensor`, which scripts ask. Tensors without data are of a class of their own; it counts as equal to
that of all tensors where the script or a package asks, not where PyTorch does.

It lies as steptime_dry_types.py beside the sitecustomize.py that run.py is. The class gets a class of its own as it is made, as
PyTorch's classes of tensors cannot have another later. `type(x) is torch.Tensor` stays false: nothing can answer it. Parameters
without data are of the same class, so they count as plain tensors, too.
"""
import builtins
import sys

from steptime_dry_kinds import MADE_OF
from steptime_dry_plan import is_torch

NAME, MODULE = "FakeTensor", "torch._subclasses.fake_tensor"


def comparing(meta, tensor):
    """A class of classes that are equal to that one."""
    def equal(kind, other):
        if other is kind.__dict__.get(MADE_OF, tensor) and not is_torch(sys._getframe(1).f_code.co_filename):
            return True
        return kind is other or NotImplemented

    def differs(kind, other):
        if other is kind.__dict__.get(MADE_OF, tensor) and not is_torch(sys._getframe(1).f_code.co_filename):
            return False
        return kind is not other and NotImplemented
    return type(f"{meta.__name__}OfNoData", (meta,), {"__eq__": equal, "__ne__": differs, "__hash__": meta.__hash__})


def types_compare():
    """Before PyTorch is imported."""
    build = builtins.__build_class__

    def build_class(function, name, *bases, **named):
        if name == NAME and function.__globals__.get("__name__") == MODULE:
            builtins.__build_class__ = build
            named.setdefault("metaclass", comparing(type(bases[0]), bases[0]))
        return build(function, name, *bases, **named)
    builtins.__build_class__ = build_class
