# SPDX-License-Identifier: Apache-2.0
"""Loops over rows: taking one is a view. What is gained is kernels that could be one, and waits."""
import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def spread(row, width):
    return torch.nn.functional.pad(row, (0, width))


def step(loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def of_other_sizes(loader):
    for x, lengths in loader:
        x = x.to(device, non_blocking=True)
        room = torch.zeros(len(x), 64, device=device)
        for i, length in enumerate(lengths):
            room[i, :length] = x[i, :length]  # note (each part has another size)
        step(model(room).sum())


def of_one_size(loader, width):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        parts = []
        for i in range(x.size(0)):
            begin = i * width
            parts.append(x[i, begin:begin + width] * 2)  # expect ST101
        step(model(torch.stack(parts)).sum())


def one_row_at_a_time(loader, width):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        parts = []
        for i in range(x.size(0)):
            parts.append(spread(x[i], width))  # note (what works on it takes one row)
        step(model(torch.stack(parts)).sum())


def one_row_read(loader, width):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        parts = []
        for i in range(x.size(0)):
            if x[i].sum() > 0:  # expect ST
                parts.append(spread(x[i], width))
        step(model(torch.stack(parts)).sum())


def only_gathered(loader, rows):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        parts = []
        for i in range(x.size(0)):
            part = {"input": x[i]}  # note (a view, and nothing is launched)
            parts.append(part)
        step(model(x).sum())


def only_sizes(loader):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        sizes = [len(row) for row in x]  # note (the host knows them)
        step(model(x).sum() * sizes[0])


def each_with_its_own(loader, sizes):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        y = torch.stack([spread(x[i], sizes[i]) for i in range(x.size(0))])  # note (no index takes a width a row)
        step(model(y).sum())


def each_with_the_same(loader, width):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        y = torch.stack([spread(x[i], width) for i in range(x.size(0))])  # expect ST102
        step(model(y).sum())


class Wrapped(torch.nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone

    def forward(self, crops, count):
        gathered = torch.zeros(1, 8, device=device)
        for i in range(count):
            gathered = torch.cat((gathered, self.backbone(crops[i])))  # note (a round runs a network)
        return gathered

    def grown(self, crops, count):
        gathered = torch.zeros(1, 8, device=device)
        for i in range(count):
            gathered = torch.cat((gathered, crops[i] * 2))  # expect ST1
        return gathered


wrapped = Wrapped(model).to(device)


def wrapped_steps(loader, count):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        step(wrapped(x, count).sum() + wrapped.grown(x, count).sum())


of_other_sizes([])
of_one_size([], 4)
one_row_at_a_time([], 4)
one_row_read([], 4)
only_gathered([], [])
only_sizes([])
each_with_its_own([], [3])
each_with_the_same([], 3)
wrapped_steps([], 3)
