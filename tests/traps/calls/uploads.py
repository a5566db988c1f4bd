# SPDX-License-Identifier: Apache-2.0
"""What is made on the host and goes to the device, and what is made there."""
import numpy as np
import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 8).to(device)
optimizer = torch.optim.Adam(model.parameters())


def main(steps, table):
    for step in range(steps):
        x = torch.randn(16, 8, device=device)  # silent (made there)
        y = model(x)
        a = torch.tensor([1.0, 2.0, 3.0, 4.0], device=device)  # expect
        b = y.new_tensor([step, step + 1])  # note (two numbers)
        c = torch.tensor(2.0) * y  # silent (a host scalar)
        d = torch.full((), 2.0, device=device)  # silent
        e = torch.arange(16, device=device)  # silent
        f = torch.zeros_like(y)  # silent
        g = y.new_zeros(4)  # silent
        h = torch.ones(16, 8).to(device)  # expect
        i = torch.eye(8, device=device)  # silent
        j = torch.from_numpy(table)  # silent (on the host)
        k = torch.randperm(16, device=device)  # silent
        m = torch.randperm(16).to(device)  # expect
        n = torch.stack([y.sum(), y.mean()])  # silent (on the device)
        o = torch.tensor([y.sum(), y.mean()])  # expect ST4
        p = np.zeros(4)  # silent
        y.square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        del a, b, c, d, e, f, g, h, i, j, k, m, n, o, p
