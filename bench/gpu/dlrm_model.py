# SPDX-License-Identifier: Apache-2.0
"""Recommenders of the literature (DLRM: Naumov et al. 2019), of the sizes that `steptime predict` knows by name."""
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import nn

FLOAT_BYTES = 4
DESCRIBED = Path(__file__).resolve().parents[2] / "data" / "dlrm.toml"
LOSSES = {"mse": nn.MSELoss, "bce": nn.BCELoss}


@dataclass(frozen=True)
class Configuration:
    """bottom: dense features, then layers; top: layers behind the interaction; lookups: of a table, for a sample."""

    bottom: tuple
    top: tuple
    tables: tuple
    lookups: int
    loss: str

    @property
    def width(self):
        return self.bottom[-1]

    def within(self, most_bytes):
        """With tables that fit: all larger ones are cut to one number of rows, the most that does."""
        most_rows = most_bytes // (self.width * FLOAT_BYTES)
        if sum(self.tables) <= most_rows:
            return self
        low, high = 1, max(self.tables)
        while low < high:
            middle = (low + high + 1) // 2
            fits = sum(min(rows, middle) for rows in self.tables) <= most_rows
            low, high = (middle, high) if fits else (low, middle - 1)
        return replace(self, tables=tuple(min(rows, low) for rows in self.tables))

    @property
    def toml(self):
        """As `steptime predict dlrm:FILE.toml` takes it: one lookup a table, operators of today."""
        return (f'bottom = "{dashed(self.bottom)}"\ntop = "{dashed(self.top)}"\ntables = "{dashed(self.tables)}"\n'
                f'width = {self.width}\nlookups = {self.lookups}\nloss = "{self.loss}"\nembedding = "bag"\n'
                f'pytorch = "current"\n')


def dashed(numbers):
    return "-".join(map(str, numbers))


def numbers_of(text):
    """Of "512-256-1", or of "8 x 1000000"."""
    if " x " in text:
        count, number = text.split(" x ")
        return (int(number),) * int(count)
    return tuple(map(int, text.split("-")))


def configurations():
    """By name."""
    with open(DESCRIBED, "rb") as described:
        return {name: Configuration(numbers_of(of["bottom"]), numbers_of(of["top"]), numbers_of(of["tables"]),
                                    of["lookups"], of["loss"]) for name, of in tomllib.load(described).items()}


def mlp(widths, last):
    layers = []
    for width_in, width_out in zip(widths, widths[1:]):
        layers += [nn.Linear(width_in, width_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1], last())


class Dlrm(nn.Module):
    """Tables are drawn where they live: those of mlperf are 31 GB."""

    def __init__(self, configuration, device):
        super().__init__()
        vectors = 1 + len(configuration.tables)
        features = configuration.width + vectors * (vectors - 1) // 2
        with torch.device(device):
            self.bottom = mlp(configuration.bottom, nn.ReLU)
            self.tables = nn.ModuleList(nn.EmbeddingBag(rows, configuration.width, mode="sum", sparse=True)
                                        for rows in configuration.tables)
            self.top = mlp((features, *configuration.top), nn.Sigmoid)
            self.register_buffer("pairs", torch.tril_indices(vectors, vectors, offset=-1))

    def forward(self, dense, ids, offsets):
        bottom = self.bottom(dense)
        bags = [table(of_table, begins) for table, of_table, begins in zip(self.tables, ids, offsets)]
        return self.top(torch.cat([bottom, self.interact([bottom, *bags])], dim=1)).squeeze(1)

    def interact(self, vectors):
        """The dot product of every pair of vectors, each pair once."""
        stacked = torch.stack(vectors, dim=1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        return products[:, self.pairs[0], self.pairs[1]]


def draw_batch(configuration, samples):
    """On the host: dense features, ids of each table, where each table's bags begin, clicks."""
    ids = [torch.randint(rows, (samples * configuration.lookups,)) for rows in configuration.tables]
    begins = torch.arange(0, samples * configuration.lookups, configuration.lookups)
    dense, clicks = torch.rand(samples, configuration.bottom[0]), torch.randint(2, (samples,)).float()
    return [dense, begins.repeat(len(ids), 1), clicks, *ids]
