# SPDX-License-Identifier: Apache-2.0
"""Waits of a step that stand beside each other, of several rules and in several ifs: one of them is the finding."""
import math

import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def guarded(loader, history):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        out = model(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        extra = out.square().mean() if len(history) else None
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if torch.isnan(loss):  # expect ST402
            raise ValueError("the loss is no number")
        if extra is not None and torch.isnan(extra):  # note (the wait before it)
            raise ValueError("the penalty is no number")
        now = loss.item()  # note (the wait before it)
        history.append(math.exp(min(now, 10.0)))
        if extra is not None:
            history.append(extra.item())  # note (the wait before it)


def named(loader, history):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        out = model(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        hits = (out.argmax(-1) == y).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if torch.isnan(loss):  # expect ST402
            raise ValueError("the loss is no number")
        for name, value in {"steps": len(history)}.items():
            print(name, value)
        history.append(hits.item())  # note (nothing was launched between)


def with_work_between(loader, history):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        out = model(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        if torch.isnan(loss):  # expect ST402
            raise ValueError("the loss is no number")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())  # expect ST4


def had_before(loader, kept):
    for x, y, rows, columns in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        at = rows.to(device, non_blocking=True)
        to = columns.to(device, non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(x)[at, to], y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        first = at.cpu()  # expect ST408
        second = to.cpu()  # note (both are mended together)
        kept.append((first, second))


def cut_by_lengths(loader):
    for x, lengths in loader:
        x, lengths = x.to(device, non_blocking=True), lengths.to(device, non_blocking=True)
        parts = torch.nn.utils.rnn.unpad_sequence(x, lengths.cpu(), batch_first=True)  # note (to cut by)
        rows = torch.tensor([float(part.sum()) for part in parts], device=device)
        loss = model(rows).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
