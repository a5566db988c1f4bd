# SPDX-License-Identifier: Apache-2.0
"""Runs that take a few batches: workers would cost more than they bring."""
import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 4)

    def training_step(self, batch, index):
        x, y = batch
        return torch.nn.functional.cross_entropy(self.layer(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def tried(root):
    loader = DataLoader(ImageFolder(root), 32, shuffle=True, pin_memory=True)  # note (five batches)
    trainer = pl.Trainer(accelerator="gpu", limit_train_batches=5, max_epochs=1)
    trainer.fit(Model(), loader)


def once(root):
    loader = DataLoader(ImageFolder(root), 32, shuffle=True, pin_memory=True)  # note (one batch)
    trainer = pl.Trainer(accelerator="gpu", fast_dev_run=True)
    trainer.fit(Model(), loader)
