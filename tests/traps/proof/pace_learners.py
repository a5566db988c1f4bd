# SPDX-License-Identifier: Apache-2.0
"""update() of what learns, its class out of a table: the loop around the call is that of the steps."""
import torch
from torch import nn

device = torch.device("cuda")


class Plain:
    def __init__(self):
        self.network = nn.Linear(8, 1).to(device)
        self.optimizer = torch.optim.SGD(self.network.parameters(), 0.1)

    def update(self, batches):
        total = 0.0
        for x in batches:
            loss = self.network(x).mean()
            total += loss.item()  # expect ST401 (once for each part of a step)
            loss.backward()
        self.optimizer.step()
        return total


class Mean:
    """Nothing trains in it, so a loop that updates it is none of steps."""

    def update(self, batches):
        return torch.stack(batches).to(device).mean().item()  # note ST401


def train(name, steps, batches):
    algorithm = globals()[name]()
    meter = globals()[name + "Meter"]()
    for _ in range(steps):
        algorithm.update(batches)
    for _ in range(steps):
        meter.update(batches)


train("Plain", 100, [])
