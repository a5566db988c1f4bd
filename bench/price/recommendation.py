# SPDX-License-Identifier: Apache-2.0
"""A recommendation model: torchrec's DLRM on 26 tables."""
import torch
from torchrec import EmbeddingBagCollection, EmbeddingBagConfig, KeyedJaggedTensor
from torchrec.models.dlrm import DLRM, DLRMTrain

BATCH, WIDTH = 512, 64
ROWS = [1000 * (1 + table % 7) for table in range(26)]


def batch(device):
    keys = [f"t{table}" for table in range(len(ROWS))]
    lengths = torch.ones(len(ROWS) * BATCH, dtype=torch.int32)
    values = torch.cat([torch.randint(0, rows, (BATCH,)) for rows in ROWS])
    sparse = KeyedJaggedTensor.from_lengths_sync(keys, values, lengths).to(device)
    return torch.rand(BATCH, 13, device=device), sparse, torch.randint(0, 2, (BATCH,), device=device)


class Batch:
    def __init__(self, dense, sparse, labels):
        self.dense_features, self.sparse_features, self.labels = dense, sparse, labels


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tables = EmbeddingBagCollection(device=device, tables=[
        EmbeddingBagConfig(name=f"table{table}", embedding_dim=WIDTH, num_embeddings=rows, feature_names=[f"t{table}"])
        for table, rows in enumerate(ROWS)])
    model = DLRMTrain(DLRM(tables, 13, [512, 256, WIDTH], [512, 512, 256, 1], dense_device=device)).to(device)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01)
    for step in range(8):
        loss, (detached, _, _) = model(Batch(*batch(device)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, detached.item())


if __name__ == "__main__":
    main()
