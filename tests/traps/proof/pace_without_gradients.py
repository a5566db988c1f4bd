# SPDX-License-Identifier: Apache-2.0
"""What runs without gradients is a part of the step that calls it, unless it runs a network and trains nothing beside."""
import torch
from torch import nn

device = torch.device("cuda")


class Queue(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(8, 8)
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def shuffled(self, x):
        order = torch.randperm(x.shape[0]).to(x.device)  # expect ST601
        self.pointer[0] = order[0]

    @torch.no_grad()
    def judged(self, x):
        order = torch.randperm(x.shape[0]).to(x.device)  # note (it runs the network without gradients)
        print(self.encoder(x[order]).mean())

    def forward(self, x):
        self.shuffled(x)
        self.judged(x)
        return self.encoder(x)


class Teaching(nn.Module):
    def __init__(self):
        super().__init__()
        self.teacher = nn.Linear(8, 8)
        self.student = nn.Linear(8, 8)

    def forward(self, x):
        with torch.no_grad():
            wanted = self.teacher(x)
        order = torch.randperm(x.shape[0]).to(x.device)  # expect ST601
        return ((self.student(x) - wanted)[order]).square().mean()


def train(batches):
    queue = Queue().to(device)
    teaching = Teaching().to(device)
    optimizer = torch.optim.SGD([*queue.parameters(), *teaching.parameters()], 0.1)
    for batch in batches:
        x = batch.to(device, non_blocking=True)
        loss = queue(x).sum() + teaching(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train([])
