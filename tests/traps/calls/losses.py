# SPDX-License-Identifier: Apache-2.0
"""What a backward pass starts from lies where the trained networks lie, and so does what it is computed from."""
import torch
import torch.nn.functional as F
from library import make_critic, make_policy, schedule


class Agent:
    def __init__(self, memory, device="cuda"):
        self.models = {"policy": make_policy(), "critic": make_critic()}
        for model in self.models.values():
            model.to(device)
        self.policy = self.models["policy"]
        self.critic = self.models["critic"]
        self.memory = memory
        self.scaler = torch.amp.GradScaler()

    def update(self, optimizer, steps, log):
        for step in range(steps):
            seen, rewards = self.memory.take(step)
            value, _ = self.critic.act(seen)
            target = rewards + self.critic.follow(seen)
            critic_loss = F.mse_loss(value, target)
            policy_loss = -self.policy.score(seen)
            weight = schedule(step)
            entropy, other = self.policy.spread(seen)
            optimizer.zero_grad()
            self.scaler.scale(policy_loss * weight + critic_loss).backward()
            self.scaler.step(optimizer)
            log("policy", policy_loss.item())  # expect ST4
            log("critic", critic_loss.item())  # note (the read before it has emptied the device)
            log("value", torch.max(value).item())  # expect ST4
            log("target", target.mean().item())  # expect ST4
            if weight > 0.5:  # silent (nothing says that it is a tensor)
                log("weight", weight)
            log("other", other.item())  # silent (nothing is trained on it)


def regress(network, batches, optimizer, history):
    network.cuda()
    for batch in batches:
        total, parts = network.losses(batch)
        total = total + parts
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        history.append(parts.detach().item())  # expect ST4


def count(network, batches):
    for batch in batches:
        size = network.losses(batch)
        yield size.item()  # silent (nobody trains on it)


Agent([]).update(torch.optim.Adam([]), 10, print)
