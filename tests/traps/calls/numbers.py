# SPDX-License-Identifier: Apache-2.0
"""One number as a tensor on the device: torch.tensor copies it and waits, a fill does not."""
import torch
from torch import nn


class Job:
    def __init__(self, weight, first_step):
        self.device = torch.device("cuda")
        self.weight = weight
        self.first_step = first_step
        self.step_num = 0
        self.zero = torch.tensor(0.0, device=self.device)  # silent (once)
        self.model = nn.Linear(8, 8).to(self.device)

    def style(self, pred):
        if self.weight > 0:
            return pred.abs().mean() * self.weight
        return torch.tensor(0.0, device=self.device)  # expect ST601

    def late(self, pred):
        if self.first_step > self.step_num:
            return torch.tensor(0.0, device=self.device)  # note (at the first steps)
        return pred.mean()

    def chosen(self, pred):
        mask = pred > 0
        if len(mask) == 0:
            return torch.tensor(0.0, device=pred.device)  # note (of an empty batch)
        return (pred * mask).mean()

    def run(self, batches):
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for batch in batches:
            pred = self.model(batch.to(self.device, non_blocking=True))
            scale = torch.tensor(pred.shape[-1], dtype=pred.dtype, device=pred.device)  # expect ST601
            total = torch.tensor(0.0, device=self.device)  # expect ST601 (one cause with those above)
            filled = torch.full((), 2.0, device=self.device)  # silent
            zeros = torch.zeros((), device=self.device)  # silent
            host = torch.tensor(3.0)  # silent (it stays on the host)
            same = torch.as_tensor(pred.mean(), device=self.device)  # silent (it is there)
            total = total + self.style(pred) + self.late(pred) + self.chosen(pred) + pred.square().mean() / scale
            loss = total * filled * host + zeros + same
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.step_num += 1


Job(1, 10).run(None)
