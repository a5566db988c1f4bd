# SPDX-License-Identifier: Apache-2.0
"""What a wait before has left for the device to do: nothing, next to nothing, or a network; also across calls."""
import numpy as np
import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def learn(x):
    loss = model(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def behind_upload(loader, history):
    for x in loader:
        loss = learn(x.to(device, non_blocking=True))
        rate = torch.tensor([0.1, 0.2]).to(device)
        history.append((loss * rate.sum()).item())  # note (the copy of the line before has waited for the step)


def behind_upload_and_network(loader, history):
    for x in loader:
        rate = torch.tensor([0.1, 0.2]).to(device)
        loss = learn(x.to(device, non_blocking=True))
        history.append((loss * rate.sum()).item())  # expect ST4


def hits_of(pred, y):
    right = pred.argmax(-1) == y
    return right.sum().item()  # expect ST4


def behind_call(loader, history):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        pred = model(x)
        loss = torch.nn.functional.cross_entropy(pred, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(hits_of(pred, y))
        history.append(loss.item())  # note (the function has read)


def before_call(loader, history):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        pred = model(x)
        history.append(hits_of(pred, y))
        loss = torch.nn.functional.cross_entropy(model(pred), y)
        history.append(loss.item())  # expect ST4
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def both_branches(loader, history, mean):
    for x in loader:
        loss = learn(x.to(device, non_blocking=True))
        if mean:
            history.append(loss.item())  # expect ST4
        else:
            history.append(loss.sum().item())  # expect ST4
        history.append(loss.abs().item())  # note (either branch has read)


def one_branch(loader, history, mean):
    for x in loader:
        loss = learn(x.to(device, non_blocking=True))
        if mean:
            history.append(loss.item())  # expect ST4
        history.append(loss.abs().item())  # expect ST4


def perhaps(loader, history, mean):
    for x in loader:
        loss = learn(x.to(device, non_blocking=True))
        if mean and loss > 0:  # expect ST4
            mean = False
        history.append(loss.abs().item())  # expect ST4


def each_round(loader, history):
    for x in loader:
        x = x.to(device, non_blocking=True)
        history.append(learn(x).item())  # expect ST4
        for _ in range(3):
            history.append(model(x).sum().item())  # expect ST4
            history.append(learn(x).item())  # expect ST4


def asserted(loader):
    for x in loader:
        mask = x.to(device, non_blocking=True)[0] > 0
        count = mask.sum()
        assert count == mask[:count].sum()  # expect ST4
        other = ~mask
        assert other.sum() == 0  # note (a sum since)
        learn(x)


def numbers(loader, history):
    for x in loader:
        loss = learn(x.to(device, non_blocking=True))
        rows = torch.tensor(np.array([1.0, 2.0])).to(device)
        bound = torch.tensor(len(history), device=device)  # note (four bytes behind the wait for the rows)
        history.append(torch.minimum(rows, bound) * loss)


def number_alone(loader, history):
    for x in loader:
        loss = learn(x.to(device, non_blocking=True))
        bound = torch.tensor(len(history), device=device)  # expect ST6
        history.append(bound * loss)


def small_since(loader, history):
    for x in loader:
        y = model(x.to(device, non_blocking=True))
        y.sum().backward()
        history.append(y.mean().item())  # expect ST4
        history.append(((torch.sum(y > 0) + torch.sum(y < 0)).to(torch.float32) / float(2 * len(y))).item())  # note (free)
