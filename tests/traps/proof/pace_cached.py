# SPDX-License-Identifier: Apache-2.0
"""Tables that are built anew where more is asked of them than was kept, and lengths that networks are given."""
import torch
from torch import nn

device = torch.device("cuda")


class Rotary(nn.Module):
    def __init__(self, size, longest=2048, where=None):
        super().__init__()
        self.size = size
        self.longest = longest
        rates = 1.0 / (3 ** (torch.arange(0, self.size, 2).float() / self.size))
        self.register_buffer("rates", rates, persistent=False)
        self.build(length=longest, where=self.rates.device, dtype=torch.get_default_dtype())

    def build(self, length, where, dtype):
        self.longest_kept = length
        places = torch.arange(self.longest_kept, device=where, dtype=self.rates.dtype)
        self.register_buffer("cosines", places.cos().to(dtype), persistent=False)

    def forward(self, x, length=None):
        if length > self.longest_kept:
            self.build(length=length, where=x.device, dtype=x.dtype)
        return self.cosines[:length].to(dtype=x.dtype)


class Stretched(Rotary):
    def __init__(self, size, longest=2048, where=None, factor=1.0):
        self.factor = factor
        super().__init__(size, longest, where)

    def build(self, length, where, dtype):
        self.longest_kept = length
        if length > self.longest:
            base = (self.factor * length / self.longest) ** (self.size / 2)
            rates = 1.0 / (base ** (torch.arange(0, self.size, 2).float().to(where) / self.size))  # note (once for a longer sequence)
            self.register_buffer("rates", rates, persistent=False)
        places = torch.arange(self.longest_kept, device=where, dtype=self.rates.dtype)
        self.register_buffer("cosines", places.cos().to(dtype), persistent=False)


class Drawn(nn.Module):
    """Built again whenever the sequence is long."""

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.scale = nn.Parameter(torch.ones(size))

    def draw(self):
        self.places = torch.arange(0, self.size, 2).float().to(device)  # expect ST601

    def forward(self, x, length):
        if length > self.size:
            self.draw()
        return self.scale * self.places


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.query = nn.Linear(8, 8)
        self.config = config
        self.drawn = Drawn(8)
        self._add_rotary()

    def _add_rotary(self):
        if self.config.scaling is None:
            self.rotary = Rotary(8)
        else:
            self.rotary = Stretched(8)

    def forward(self, x):
        length = x.shape[-2]
        return self.query(x) * self.rotary(x, length=length) * self.drawn(x, length)


class Counted(nn.Module):
    """Called by what is not known: what bounds a slice is a whole number, and no tensor."""

    def __init__(self, longest):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.extend(longest)

    def extend(self, longest):
        self.longest = longest
        table = torch.arange(self.longest, device="cuda")
        self.register_buffer("table", table)

    def forward(self, x, length=None, rounds=None):
        if length > self.longest:
            self.extend(length)
        if rounds > self.longest:
            self.extend(rounds)
        for _ in range(rounds):
            x = self.layer(x)
        return x[:, :length]


class Compared(nn.Module):
    def __init__(self, highest):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.extend(highest)

    def extend(self, bound):
        self.highest = bound
        self.register_buffer("table", torch.zeros(8, device="cuda"))

    def forward(self, x, bound=None):
        if bound > self.highest:  # expect ST402
            self.extend(bound)
        return self.layer(x)


def train(loader, config, calls):
    model = Attention(config).cuda()
    counted = Counted(config.longest).cuda()
    compared = Compared(config.highest).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = model(x).sum() + calls.run(counted, compared, x)
        loss.backward()
        optimizer.step()
