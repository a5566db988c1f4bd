# SPDX-License-Identifier: Apache-2.0
"""For dry_run.py: a script's own kinds of tensors (class Labelled(torch.Tensor)), made of tensors without data, which PyTorch refuses:
these are of a class of their own already.

It lies as steptime_dry_kinds.py beside the sitecustomize.py that dry_run.py is. What is made is of a class below both. Kinds that
take operators themselves (__torch_dispatch__) are left to PyTorch.
"""
import functools

MADE_OF = "steptime_made_of"  # of a class below both: the script's


class Kinds:
    def __init__(self, torch):
        from torch._subclasses.fake_tensor import FakeTensor
        self.torch, self.fake = torch, FakeTensor
        self.alias = torch.ops.aten.alias.default
        self.both = {}

    def is_own(self, kind, tensor):
        return (isinstance(tensor, self.fake) and not issubclass(kind, self.fake) and kind not in (self.torch.Tensor, self.torch.nn.Parameter)
                and kind.__torch_dispatch__ is self.torch.Tensor.__torch_dispatch__)

    def below(self, kind):
        if kind not in self.both:
            function = kind.__torch_function__  # of the script's kind, or of all tensors: not that of tensors without data
            members = {MADE_OF: kind, "__module__": kind.__module__, "__qualname__": kind.__qualname__,
                       "__torch_function__": classmethod(function.__func__) if hasattr(function, "__func__") else function}
            self.both[kind] = type(self.fake)(kind.__name__, (kind, self.fake), members)
        return self.both[kind]

    def another(self, tensor):
        """Of the same data, with its gradient."""
        with self.torch._C.DisableTorchFunctionSubclass():
            return self.alias(tensor)

    def made(self, kind, tensor):
        tensor.__class__ = kind if issubclass(kind, self.fake) else self.below(kind)
        return tensor

    # ---- the three ways to make one ----

    def watch(self):
        Tensor = self.torch.Tensor
        new, as_subclass, make = Tensor.__new__, Tensor.as_subclass, Tensor._make_subclass

        def newly(kind, *arguments, **named):
            if kind is not Tensor and len(arguments) == 1 and not named and self.is_own(getattr(kind, MADE_OF, kind), arguments[0]):
                return self.made(kind, self.another(arguments[0]))
            return new(kind, *arguments, **named)

        @functools.wraps(as_subclass)
        def as_kind(tensor, kind):
            return self.made(kind, self.another(tensor)) if self.is_own(getattr(kind, MADE_OF, kind), tensor) else as_subclass(tensor, kind)

        def make_kind(kind, tensor, require_grad=False, **named):
            if named or not self.is_own(kind, tensor):
                return make(kind, tensor, require_grad, **named)
            with self.torch._C.DisableTorchFunctionSubclass():
                return self.made(kind, tensor.detach().requires_grad_(require_grad))
        Tensor.__new__, Tensor.as_subclass, Tensor._make_subclass = staticmethod(newly), as_kind, staticmethod(make_kind)


def kinds_without_data(torch):
    if hasattr(torch._C, "DisableTorchFunctionSubclass"):
        Kinds(torch).watch()
