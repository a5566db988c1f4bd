# SPDX-License-Identifier: Apache-2.0
"""Handlers of Ignite and callbacks of skorch and Keras by their events."""
import torch
from ignite.engine import Engine, Events
from skorch.callbacks import Callback

device = "cuda"
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def step(engine, batch):
    x = batch.to(device, non_blocking=True)
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


trainer = Engine(step)


@trainer.on(Events.ITERATION_COMPLETED)
def each(engine):
    print(engine.state.output.item())  # expect ST4


@trainer.on(Events.ITERATION_COMPLETED(every=100))
def seldom(engine):
    print(engine.state.output.item())  # note (every 100)


@trainer.on(Events.EPOCH_COMPLETED)
def epoch(engine):
    print(engine.state.output.item())  # silent


class Norm(Callback):
    def on_grad_computed(self, net, named_parameters, X=None, y=None, training=True, **kwargs):
        for name, parameter in named_parameters:
            self.norm = parameter.grad.norm()

    def on_epoch_end(self, net, **kwargs):
        print(self.norm)  # silent
