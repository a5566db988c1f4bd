# SPDX-License-Identifier: Apache-2.0
"""Names that sound like tensors and are none, and tensors that do not sound so."""
import numpy as np
import torch

default = "cuda" if torch.cuda.is_available() else "cpu"


class Config:
    def __init__(self):
        self.device = "cuda"
        self.dtype = "bfloat16"
        self.scale = 0.5
        self.mode = "train"


class Net(torch.nn.Module):
    def __init__(self, device="cuda"):
        super().__init__()
        self.device = device
        self.dtype = torch.float32
        self.net = torch.nn.Linear(8, 8, device=device)
        self.temperature = 1.0
        self.register_buffer("mean", torch.zeros(8, device=device))

    def forward(self, x):
        if self.device == "cuda":  # silent (a string)
            x = x.contiguous()
        if self.device != x.device:  # silent (devices)
            x = x.to(self.device)
        if self.dtype == torch.float16:  # silent (a dtype)
            x = x.half()
        if self.temperature > 1:  # silent (a float)
            x = x / self.temperature
        if self.training and x.ndim == 2:  # silent (host values)
            x = x - self.mean
        return self.net(x)


def main(steps, config=Config()):
    net = Net(default)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    best, tail, history = float("inf"), 0.0, []
    empty = torch.tensor([], device="cuda")
    for step in range(steps):
        x = torch.randn(16, 8, device="cuda")
        if config.device == "cuda" and config.mode == "train":  # silent (strings)
            x = x * config.scale
        if x.device.type != config.device or str(x.device) == "cpu":  # silent (strings)
            break
        y = net(x)
        loss = y.square().mean()
        empty = torch.cat([empty, y.detach().sum(-1)])  # silent
        if empty.numel() == 0 or len(empty) > 10**6:  # silent (sizes)
            empty = torch.tensor([], device="cuda")  # silent (nothing to copy)
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        if norm > 10:  # expect ST4
            print("large")
        optimizer.step()
        tail = 0.9 * tail + 0.1  # silent (a float)
        if tail < best:  # silent (floats)
            best = tail
        rate = optimizer.param_groups[0]["lr"]
        if rate < 1e-6:  # silent (a float)
            break
        masked = loss.detach() * (y > 0).float().mean()
        history.append(masked)  # silent (kept on the device)
        keep = (y.abs().sum(-1) > 1).nonzero()  # expect ST4
        kept = y[keep]  # silent ST406 (an index by numbers)
        grown = [p for p in net.parameters() if p.requires_grad]  # silent
        small = [p for p in grown if p.numel() < 100]  # silent
    return kept, small, torch.stack(history).cpu()  # silent (once)


def host_here_device_there(steps):
    """One use as a host tensor does not make the others so."""
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(steps):
        y = model(torch.randn(8, 8, device="cuda"))
        loss = y.mean()
        host = y.detach().cpu()  # expect ST4
        np.save("y.npy", host.numpy())  # silent (on the host by now)
        if host.max() > 3:  # silent (on the host)
            print(host[0, 0].item())  # silent (on the host)
        if y.max() > 3:  # expect ST4
            print("device")
        loss.backward()
        optimizer.step()


def masks(steps):
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    limits = torch.rand(8) > 0.5
    for step in range(steps):
        p = model(torch.randn(8, 8, device="cuda"))
        m = p > 0
        q = p[m]  # expect ST406
        r = p[~m].sum()  # expect ST406
        s = limits[limits]  # silent (a mask on the host)
        t = p[m.long()]  # silent ST406 (numbers, no mask)
        u = p[:, 0]  # silent
        v = p[..., None]  # silent
        w = p[m.all(-1)]  # expect ST406
        (q.sum() + r + t.sum() + u.sum() + v.sum() + w.sum()).backward()
        optimizer.step()
    return s


def effects(steps, unknown):
    """What a function does with what it is given is known from its body."""
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(steps):
        loss = model(torch.randn(8, 8, device="cuda")).mean()
        show(loss)
        describe(loss)
        unknown(loss)  # silent (nobody knows)
        loss.backward()
        optimizer.step()


def show(value):
    print(value.item())  # expect ST4


def describe(value):
    return value.shape, value.dtype, value.requires_grad  # silent
