# SPDX-License-Identifier: Apache-2.0
"""A recommender on session graphs: gated graph cells, and attention on the last click."""
import torch
from torch import nn
from torch.nn import functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def to_device(tensor):
    return tensor.to(device)


class GraphCell(nn.Module):
    """Messages along the edges, taken up by a gated cell."""

    def __init__(self, width, rounds):
        super().__init__()
        self.rounds = rounds
        self.edge_in = nn.Linear(width, width)
        self.edge_out = nn.Linear(width, width)
        self.from_messages = nn.Linear(2 * width, 3 * width)
        self.from_hidden = nn.Linear(width, 3 * width)

    def round(self, edges, hidden):
        size = edges.shape[1]
        arrived_in = torch.matmul(edges[:, :, :size], self.edge_in(hidden))
        arrived_out = torch.matmul(edges[:, :, size:], self.edge_out(hidden))
        message = self.from_messages(torch.cat([arrived_in, arrived_out], 2))
        reset_m, update_m, new_m = message.chunk(3, 2)
        reset_h, update_h, new_h = self.from_hidden(hidden).chunk(3, 2)
        reset = torch.sigmoid(reset_m + reset_h)
        update = torch.sigmoid(update_m + update_h)
        new = torch.tanh(new_m + reset * new_h)
        return new + update * (hidden - new)

    def forward(self, edges, hidden):
        for _ in range(self.rounds):
            hidden = self.round(edges, hidden)
        return hidden


class SessionGnn(nn.Module):
    def __init__(self, items, width, rounds):
        super().__init__()
        self.embedding = nn.Embedding(items + 1, width)
        self.cell = GraphCell(width, rounds)
        self.of_last = nn.Linear(width, width)
        self.of_click = nn.Linear(width, width)
        self.weight = nn.Linear(width, 1, bias=False)
        self.join = nn.Linear(2 * width, width)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -width ** -0.5, width ** -0.5)

    def forward(self, nodes, edges):
        return self.cell(edges, self.embedding(nodes))

    def session(self, clicks, mask):
        """The vector of each session, from those of its clicks."""
        last = clicks[torch.arange(mask.shape[0]).long(), torch.sum(mask, 1) - 1]
        attention = self.weight(torch.sigmoid(self.of_last(last).unsqueeze(1) + self.of_click(clicks)))
        whole = torch.sum(attention * clicks * mask.unsqueeze(2).float(), 1)
        return self.join(torch.cat([whole, last], 1))

    def scores(self, sessions):
        """Of every item as the next click."""
        return torch.matmul(sessions, self.embedding.weight[1:].t())


def encode_batch(model, batch):
    nodes, edges, aliases, mask, targets = batch
    nodes = to_device(torch.Tensor(nodes).long())
    edges = to_device(torch.Tensor(edges).float())
    aliases = to_device(torch.Tensor(aliases).long())
    mask = to_device(torch.Tensor(mask).long())
    targets = to_device(torch.Tensor(targets).long())
    hidden = model(nodes, edges)
    clicks = torch.stack([hidden[i][aliases[i]] for i in range(len(aliases))])
    return model.session(clicks, mask), targets


def loss_of(model, sessions, targets, negatives):
    """Against all items, or against the other targets of the batch and some items drawn for it."""
    if negatives == 0:
        return F.cross_entropy(model.scores(sessions), targets - 1)
    drawn = to_device(torch.randint(1, model.embedding.num_embeddings, (negatives,)))
    candidates = model.embedding(torch.cat([targets, drawn]))
    return F.cross_entropy(torch.matmul(sessions, candidates.t()), to_device(torch.arange(len(targets))))
