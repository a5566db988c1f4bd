# SPDX-License-Identifier: Apache-2.0
"""Spaces, vector environments and replay memories hold host data until something moves it."""
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from gymnasium.spaces import Box, Discrete

device = torch.device("cuda")


class Memory:
    def __init__(self, size):
        self.items = deque(maxlen=size)

    def push(self, *item):
        self.items.append(item)

    def sample(self, count):
        return random.sample(self.items, count)


class Agent(torch.nn.Module):
    def __init__(self, space: Box, actions: Discrete):
        super().__init__()
        self.space = space
        self.net = torch.nn.Linear(space.shape[0], int(actions.n))  # silent (host)
        self.register_buffer("scale", torch.as_tensor(space.high - space.low))  # silent (once)

    def forward(self, x):
        if self.space.high[0] > 1:  # silent (NumPy)
            x = x * self.scale
        return self.net(x)


def main(steps):
    envs = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1")] * 4)
    agent = Agent(envs.single_observation_space, envs.single_action_space).to(device)
    optimizer = torch.optim.Adam(agent.parameters())
    memory = Memory(1000)
    obs, _ = envs.reset()
    for step in range(steps):
        with torch.no_grad():
            q = agent(torch.as_tensor(obs, device=device))  # silent (the environment gives it now)
        actions = q.argmax(-1).cpu().numpy()  # note (the environment needs it)
        nxt, rewards, ended, cut, info = envs.step(actions)
        if rewards.max() > 10 or np.logical_or(ended, cut).any():  # silent (NumPy)
            print(rewards.sum())  # silent (NumPy)
        memory.push(obs, actions, rewards)
        obs = nxt
        if step < 100:
            continue
        states, taken, gained = zip(*memory.sample(32))
        loss = agent(torch.as_tensor(np.stack(states), device=device)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if not np.isfinite(np.mean(gained)):  # silent (NumPy)
            break
        print(loss.item())  # expect ST4
