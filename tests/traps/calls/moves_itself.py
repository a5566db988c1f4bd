# SPDX-License-Identifier: Apache-2.0
"""A helper that calls itself for the parts of a batch: its copies are told where it is called with the batch."""
import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def move(thing, device):
    if isinstance(thing, torch.Tensor):
        return thing.to(device)
    if isinstance(thing, dict):
        return {key: move(value, device) for key, value in thing.items()}  # silent (told below)
    if isinstance(thing, (list, tuple)):
        return [move(value, device) for value in thing]  # silent (told below)
    return thing


def train(loader):
    for batch in loader:
        batch = move(batch, device)  # expect ST602
        loss = model(batch["x"]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_by_field(loader):
    for batch in loader:
        batch = {key: value.to(device) for key, value in batch.items()}  # expect ST502
        loss = model(batch["x"]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
