# SPDX-License-Identifier: Apache-2.0
"""skorch: host batches until infer, hooks before and after the optimizer."""
import torch
from skorch import NeuralNet
from skorch.callbacks import Callback


class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 4)

    def forward(self, x):
        x = x.to("cuda")  # silent (there already)
        return self.net(x)


class Net(NeuralNet):
    def train_step(self, batch, **fit_params):
        self.rows = int(batch[1].max())  # silent (host)
        return super().train_step(batch, **fit_params)

    def infer(self, x, **fit_params):
        self.top = x.max().item()  # silent (host)
        return super().infer(x, **fit_params)

    def validation_step(self, batch, **fit_params):
        step = super().validation_step(batch, **fit_params)
        self.valid = step["loss"].item()  # note (evaluation)
        return step


class Grads(Callback):
    def on_train_begin(self, net, **kwargs):
        self.first = net.module_.net.weight.sum().item()  # silent (once)

    def on_batch_begin(self, net, batch=None, training=False, **kwargs):
        self.low = int(batch[1].min())  # silent (host)

    def on_grad_computed(self, net, named_parameters, **kwargs):
        self.norm = net.module_.net.weight.grad.norm().item()  # expect ST4

    def on_batch_end(self, net, batch=None, training=False, loss=None, y_pred=None, **kwargs):
        self.loss = float(loss)  # note (the library has read it)

    def on_epoch_end(self, net, **kwargs):
        self.norm = net.module_.net.weight.norm().item()  # silent (once an epoch)


def main(X, y):
    Net(Module, criterion=torch.nn.MSELoss, device="cuda", callbacks=[Grads()]).fit(X, y)
