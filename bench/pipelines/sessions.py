# SPDX-License-Identifier: Apache-2.0
"""Drawn click sessions, in the forms that public session recommenders read."""
import numpy as np

ITEMS = 309


def draw(count, seed=0, mean=6.0, repeats=0.25):
    """`count` sessions of items from 1: popular ones more often, and a quarter of clicks back to an item of the session."""
    rng = np.random.default_rng(seed)
    popularity = np.arange(1, ITEMS + 1) ** -0.85
    popularity /= popularity.sum()
    sessions = []
    for length in 2 + rng.negative_binomial(1.0, 1 / (mean - 1), count):
        clicks = [int(item) for item in 1 + rng.choice(ITEMS, min(int(length), 50), p=popularity)]
        for at in range(1, len(clicks)):
            if rng.random() < repeats:
                clicks[at] = clicks[rng.integers(at)]
        sessions.append(clicks)
    return sessions


def examples(sessions):
    """Every beginning of a session, and the click that follows it."""
    inputs = [clicks[:end] for clicks in sessions for end in range(1, len(clicks))]
    targets = [clicks[end] for clicks in sessions for end in range(1, len(clicks))]
    return inputs, targets


def neighbours(sessions, most=12):
    """Of each item those clicked next to it, and how often: lists by item."""
    counts = [{} for _ in range(ITEMS + 1)]
    for clicks in sessions:
        for one, other in zip(clicks, clicks[1:]):
            counts[one][other] = counts[one].get(other, 0) + 1
            counts[other][one] = counts[other].get(one, 0) + 1
    ordered = [sorted(row.items(), key=lambda pair: (-pair[1], pair[0]))[:most] for row in counts]
    return [[item for item, _ in row] for row in ordered], [[times for _, times in row] for row in ordered]
