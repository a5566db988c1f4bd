# SPDX-License-Identifier: Apache-2.0
"""For run.py: tensors that a script fills number by number, as it reads a text, and tensors that it pickles.

It lies as steptime_dry_elements.py beside the sitecustomize.py that run.py is. Two operators of the mode for each number would take
minutes where a real run takes a second: until the trace begins none is needed.
"""
import functools
import numbers


def is_whole(number):
    """Of NumPy's, too; not True, which is an index of another kind."""
    return isinstance(number, numbers.Integral) and not isinstance(number, bool)


def is_place(index):
    return is_whole(index) or (type(index) is tuple and all(map(is_whole, index)))


def is_inside(index, shape):
    """As many numbers as dimensions, each within its own: all else goes the long way, to an error if it is one."""
    index = index if type(index) is tuple else (index,)
    return len(index) == len(shape) and all(-size <= one < size for one, size in zip(index, shape))


def fill_quickly(torch, is_traced):
    """is_traced(): whether the trace has begun."""
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.utils._mode_utils import no_dispatch
    given = torch.Tensor.__setitem__

    @functools.wraps(given)
    def setitem(tensor, index, value):
        if (not isinstance(value, numbers.Real) or not is_place(index) or is_traced() or type(tensor) is not FakeTensor or tensor.requires_grad
                or not is_inside(index, tensor.shape)):
            return given(tensor, index, value)
        if tensor.constant is not None:
            with no_dispatch():
                given(tensor.constant, index, value)
        return None
    torch.Tensor.__setitem__ = setitem


# ---- pickled ----

def made_again(array, shape, strides, kind, device, needs_gradient, is_parameter):
    """array: its values, where they were known."""
    import torch
    if array is not None:
        tensor = torch.from_numpy(array).to(device)
    else:
        tensor = torch.empty_strided(shape, strides, dtype=kind, device=device)
    return torch.nn.Parameter(tensor, needs_gradient) if is_parameter else tensor.requires_grad_(needs_gradient)


def pickle_shapes(torch):
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.utils._mode_utils import no_dispatch

    def array_of(tensor):
        if tensor.constant is None or tensor.dtype is torch.bfloat16:
            return None
        with no_dispatch():
            return tensor.constant.detach().numpy().copy()

    def reduce(tensor, _):
        is_parameter = isinstance(tensor, torch.nn.Parameter)
        return made_again, (array_of(tensor), tuple(tensor.shape), tensor.stride(), tensor.dtype, "cuda" if tensor.is_cuda else "cpu",
                            tensor.requires_grad and tensor.is_leaf, is_parameter)
    FakeTensor.__reduce_ex__ = reduce
