# SPDX-License-Identifier: Apache-2.0
"""From the loop of steps through methods, bases, wrappers and partial functions to the line, or to a gate on the way."""
import functools

import torch

device = torch.device("cuda")


class Recorder:
    def __init__(self):
        self.rows = []

    def put(self, loss):
        self.rows.append(loss.item())  # expect ST4

    def put_rarely(self, loss):
        self.rows.append(loss.item())  # note (called behind the gate)


class Base:
    def __init__(self, model, optimizer, recorder):
        self.model, self.optimizer, self.recorder = model, optimizer, recorder

    def step(self, x, y):
        loss = self.loss(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.after(loss)
        return loss

    def after(self, loss):
        raise NotImplementedError


class Mine(Base):
    def loss(self, out, y):
        norm = out.norm().item()  # expect ST4
        return torch.nn.functional.cross_entropy(out, y) / norm

    def after(self, loss):
        self.recorder.put(loss)


def report(recorder, loss, verbose):
    if verbose:
        print("loss", loss.item())  # note (verbose)


def run(loader, steps):
    model = torch.nn.Linear(8, 4).to(device)
    recorder = Recorder()
    mine = Mine(model, torch.optim.SGD(model.parameters(), 0.1), recorder)
    say = functools.partial(report, recorder)
    for number, (x, y) in enumerate(loader):
        loss = mine.step(x.to(device, non_blocking=True), y.to(device, non_blocking=True))
        say(loss, verbose=False)
        if number % 50 == 0:
            recorder.put_rarely(loss)
    print("last", loss.item())  # silent
