# SPDX-License-Identifier: Apache-2.0
"""Fabric: what it sets up lies on the device, its collectives read nothing."""
import torch
from lightning.fabric import Fabric
from torch.utils.data import DataLoader


@torch.no_grad()
def run_validation(fabric, model, loader):
    model.eval()
    total = 0.0
    for x, y in loader:
        total += model(x).sum().item()  # note (evaluation)
    return total


def main(data, valid):
    fabric = Fabric(accelerator="cuda")
    model = fabric.setup_module(torch.nn.Linear(8, 4))
    optimizer = fabric.setup_optimizers(torch.optim.SGD(model.parameters(), 0.1))
    loader, checks = fabric.setup_dataloaders(DataLoader(data, pin_memory=True), DataLoader(valid))
    for step, (x, y) in enumerate(loader):
        x = x.to(fabric.device)  # silent (moved by the loader)
        with fabric.no_backward_sync(model, enabled=step % 2 == 0):
            loss = model(x).square().mean()
            fabric.backward(loss)
        everyone = fabric.all_gather(loss)  # silent
        mean = fabric.all_reduce(loss.detach())  # silent
        if fabric.global_rank == 0:  # silent (a host value)
            print(mean.item())  # expect ST4
        if everyone.isnan().any():  # expect ST4
            continue
        optimizer.step()
        fabric.log("loss", loss)  # silent (a logger's affair)
    run_validation(fabric, model, checks)
