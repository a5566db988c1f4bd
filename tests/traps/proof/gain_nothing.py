# SPDX-License-Identifier: Apache-2.0
"""Tensors and lists of nothing, or of a few numbers, and branches for nothing."""
import random

import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


class Row:
    weight: float = 0.0

    def __init__(self, tokens):
        self.tokens = tokens
        self.weight = 1.0


def step(loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def empty(loader):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        nothing = torch.empty(0).to(device)  # silent ST601
        none = torch.zeros((3, 0)).to(device)  # silent ST601
        some = torch.zeros(3, 8).to(device)  # expect ST601
        step(model(torch.cat((some, x))).sum() + nothing.sum() + none.sum())


def a_number_a_sample(loader, choices):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        drawn = torch.tensor(random.choices([0, 250, 500], k=len(x)), device=device)  # note (too few for NumPy)
        step(model(x).sum() * drawn.float().mean())


def a_number_many_times(loader, begin):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        first = torch.LongTensor([begin] * len(x)).to(device)  # note (too few for NumPy)
        step(model(x).sum() * first.float().mean())


def weights(loader):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        rows = [Row([1] * 100), Row([2] * 90)]
        weight = torch.tensor([row.weight for row in rows], device=device)  # note (too few for NumPy)
        tokens = torch.tensor([row.tokens for row in rows], device=device)  # expect ST201
        step(model(x).sum() * weight.mean() * tokens.float().mean())


def branches(loader):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        loss = model(x).sum()
        kept = x[:, 0] > 0
        if x.shape[0] == 0:
            loss = loss + torch.tensor([1.0, 2.0], device=device).sum()  # note (only for an empty batch)
        if kept.sum() > 0:  # expect ST402
            chosen = x[kept]
            loss = loss + chosen.sum() + torch.tensor([1.0, 3.0], device=device).sum()  # expect ST501
        else:
            loss = loss + torch.tensor([2.0, 3.0], device=device).sum()  # note (only where nothing is kept)
        step(loss)


empty([])
a_number_a_sample([], [])
a_number_many_times([], 1)
weights([])
branches([])
