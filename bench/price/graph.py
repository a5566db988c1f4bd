# SPDX-License-Identifier: Apache-2.0
"""A graph network: two convolutions and one of attention of torch-geometric on a graph of the size of Cora."""
import random

import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.nn import GATConv, GCNConv

NODES, EDGES, FEATURES, CLASSES = 2708, 10556, 1433, 7


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = GCNConv(FEATURES, 64)
        self.second = GATConv(64, 16, heads=4, dropout=0.2)
        self.third = GCNConv(64, CLASSES)

    def forward(self, x, edges):
        x = F.dropout(F.relu(self.first(x, edges)), training=self.training)
        x = F.elu(self.second(x, edges))
        return self.third(x, edges)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train = torch.zeros(NODES, dtype=torch.bool)
    train[:140] = True
    draw = random.Random(1)
    edges = torch.tensor([[draw.randrange(NODES) for _ in range(EDGES)] for _ in range(2)])
    data = Data(x=torch.rand(NODES, FEATURES), edge_index=edges,
                y=torch.randint(0, CLASSES, (NODES,)), train_mask=train).to(device)
    model = Net().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    best = 0.0
    for epoch in range(8):
        model.train()
        optimizer.zero_grad()
        out = model(data.x, data.edge_index)
        loss = F.cross_entropy(out[data.train_mask], data.y[data.train_mask])
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            right = int((model(data.x, data.edge_index).argmax(-1) == data.y).sum())
        best = max(best, right / NODES)
        print(epoch, float(loss), best)


if __name__ == "__main__":
    main()
