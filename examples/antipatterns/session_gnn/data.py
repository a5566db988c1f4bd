# SPDX-License-Identifier: Apache-2.0
"""Click sessions like those of Yoochoose 1/64, and batches of session graphs.

The real data may not be passed on, so sessions are drawn to its published figures: how many items there are,
how long sessions are, how popular items are, and how often a click goes back to an item of the same session. The
README beside this folder says where each figure comes from.
"""
import numpy as np

ITEMS = 16766
MEAN_CLICKS = 4.24      # of a session
VARIANCE_CLICKS = 19.7  # makes the average example 6.16 clicks long
ZIPF = 0.85             # the rarest item still gets five clicks of 557,248
REPEATS = 0.25          # of the next clicks are on an item of the session
FOLLOWS = 0.5           # of the others are on an item that is often seen next


def session_lengths(rng, count):
    mean = MEAN_CLICKS - 2
    return 2 + rng.negative_binomial(mean ** 2 / (VARIANCE_CLICKS - mean), mean / VARIANCE_CLICKS, count)


def make_sessions(count, seed):
    """Sessions as lists of items, which count from 1."""
    rng = np.random.default_rng(seed)
    popularity = np.arange(1, ITEMS + 1) ** -ZIPF
    lengths = session_lengths(rng, count)
    drawn = 1 + rng.choice(ITEMS, lengths.sum(), p=popularity / popularity.sum())
    chance = rng.random(lengths.sum())
    sessions, at = [], 0
    for length in lengths:
        clicks = [int(drawn[at])]
        for i in range(at + 1, at + length):
            if chance[i] < REPEATS:
                clicks.append(clicks[drawn[i] % len(clicks)])
            elif chance[i] < REPEATS + (1 - REPEATS) * FOLLOWS:
                clicks.append(int(clicks[-1] * 7 + drawn[i] % 5) % ITEMS + 1)
            else:
                clicks.append(int(drawn[i]))
        sessions.append(clicks)
        at += length
    return sessions


def make_examples(sessions):
    """Every beginning of a session, with the click that follows it."""
    inputs, targets = [], []
    for clicks in sessions:
        for end in range(1, len(clicks)):
            inputs.append(clicks[:end])
            targets.append(clicks[end])
    return inputs, targets


class SessionData:
    """Examples, padded to the longest of them."""

    def __init__(self, sessions, shuffle=False):
        inputs, targets = make_examples(sessions)
        longest = max(len(clicks) for clicks in inputs)
        self.inputs = np.array([clicks + [0] * (longest - len(clicks)) for clicks in inputs])
        self.mask = np.array([[1] * len(clicks) + [0] * (longest - len(clicks)) for clicks in inputs])
        self.targets = np.array(targets)
        self.shuffle = shuffle

    def __len__(self):
        return len(self.inputs)

    def batches(self, size):
        """The rows of each batch of an epoch."""
        order = np.arange(len(self.inputs))
        if self.shuffle:
            np.random.shuffle(order)
        return [order[begin:begin + size] for begin in range(0, len(order), size)]

    def make_batch(self, rows):
        """The sessions of these rows as graphs: nodes, edges, and the node of each click."""
        inputs, mask, targets = self.inputs[rows], self.mask[rows], self.targets[rows]
        nodes, edges, aliases = [], [], []
        most_nodes = max([len(np.unique(clicks)) for clicks in inputs])
        for clicks in inputs:
            node = np.unique(clicks)
            nodes.append(node.tolist() + [0] * (most_nodes - len(node)))
            alias = [np.where(node == item)[0][0] for item in clicks]
            aliases.append(alias)
            adjacency = np.zeros((most_nodes, most_nodes))
            for i in range(len(clicks) - 1):
                if clicks[i + 1] == 0:
                    break
                adjacency[alias[i]][alias[i + 1]] = 1
            into = adjacency.sum(0)
            into[np.where(into == 0)] = 1
            out_of = adjacency.sum(1)
            out_of[np.where(out_of == 0)] = 1
            edges.append(np.concatenate([adjacency / into, (adjacency.T / out_of)]).T)
        return nodes, edges, aliases, mask, targets
