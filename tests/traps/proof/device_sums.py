# SPDX-License-Identifier: Apache-2.0
"""A sum that a loop builds lies where its terms lie, also after it was divided by a number."""
import torch
from torch import nn
from torch.utils.data import DataLoader


class Views(nn.Module):
    def __init__(self, views):
        super().__init__()
        self.views = views

    def forward(self, far, near):
        far = far.chunk(self.views)
        near = near.detach().chunk(2)
        total = 0
        terms = 0
        for i, target in enumerate(near):
            for view in range(len(far)):
                if view != i:
                    total += torch.sum(-target * far[view].log_softmax(-1), dim=-1).mean()
                    terms += 1
        total /= terms
        return total


def host_sums(rows):
    total = 0
    for row in rows:
        total += row.sum()
    total /= len(rows)
    return total


def epoch(student, teacher, criterion, loader, optimizer, rows):
    for images, _ in loader:
        images = [image.cuda(non_blocking=True) for image in images]
        loss = criterion(student(images), teacher(images[:2]))
        if not torch.isfinite(loss).item():  # expect ST4
            raise SystemExit(1)
        shift = host_sums(rows).item()  # silent (the rows lie on the host)
        optimizer.zero_grad()
        (loss * shift).backward()
        optimizer.step()


def main(options, make, data):
    student, teacher = make(options), make(options)
    student, teacher = student.cuda(), teacher.cuda()
    student = nn.parallel.DistributedDataParallel(student)
    loader = DataLoader(data, num_workers=4, pin_memory=True)
    epoch(student, teacher, Views(10).cuda(), loader, torch.optim.SGD(student.parameters(), 0.1),
          [torch.ones(4) for _ in range(4)])


main(None, None, None)
