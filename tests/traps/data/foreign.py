# SPDX-License-Identifier: Apache-2.0
"""What a library that nobody knows makes of tensors lies where they do; what works on the host makes none."""
import collections

import cv2
import poses
import torch
from poses import SE3
from poses.metrics import distance


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(7, 7)

    def forward(self, given):
        return self.head(given.data)


def train(loader, steps):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    order = torch.as_tensor([1, 0, 2])
    for x in loader:
        x = x.to("cuda", non_blocking=True)
        given = SE3(x).inv()
        first = given[:, order]  # expect ST503
        error = (given * SE3.IdentityLike(given)).log()
        shown = error.norm(dim=-1).mean().item()  # expect ST4
        loss = model(given).sum() + first.log().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(shown)


def others(loader):
    model = torch.nn.Linear(7, 7).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x in loader:
        x = x.to("cuda", non_blocking=True)
        y = model(x)
        far = distance(y, x).item()  # expect ST4
        counted = collections.Counter(y)
        seen = cv2.norm(y).item()  # silent (OpenCV works on the host)
        made = poses.zeros(3).item()  # silent (of no tensor)
        named = counted["a"].item()  # silent (Python's own)
        loss = y.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(far, seen, made, named)


train([], 3)
others([])
