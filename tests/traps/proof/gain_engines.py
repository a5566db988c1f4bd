# SPDX-License-Identifier: Apache-2.0
"""Reads beside waits that an engine makes itself."""
import deepspeed
import torch

engine, optimizer, loader, scheduler = deepspeed.initialize(model=torch.nn.Linear(4, 2), config="fp16.json")


def train(history):
    for batch in loader:
        x = batch.to(engine.device, non_blocking=True)
        loss = engine(x).square().mean()
        history.append(loss.item())  # expect ST4
        engine.backward(loss)
        engine.step()
        history.append(loss.detach().item())  # expect ST4


class NoDevice:
    """Nothing here names a device."""

    def total(self, rows):
        return sum(row.item() for row in rows)  # silent
