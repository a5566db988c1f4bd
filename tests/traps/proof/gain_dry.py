# SPDX-License-Identifier: Apache-2.0
"""Copies of batches that nobody loads beside the step: where the step ends in a wait they wait for nothing."""
import torch
from composer import Trainer
from torch.utils.data import DataLoader

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


class Files(torch.utils.data.Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, i):
        with open(f"{i}.txt") as file:
            return torch.tensor([float(x) for x in file.read().split()])


def learn(x):
    loss = model(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def read_at_the_end(history):
    alone = DataLoader(Files(), batch_size=8, shuffle=True, pin_memory=False)  # expect ST604
    for x in alone:
        x = x.to(device)  # note (the read of the step before has emptied the device, and it stays so while it loads)
        history.append(learn(x).item())  # expect ST4


def read_nowhere():
    alone = DataLoader(Files(), batch_size=8, shuffle=True)  # expect ST602
    for x in alone:
        learn(x.to(device))  # expect ST602


def read_in_the_middle(history):
    alone = DataLoader(Files(), batch_size=8, shuffle=True)  # expect ST602
    for x in alone:
        x = x.to(device)  # expect ST602
        history.append(model(x).sum().item())  # expect ST4
        learn(x)


def copied_behind_work(history):
    alone = DataLoader(Files(), batch_size=8, shuffle=True, num_workers=0)
    seen = torch.zeros(8, 8, device=device)
    for x in alone:
        seen = model.weight @ seen
        x = x.to(device)  # expect ST602
        history.append((learn(x) + seen.sum()).item())  # expect ST4


def loaded_by_workers(history):
    busy = DataLoader(Files(), batch_size=8, shuffle=True, num_workers=4)  # note (each step ends in a wait)
    for x in busy:
        x = x.to(device)  # note ST602 (the read of the round before has emptied the device)
        history.append(learn(x).item())  # expect ST4


def loaded_by_workers_beside_the_step(history):
    busy = DataLoader(Files(), batch_size=8, shuffle=True, num_workers=4)  # expect ST602
    for x in busy:
        learn(x.to(device))  # expect ST602


def taken_one_by_one(history):
    busy = DataLoader(Files(), batch_size=8, shuffle=True, num_workers=4)  # note (each step ends in a wait)
    batches = iter(busy)
    for _ in range(100000):
        x = next(batches)
        x = x.to(device)  # note ST602
        history.append(learn(x).item())  # expect ST4


def taken_beside_the_step(history):
    busy = DataLoader(Files(), batch_size=8, shuffle=True, num_workers=4)  # expect ST602
    batches = iter(busy)
    for _ in range(100000):
        learn(next(batches).to(device))  # expect ST602


def composed():
    whole = DataLoader(Files(), batch_size=8, shuffle=True, pin_memory=False)  # expect ST604
    Trainer(model=model, train_dataloader=whole, max_duration="9ep", device="gpu").fit()
