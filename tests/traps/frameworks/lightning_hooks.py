# SPDX-License-Identifier: Apache-2.0
"""Lightning: hooks of modules, callbacks and data modules."""
import pytorch_lightning as pl
import torch
import torch.nn.functional as F


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 4)
        self.automatic_optimization = False

    def setup(self, stage):
        self.first = self.net.weight.sum().item()  # silent (once)

    def training_step(self, batch, batch_idx):
        x, y = batch
        y = y.cuda()  # silent (there already)
        loss = F.cross_entropy(self.net(x), y)
        self.manual_backward(loss)
        self.optimizers().step()
        gathered = self.all_gather(loss)  # silent (it stays on the device)
        self.log_dict({"loss": loss}, prog_bar=True)  # expect ST4
        self.log_dict({"mean": gathered.mean()})  # silent
        if self.trainer.is_global_zero:  # silent (a host value)
            print(loss.item())  # expect ST4

    def on_train_batch_start(self, batch, batch_idx):
        self.top = batch[0].max().item()  # expect ST4

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        self.rows = int(batch[1].max())  # silent (the batch is on the host yet)
        return super().transfer_batch_to_device(batch, device, dataloader_idx)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        x, y = batch
        self.mean = x.mean().item()  # expect ST4
        return x, y

    def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        self.norm = self.net.weight.grad.norm().item()  # expect ST4

    def predict_step(self, batch, batch_idx):
        return self.net(batch[0]).argmax(-1).cpu()  # note (prediction)

    def on_validation_epoch_end(self):
        print(self.net.weight.norm().item())  # silent (once an epoch)

    def configure_optimizers(self):
        scale = self.net.weight.abs().max().item()  # silent (once)
        return torch.optim.SGD(self.parameters(), scale)


class Watch(pl.Callback):
    def on_before_zero_grad(self, trainer, pl_module, optimizer):
        self.grad = pl_module.net.weight.grad.norm().item()  # expect ST4

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if batch_idx % 50 == 0:
            print(outputs["loss"].item())  # note (gate)

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        self.sum = batch[0].sum().item()  # note (evaluation)

    def on_train_epoch_start(self, trainer, pl_module):
        self.start = pl_module.net.weight.sum().item()  # silent (once an epoch)


class Data(pl.LightningDataModule):
    def __init__(self, data):
        super().__init__()
        self.data = data

    def on_before_batch_transfer(self, batch, dataloader_idx):
        x, y = batch
        self.most = int(y.max())  # silent (on the host yet)
        return x, y

    def on_after_batch_transfer(self, batch, dataloader_idx):
        x, y = batch
        self.least = int(y.min())  # expect ST4
        return x, y

    def train_dataloader(self):
        return torch.utils.data.DataLoader(self.data, num_workers=2, pin_memory=True)


def main(data):
    pl.Trainer(accelerator="gpu", callbacks=[Watch()]).fit(Net(), datamodule=Data(data))
