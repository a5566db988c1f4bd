# SPDX-License-Identifier: Apache-2.0
"""For run.py: a script's own kinds of tensors (class Labelled(torch.Tensor)), made of tensors without data, which PyTorch refuses:
these are of a class of their own already.

It lies as steptime_dry_kinds.py beside the sitecustomize.py that run.py is. What is made is of a class below both. Operators see
it as one without data: what they do in Python here is done below Python in a real run, where no kind's own methods are. Kinds that take
operators themselves (__torch_dispatch__) are left to PyTorch.
"""
import contextlib
import functools

MADE_OF = "steptime_made_of"  # of a class below both: the script's
made = {}  # the script's class: that below both


@contextlib.contextmanager
def as_plain(fake, tensors):
    kept = [(tensor, type(tensor)) for tensor in tensors if MADE_OF in vars(type(tensor))]
    for tensor, _ in kept:
        tensor.__class__ = fake
    try:
        yield
    finally:
        for tensor, kind in kept:
            tensor.__class__ = kind


def operators_see_plain(torch, fake):
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._pytree import tree_flatten
    given = FakeTensorMode.__torch_dispatch__

    def dispatch(mode, func, types, args=(), kwargs=None):
        if not made or not any(MADE_OF in vars(kind) for kind in types):
            return given(mode, func, types, args, kwargs)
        with as_plain(fake, tree_flatten((args, kwargs))[0]):
            return given(mode, func, [fake], args, kwargs)
    FakeTensorMode.__torch_dispatch__ = dispatch


class Kinds:
    def __init__(self, torch):
        from torch._subclasses.fake_tensor import FakeTensor
        self.torch, self.fake = torch, FakeTensor
        self.alias = torch.ops.aten.alias.default

    def is_own(self, kind, tensor):
        return (isinstance(tensor, self.fake) and not issubclass(kind, self.fake) and kind not in (self.torch.Tensor, self.torch.nn.Parameter)
                and kind.__torch_dispatch__ is self.torch.Tensor.__torch_dispatch__)

    def below(self, kind):
        if kind not in made:
            function = kind.__torch_function__
            members = {MADE_OF: kind, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
            both = made[kind] = type(self.fake)(kind.__name__, (kind, self.fake), members)
            # As it is made PyTorch puts another there: of a kind that takes operators.
            both.__torch_function__ = classmethod(function.__func__) if hasattr(function, "__func__") else function
        return made[kind]

    def another(self, tensor):
        """Of the same data, with its gradient."""
        with self.torch._C.DisableTorchFunctionSubclass():
            return self.alias(tensor)

    def become(self, kind, tensor):
        tensor.__class__ = kind if issubclass(kind, self.fake) else self.below(kind)
        return tensor

    # ---- the three ways to make one ----

    def watch(self):
        Tensor = self.torch.Tensor
        new, as_subclass, make = Tensor.__new__, Tensor.as_subclass, Tensor._make_subclass

        # PyTorch's compiler, where it is imported, asks of both that make one for its own arguments or for any.
        def newly(*arguments, **named):
            kind = arguments[0]
            if kind is not Tensor and len(arguments) == 2 and not named and self.is_own(getattr(kind, MADE_OF, kind), arguments[1]):
                return self.become(kind, self.another(arguments[1]))
            return new(*arguments, **named)

        @functools.wraps(as_subclass)
        def as_kind(tensor, kind):
            if kind is Tensor and MADE_OF in vars(type(tensor)):
                return self.another(tensor)
            return self.become(kind, self.another(tensor)) if self.is_own(getattr(kind, MADE_OF, kind), tensor) else as_subclass(tensor, kind)

        def make_kind(*arguments, **named):
            if len(arguments) < 2 or named.keys() - {"require_grad"} or not self.is_own(*arguments[:2]):
                return make(*arguments, **named)
            kind, tensor, *wanted = arguments
            with self.torch._C.DisableTorchFunctionSubclass():
                return self.become(kind, tensor.detach().requires_grad_(bool(wanted and wanted[0]) or named.get("require_grad", False)))
        Tensor.__new__, Tensor.as_subclass, Tensor._make_subclass = staticmethod(newly), as_kind, staticmethod(make_kind)


def kinds_without_data(torch):
    if hasattr(torch._C, "DisableTorchFunctionSubclass"):
        kinds = Kinds(torch)
        kinds.watch()
        operators_see_plain(torch, kinds.fake)
