# SPDX-License-Identifier: Apache-2.0
"""Tensors that the step itself makes on the host: their copies wait. What is kept for later calls is made once."""
import torch
from torch import nn

device = torch.device("cuda")


def edges(graph):
    return torch.tensor([a for a, _ in graph]), torch.tensor([b for _, b in graph])


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.parts = nn.ModuleList([nn.Linear(8, 8)])
        self.kept = None

    def extend(self, x):
        if self.kept is not None:
            if self.kept.size(1) >= x.size(1):
                return
        kept = torch.zeros(x.size(1), 8)
        kept[:, 0::2] = torch.arange(x.size(1)).unsqueeze(1).sin()
        self.kept = kept.to(x.device)  # note (kept)

    def forward(self, x, graph):
        self.extend(x)
        attributes = torch.zeros(x.size(0), 2)
        attributes[:, 0] = 4
        y = self.layer(x) + attributes.to(x.device).sum()  # expect ST602
        begins, ends = edges(graph)
        z = self.layer(y)
        begins = begins.to(x.device)  # expect ST602
        z = self.layer(z[begins])
        scale = self.parts[0](y).to(x.device)  # silent (a network: it lies there)
        return z.sum() + scale.sum()


def train(batches, device_type):
    network = Positions().to(device)
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    for batch, graph in batches:
        x = batch.to(device, non_blocking=True)
        loss = network(x, graph)
        optimizer.zero_grad()
        loss.backward()
        if device_type == "cuda":
            weights = torch.rand(8).exp().to(device)  # expect ST602
        else:
            weights = torch.rand(8).exp().to(device)  # silent (no such device)
        optimizer.step()
        del weights


train([], "cuda")
