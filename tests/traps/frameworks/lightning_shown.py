# SPDX-License-Identifier: Apache-2.0
"""Lightning leaves a value that is logged where it lies: the progress bar waits for those of the device alone."""
import lightning.pytorch as pl
import torch
import torch.nn.functional as F


class Model(pl.LightningModule):
    def __init__(self, criterion):
        super().__init__()
        self.net = torch.nn.Linear(8, 4)
        self.criterion = criterion
        self.weight_of_loss = torch.tensor(1.0)
        self.running = torch.tensor(1.0, device="cuda")

    def training_step(self, batch, index):
        x, y = batch
        self.log("weight", self.set_by_a_callback, prog_bar=True)  # note (nobody knows where it lies)
        self.log("kept", self.weight_of_loss, prog_bar=True)  # note (no buffer: it stays on the host)
        self.log("running", self.running, prog_bar=True)  # expect ST4
        self.log("made", self.made(x, y), prog_bar=True)  # expect ST4 (of the batch, by whatever it is given)
        self.log("round", torch.tensor(float(index)), prog_bar=True)  # note (made on the host)
        loss = F.cross_entropy(self.net(x), y)
        self.log("loss", loss, prog_bar=True)  # expect ST4
        return loss

    def made(self, x, y):
        return self.criterion(x, y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
