# SPDX-License-Identifier: Apache-2.0
"""Copies of batches of which pinned memory spares no wait."""
import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda")
model = nn.Linear(8, 8).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def learn(x):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def behind_the_read_of_the_round_before(data, history):
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=4, pin_memory=True)
    for x in loader:
        optimizer.zero_grad()
        x = x.to(device)  # note ST602
        history.append(learn(x).item())  # expect ST4


def behind_work(data, history):
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=4, pin_memory=True)
    for x in loader:
        x = x.to(device)  # expect ST602
        learn(x)


def cast_first(data):
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=4, pin_memory=True)
    for x in loader:
        x = x.double().to(device)  # expect ST602 (cast behind the copy, then pin)
        learn(x)


def noised(x):
    noise = torch.randn(8, 8).to(device)  # expect ST601
    return learn(x + noise)


def before_a_copy_that_blocks(data):
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=4, pin_memory=True)
    for x in loader:
        x = x.to(device)  # note ST602
        model.train()
        noised(x)


def all_of_them_behind_a_wait(stream):
    while True:
        data = stream.get_batch("train")
        torch.cuda.synchronize()
        parts = [data["x"], data["y"]]
        parts = [part if part is None else part.cuda() for part in parts]  # note (the wait before has emptied the device)
        x, y = parts
        learn(x + y)


def all_of_them_behind_work(stream):
    while True:
        data = stream.get_batch("train")
        parts = [data["x"], data["y"]]
        parts = [part if part is None else part.cuda() for part in parts]  # expect ST502
        x, y = parts
        learn(x + y)


def copied_back_behind_a_read(loader, losses, rows):
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = learn(x)
        losses.append(loss.item())  # expect ST4
        rows.append(loss.detach().cpu())  # note (the read before has emptied the device)


def copied_back_behind_work(loader, losses, rows):
    for x in loader:
        x = x.to(device, non_blocking=True)
        losses.append(learn(x).item())  # expect ST4
        rows.append(model(x).detach().cpu())  # expect ST404
