# SPDX-License-Identifier: Apache-2.0
"""What a microbenchmark of an operator is made of: its word, the names of its sizes, how to draw and how to call it."""
from collections.abc import Callable
from dataclasses import dataclass

import torch

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
ALL_TYPES = tuple(DTYPES)
SINGLE = ("fp32",)


@dataclass(frozen=True)
class Operator:
    """form and names are those of src/ops/operators/kernel.h; prepare(bench, *sizes) makes the operands and gives the call."""

    op: str
    form: str
    names: tuple
    draw: Callable
    prepare: Callable
    backward: bool = False
    dtypes: tuple = SINGLE
    named: Callable = None  # sizes of the call as the form names them, where they are others


@dataclass(frozen=True)
class Case:
    """An operator with sizes and a type."""

    operator: Operator
    sizes: tuple
    dtype: str

    def call(self, device):
        return self.operator.prepare(Bench(device, DTYPES[self.dtype]), *self.sizes)

    @property
    def word(self):
        """Other types than fp32 have words of their own: "linear" in a table of kernels means single precision."""
        return self.operator.op if self.dtype == "fp32" else f"{self.operator.op}_{self.dtype}"

    @property
    def named_sizes(self):
        named = self.operator.named
        return dict(zip(self.operator.names, named(*self.sizes) if named else self.sizes))


@dataclass(frozen=True)
class Bench:
    """Where operands are made, and of which type."""

    device: torch.device
    dtype: torch.dtype

    def tensor(self, *shape, learns=False):
        return torch.rand(shape, device=self.device, dtype=self.dtype).requires_grad_(learns)

    def ids(self, below, *shape):
        return torch.randint(below, shape, device=self.device)


def gradient(output, *inputs):
    """The call that goes back from the output to the inputs, as often as wanted."""
    given = torch.ones_like(output)
    return lambda: torch.autograd.grad(output, inputs, given, retain_graph=True)
