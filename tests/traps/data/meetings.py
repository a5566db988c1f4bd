# SPDX-License-Identifier: Apache-2.0
"""Where a list and a tensor meet under one name, what is done with the one says nothing of the other."""
import torch

model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def apart(x, lengths):
    if lengths is not None:
        x = [x[i:i + 1, :lengths[i]] for i in range(len(lengths))]
    else:
        x = torch.relu(x)
    if lengths is not None:
        rows = []
        for i in range(len(x)):
            rows.append(x[i] * 2)  # silent (x is a list here)
        return torch.cat(rows)
    return x.unsqueeze(0)


def together(x, wide):
    if wide:
        x = torch.relu(x)
    else:
        x = x * 2
    rows = []
    for i in range(len(x)):
        rows.append(x[i] * 2)  # expect ST101
    return torch.cat(rows) + x.unsqueeze(0)


def train(loader, lengths, wide):
    for x in loader:
        y = model(x.to("cuda", non_blocking=True))
        loss = apart(y, lengths).sum() + together(y, wide).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train([], [3, 4], True)
