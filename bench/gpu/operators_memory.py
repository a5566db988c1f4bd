# SPDX-License-Identifier: Apache-2.0
"""Operators that move data: lookups in tables, transposition, indexing, concatenation, copies and fills."""
import torch
from torch.nn import functional

from operator_forms import Operator, gradient

EMBEDDING = ("batch", "tables", "rows", "bag", "width")
TRANSPOSE = ("batch", "rows", "cols")
INDEX = ("bytes_read", "bytes_written")
CONCAT = ("bytes_written", "parts")
BYTES = ("bytes",)
HOST_COPY = ("bytes", "pinned")

ID_BYTES = 8
FLOAT_BYTES = 4  # these operators are measured in fp32, or in bytes


# ---- lookups: one table, as one call of embedding_bag has it ----

def draw_embedding(sizes):
    """batch, rows, bag, width."""
    width = sizes.of(32, 64, 64, 128, 256)

    def fits(batch, rows, bag):
        return rows * width <= sizes.elements and batch * bag * width <= sizes.elements
    return *sizes.where(fits, (1, 8192), (10, 10_000_000), (1, 128)), width


def embedding_sizes(batch, rows, bag, width):
    return batch, 1, rows, bag, width


def lookup(bench, batch, rows, bag, width, learns):
    table, ids = bench.tensor(rows, width, learns=learns), bench.ids(rows, batch, bag)
    return (lambda: functional.embedding_bag(ids, table, mode="sum", sparse=learns)), table


def embedding(bench, *sizes):
    return lookup(bench, *sizes, False)[0]


def embedding_backward(bench, *sizes):
    """The sparse gradient: a row for each id, not the whole table."""
    forward, table = lookup(bench, *sizes, True)
    return gradient(forward(), table)


# ---- reordering ----

def draw_transpose(sizes):
    return sizes.shape((1, 2048), (2, 65536), (2, 65536))


def transpose(bench, batch, rows, cols):
    matrices = bench.tensor(batch, rows, cols).transpose(1, 2)
    return matrices.contiguous


def draw_gather(sizes):
    """Rows of the table, rows taken, columns."""
    def fits(rows, taken, cols):
        return max(rows, taken) * cols <= sizes.elements
    return sizes.where(fits, (10, 1_000_000), (1, 1_000_000), (1, 1024))


def gather_sizes(_, taken, cols):
    moved = taken * cols * FLOAT_BYTES
    return moved + taken * ID_BYTES, moved


def gather(bench, rows, taken, cols):
    table, ids = bench.tensor(rows, cols), bench.ids(rows, taken)
    return lambda: torch.index_select(table, 0, ids)


def draw_triangles(sizes):
    """batch and side: from the pairs of a recommender to the mask of a sequence."""
    return sizes.where(lambda batch, side: batch * side * side <= sizes.elements, (1, 4096), (5, 4096))


def below(side):
    """Elements below the diagonal."""
    return side * (side - 1) // 2


def pairs_sizes(batch, side):
    taken = batch * below(side)
    return taken * FLOAT_BYTES + 2 * below(side) * ID_BYTES, taken * FLOAT_BYTES


def pairs(bench, batch, side):
    """What lies below the diagonal, by an index as recommenders take it."""
    matrices = bench.tensor(batch, side, side)
    row, column = torch.tril_indices(side, side, offset=-1, device=bench.device)
    return lambda: matrices[:, row, column]


def tril_sizes(batch, side):
    return batch * (below(side) + side) * FLOAT_BYTES, batch * side * side * FLOAT_BYTES


def tril(bench, batch, side):
    matrices = bench.tensor(batch, side, side)
    return lambda: torch.tril(matrices)


def draw_parts(sizes):
    """rows, columns of a part, parts."""
    def fits(rows, cols, parts):
        return rows * cols * parts <= sizes.elements
    return sizes.where(fits, (1, 65536), (1, 4096), (2, 64))


def concat_sizes(rows, cols, parts):
    return rows * cols * parts * FLOAT_BYTES, parts


def concat(bench, rows, cols, parts):
    tensors = [bench.tensor(rows, cols) for _ in range(parts)]
    return lambda: torch.cat(tensors, dim=1)


# ---- whole tensors ----

def draw_bytes(sizes):
    return (sizes.one(1, sizes.elements) * FLOAT_BYTES,)


def empty(device, size, pinned=False):
    return torch.zeros(size, dtype=torch.uint8, device=device, pin_memory=pinned)


def copy(bench, size):
    source, target = empty(bench.device, size), empty(bench.device, size)
    return lambda: target.copy_(source)


def fill(bench, size):
    return empty(bench.device, size).zero_


def draw_host_bytes(sizes):
    return sizes.one(1, sizes.elements // 4) * FLOAT_BYTES, sizes.of(0, 1)


def to_device(bench, size, pinned):
    source, target = empty("cpu", size, bool(pinned)), empty(bench.device, size)
    return lambda: target.copy_(source, non_blocking=bool(pinned))


def to_host(bench, size, pinned):
    source, target = empty(bench.device, size), empty("cpu", size, bool(pinned))
    return lambda: target.copy_(source, non_blocking=bool(pinned))


FAMILIES = {
    "embedding": [
        Operator("embedding_bag", "embedding", EMBEDDING, draw_embedding, embedding, named=embedding_sizes),
        Operator("embedding_bag_backward", "embedding", EMBEDDING, draw_embedding, embedding_backward, True,
                 named=embedding_sizes),
    ],
    "transpose": [Operator("transpose", "transpose", TRANSPOSE, draw_transpose, transpose)],
    "index": [
        Operator("index_select", "index", INDEX, draw_gather, gather, named=gather_sizes),
        Operator("index_pairs", "index", INDEX, draw_triangles, pairs, named=pairs_sizes),
        Operator("tril", "index", INDEX, draw_triangles, tril, named=tril_sizes),
    ],
    "concat": [Operator("cat", "concat", CONCAT, draw_parts, concat, named=concat_sizes)],
    "copy": [Operator("copy", "copy", BYTES, draw_bytes, copy)],
    "fill": [Operator("fill", "fill", BYTES, draw_bytes, fill)],
    "host copy": [Operator("copy_to_device", "host_copy", HOST_COPY, draw_host_bytes, to_device),
                  Operator("copy_to_host", "host_copy", HOST_COPY, draw_host_bytes, to_host)],
}
