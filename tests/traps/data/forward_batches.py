# SPDX-License-Identifier: Apache-2.0
"""Networks that are given a batch and the device to which they move its parts: the batch lies on the host."""
import torch


class Speech(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, batch: dict, device: torch.device):
        speech = batch["speech"].to(device)  # expect ST602
        lengths = batch["lengths"].to(device)  # expect ST602
        kind = batch["kind"]
        if kind == "train":  # silent (nothing says that it lies on the device)
            speech = speech * 2
        return self.layer(speech).sum() / lengths.sum()


class Pinned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, batch, device):
        speech = batch["speech"].to(device, non_blocking=True)  # silent
        return self.layer(speech).sum()


class There(torch.nn.Module):
    def __init__(self, device):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.device = device

    def forward(self, batch):
        speech = batch["speech"].to(self.device)  # silent (who calls may have moved it)
        return self.layer(speech).sum()


def train(make, configuration, loader, optimizer):
    model = make(configuration).cuda()
    for batch in loader:
        optimizer.zero_grad()
        model(batch, 0).backward()
        optimizer.step()
