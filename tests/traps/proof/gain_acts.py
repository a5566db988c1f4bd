# SPDX-License-Identifier: Apache-2.0
"""Acting in an environment, and learning from what was gathered."""
import gymnasium as gym
import torch

device = torch.device("cuda")
policy = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.Adam(policy.parameters())


def act(observation):
    with torch.no_grad():
        logits = policy(torch.as_tensor(observation, device=device))
    return logits.argmax(-1).cpu().numpy()  # note (the environment needs it)


def learn(batches, target_kl, losses):
    for batch in batches:
        batch = batch.to(device)
        loss = policy(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())  # expect ST4


def main(steps, batches_of):
    env = gym.vector.make("CartPole-v1", num_envs=4)
    observation, info = env.reset()
    losses = []
    for step in range(steps):
        observation, reward, done, truncated, info = env.step(act(observation))
        learn(batches_of(observation), 0.01, losses)


main(10, lambda o: [])
