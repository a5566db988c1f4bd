# SPDX-License-Identifier: Apache-2.0
"""An environment whose observations and rewards are drawn, for training loops that need no more."""
import numpy as np

ROUNDS = 20


class Space:
    def __init__(self, size):
        self.shape = (size,)
        self.high = np.ones(size, dtype="float32")
        self.low = -self.high

    def sample(self):
        return np.random.uniform(-1, 1, self.shape).astype("float32")

    def seed(self, *_):
        pass


class Environment:
    _max_episode_steps = ROUNDS

    def __init__(self):
        self.observation_space, self.action_space, self.round = Space(17), Space(6), 0

    def reset(self):
        self.round = 0
        return np.random.randn(17)

    def step(self, _):
        self.round += 1
        return np.random.randn(17), float(np.random.rand()), self.round >= ROUNDS, {}

    def seed(self, *_):
        pass


def make(*_, **__):
    return Environment()
