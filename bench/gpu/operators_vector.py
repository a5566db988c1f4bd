# SPDX-License-Identifier: Apache-2.0
"""Element-wise operators, norms, softmax, dropout, sums, pooling and optimizers."""
import torch
from torch import nn
from torch.nn import functional

from operator_forms import ALL_TYPES, Operator, gradient

PAIR = ("rows", "cols")
ELEMENTWISE = ("rows", "cols", "accesses")
BATCH_NORM = ("batch", "channels", "positions")
POOLING = ("channels", "positions_in", "positions_out", "window")
OPTIMIZER = ("parameters", "states")

UNARY, BINARY = 2, 3  # tensors read and written
SCALAR = 1.7  # as an exponent none that a library has a kernel of its own for
ARITHMETIC = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "pow": torch.pow}
ACTIVATIONS = {"relu": torch.relu, "gelu": functional.gelu, "tanh": torch.tanh}
POOL = 3
DROPPED = 0.1


def draw_pair(sizes):
    return sizes.shape((1, 1 << 22), (1, 16384))


# ---- of one element each ----

def binary(function):
    def prepare(bench, rows, cols):
        left, right = bench.tensor(rows, cols), bench.tensor(rows, cols)
        return lambda: function(left, right)
    return prepare


def unary(function):
    def prepare(bench, rows, cols):
        operand = bench.tensor(rows, cols)
        return lambda: function(operand)
    return prepare


def with_scalar(function):
    return unary(lambda operand: function(operand, SCALAR))


def elementwise(op, prepare, accesses):
    return Operator(op, "elementwise", ELEMENTWISE, draw_pair, prepare, dtypes=ALL_TYPES,
                    named=lambda rows, cols: (rows, cols, accesses))


# ---- of rows ----

def softmax(operand):
    return torch.softmax(operand, 1)


def layer_norm(operand):
    return functional.layer_norm(operand, operand.shape[1:])


def dropout(operand):
    return torch.native_dropout(operand, DROPPED, True)


def backward(function):
    """Of a function whose result, or the first of its results, is differentiable."""
    def prepare(bench, rows, cols):
        operand = bench.tensor(rows, cols, learns=True)
        output = function(operand)
        return gradient(output[0] if isinstance(output, tuple) else output, operand)
    return prepare


def there_and_back(op, form, function):
    return [Operator(op, form, PAIR, draw_pair, unary(function), dtypes=ALL_TYPES),
            Operator(f"{op}_backward", form, PAIR, draw_pair, backward(function), True, ALL_TYPES)]


def reduction(op, function):
    return Operator(op, "reduction", PAIR, draw_pair, unary(lambda operand: function(operand, 1)), dtypes=ALL_TYPES)


# ---- of images ----

def draw_images(sizes):
    """More than one image: there is no variance of a single value."""
    return sizes.shape((2, 256), (3, 2048), (1, 65536))


def batch_norm_output(bench, batch, channels, positions, learns):
    images = bench.tensor(batch, channels, positions, learns=learns)
    layer = nn.BatchNorm1d(channels).to(device=bench.device, dtype=bench.dtype)
    return (lambda: layer(images)), (images, *layer.parameters())


def batch_norm(bench, *sizes):
    return batch_norm_output(bench, *sizes, False)[0]


def batch_norm_backward(bench, *sizes):
    forward, operands = batch_norm_output(bench, *sizes, True)
    return gradient(forward(), *operands)


def draw_pooling(sizes):
    """channels of all images together, side."""
    return sizes.where(lambda channels, side: channels * side * side <= sizes.elements, (3, 65536), (POOL, 256))


def pooling_sizes(channels, side):
    return channels, side * side, (side // POOL) ** 2, POOL * POOL


def max_pool(bench, channels, side):
    images = bench.tensor(1, channels, side, side)
    return lambda: functional.max_pool2d(images, POOL)


# ---- of parameters ----

OPTIMIZERS = {
    "sgd": (0, lambda weights: torch.optim.SGD(weights, lr=1e-3)),
    "sgd_momentum": (1, lambda weights: torch.optim.SGD(weights, lr=1e-3, momentum=0.9)),
    "adam": (2, lambda weights: torch.optim.Adam(weights, lr=1e-3)),
}


def draw_parameters(sizes):
    return (sizes.one(1000, sizes.elements // 4),)


def optimizer(op):
    states, make = OPTIMIZERS[op]

    def prepare(bench, parameters):
        weights = bench.tensor(parameters, learns=True)
        weights.grad = torch.ones_like(weights)
        return make([weights]).step
    return Operator(op, "optimizer", OPTIMIZER, draw_parameters, prepare,
                    named=lambda parameters: (parameters, states))


FAMILIES = {
    "elementwise": [elementwise(op, binary(function), BINARY) for op, function in ARITHMETIC.items()] +
                   [elementwise(f"{op}u", with_scalar(function), UNARY) for op, function in ARITHMETIC.items()] +
                   [elementwise(op, unary(function), UNARY) for op, function in ACTIVATIONS.items()],
    "softmax": there_and_back("softmax", "softmax", softmax),
    "layer norm": there_and_back("ln", "layer_norm", layer_norm),
    "dropout": there_and_back("dropout", "dropout", dropout),
    "reduction": [reduction("sum", torch.sum), reduction("mean", torch.mean), reduction("amax", torch.amax)],
    "batch norm": [
        Operator("batch_norm", "batch_norm", BATCH_NORM, draw_images, batch_norm, dtypes=ALL_TYPES),
        Operator("batch_norm_backward", "batch_norm", BATCH_NORM, draw_images, batch_norm_backward, True, ALL_TYPES),
    ],
    "pooling": [Operator("max_pool", "pooling", POOLING, draw_pooling, max_pool, named=pooling_sizes)],
    "optimizer": [optimizer(op) for op in OPTIMIZERS],
}
