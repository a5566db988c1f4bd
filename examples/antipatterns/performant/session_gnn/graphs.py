# SPDX-License-Identifier: Apache-2.0
"""Batches of session graphs, all sessions of a batch at once, and no wider than the longest of them."""
import numpy as np
import torch

from data import SessionData


def places(clicks, real):
    """For each click the place of its item among the sorted items of its session, and how many items the fullest has."""
    rows = np.where(real, clicks, np.iinfo(clicks.dtype).max)  # padding sorts behind
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, 1)
    first = np.ones(rows.shape, bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    place = np.empty_like(clicks)
    np.put_along_axis(place, order, np.cumsum(first, 1) - 1, 1)
    most = int(place[real].max()) + 1
    return np.minimum(place, most - 1), most


def weighted_edges(place, real, most):
    """Edges from each click to the next, in and out, each weighted by the degree of the node it leads to."""
    follows = real[:, 1:]
    row, at = np.nonzero(follows)
    adjacency = np.zeros((len(place), most, most))
    adjacency[row, place[row, at], place[row, at + 1]] = 1
    into = np.maximum(adjacency.sum(1), 1)[:, :, None]
    out_of = np.maximum(adjacency.sum(2), 1)[:, :, None]
    return np.concatenate([adjacency.transpose(0, 2, 1) / into, adjacency / out_of], 2).astype(np.float32)


class GraphData(SessionData):
    """As tensors, so that one copy brings each part of a batch to the device."""

    def make_batch(self, rows):
        longest = int(self.mask[rows].sum(1).max())
        clicks, mask = self.inputs[rows, :longest], self.mask[rows, :longest]
        real = mask > 0
        place, most = places(clicks, real)
        nodes = np.zeros((len(rows), most), clicks.dtype)
        row, at = np.nonzero(real)
        nodes[row, place[row, at]] = clicks[row, at]
        edges = weighted_edges(place, real, most)
        return tuple(map(torch.from_numpy, (nodes, edges, place, mask, self.targets[rows])))
