# SPDX-License-Identifier: Apache-2.0
"""Trains the recommender on session graphs and says how often the next click is among its best twenty."""
import argparse
import random

import numpy as np
import torch

from data import ITEMS, SessionData, make_sessions
from model import SessionGnn, encode_batch, loss_of, to_device


def train_epoch(model, data, optimizer, args, step):
    model.train()
    total_loss = 0.0
    for rows in data.batches(args.batch):
        batch = data.make_batch(rows)
        optimizer.zero_grad()
        sessions, targets = encode_batch(model, batch)
        loss = loss_of(model, sessions, targets, args.negatives)
        loss.backward()
        optimizer.step()
        total_loss += loss.item()
        step += 1
        if step % args.log_every == 0:
            print(f"step {step} loss {loss.item():.4f}")
        if step == args.steps:
            break
    print(f"sum of losses {total_loss:.3f}")
    return step


def evaluate(model, data, args):
    model.eval()
    hits, ranks = [], []
    with torch.no_grad():
        for rows in data.batches(args.batch):
            batch = data.make_batch(rows)
            sessions, targets = encode_batch(model, batch)
            best = model.scores(sessions).topk(20)[1]
            best, targets = best.cpu().numpy(), targets.cpu().numpy()
            for row, target in zip(best, targets):
                hits.append(np.isin(target - 1, row))
                if len(np.where(row == target - 1)[0]) == 0:
                    ranks.append(0)
                else:
                    ranks.append(1 / (np.where(row == target - 1)[0][0] + 1))
    return 100 * np.mean(hits), 100 * np.mean(ranks)


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
    train_data = SessionData(sessions[:args.sessions], shuffle=True)
    test_data = SessionData(sessions[args.sessions:])
    model = to_device(SessionGnn(ITEMS, args.width, args.rounds))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=1e-5)

    step = 0
    while step < args.steps:
        step = train_epoch(model, train_data, optimizer, args, step)
        recall, mrr = evaluate(model, test_data, args)
        print(f"after {step} steps: recall@20 {recall:.2f} mrr@20 {mrr:.2f}")


if __name__ == "__main__":
    main()
