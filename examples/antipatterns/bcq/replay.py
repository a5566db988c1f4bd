# SPDX-License-Identifier: Apache-2.0
"""Logged sessions of a shop as transitions to learn from: clicks and some purchases.

The sessions are drawn to the published figures of RC15, the Yoochoose sessions as they are used to train
recommenders by reinforcement: see the README beside this folder.
"""
import numpy as np

ITEMS = 26702
MEAN_EVENTS = 5.77   # of a session: 1,154,911 clicks and purchases in 200,000 of them
LEAST_EVENTS = 3
BOUGHT = 0.038       # of all events
ZIPF = 0.85
REPEATS = 0.25       # of the next events are about an item of the session
HISTORY = 10         # events that make a state
CLICK_REWARD, BUY_REWARD = 0.2, 1.0


def make_sessions(count, seed):
    """Sessions as lists of (item, bought); items count from 1."""
    rng = np.random.default_rng(seed)
    popularity = np.arange(1, ITEMS + 1) ** -ZIPF
    more = MEAN_EVENTS - LEAST_EVENTS
    lengths = LEAST_EVENTS + rng.negative_binomial(0.5, 0.5 / (0.5 + more), count)
    drawn = 1 + rng.choice(ITEMS, lengths.sum(), p=popularity / popularity.sum())
    chance, bought = rng.random(lengths.sum()), rng.random(lengths.sum()) < BOUGHT
    sessions, at = [], 0
    for length in lengths:
        items = []
        for i in range(at, at + length):
            if items and chance[i] < REPEATS:
                items.append(items[drawn[i] % len(items)])
            elif items and chance[i] < (1 + REPEATS) / 2:
                items.append(int(items[-1] * 7 + drawn[i] % 5) % ITEMS + 1)
            else:
                items.append(int(drawn[i]))
        sessions.append([(item, bool(bought[at + i])) for i, item in enumerate(items)])
        at += length
    return sessions


def state_of(events):
    """The last items, before them zeros."""
    items = [item for item, _ in events[-HISTORY:]]
    return [0] * (HISTORY - len(items)) + items


class ReplayBuffer:
    def __init__(self, sessions):
        self.transitions = []
        for events in sessions:
            for i in range(1, len(events)):
                item, bought = events[i]
                reward = BUY_REWARD if bought else CLICK_REWARD
                done = i == len(events) - 1
                self.transitions.append((state_of(events[:i]), item, reward, state_of(events[:i + 1]), done))

    def __len__(self):
        return len(self.transitions)

    def rows(self, indices):
        states, actions, rewards, next_states, dones = [], [], [], [], []
        for index in indices:
            state, action, reward, next_state, done = self.transitions[index]
            states.append(state)
            actions.append(action)
            rewards.append(reward)
            next_states.append(next_state)
            dones.append(float(done))
        return states, actions, rewards, next_states, dones

    def sample(self, size):
        return self.rows(np.random.randint(0, len(self.transitions), size=size))
