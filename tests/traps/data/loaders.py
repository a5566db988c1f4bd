# SPDX-License-Identifier: Apache-2.0
"""Kinds of loaders: what they yield, where it lies, whether it can be pinned."""
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

device = torch.device("cuda")


class Described(IterableDataset):
    """Runs a model for each sample: what it yields lies on the device."""

    def __init__(self, encoder, files):
        self.encoder = encoder.to(device)
        self.files = files

    def __iter__(self):
        for file in self.files:
            pixels = torch.load(file)
            yield self.encoder(pixels.to(device))


class Texts(Dataset):
    def __init__(self, lines):
        self.lines = lines

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, i):
        return {"text": self.lines[i], "name": str(i)}


def to_device(samples):
    return torch.stack(samples).to(device)


def encoded(files, encoder):
    model = torch.nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x in DataLoader(Described(encoder, files)):
        x = x.to(device)  # silent (the data set gives device tensors)
        loss = model(x).square().mean()
        print(x.max().item())  # expect ST4
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def collated(data):
    model = torch.nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x in DataLoader(data, collate_fn=to_device):  # silent ST604 (no workers: a collate that uses the device)
        x = x.to(device)  # silent (there already)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def texts(lines, tokenizer):
    model = torch.nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for batch in DataLoader(Texts(lines), batch_size=8):
        text = batch["text"]
        if text[0] == "stop":  # silent (strings)
            break
        print(batch["name"])  # silent (strings)
        ids = tokenizer(text, return_tensors="pt")["input_ids"].to(device)
        loss = model(ids.float()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def listed(lines):
    """A loader whose batches are lists of strings: nothing to pin."""
    model = torch.nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    loader = DataLoader(lines, batch_size=8, collate_fn=list)  # silent ST602 (strings cannot be pinned)
    for batch in loader:
        x = torch.randn(len(batch), 8, device=device)  # silent
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def on_device(steps):
    for step in range(steps):
        yield torch.randn(8, 8, device=device), step


def generated(steps):
    model = torch.nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, step in on_device(steps):
        x = x.to(device)  # silent (the generator gives device tensors)
        loss = model(x).square().mean()
        if step % 10 == 0:  # silent (a host number)
            print(loss.item())  # note (gate)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def foreign(stream):
    """An iterator from outside of the run: where its tensors lie nobody knows."""
    model = torch.nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in stream:
        rows = int(y.max())  # silent (not known to be on the device)
        loss = model(x).square().mean() / rows
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if y.sum() > 0:  # silent (not known to be on the device)
            print("some")


def prefetched(loader):
    """Batches moved by a wrapper of the run."""
    model = torch.nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in Ahead(loader):
        y = y.to(device)  # silent (there already)
        print(y.sum().item())  # expect ST4
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Ahead:
    def __init__(self, loader):
        self.loader = loader

    def __iter__(self):
        for x, y in self.loader:
            yield x.to(device, non_blocking=True), y.to(device, non_blocking=True)


def main(data, files, lines, tokenizer, encoder, stream):
    encoded(files, encoder)
    collated(data)
    texts(lines, tokenizer)
    listed(lines)
    generated(100)
    foreign(stream)
    prefetched(DataLoader(data, num_workers=2, pin_memory=True))
