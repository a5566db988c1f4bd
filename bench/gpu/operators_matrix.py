# SPDX-License-Identifier: Apache-2.0
"""Products of matrices, convolution and attention."""
import math

import torch
from torch.nn import functional

from operator_forms import ALL_TYPES, Operator, gradient

GEMM = ("b", "m", "n", "k")  # C[m x k] = A[m x n] B[n x k]: n is the reduction
CONVOLUTION = ("batch", "in", "out", "kernel_h", "kernel_w", "height", "width", "stride", "padding", "groups")
ATTENTION = ("batch", "heads", "queries", "keys", "width", "causal")


def gemm_fits(sizes):
    def fits(b, m, n, k):
        return b * m * n * k <= sizes.products and b * max(m * n, n * k, m * k) <= sizes.elements
    return fits


def draw_linear(sizes):
    return sizes.where(gemm_fits(sizes), (1, 1), (1, 65536), (1, 65536), (2, 65536))


def draw_bmm(sizes):
    return sizes.where(gemm_fits(sizes), (1, 4096), (1, 4096), (1, 4096), (2, 4096))


def linear(bench, _, m, n, k):
    rows, weight, bias = bench.tensor(m, n), bench.tensor(k, n), bench.tensor(k)
    return lambda: functional.linear(rows, weight, bias)


def bmm(bench, b, m, n, k):
    left, right = bench.tensor(b, m, n), bench.tensor(b, n, k)
    return lambda: torch.bmm(left, right)


def draw_convolution(sizes):
    """batch, in, out, kernel, input, stride, padding: square, as the public table's."""
    kernel, stride = sizes.of(1, 3, 3, 3, 5, 7), sizes.of(1, 1, 1, 2)

    def fits(batch, inner, outer, side):
        positions = batch * side * side
        return positions * max(inner, outer) <= sizes.elements and \
            positions * inner * outer * kernel * kernel <= sizes.products * stride * stride
    batch, inner, outer, side = sizes.where(fits, (1, 64), (3, 2048), (3, 2048), (7, 256))
    return batch, inner, outer, kernel, side, stride, kernel // 2


def convolution_sizes(batch, inner, outer, kernel, side, stride, padding):
    return batch, inner, outer, kernel, kernel, side, side, stride, padding, 1


def convolution_operands(bench, batch, inner, outer, kernel, side, learns):
    return (bench.tensor(batch, inner, side, side, learns=learns),
            bench.tensor(outer, inner, kernel, kernel, learns=learns))


def convolution(bench, batch, inner, outer, kernel, side, stride, padding):
    images, filters = convolution_operands(bench, batch, inner, outer, kernel, side, False)
    return lambda: functional.conv2d(images, filters, stride=stride, padding=padding)


def convolution_backward(bench, batch, inner, outer, kernel, side, stride, padding):
    images, filters = convolution_operands(bench, batch, inner, outer, kernel, side, True)
    return gradient(functional.conv2d(images, filters, stride=stride, padding=padding), images, filters)


def draw_attention(sizes):
    width = sizes.of(32, 64, 64, 128)

    def fits(batch, heads, queries):
        return batch * heads * queries * max(queries, width) <= sizes.elements and \
            math.prod((batch, heads, queries, queries, width)) <= sizes.products
    batch, heads, queries = sizes.where(fits, (1, 64), (1, 32), (16, 4096))
    return batch, heads, queries, queries, width, sizes.of(0, 1)


def attention_output(bench, sizes, learns):
    batch, heads, queries, keys, width, causal = sizes
    operands = [bench.tensor(batch, heads, length, width, learns=learns) for length in (queries, keys, keys)]
    return lambda: functional.scaled_dot_product_attention(*operands, is_causal=bool(causal)), operands


def attention(bench, *sizes):
    return attention_output(bench, sizes, False)[0]


def attention_backward(bench, *sizes):
    forward, operands = attention_output(bench, sizes, True)
    return gradient(forward(), *operands)


FAMILIES = {
    "linear": [Operator("linear", "linear", GEMM, draw_linear, linear, dtypes=ALL_TYPES)],
    "bmm": [Operator("bmm", "bmm", GEMM, draw_bmm, bmm, dtypes=ALL_TYPES)],
    "convolution": [
        Operator("conv", "convolution", CONVOLUTION, draw_convolution, convolution, dtypes=("fp32", "bf16"),
                 named=convolution_sizes),
        Operator("conv_backward", "convolution", CONVOLUTION, draw_convolution, convolution_backward, True,
                 ("fp32", "bf16"), convolution_sizes),
    ],
    "attention": [
        Operator("attention", "attention", ATTENTION, draw_attention, attention, dtypes=ALL_TYPES),
        Operator("attention_backward", "attention", ATTENTION, draw_attention, attention_backward, True, ALL_TYPES),
    ],
}
