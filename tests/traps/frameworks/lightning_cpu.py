# SPDX-License-Identifier: Apache-2.0
"""Lightning with accelerator="cpu" alone: no device, no wait."""
import lightning.pytorch as pl
import torch


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 4)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).square().mean()
        self.log("loss", loss.item())  # silent (all on the CPU)
        if torch.isnan(loss):  # silent
            return None
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def main(loader):
    pl.Trainer(accelerator="cpu", max_epochs=1).fit(Net(), loader)
