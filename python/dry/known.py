# SPDX-License-Identifier: Apache-2.0
"""For run.py: small tensors whose values are known keep them. What a script writes down (torch.tensor, zeros, arange, an
array of NumPy) is known, whole numbers that it draws, and so is what is computed of such alone: lengths, masks, indices, schedules of noise. The mode does so
for single numbers; here it does for more, which is little work and saves stand-ins.

It lies as steptime_dry_known.py beside the sitecustomize.py that run.py is.
"""
MOST = 1 << 16  # elements
MAKERS = ("zeros.default", "ones.default", "full.default", "arange.default", "arange.start", "arange.start_step",
          "eye.default", "eye.m", "linspace.default", "scalar_tensor.default", "tril_indices.default",
          "triu_indices.default", "randint.default", "randint.low", "randint.generator", "randint.low_generator", "randperm.default",
          "randperm.generator")
NOTHING = ("empty_like.default", "new_empty.default", "new_empty_strided.default")  # of known tensors or not: it is chance
OF_SHAPE = {"zeros_like.default": 0, "ones_like.default": 1, "new_zeros.default": 0, "new_ones.default": 1}


def operators(torch, names):
    for name in names:
        packet, _, overload = name.partition(".")
        operator = getattr(getattr(torch.ops.aten, packet, None), overload, None)
        if operator is not None:
            yield name, operator


def is_small(torch, tensor):
    return (tensor.numel() <= MOST and tensor.layout is torch.strided and tensor.device.type == "cpu"
            and not tensor.is_quantized and not tensor.requires_grad)


class Keeper:
    def __init__(self, torch):
        from torch.utils._mode_utils import no_dispatch
        self.torch, self.no_dispatch = torch, no_dispatch
        self.makers = {operator for _, operator in operators(torch, MAKERS)}
        self.of_shape = {operator: OF_SHAPE[name] for name, operator in operators(torch, OF_SHAPE)}

    def makes(self, func):
        return func in self.makers or func in self.of_shape

    def make(self, mode, func, *args, **kwargs):
        """NotImplemented: as without this."""
        if str(kwargs.get("device") or "cpu") != "cpu" or kwargs.get("layout") not in (None, self.torch.strided):
            return NotImplemented
        kwargs = {name: value for name, value in kwargs.items() if name not in ("device", "pin_memory")}
        made = self.of_a_shape(func, args, kwargs) if func in self.of_shape else self.of_none(func, args, kwargs)
        if made is None:
            return NotImplemented
        return mode.fake_tensor_converter.from_real_tensor(mode, made, make_constant=True)

    def of_none(self, func, args, kwargs):
        with self.no_dispatch():
            if func(*args, **kwargs, device="meta").numel() > MOST:
                return None
            return func(*args, **kwargs, device="cpu")

    def of_a_shape(self, func, args, kwargs):
        like = args[0]
        shape = args[1] if len(args) > 1 else kwargs.get("size", like.shape)
        if self.torch.Size(shape).numel() > MOST or like.device.type != "cpu" or not like.is_contiguous():
            return None
        with self.no_dispatch():
            return self.torch.full(tuple(shape), self.of_shape[func], dtype=kwargs.get("dtype") or like.dtype, device="cpu")

    def copies(self, mode, func, into, source, *_):
        """A known tensor over the whole of another, which is known then. The operator runs as without this."""
        known = getattr(source, "constant", None)
        if known is not None and self.takes_whole(into):
            with self.no_dispatch():
                into.constant = known.expand(into.shape).to(into.dtype, copy=True)
            mode.fake_tensor_converter.add_constant_storage_mapping(into)
        return NotImplemented

    @staticmethod
    def takes_whole(into):
        """It is all of its storage, so that nobody else has a part of it under another name."""
        return (getattr(into, "constant", 0) is None and into.numel() <= MOST and not into.requires_grad and into.is_contiguous()
                and into.untyped_storage().nbytes() == into.numel() * into.element_size())


def forget_chance(torch, Mode):
    """The mode takes all that is made of known tensors for known."""
    nothing = {operator for _, operator in operators(torch, NOTHING)}
    given = Mode._dispatch_impl

    def dispatch(mode, func, *arguments):
        made = given(mode, func, *arguments)
        if func in nothing and getattr(made, "constant", None) is not None:
            made.constant = None
        return made
    Mode._dispatch_impl = dispatch


def keep_values(torch):
    from torch._subclasses import fake_impls, fake_tensor
    keeper = Keeper(torch)
    fake_tensor.CONSTANT_NUMEL_LIMIT = MOST
    fake_impls.op_implementations_checks.insert(0, (keeper.makes, keeper.make))
    fake_impls.op_implementations_checks.insert(0, (lambda func: func is torch.ops.aten.copy_.default, keeper.copies))
    forget_chance(torch, fake_tensor.FakeTensorMode)
    Converter = fake_tensor.FakeTensorConverter
    convert = Converter.from_real_tensor

    def from_real_tensor(self, mode, tensor, make_constant=False, **named):
        small = make_constant or (type(tensor) is torch.Tensor and is_small(torch, tensor))
        return convert(self, mode, tensor, small, **named)
    Converter.from_real_tensor = from_real_tensor
