# SPDX-License-Identifier: Apache-2.0
"""A small network whose batches come from a loader of some kind. With --real only its batches are made, and the middle time from one to
the next is printed, in milliseconds.

    loading.py numbers|pictures|files|texts|tensors WORKERS [--real]
"""
import io
import os
import sys
import tempfile
import time

import numpy
import torch

BATCH, SIDE, BEHIND, BATCHES = 16, 64, 8, 40


class Numbers(torch.utils.data.Dataset):
    """Drawn and put in order by NumPy."""
    def __len__(self):
        return BATCH * (BEHIND + BATCHES)

    def __getitem__(self, index):
        drawn = numpy.random.default_rng(index).standard_normal(20000)
        return torch.from_numpy(numpy.sort(drawn)[:SIDE * SIDE].astype(numpy.float32)), index % 10


class Pictures(Numbers):
    """Decoded, cut and made another size by Pillow."""
    def __init__(self):
        from PIL import Image
        kept = io.BytesIO()
        drawn = numpy.random.default_rng(1).integers(0, 255, (300, 400, 3), dtype=numpy.uint8)
        Image.fromarray(drawn).save(kept, "JPEG")
        self.kept = kept.getvalue()

    def __getitem__(self, index):
        from PIL import Image
        picture = Image.open(io.BytesIO(self.kept)).convert("L").crop((index % 50, 0, 300, 250)).resize((SIDE, SIDE))
        return torch.from_numpy(numpy.asarray(picture, dtype=numpy.float32).reshape(-1) / 255), index % 10


class Files(Numbers):
    """Read from files of their own."""
    def __init__(self):
        self.folder = os.path.join(tempfile.gettempdir(), "steptime_price_loading")
        os.makedirs(self.folder, exist_ok=True)
        for index in range(len(self)):
            path = os.path.join(self.folder, f"{index}.npy")
            if not os.path.exists(path):
                numpy.save(path, numpy.full(SIDE * SIDE, index, dtype=numpy.float32))

    def __getitem__(self, index):
        return torch.from_numpy(numpy.load(os.path.join(self.folder, f"{index}.npy"))), index % 10


class Texts(Numbers):
    """Split and looked up in a dictionary."""
    def __init__(self):
        self.words = {f"word{at}": at for at in range(1000)}
        self.text = " ".join(f"word{at * 7 % 1200}" for at in range(SIDE * SIDE))

    def __getitem__(self, index):
        return torch.tensor([self.words.get(word, 0) for word in self.text.split()], dtype=torch.float32), index % 10


class Tensors(Numbers):
    """Kept in memory, changed by PyTorch."""
    def __init__(self):
        self.kept = torch.randn(len(self), SIDE * SIDE)

    def __getitem__(self, index):
        row = self.kept[index].reshape(SIDE, SIDE)
        return ((row.flip(0) - row.mean()) / (row.std() + 1e-6)).reshape(-1), index % 10


def loader_of(kind, workers):
    data = {"numbers": Numbers, "pictures": Pictures, "files": Files, "texts": Texts, "tensors": Tensors}[kind]()
    return torch.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True, num_workers=workers)


def queued_s():
    with open("/proc/thread-self/schedstat", encoding="ascii") as figures:
        return int(figures.read().split()[1]) / 1e9


def measure(loader):
    """Workers hand out what they had ready at once, so the whole counts, by the clock. Without, the middle one, less what it waited for a processor."""
    took, last, queued = [], time.perf_counter(), queued_s()
    for _ in loader:
        waited = 0 if loader.num_workers else queued_s() - queued
        took.append(time.perf_counter() - last - waited)
        last, queued = time.perf_counter(), queued_s()
    kept = took[BEHIND:]
    print(1e3 * (sum(kept) / len(kept) if loader.num_workers else sorted(kept)[len(kept) // 2]))


def train(loader):
    net = torch.nn.Linear(SIDE * SIDE, 10).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x.cuda()), y.cuda()).backward()
        optimizer.step()


if __name__ == "__main__":
    (measure if "--real" in sys.argv else train)(loader_of(sys.argv[1], int(sys.argv[2])))
