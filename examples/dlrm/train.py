# SPDX-License-Identifier: Apache-2.0
"""A small recommender in the manner of DLRM: will this user click on this advertisement?

Counts go through a bottom MLP, ids through one embedding bag a table; the dot products of all pairs of
the resulting vectors, and the bottom vector itself, go through a top MLP. Samples are synthetic and
shaped like Criteo's: 13 counts, a few ids a table (the popular ones far more often), a label.
"""

import argparse
import sys
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

sys.path.append(str(Path(__file__).resolve().parents[1]))
from recording import add_arguments, pick_device, recorder

COUNTS = 13
TABLE_ROWS = (40000, 20000, 5000, 2000, 100, 10)
IDS_PER_BAG = 4
OPTIMIZERS = {"sgd": torch.optim.SGD, "adagrad": torch.optim.Adagrad}


class ClickLog(Dataset):
    """Samples in memory, drawn once; a count is scaled when its sample is read, as loaders do."""

    def __init__(self, samples, seed):
        random = torch.Generator().manual_seed(seed)
        self.counts = torch.rand(samples, COUNTS, generator=random).mul(6).exp()
        popularity = torch.rand(samples, len(TABLE_ROWS), IDS_PER_BAG, generator=random) ** 3
        self.ids = (popularity * torch.tensor(TABLE_ROWS).view(1, -1, 1)).long()
        interest = self.counts.log().mean(1) - 3 + popularity.mean((1, 2)) - 0.25
        self.clicked = (interest > 0).float()

    def __len__(self):
        return len(self.clicked)

    def __getitem__(self, index):
        return torch.log1p(self.counts[index]), self.ids[index], self.clicked[index]


def mlp(*widths):
    layers = []
    for width_in, width_out in zip(widths, widths[1:]):
        layers += [nn.Linear(width_in, width_out), nn.ReLU()]
    return nn.Sequential(*layers)


class Dlrm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bottom = mlp(COUNTS, 512, 256, width)
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum", sparse=True) for rows in TABLE_ROWS)
        for table in self.tables:
            nn.init.uniform_(table.weight, -table.num_embeddings ** -0.5, table.num_embeddings ** -0.5)
        vectors = 1 + len(TABLE_ROWS)
        self.register_buffer("pairs", torch.triu_indices(vectors, vectors, offset=1))
        self.top = mlp(width + self.pairs.shape[1], 512, 256)
        self.score = nn.Linear(256, 1)

    def forward(self, counts, ids):
        bottom = self.bottom(counts)
        bags = [table(ids[:, place]) for place, table in enumerate(self.tables)]
        features = torch.cat([bottom, self.interact([bottom, *bags])], dim=1)
        return self.score(self.top(features)).squeeze(1)

    def interact(self, vectors):
        """The dot product of every pair of vectors, each pair once."""
        stacked = torch.stack(vectors, dim=1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        return products[:, self.pairs[0], self.pairs[1]]


def train(args, device):
    torch.manual_seed(args.seed)
    loader = DataLoader(ClickLog(args.steps * args.batch, args.seed), batch_size=args.batch,
                        num_workers=args.workers, pin_memory=device.type == "cuda")
    model = Dlrm(args.width).to(device)
    loss_of = nn.BCEWithLogitsLoss()
    optimizer = OPTIMIZERS[args.optimizer](model.parameters(), lr=args.lr)
    with recorder(args, device) as profiler:
        for step, batch in enumerate(loader):
            counts, ids, clicked = (part.to(device, non_blocking=True) for part in batch)
            loss = loss_of(model(counts, ids), clicked)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % args.log_every == 0:
                print(f"step {step} loss {loss.item():.4f}")
            profiler.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--width", type=int, default=64, help="of an embedding (default: 64)")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="sgd")
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--workers", type=int, default=0, help="processes that load data (default: 0)")
    parser.add_argument("--log-every", type=int, default=20, metavar="STEPS")
    args = parser.parse_args()
    train(args, pick_device(args))


if __name__ == "__main__":
    main()
