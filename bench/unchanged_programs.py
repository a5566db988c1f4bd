# SPDX-License-Identifier: Apache-2.0
"""Small trainings of five shapes, each the same in every run but for what chance does to its time.

unchanged_programs.py KIND FILE.json.gz [--active N] [--change NAME]

bench/changed.py asks for a change: one of CHANGES, by which the same training takes longer.
"""
import argparse
import os
import sys

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples"))
from recording import recorder  # noqa: E402

WAIT, WARMUP = 6, 4


def tensors(dataset, batch, workers=0):
    loader = DataLoader(dataset, batch_size=batch, num_workers=workers, shuffle=True)
    while True:
        yield from loader


def dense():
    model = nn.Sequential(*[layer for _ in range(6) for layer in (nn.Linear(256, 256), nn.ReLU())], nn.Linear(256, 10))
    return model, (torch.randn(4096, 256), torch.randint(10, (4096,))), 256, torch.optim.Adam(model.parameters(), 1e-3)


def pictures():
    model = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.BatchNorm2d(32),
                          nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
    return model, (torch.randn(512, 3, 48, 48), torch.randint(10, (512,))), 32, torch.optim.SGD(model.parameters(), 0.01, 0.9)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(1000, 128)
        layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.1, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.out = nn.Linear(128, 10)

    def forward(self, words):
        return self.out(self.layers(self.table(words)).mean(1))


def attention():
    model = Attention()
    return model, (torch.randint(1000, (1024, 32)), torch.randint(10, (1024,))), 32, torch.optim.AdamW(model.parameters(), 1e-3)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.GRU(32, 64, 2, batch_first=True), nn.Linear(64, 10)

    def forward(self, series):
        return self.out(self.cell(series)[0][:, -1])


def recurrent():
    model = Recurrent()
    return model, (torch.randn(1024, 24, 32), torch.randint(10, (1024,))), 32, torch.optim.Adam(model.parameters(), 1e-3)


KINDS = {"dense": (dense, 0), "pictures": (pictures, 0), "attention": (attention, 0), "recurrent": (recurrent, 0),
         "workers": (pictures, 2)}


# ---- changes ----

class Slow(TensorDataset):
    """Samples that are made when they are asked for."""

    def __getitem__(self, index):
        x, y = super().__getitem__(index)
        return (x.sort(-1).values.cumsum(-1) if x.is_floating_point() else x.sort(-1).values), y


class Sorting(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        torch.sort(torch.rand(200_000))
        return self.model(x)


CHANGES = ("batch", "double", "sort", "loading", "clip", "twice")


def train(kind, path, active, change=None):
    torch.manual_seed(1)
    make, workers = KINDS[kind]
    model, data, batch, optimizer = make()
    if change == "double":  # in place, so that the optimizer keeps its parameters
        model.double()
        data = [x.double() if x.is_floating_point() else x for x in data]
    forward = Sorting(model) if change == "sort" else model
    batch = batch * 3 // 2 if change == "batch" else batch
    steps = WAIT + WARMUP + active
    asked = argparse.Namespace(profile=path, wait=WAIT, warmup=WARMUP, active=active, steps=steps, record_shapes=True,
                               with_stack=False, profile_memory=False)
    batches = tensors(Slow(*data) if change == "loading" else TensorDataset(*data), batch=batch, workers=workers)
    with recorder(asked, torch.device("cpu")) as profiler:
        for _ in range(steps):
            x, y = next(batches)
            optimizer.zero_grad()
            for _ in range(2 if change == "twice" else 1):
                functional.cross_entropy(forward(x), y).backward()
            if change == "clip":
                nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)
            optimizer.step()
            profiler.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("path", metavar="FILE.json.gz")
    parser.add_argument("--active", type=int, default=20)
    parser.add_argument("--change", choices=CHANGES)
    asked = parser.parse_args()
    train(asked.kind, asked.path, asked.active, asked.change)
