# SPDX-License-Identifier: Apache-2.0
"""A small session recommender on graphs: which item comes after these clicks?

A session becomes a graph: its distinct items are the nodes, its consecutive clicks the edges. A gated
graph cell passes messages along the edges; attention on the last click reads the session out. The
graphs are built in Python lists for every batch, between two steps of the model: the way such scripts
are often written, and the way that leaves the device idle.
"""

import argparse
import random
import sys
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

sys.path.append(str(Path(__file__).resolve().parents[1]))
from recording import add_arguments, pick_device, recorder

PADDING = 0  # an item that nobody clicks; real ones count from 1


def make_sessions(count, items, longest, seed):
    """Walks over the items: mostly on to a neighbour, at times back to where the walk began."""
    rng = random.Random(seed)
    sessions = []
    for _ in range(count):
        clicks = [rng.randrange(items)]
        for _ in range(rng.randint(2, longest)):
            clicks.append(rng.choice((clicks[0], clicks[-1] + 1, clicks[-1] + 2, clicks[-1] + 7)) % items)
        sessions.append([1 + item for item in clicks])
    return [(clicks[:-1], clicks[-1]) for clicks in sessions]


def edge_weights(steps, size):
    """The adjacency matrix of steps (from, to) between nodes; a row that has edges sums to 1."""
    weights = [[0.0] * size for _ in range(size)]
    for source, target in steps:
        weights[source][target] = 1.0
    for row in weights:
        degree = sum(row)
        for column in range(size):
            if degree > 0:
                row[column] /= degree
    return weights


def pad(values, size):
    return values + [PADDING] * (size - len(values))


def build_graphs(sessions):
    """Five lists with one entry a session: padded clicks, nodes, the node of each click, edges in and out."""
    longest = max(len(clicks) for clicks in sessions)
    most_nodes = max(len(set(clicks)) for clicks in sessions)
    padded, nodes_of, aliases, edges_in, edges_out = [], [], [], [], []
    for clicks in sessions:
        nodes = sorted(set(clicks))
        alias = [nodes.index(item) for item in clicks]
        padded.append(pad(clicks, longest))
        nodes_of.append(pad(nodes, most_nodes))
        aliases.append(pad(alias, longest))
        edges_in.append(edge_weights(zip(alias[1:], alias), most_nodes))
        edges_out.append(edge_weights(zip(alias, alias[1:]), most_nodes))
    return padded, nodes_of, aliases, edges_in, edges_out


class GatedGraphCell(nn.Module):
    """One round of messages: a GRU whose input is what arrives over the edges, in and out."""

    def __init__(self, width):
        super().__init__()
        self.message = nn.Linear(width, 2 * width, bias=False)
        self.from_messages = nn.Linear(2 * width, 3 * width)
        self.from_state = nn.Linear(width, 3 * width, bias=False)

    def forward(self, state, edges_in, edges_out):
        sent_in, sent_out = self.message(state).chunk(2, dim=2)
        arrived = torch.cat([torch.matmul(edges_in, sent_in), torch.matmul(edges_out, sent_out)], dim=2)
        reset_m, update_m, new_m = self.from_messages(arrived).chunk(3, dim=2)
        reset_s, update_s, new_s = self.from_state(state).chunk(3, dim=2)
        reset = torch.sigmoid(reset_m + reset_s)
        update = torch.sigmoid(update_m + update_s)
        new = torch.tanh(new_m + reset * new_s)
        return new + update * (state - new)


class AttentionReadout(nn.Module):
    """A session's vector: its last click, and all its clicks weighted by how they relate to the last."""

    def __init__(self, width):
        super().__init__()
        self.of_last = nn.Linear(width, width, bias=False)
        self.of_click = nn.Linear(width, width)
        self.weight = nn.Linear(width, 1, bias=False)
        self.join = nn.Linear(2 * width, width, bias=False)

    def forward(self, clicks, mask):
        rows = torch.arange(len(clicks), device=clicks.device)
        last = clicks[rows, mask.sum(1) - 1]
        attention = self.weight(torch.sigmoid(self.of_last(last).unsqueeze(1) + self.of_click(clicks)))
        weighted = (attention * clicks * mask.unsqueeze(2)).sum(1)
        return self.join(torch.cat([last, weighted], dim=1))


class SessionGnn(nn.Module):
    def __init__(self, items, width, rounds):
        super().__init__()
        self.embedding = nn.Embedding(1 + items, width, padding_idx=PADDING)
        self.cell = GatedGraphCell(width)
        self.readout = AttentionReadout(width)
        self.rounds = rounds
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -width ** -0.5, width ** -0.5)

    def forward(self, sessions, nodes, aliases, edges_in, edges_out):
        state = self.embedding(nodes)
        for _ in range(self.rounds):
            state = self.cell(state, edges_in, edges_out)
        rows = torch.arange(len(state), device=state.device).unsqueeze(1)
        vectors = self.readout(state[rows, aliases], (sessions != PADDING).long())
        return torch.matmul(vectors, self.embedding.weight.t())


def train(args, device):
    torch.manual_seed(args.seed)
    sessions = make_sessions(args.steps * args.batch, args.items, args.longest, args.seed)
    loader = DataLoader(sessions, batch_size=args.batch, shuffle=True, collate_fn=lambda samples: zip(*samples))
    model = SessionGnn(args.items, args.width, args.rounds).to(device)
    loss_of = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    total_loss = 0.0
    with recorder(args, device) as profiler:
        for step, (clicks, following) in enumerate(loader):
            graphs = [torch.tensor(part).to(device) for part in build_graphs(clicks)]
            target = torch.tensor(following).to(device)
            optimizer.zero_grad()
            loss = loss_of(model(*graphs), target)
            loss.backward()
            optimizer.step()
            total_loss += loss.item()
            if step % args.log_every == 0:
                print(f"step {step} mean loss {total_loss / (step + 1):.4f}")
            profiler.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--longest", type=int, default=12, help="session, in clicks (default: 12)")
    parser.add_argument("--width", type=int, default=64, help="of an embedding (default: 64)")
    parser.add_argument("--rounds", type=int, default=1, help="of messages along the edges (default: 1)")
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--log-every", type=int, default=20, metavar="STEPS")
    args = parser.parse_args()
    train(args, pick_device(args))


if __name__ == "__main__":
    main()
