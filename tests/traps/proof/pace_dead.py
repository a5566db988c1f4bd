# SPDX-License-Identifier: Apache-2.0
"""What no step runs: behind a return, in a function whose results are kept; and what does."""
import functools

import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        x = self.linear(x)
        if x.shape[0] > 4:
            return x
        scale = x.abs().mean().item()  # expect ST4 (behind an if that returns)
        return self.linear(x * scale)
        print(x.mean().item())  # note (behind the return)


model = Net().to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
prototypes = torch.randn(4, 8, device=device)


@functools.lru_cache(None)
def kept_norm():
    return prototypes.norm().item()  # silent (once: the result is kept)


def asked_norm():
    return prototypes.norm().item()  # expect ST4


def train(loader):
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = model(x).square().mean() * kept_norm()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_watched(loader):
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = model(x).square().mean() * asked_norm()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def counted(data):
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=4)  # note (only its length is asked for)
    return max(1, len(loader) // 2)


def counted_and_trained(data):
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=4)  # expect ST602
    print(len(loader))
    for x in loader:
        x = x.to(device)  # expect ST602
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def counted_in_a_class(data):
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=4)  # expect ST602

    class Batches:
        def __len__(self):
            return len(loader)

        def __iter__(self):
            return iter(loader)

    train_from(Batches())


def train_from(batches):
    for x in batches:
        loss = model(x.to(device)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
