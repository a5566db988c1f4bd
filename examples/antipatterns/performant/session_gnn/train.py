# SPDX-License-Identifier: Apache-2.0
"""Trains as ../../session_gnn/train.py does, with the same mathematics and, on a CPU, the same draws, written for speed."""
import argparse
import os
import random
import sys

import numpy as np
import torch
from torch.nn import functional as F

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "session_gnn"))

from data import ITEMS, make_sessions  # noqa: E402
from graphs import GraphData  # noqa: E402
from model import SessionGnn, device  # noqa: E402


def on_device(batch):
    if device.type == "cpu":
        return batch
    return tuple(part.pin_memory().to(device, non_blocking=True) for part in batch)


def encode(model, batch):
    nodes, edges, places, mask, targets = batch
    hidden = model(nodes, edges)
    clicks = hidden.gather(1, places.unsqueeze(2).expand(-1, -1, hidden.shape[2]))
    return model.session(clicks, mask), targets


def loss_of(model, sessions, targets, negatives):
    if negatives == 0:
        return F.cross_entropy(model.scores(sessions), targets - 1)
    drawn = torch.randint(1, model.embedding.num_embeddings, (negatives,), device=device)
    candidates = model.embedding(torch.cat([targets, drawn]))
    return F.cross_entropy(torch.matmul(sessions, candidates.t()), torch.arange(len(targets), device=device))


def adam(parameters, **settings):
    """All parameters in one kernel, where this PyTorch has it for the device."""
    parameters = list(parameters)
    try:
        return torch.optim.Adam(parameters, fused=True, **settings)
    except (RuntimeError, TypeError):
        return torch.optim.Adam(parameters, **settings)


def train_epoch(model, data, optimizer, args, step):
    model.train()
    total = torch.zeros((), dtype=torch.float64, device=device)
    for rows in data.batches(args.batch):
        sessions, targets = encode(model, on_device(data.make_batch(rows)))
        loss = loss_of(model, sessions, targets, args.negatives)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
        step += 1
        if step % args.log_every == 0:
            print(f"step {step} loss {loss.item():.4f}")
        if step == args.steps:
            break
    print(f"sum of losses {total.item():.3f}")
    return step


def evaluate(model, data, args):
    model.eval()
    hits, ranks = [], []
    with torch.no_grad():
        for rows in data.batches(args.batch):
            sessions, targets = encode(model, on_device(data.make_batch(rows)))
            best = model.scores(sessions).topk(20)[1]
            found = best == (targets - 1).unsqueeze(1)
            hits.append(found.any(1))
            ranks.append((found / torch.arange(1, 21, device=device)).sum(1))
    return 100 * torch.cat(hits).double().mean().item(), 100 * torch.cat(ranks).double().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=20000)
    parser.add_argument("--test-sessions", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--width", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--negatives", type=int, default=0, help="drawn for a batch; 0: the loss is over all items")
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--log-every", type=int, default=100)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    sessions = make_sessions(args.sessions + args.test_sessions, seed=0)
    train_data = GraphData(sessions[:args.sessions], shuffle=True)
    test_data = GraphData(sessions[args.sessions:])
    model = SessionGnn(ITEMS, args.width, args.rounds).to(device)
    optimizer = adam(model.parameters(), lr=args.lr, weight_decay=1e-5)

    step = 0
    while step < args.steps:
        step = train_epoch(model, train_data, optimizer, args, step)
        recall, mrr = evaluate(model, test_data, args)
        print(f"after {step} steps: recall@20 {recall:.2f} mrr@20 {mrr:.2f}")


if __name__ == "__main__":
    main()
