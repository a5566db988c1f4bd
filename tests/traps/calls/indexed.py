# SPDX-License-Identifier: Apache-2.0
"""What is indexed as only tensors are is one; what a comparison of it gives is a mask."""
import torch
from torch import nn

device = torch.device("cuda")


class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.ignored = -100

    def kept(self, count):
        return list(range(count))

    def forward(self, x, labels, poses, chosen):
        rows = torch.arange(1, 4)
        columns = [slice(None), 0]
        near = poses[:, rows]  # expect ST503
        some = x[:, self.kept(3)]  # expect ST503
        mask = labels != self.ignored
        y = self.layer(x)
        z = y[mask]  # expect ST406
        order = torch.randperm(4)
        one = y[order[2]]  # silent (a number: a view)
        part = y[columns]  # silent (slices)
        first = y[chosen is None]  # silent (no comparison of tensors)
        return z.sum() + near.sum() + some.sum() + one.sum() + part.sum() + first.sum()


def train(batches):
    network = Chosen().to(device)
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    for batch in batches:
        x, labels, poses, chosen = (part.to(device, non_blocking=True) for part in batch)
        loss = network(x, labels, poses, chosen)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train([])
