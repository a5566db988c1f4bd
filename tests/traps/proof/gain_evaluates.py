# SPDX-License-Identifier: Apache-2.0
"""Full-batch training: each step evaluates, and the evaluation reads."""
import torch

device = torch.device("cuda")
model = torch.nn.Linear(16, 4).to(device)
optimizer = torch.optim.Adam(model.parameters())


def train(x, y):
    model.train()
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()  # note (the evaluation of the same round reads)


@torch.no_grad()
def test(x, y, masks):
    model.eval()
    found = model(x).argmax(-1)
    return [int((found[m] == y[m]).sum()) for m in masks]  # note (evaluation)


def main(data):
    x, y = data.x.to(device), data.y.to(device)
    for epoch in range(200):
        loss = train(x, y)
        accuracies = test(x, y, data.masks)
        print(epoch, loss, accuracies)


def main_without(data):
    x, y = data.x.to(device), data.y.to(device)
    for epoch in range(200):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())  # expect ST4
