# SPDX-License-Identifier: Apache-2.0
"""The agent, without the work that its losses never ask for.

The target network is asked for the value of one action a row, and so is the network that learns: that takes one row of the
output layer each, not the product with all items. The logged probabilities are compared with their own maximum, for which
the logits do.
"""
import math

import torch
from torch.nn import functional as F

from agent import BatchConstrainedAgent

MOST_UNLIKELY = -1e8


def hidden_of(policy, states):
    _, hidden = policy.encoder(policy.embedding(states))
    return F.relu(hidden[-1])


def value_of(policy, hidden, actions):
    """Of one action a row."""
    return (hidden * policy.value.weight[actions]).sum(1) + policy.value.bias[actions]


class QuickAgent(BatchConstrainedAgent):
    def __init__(self, items, device, **settings):
        super().__init__(items, device, **settings)
        try:
            self.optimizer = torch.optim.Adam(list(self.policy.parameters()), lr=self.optimizer.defaults["lr"], fused=True)
        except (RuntimeError, TypeError):
            pass  # this PyTorch has no such kernel for the device

    def constrain_by(self, states, values, logits):
        allowed = logits - logits.max(1, keepdim=True)[0] > math.log(self.threshold)
        allowed.scatter_(1, states, False)
        return values.masked_fill(~allowed, MOST_UNLIKELY)

    def wanted(self, rewards, next_states, dones):
        hidden = hidden_of(self.policy, next_states)
        values = self.constrain_by(next_states, self.policy.value(hidden), self.policy.imitation(hidden))
        next_values = value_of(self.target, hidden_of(self.target, next_states), values.argmax(1))
        return rewards + self.discount * (1 - dones) * next_values

    def update(self, batch):
        """Gives what is logged as tensors of the device: nobody waits for them here."""
        states, actions, rewards, next_states, dones = batch
        with torch.no_grad():
            wanted = self.wanted(rewards, next_states, dones)
        hidden = hidden_of(self.policy, states)
        logits = self.policy.imitation(hidden)
        value = value_of(self.policy, hidden, actions)
        value_loss = F.smooth_l1_loss(value, wanted)
        imitation_loss = F.cross_entropy(logits, actions)
        loss = value_loss + imitation_loss + 1e-2 * logits.pow(2).mean()

        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.update_target()
        return torch.stack([value_loss, imitation_loss, value.mean()]).detach()

    @torch.no_grad()
    def update_target(self):
        torch._foreach_lerp_(list(self.target.parameters()), list(self.policy.parameters()), self.target_rate)

    @torch.no_grad()
    def recommend(self, states, count):
        hidden = hidden_of(self.policy, states)
        values = self.constrain_by(states, self.policy.value(hidden), self.policy.imitation(hidden))
        return values.topk(count, dim=1)[1]
