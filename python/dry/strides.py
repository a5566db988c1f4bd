# SPDX-License-Identifier: Apache-2.0
"""For run.py: results whose elements lie otherwise in memory than PyTorch says without data.

It lies as steptime_dry_strides.py beside the sitecustomize.py that run.py is.

What computes element by element gives a contiguous result for contiguous operands, and where a dimension has one element the
strides say so; without data they are those of an operand. Some gradients are contiguous whatever those of their operands are.
Other strides here lead to other operators further on: convolutions keep what has its channels last.
"""
CONTIGUOUS = {"_log_softmax_backward_data", "mse_loss_backward", "native_layer_norm_backward"}  # the first of their results
BY_ELEMENT = {"native_layer_norm", "_log_softmax", "_softmax_backward_data", "native_dropout"}


def contiguous_strides(shape):
    strides, size = [], 1
    for length in reversed(shape):
        strides.append(size)
        size *= max(1, length)
    return tuple(reversed(strides))


class Strides:
    def __init__(self, torch):
        self.torch = torch
        self.rules = {}

    def rule(self, func):
        """"always", "element" or None; found once for each operator."""
        if func not in self.rules:
            name = func._schema.name.partition("::")[2]
            makes = not any(one.alias_info for one in (*func._schema.arguments, *func._schema.returns))
            by_element = self.torch.Tag.pointwise in func.tags or name in BY_ELEMENT
            self.rules[func] = "always" if name in CONTIGUOUS else "element" if makes and by_element else None
        return self.rules[func]

    def are_contiguous(self, arguments, shape):
        """All operands, of the shape of the result."""
        return all(one.shape == shape and one.is_contiguous() for one in arguments
                   if isinstance(one, self.torch.Tensor) and one.dim() > 1)

    def lies(self, rule, arguments, tensor):
        """As it is, or as it would lie."""
        if not isinstance(tensor, self.torch.Tensor) or tensor.dim() < 2 or tensor.layout != self.torch.strided:
            return tensor
        if tensor.stride() == contiguous_strides(tensor.shape) or getattr(tensor, "constant", None) is not None:
            return tensor
        if rule == "element" and not (tensor.is_contiguous() and self.are_contiguous(arguments, tensor.shape)):
            return tensor
        return tensor.new_empty(tensor.shape)


def give_strides(torch, mode):
    strides, dispatch = Strides(torch), mode.dispatch

    def with_strides(func, types, arguments=(), named=None):
        result = dispatch(func, types, arguments, named)
        rule = strides.rule(func)
        if rule is None:
            return result
        with mode:
            if isinstance(result, tuple):
                return (strides.lies(rule, arguments, result[0]), *result[1:])
            return strides.lies(rule, arguments, result)
    mode.dispatch = with_strides
