# SPDX-License-Identifier: Apache-2.0
"""A program for the CPU alone: there is nothing to wait for."""
import torch
from torch.utils.data import DataLoader

device = torch.device("cpu")
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def train(rows, history):
    loader = DataLoader(rows, batch_size=4)  # silent
    for x in loader:
        x = x.to(device)  # silent
        loss = model(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())  # silent
        if loss > 3:  # silent
            print(loss)  # silent
