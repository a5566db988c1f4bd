# SPDX-License-Identifier: Apache-2.0
"""Runs that are limited, but not to a few batches."""
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


def half(root):
    loader = DataLoader(ImageFolder(root), 32, shuffle=True, pin_memory=True)  # expect ST604
    trainer = pl.Trainer(accelerator="gpu", limit_train_batches=0.5)
    trainer.fit(Model().cuda(), loader)


def long(root):
    loader = DataLoader(ImageFolder(root), 32, shuffle=True, pin_memory=True)  # expect ST604
    trainer = pl.Trainer(accelerator="gpu", max_steps=20000, fast_dev_run=False)
    trainer.fit(Model().cuda(), loader)


def tried(root):
    loader = DataLoader(ImageFolder(root), 32, shuffle=True, pin_memory=True)  # expect ST604 (others train all)
    trainer = pl.Trainer(accelerator="gpu", limit_train_batches=5)
    trainer.fit(Model().cuda(), loader)
