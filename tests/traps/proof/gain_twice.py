# SPDX-License-Identifier: Apache-2.0
"""Two waits of a step: with only the host's work between them the second is free, with the device's it is not."""
import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def host_between(loader, history):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        out = model(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        hits = (out.argmax(-1) == y).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())  # expect ST4
        history.append(len(history) * 2)
        history.append(hits.item())  # note (the wait of the line before the last)


def device_between(loader, history):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        history.append(loss.item())  # expect ST4
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.detach().item())  # expect ST4


def inner(loader, history):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        out = model(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())  # expect ST4
        for row in range(out.size(0)):
            history.append((out[row] * row).sum().item())  # expect ST


def gated_first(loader, history):
    for number, (x, y) in enumerate(loader):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number % 10 == 0:
            history.append(loss.item())  # note (every tenth)
        history.append(loss.abs().item())  # expect ST4


def behind_synchronize(loader, history):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()  # expect ST6
        history.append(loss.item())  # note (the device has just been waited for)
