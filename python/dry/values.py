# SPDX-License-Identifier: Apache-2.0
"""For run.py: values that a script asks tensors for which have none. It gets stand-ins of the right type: one for a number,
False for a truth (True for one of all(), and what passes where an assert asks), ones for arrays. Each is counted with its line, and where the script chooses its way by one, that as well.

It lies as steptime_dry_values.py beside the sitecustomize.py that run.py is.
"""
import functools

from steptime_dry_asserts import needed
from steptime_dry_kinds import as_plain
from steptime_dry_plan import called_from, count, is_torch
from steptime_dry_shapes import give_shapes

CHOOSES = ("__bool__", "__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")
REMAINS = ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__neg__", "__abs__", "__truediv__",
           "__rtruediv__", "__floordiv__", "__rfloordiv__", "__mod__", "__pow__")


# ---- numbers that remember that they are stand-ins ----

def stand_in_type(base):
    """A number of that type: what is computed from it is one, too; a comparison is a branch."""
    def choosing(name):
        operation = getattr(base, name)

        def chosen(self, *others):
            if not called_by_torch():
                count("branch", self.call)
            return operation(self, *others)
        return chosen

    def remaining(name):
        operation = getattr(base, name)

        def computed(self, *others):
            result = operation(self, *others)
            return stand_in(result, self.call) if type(result) in (int, float) else result
        return computed

    members = {name: choosing(name) for name in CHOOSES}
    members.update({name: remaining(name) for name in REMAINS if hasattr(base, name)})
    members["__hash__"] = base.__hash__
    members["__reduce__"] = lambda self: (base, (base(self),))
    return type(f"StandIn_{base.__name__}", (base,), members)


def called_by_torch():
    import sys
    return is_torch(sys._getframe(2).f_code.co_filename)


Whole, Real = stand_in_type(int), stand_in_type(float)


def stand_in(value, call):
    number = Real(value) if isinstance(value, float) else Whole(value)
    number.call = call
    return number


# ---- one value ----

def value_of(torch, dtype):
    """Ones: a script divides by metrics and counts more often than it multiplies."""
    if dtype is torch.bool:
        return False
    return 1.0 if dtype.is_floating_point else complex(1.0) if dtype.is_complex else 1


def is_fake(torch, tensor):
    from torch._subclasses.fake_tensor import FakeTensor
    return isinstance(tensor, FakeTensor)


def hear_of_checks(torch):
    """What asks whether all hold is mostly a check, and a script that goes on passes its checks."""
    aten = torch.ops.aten
    checks = {aten.all.default, aten.all.dim, getattr(aten.all, "dims", None), aten._is_all_true.default}

    def hear(func, result):
        if func in checks:
            result.steptime_holds = True
    return hear


def is_known(tensor):
    return getattr(tensor, "constant", None) is not None


class Giver:
    """Puts stand-ins where PyTorch's mode would refuse."""

    def __init__(self, torch):
        from torch._subclasses import fake_impls
        from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensor
        from torch.utils._mode_utils import no_dispatch
        self.torch, self.fake = torch, FakeTensor
        self.refusal = DataDependentOutputException
        self.asking = False
        self.no_dispatch = no_dispatch
        self.kept = fake_impls.op_implementations_dict

    def give_to_operators(self):
        aten = self.torch.ops.aten
        self.stand_for(aten._local_scalar_dense.default, lambda tensor: value_of(self.torch, tensor.dtype))
        for name, value in (("is_nonzero", False), ("equal", True), ("allclose", True)):
            self.stand_for(getattr(aten, name).default, lambda *_, value=value, **__: value)

    def stand_for(self, operator, give):
        before = self.kept.get(operator)

        def known_or_given(mode, func, *arguments, **named):
            if before is not None:
                try:
                    return before(mode, func, *arguments, **named)
                except self.refusal:
                    pass
            return give(*arguments, **named)
        self.kept[operator] = known_or_given

    def give_to_tensors(self):
        Tensor = self.torch.Tensor
        for name in ("item", "__int__", "__float__", "__index__", "__bool__", "tolist", "numpy", "__array__",
                     "__format__"):
            self.watch(Tensor, name)
        self.torch._subclasses.fake_tensor.FakeTensor.tolist = Tensor.tolist

    def give_to_storages(self):
        """tensor.storage().tolist(), as of the years before tensor.tolist()."""
        kind = self.torch.storage.TypedStorage
        given = kind.tolist

        @functools.wraps(given)
        def tolist(storage):
            if storage._untyped_storage.device.type != "meta":
                return given(storage)
            count("value", ".storage().tolist()")
            return [value_of(self.torch, storage.dtype)] * storage._size()
        kind.tolist = tolist

    def watch(self, Tensor, name):
        given = getattr(Tensor, name)
        answer = getattr(self, f"give_{name.strip('_')}")

        @functools.wraps(given)
        def wrapper(tensor, *arguments, **named):
            if self.asking or not is_fake(self.torch, tensor):  # PyTorch comes here again through modes of functions
                return given(tensor, *arguments, **named)
            self.asking = True
            try:
                with as_plain(self.fake, (tensor,)):
                    return answer(given, tensor, *arguments, **named)
            finally:
                self.asking = False
        setattr(Tensor, name, wrapper)

    # ---- what tensors answer: the operator is asked all the same where there is one, so that the trace has it ----

    def give_item(self, given, tensor):
        if tensor.numel() != 1:
            return given(tensor)
        value = given(tensor)
        if is_known(tensor):
            return value
        if called_from("grad_scaler.py"):  # it asks for infinities
            return type(value)(0)
        count("value", ".item()")
        return stand_in(value, ".item()") if type(value) in (int, float) else value

    def give_int(self, given, tensor):
        return self.give_number(given, tensor, "int()")

    def give_float(self, given, tensor):
        return self.give_number(given, tensor, "float()")

    def give_index(self, given, tensor):
        return self.give_number(given, tensor, "an index")

    def give_number(self, given, tensor, call):
        try:
            value = given(tensor)
        except RuntimeError:  # within torch.tensor([...]) no mode is asked
            value = self.number_of(tensor, float if call == "float()" else int)
        if not is_known(tensor):
            count("value", call)
        return value

    def number_of(self, tensor, kind):
        if not is_known(tensor):
            return kind(value_of(self.torch, tensor.dtype))
        with self.no_dispatch():
            return kind(tensor.constant.detach().item())

    def give_bool(self, given, tensor):
        if is_known(tensor) or tensor.numel() != 1:
            return given(tensor)
        count("branch", "bool(tensor)")
        given(tensor)
        asserted = needed()
        return getattr(tensor, "steptime_holds", False) if asserted is None else asserted

    def give_format(self, given, tensor, how):
        return self.give_item(type(tensor).item.__wrapped__, tensor).__format__(how) if tensor.numel() == 1 else given(tensor, how)

    def give_tolist(self, given, tensor):
        if is_known(tensor):
            with self.no_dispatch():
                return tensor.constant.tolist()
        if called_from("sampler.py"):  # an order of samples: any will do
            return list(range(tensor.numel()))
        count("value", ".tolist()")
        tensor.resolve_conj().resolve_neg()
        return self.ones(tensor).tolist()

    def give_numpy(self, given, tensor, **_):
        if is_known(tensor):
            with self.no_dispatch():  # else the mode takes it for one without data
                return tensor.constant.detach().numpy()
        count("value", ".numpy()")
        tensor.detach().to(tensor.dtype).resolve_conj().resolve_neg()
        return self.ones(tensor)

    def give_array(self, given, tensor, dtype=None, **_):
        array = self.give_numpy(given, tensor)
        return array if dtype is None else array.astype(dtype, copy=False)

    def ones(self, tensor):
        import numpy
        dtype = str(tensor.dtype).replace("torch.", "").replace("bfloat16", "float32")
        fill = numpy.zeros if tensor.dtype is self.torch.bool else numpy.ones
        return fill(tuple(tensor.shape), dtype=dtype)


def give(torch):
    giver = Giver(torch)
    giver.give_to_operators()
    giver.give_to_tensors()
    giver.give_to_storages()
    give_shapes(torch, giver.kept)
