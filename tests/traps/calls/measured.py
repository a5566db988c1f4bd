# SPDX-License-Identifier: Apache-2.0
"""Clocks around waits: in a benchmark they are what it is for, in a training they cost what they cost."""
import time

import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def forward_and_backward(network, x):
    torch.cuda.synchronize()  # note (it measures)
    start = time.time()
    out = network(x)
    torch.cuda.synchronize()  # note (the same measurement)
    forward = time.time() - start
    start = time.time()
    out.sum().backward()
    torch.cuda.synchronize()  # note (the same measurement)
    return forward, time.time() - start


def benchmark(network, x, trials):
    network.cuda()
    times = []
    for _ in range(trials):
        times.append(forward_and_backward(network, x))  # note (it measures)
    return times


def trained(loader):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        torch.cuda.synchronize()  # expect ST606
        start = time.time()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()  # expect ST606
        print(time.time() - start)


def in_parts(parts):
    for x in parts:
        start = time.time()
        model(x.to(device, non_blocking=True)).sum().backward()
        torch.cuda.synchronize()  # expect ST606
        print(time.time() - start)


def trained_in_parts(loader):
    for batch in loader:
        optimizer.zero_grad()
        in_parts(batch.chunk(4))
        optimizer.step()


if __name__ == "__main__":
    print(benchmark(model, torch.zeros(4, 8, device=device), 100))
