# SPDX-License-Identifier: Apache-2.0
"""Hooks of Lightning by their pace."""
import lightning.pytorch as pl
import torch


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 2)
        self.losses = []

    def shared(self, batch):
        x, y = batch
        return torch.nn.functional.cross_entropy(self.net(x), y)

    def training_step(self, batch, index):
        loss = self.shared(batch)
        self.log("loss", loss)  # silent
        self.losses.append(loss.item())  # expect ST4
        return loss

    def on_before_optimizer_step(self, optimizer):
        norm = self.net.weight.grad.norm()
        if norm.item() > 10:  # expect ST4
            self.net.weight.grad.mul_(0.1)

    def validation_step(self, batch, index):
        loss = self.shared(batch)
        self.losses.append(loss.item())  # note (evaluation)

    def on_train_epoch_end(self):
        print(torch.stack([p.norm() for p in self.parameters()]).sum().item())  # silent

    def predict_step(self, batch, index):
        return self.net(batch[0]).cpu()  # note (prediction)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
