# SPDX-License-Identifier: Apache-2.0
"""Loaders over what lies in memory, and tensors that are known by their methods alone."""
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Rows(Dataset):
    def __init__(self, rows, constant):
        self.rows = rows
        self.constant = constant

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        row.update(self.constant)
        return row


def loaders(sets, rows, constant):
    for name in ["train", "valid"]:
        sets[name] = TensorDataset(torch.tensor(sets[name]), torch.tensor(sets[name + "_labels"]))
    first = DataLoader(sets["train"], shuffle=True, pin_memory=True)  # note (rows in memory)
    second = DataLoader(Rows(rows, constant), shuffle=True, pin_memory=True)  # note (rows in memory)
    return first, second


def main(sets, rows, constant, stream, args):
    device = torch.device("cuda")
    model = torch.nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def hide(inputs):
        labels = inputs.clone()
        hidden = torch.bernoulli(torch.full(labels.shape, 0.5)).bool()
        labels[~hidden] = -1  # expect ST5
        return labels

    for loader in loaders(sets, rows, constant):
        for x, y in loader:
            loss = model(x.to(device, non_blocking=True)).square().mean()
            loss.backward()
            optimizer.step()
    for batch in stream:
        inputs = batch.transpose(0, 1).contiguous().to(device, non_blocking=True)
        loss = model(inputs).square().mean() + hide(inputs).sum()
        loss.backward()
        optimizer.step()
