# SPDX-License-Identifier: Apache-2.0
"""Ignite: what a step gives is read by what is attached to its engine, so that the step may read it as well."""
import torch
from ignite.engine import Engine
from ignite.handlers import ProgressBar
from ignite.metrics import RunningAverage

device = torch.device("cuda")


def main(loader):
    model = torch.nn.Linear(8, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def step(engine, batch):
        x = batch.to(device, non_blocking=True)
        loss = model(x).square().mean()
        first = loss.item()  # expect ST4
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        engine.state.first = first
        return loss.item()  # note (the progress bar reads it)

    trainer = Engine(step)
    RunningAverage(output_transform=lambda x: x).attach(trainer, "loss")
    ProgressBar().attach(trainer, metric_names=["loss"])
    trainer.run(loader, max_epochs=2)
