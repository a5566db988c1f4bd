# SPDX-License-Identifier: Apache-2.0
"""Trains as ../../bcq/train.py does, with the same draws and the same mathematics, written for speed."""
import argparse
import os
import random
import sys

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bcq"))

from quick_agent import QuickAgent  # noqa: E402
from quick_replay import TensorReplay  # noqa: E402
from replay import ITEMS, make_sessions  # noqa: E402


def evaluate(agent, replay, batch):
    """The share of the logged rewards whose item is among the recommended ones."""
    found, total = 0.0, 0.0
    for begin in range(0, len(replay), batch):
        states, actions, rewards, _, _ = replay.rows(range(begin, min(begin + batch, len(replay))))
        hit = (agent.recommend(states, 20) == actions.unsqueeze(1)).any(1)
        found, total = found + (hit * rewards).sum(), total + rewards.sum()
    return (found / total).item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=20000)
    parser.add_argument("--test-sessions", type=int, default=200)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--log-every", type=int, default=100)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sessions = make_sessions(args.sessions + args.test_sessions, seed=0)
    replay = TensorReplay(sessions[:args.sessions], device)
    test_replay = TensorReplay(sessions[args.sessions:], device)
    agent = QuickAgent(ITEMS, device, width=args.width)

    sums = torch.zeros(3, dtype=torch.float64, device=device)
    for step in range(1, args.steps + 1):
        logged = agent.update(replay.sample(args.batch))
        sums += logged
        if step % args.log_every == 0:
            value_loss, imitation_loss, _ = (sums / step).tolist()
            print(f"step {step} value loss {value_loss:.4f} imitation loss {imitation_loss:.4f} "
                  f"mean value {logged[2].item():.4f}")
    print(f"reward reached {evaluate(agent, test_replay, args.batch):.4f}")


if __name__ == "__main__":
    main()
