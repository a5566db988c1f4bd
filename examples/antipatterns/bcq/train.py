# SPDX-License-Identifier: Apache-2.0
"""Trains a batch-constrained recommender on logged sessions and says which rewards its first twenty items would reach."""
import argparse
import random

import numpy as np
import torch

from agent import BatchConstrainedAgent
from replay import ITEMS, ReplayBuffer, make_sessions


def evaluate(agent, replay, batch):
    """The share of the logged rewards whose item is among the recommended ones."""
    found = torch.zeros(0).to(agent.device)
    total = torch.zeros(0).to(agent.device)
    for begin in range(0, len(replay), batch):
        indices = range(begin, min(begin + batch, len(replay)))
        states, actions, rewards, _, _ = replay.rows(indices)
        best = agent.recommend(states, 20)
        actions = torch.LongTensor(actions).to(agent.device)
        rewards = torch.FloatTensor(rewards).to(agent.device)
        hit = (best == actions.unsqueeze(1)).any(1).float()
        found = torch.cat([found, hit * rewards])
        total = torch.cat([total, rewards])
    return (found.sum() / total.sum()).item()


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
    replay = ReplayBuffer(sessions[:args.sessions])
    test_replay = ReplayBuffer(sessions[args.sessions:])
    agent = BatchConstrainedAgent(ITEMS, device, width=args.width)

    value_sum, imitation_sum = 0.0, 0.0
    for step in range(1, args.steps + 1):
        batch = replay.sample(args.batch)
        value_loss, imitation_loss, mean_value = agent.update(batch)
        value_sum += value_loss
        imitation_sum += imitation_loss
        if step % args.log_every == 0:
            print(f"step {step} value loss {value_sum / step:.4f} imitation loss {imitation_sum / step:.4f} "
                  f"mean value {mean_value:.4f}")
    print(f"reward reached {evaluate(agent, test_replay, args.batch):.4f}")


if __name__ == "__main__":
    main()
