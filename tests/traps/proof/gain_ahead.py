# SPDX-License-Identifier: Apache-2.0
"""What the host comes to behind a wait, back in the function that called and around the loop of steps."""
import torch
from torch import nn

device = torch.device("cuda")


class Agent:
    def __init__(self):
        self.net = nn.Linear(8, 4).to(device)
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def act(self, observation):
        state = torch.as_tensor(observation, dtype=torch.float32).to(device)  # note (the environment needs the answer)
        return self.net(state).argmax().item()  # note (it does)

    def update(self, rows, wanted):
        loss = (self.net(rows) - wanted).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()  # note (`act` waits next, and nothing is launched before)

    def update_before(self, rows, wanted):
        loss = (self.net(rows) - wanted).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()  # expect ST4


def beside_an_environment(environment, memory, steps):
    agent = Agent()
    observation = environment.reset()
    losses = []
    for step in range(steps):
        observation, reward = environment.step(agent.act(observation))
        memory.append(observation)
        losses.append(agent.update(torch.ones(64, 8, device=device), torch.ones(64, 4, device=device)))
    return losses


def with_work_between(environment, memory, steps):
    agent = Agent()
    observation = environment.reset()
    losses = []
    for step in range(steps):
        observation, reward = environment.step(agent.act(observation))
        memory.append(observation)
        losses.append(agent.update_before(torch.ones(64, 8, device=device), torch.ones(64, 4, device=device)))
        for other in range(8):
            agent.net(torch.ones(64, 8, device=device))
    return losses
