# SPDX-License-Identifier: Apache-2.0
"""Sizes drawn at random, the same in every run: evenly over the logarithm of the range that the public tables cover."""
import math
import random

ALIGNED = 64  # half of the larger sizes are multiples of it, as those of real models are


class Sizes:
    """most: of any size; elements: of a tensor; products: multiplications of an operator. What exceeds them is drawn
    again, so that no operator takes longer, or more memory, than a microbenchmark should."""

    def __init__(self, seed, most=1 << 62, elements=1 << 28, products=1 << 39):
        self.random = random.Random(seed)
        self.most, self.elements, self.products = most, elements, products

    def one(self, low, high):
        high = max(low, min(high, self.most))
        size = round(math.exp(self.random.uniform(math.log(low), math.log(high))))
        return size // ALIGNED * ALIGNED if size >= 2 * ALIGNED and self.random.random() < 0.5 else size

    def of(self, *choices):
        """One of the choices, among those that are not too large."""
        return self.random.choice([choice for choice in choices if choice <= self.most] or [min(choices)])

    def shape(self, *ranges):
        """A tensor's sizes, one a range (low, high)."""
        return self.where(lambda *shape: math.prod(shape) <= self.elements, *ranges)

    def where(self, fits, *ranges):
        """Sizes of which the condition holds; the least of all ranges must fit."""
        while True:
            sizes = tuple(self.one(low, high) for low, high in ranges)
            if fits(*sizes):
                return sizes
