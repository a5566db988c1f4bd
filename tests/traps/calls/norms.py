# SPDX-License-Identifier: Apache-2.0
"""The norm of gradients lies where these lie, and torch.accelerator is a device."""
import torch
from wrapping import load

device = torch.accelerator.current_accelerator()


def train(batches, log):
    network = load().to(device)
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    for batch in batches:
        loss = network(batch.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        norm = network.clip_grad_norm_(1.0)
        if not torch.isfinite(norm):  # expect ST402
            continue
        scale = network.loss_scale(1.0)
        if scale > 2.0:  # silent (nothing says that it is a tensor)
            log(scale)
        optimizer.step()


train([], print)
