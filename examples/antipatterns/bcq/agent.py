# SPDX-License-Identifier: Apache-2.0
"""Batch-constrained Q-learning with one action an item: learns from logged sessions what to recommend next, and keeps
to actions that the log makes likely."""
import copy

import torch
from torch import nn
from torch.nn import functional as F


class Policy(nn.Module):
    """From the last items of a session: a value, and a log-probability of being logged, for every item."""

    def __init__(self, items, width):
        super().__init__()
        self.embedding = nn.Embedding(items + 1, width, padding_idx=0)
        self.encoder = nn.GRU(width, width, batch_first=True)
        self.value = nn.Linear(width, items + 1)
        self.imitation = nn.Linear(width, items + 1)

    def forward(self, states):
        _, hidden = self.encoder(self.embedding(states))
        hidden = F.relu(hidden[-1])
        logits = self.imitation(hidden)
        return self.value(hidden), F.log_softmax(logits, dim=1), logits


class BatchConstrainedAgent:
    def __init__(self, items, device, width=64, discount=0.5, threshold=0.3, target_rate=0.005, lr=0.001):
        self.device = device
        self.items = items
        self.policy = Policy(items, width).to(device)
        self.target = copy.deepcopy(self.policy)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=lr)
        self.discount = discount
        self.threshold = threshold
        self.target_rate = target_rate

    def constrain(self, states, values, log_probs):
        """The values of items that the log makes likely and that the session has not just seen; others far below."""
        seen = torch.zeros(states.shape[0], self.items + 1).to(self.device)
        seen.scatter_(1, states, 1.0)
        probs = log_probs.exp()
        likely = (probs / probs.max(1, keepdim=True)[0] > self.threshold).float()
        allowed = likely * (1 - seen)
        return allowed * values + (1 - allowed) * -1e8

    def next_actions(self, next_states):
        values, log_probs, _ = self.policy(next_states)
        values = self.constrain(next_states, values, log_probs)
        actions = values.cpu().numpy().argmax(axis=1)
        return torch.LongTensor(actions).to(self.device)

    def update(self, batch):
        states, actions, rewards, next_states, dones = batch
        states = torch.LongTensor(states).to(self.device)
        actions = torch.LongTensor(actions).to(self.device)
        rewards = torch.FloatTensor(rewards).to(self.device)
        next_states = torch.LongTensor(next_states).to(self.device)
        dones = torch.FloatTensor(dones).to(self.device)

        with torch.no_grad():
            next_actions = self.next_actions(next_states)
            next_values, _, _ = self.target(next_states)
            rows = torch.arange(len(next_actions))
            wanted = rewards + self.discount * (1 - dones) * next_values[rows, next_actions]

        values, log_probs, logits = self.policy(states)
        value = values.gather(1, actions.unsqueeze(1)).squeeze(1)
        value_loss = F.smooth_l1_loss(value, wanted)
        imitation_loss = F.nll_loss(log_probs, actions)
        loss = value_loss + imitation_loss + 1e-2 * logits.pow(2).mean()

        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.update_target()
        return value_loss.item(), imitation_loss.item(), value.mean().item()

    def update_target(self):
        for parameter, target in zip(self.policy.parameters(), self.target.parameters()):
            target.data.copy_(self.target_rate * parameter.data + (1 - self.target_rate) * target.data)

    def recommend(self, states, count):
        states = torch.LongTensor(states).to(self.device)
        with torch.no_grad():
            values, log_probs, _ = self.policy(states)
            return self.constrain(states, values, log_probs).topk(count, dim=1)[1]
