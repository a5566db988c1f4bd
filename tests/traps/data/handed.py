# SPDX-License-Identifier: Apache-2.0
"""Batches that come from iterators of which nothing is known but that they give another one each step."""
import torch
from torch import nn
from elsewhere import open_stream, prefetched


def over_stream(stream, steps):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step, batch in enumerate(stream):
        x = batch["x"].to(device)  # expect ST602
        y = batch["y"].float().to(device, non_blocking=True)  # silent
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for batch in stream:  # nothing is trained here
        print(model(batch["x"].to(device)).sum().item())  # note (an evaluation)


def by_next(options):
    device = torch.device("cuda")
    model = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    batches = iter(open_stream(options))
    first = next(batches).to(device)  # silent (once)
    kind = next(model.parameters()).to(torch.float32)  # silent
    for _ in range(options.steps):
        x, y = next(batches)
        x = x.to(device)  # expect ST602
        loss = (model(x) - y.cuda()).square().mean() + first.sum() * kind.sum()  # expect ST602
        loss.backward()
        optimizer.step()


class Learner:
    def __init__(self, net, device="cuda"):
        self.device = device
        self.net = net.to(device)
        self.optimizer = torch.optim.SGD(self.net.parameters(), 0.1)

    def learn(self, data):
        x = data["x"].to(self.device)  # expect ST602
        loss = self.net(x).mean()
        loss.backward()
        self.optimizer.step()

    def look(self, data):
        return self.net(data["x"].to(self.device))  # silent (nobody calls it in a step)

    def run(self, source):
        for data in source:
            self.learn(data)


def epochs(schedule, nets, rows):
    device = torch.device("cuda")
    net = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    held = [row.to(device) for row in torch.zeros(4, 8)]
    for stage in schedule:
        weight = stage.weight.to(device)  # silent (once a stage)
        for x in held:
            x = x.to(device)  # silent (it is there)
            loss = net(x).mean() * weight
            loss.backward()
            optimizer.step()
    for other in nets:
        other.to(device)  # silent (networks)
        other.train()


def on_device(options):
    device = torch.device("cuda")
    net = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x in prefetched(options):
        loss = net(x).mean()  # silent (nobody moves it)
        loss.backward()
        optimizer.step()


def drawn(data, memory, posterior, options):
    device = torch.device("cuda")
    net = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(options.steps):
        x, y = data.next_batch()
        x = x.to(device)  # expect ST602
        kept = memory.sample(options.size)
        kept = kept["x"].to(device)  # silent (buffers of frameworks give what lies there)
        drift = posterior.sample().to(device)  # silent (it may lie there)
        mixed = data.mix_batch(net.weight).to(device)  # silent (of what lies there)
        loss = (net(x) - y.to(device, non_blocking=True) + net(kept) + drift + mixed).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


drawn(open_stream(None), open_stream(None), open_stream(None), None)
Learner(nn.Linear(8, 1)).run(open_stream(None))
over_stream(open_stream(None), 10)
by_next(None)
epochs([], [], [])
on_device(None)
