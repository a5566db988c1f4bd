# SPDX-License-Identifier: Apache-2.0
"""Work of the host in each step: what calls NumPy for each sample takes time, a few steps of Python may take none."""
import numpy as np
import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def degrees(sessions):
    made = []
    for session in sessions:  # expect ST302
        nodes = np.unique(session)
        made.append([len(nodes), int(np.max(session))])
    return made


def words_of(sessions, words):
    made = []
    for session in sessions:  # expect ST302
        made.append(set(words[k] for k in session))
    return made


def spans(lengths):
    made = []
    for length in lengths:  # note (a few steps of Python)
        made.append([i * i for i in range(length)])
    return made


def train(batches, lengths, table):
    for sessions in batches:
        counts = degrees(sessions)
        words_of(sessions, lengths)
        cuts = spans(lengths)
        x = table[counts[0][0] : counts[0][0] + 8, : len(cuts)]
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(np.load("sessions.npy", allow_pickle=True), [3, 4], torch.randn(64, 8, device=device))
