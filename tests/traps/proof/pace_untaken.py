# SPDX-License-Identifier: Apache-2.0
"""Branches that no call of the run takes, or that are for data in which there is nothing."""
import torch
from torch import nn

device = torch.device("cuda")


def sum_by(values, index, size=None, reduce="sum"):
    if size is None:
        size = int(index.max()) + 1  # note (all calls give a size)
    if reduce == "mean":
        print(values.mean().item())  # note (no call asks for means)
    out = torch.zeros(size, device=values.device)
    return out.scatter_add_(0, index, values)


def spread(values, dims=None):
    if dims is None:
        print(values.sum().item())  # expect ST4
        return values
    print(values.max().item())  # note (behind a return that each call takes)
    return values.sum(dims)


def largest(values):
    if type(values) == list:
        return [value.item() for value in values]  # note (a tensor is given)
    if isinstance(values, torch.Tensor):
        return values.max()
    return values[0].item()  # note (a tensor is given)


class Mixed(nn.Module):
    """An option that comes in by ** and that nobody gives."""

    def __init__(self, extra=False):
        super().__init__()
        self.base = nn.Linear(8, 8)
        self.extra = extra
        self.tables = [{}]

    def forward(self, x, **kwargs):
        names = kwargs.pop("names", None)
        if names is not None:
            print(x.sum().item())  # note (nobody gives names)
        elif x.shape[0] == 0:
            print(x.mean().item())  # note (an empty batch)
        else:
            print(x.max().item())  # expect ST4
        if self.extra:
            print(x.abs().sum().item())  # note (the network is made without it)
        kept = self.tables[0]
        if x.shape not in kept:
            kept[x.shape] = x.sum().item()  # note (once a shape)
        return self.base(x) if x.numel() else x.sum().item()  # note (an empty batch)


class Scheduler:
    def set_to(self, kind="linear", values=None):
        if kind == "linear":
            return torch.ones(4, device=device).max().item()  # expect ST4
        return values.sum().item()  # expect ST4


def losses(pred, target):
    chosen = target > 0
    if chosen.sum() > 0:  # expect ST4
        return (pred[chosen] - target[chosen]).abs().sum()  # expect ST4
    return torch.tensor(0.0).to(device)


def train(loader, scheduler, unknown):
    model = Mixed().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        out = model(x)
        total = sum_by(out.flatten(), y.flatten(), size=100) + spread(out).sum() + largest(out)
        loss = total.sum() + losses(out, y)
        Scheduler().set_to()
        unknown.set_to(kind="shift", values=out)
        loss.backward()
        optimizer.step()
