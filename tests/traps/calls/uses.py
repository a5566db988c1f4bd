# SPDX-License-Identifier: Apache-2.0
"""What is handed to a call is used, may be kept and may be changed."""
import json
import pickle
from functools import partial

import numpy as np
import torch
import torch.distributed as dist
from safetensors.torch import save_file

device = torch.device("cuda")


class Keeper:
    def __init__(self):
        self.last = None

    def keep(self, value):
        self.last = value


def give(model, steps):
    for step in range(steps):
        out = model(torch.randn(4, 4, device=device)).detach().cpu()  # silent ST405 (handed out)
        yield out


def loop(model, steps, writer, pool, queue, store, unknown, images):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    keeper = Keeper()
    for step in range(steps):
        out = model(torch.randn(4, 4, device=device)).square()
        a = out.detach().cpu()  # silent ST405 (a dict keeps it)
        store["a"] = a
        b = out.sum().cpu()  # silent ST405 (an attribute keeps it)
        keeper.keep(b)
        c = out.mean().cpu()  # silent ST405 (a pool gets it)
        pool.submit(print, c)
        d = out.mean().cpu()  # silent ST405 (a partial keeps it)
        unknown(partial(print, d))
        e = out.detach().cpu()  # silent ST405 (a file gets it)
        save_file({"e": e}, "e.safetensors")
        f = out.detach().cpu()  # silent ST405 (a file gets it)
        pickle.dump(f, open("f.pkl", "wb"))
        g = out.detach().cpu().numpy()  # silent ST405 (checked)
        np.testing.assert_allclose(g, g)
        h = out.max().cpu()  # silent ST405 (raised with)
        if step > 10**6:
            raise RuntimeError(h)
        i = out.detach().cpu()  # silent ST405 (a list keeps it)
        images.insert(0, i)
        j = out.detach().cpu()  # silent ST405 (a closure keeps it)
        queue.put(lambda: j)
        k = out.detach().cpu()  # expect ST405
        k = None
        n = out.detach().cpu()  # silent ST405 (the writer gets it)
        writer.add_histogram("n", n, step)
        out.mean().backward()
        optimizer.step()
    return k


def moves(model, steps, unknown, rows):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    fixed = torch.arange(4.0)
    filled = torch.empty(4)
    shared = np.zeros(4, dtype=np.float32)
    seen = torch.from_numpy(shared)
    for step in range(steps):
        a = fixed.to(device)  # expect
        torch.nn.init.normal_(filled)
        b = filled.to(device)  # silent ST501 (filled anew each step)
        shared[0] = step
        c = seen.to(device)  # silent ST501 (its memory is changed through the array)
        unknown(rows)
        d = rows.to(device)  # silent ST501 (an unknown call may change it)
        loss = model(a + b + c + d).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(steps, writer, pool, queue, unknown):
    model = torch.nn.Linear(4, 4).to(device)
    loop(model, steps, writer, pool, queue, {}, unknown, [])
    moves(model, steps, unknown, torch.ones(4))
    with open("out.json", "w") as file:
        json.dump([x.tolist() for x in give(model, steps)], file)  # silent (host values)
    dist.destroy_process_group()
