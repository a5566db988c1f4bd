# SPDX-License-Identifier: Apache-2.0
"""A Gymnasium loop: observations, rewards and spaces are host data; what the environment needs is needed."""
import gymnasium as gym
import numpy as np
import torch

device = torch.device("cuda")


def main(steps):
    env = gym.make("CartPole-v1")
    low = float(env.action_space.low.min())  # silent (host)
    count = int(env.action_space.n)  # silent (host)
    net = torch.nn.Linear(env.observation_space.shape[0], count).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    obs, info = env.reset()
    total, history = 0.0, []
    for step in range(steps):
        logits = net(torch.as_tensor(obs, dtype=torch.float32, device=device))  # silent (the environment gives it now)
        action = logits.argmax(-1)
        obs, reward, terminated, truncated, info = env.step(action.item())  # note (the environment needs it)
        total += float(reward)  # silent (host)
        if terminated or truncated:  # silent (host)
            obs, info = env.reset()
        obs = np.clip(obs, env.observation_space.low, env.observation_space.high)  # silent (host arrays)
        sample = env.action_space.sample()  # silent
        loss = logits.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())  # expect ST4
    return total, low, sample
