# SPDX-License-Identifier: Apache-2.0
"""Which loaders train: shuffle=False says nothing beside a sampler; a rollout makes loading nothing."""
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


class Images(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return torch.tensor(list(Image.open(self.paths[i]).getdata()))


def trained(batches):
    for x in batches:
        loss = model(x.to(device).float()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def generate(network, prompts, length):
    rows = prompts.to(device).float()
    for i in range(length):
        rows = torch.cat((rows[:, 1:], network(rows)[:, :1]), 1)
    return rows


def trained_on_its_own(batches):
    for prompts in batches:
        rows = generate(model, prompts, 100)
        loss = model(rows).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def in_order(paths):
    loader = DataLoader(Images(paths), 8, shuffle=False)  # expect ST6
    for x in loader:
        loss = model(x.to(device).float()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def whole_dataloader(rows, val_batch_size):
    return DataLoader(rows, batch_size=val_batch_size)  # note (its size is that of an evaluation)


def val_batches(rows):
    return DataLoader(rows, 8)  # note (its function says so)


paths = ["a.png", "b.png"]
trained(whole_dataloader(Images(paths), 8))
trained(val_batches(Images(paths)))
trained(DataLoader(Images(paths), 8, shuffle=False, sampler=DistributedSampler(Images(paths))))  # expect ST6
trained(DataLoader(Images(paths), 8, shuffle=False))  # note (it keeps its order)
trained_on_its_own(DataLoader(Images(paths), 8, pin_memory=True))  # note (a rollout is made of it)
