# SPDX-License-Identifier: Apache-2.0
"""Ignite: convert_tensor moves, metrics are read where they are computed, events give the pace."""
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Accuracy, Metric
from ignite.utils import convert_tensor
from torch.utils.data import DataLoader

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


class Right(Metric):
    def reset(self):
        self.right = torch.zeros((), device=device)

    def update(self, output):
        guess, y = output
        self.right += (guess.argmax(-1) == y).sum()  # silent (it stays on the device)

    def compute(self):
        return self.right.item()  # silent (once an epoch)


def step(engine, batch):
    assert int(batch[1].max()) < 4  # silent (host before the move)
    x = convert_tensor(batch[0], device=device, non_blocking=True)
    y = convert_tensor(batch[1], device=device, non_blocking=True)
    x = x.to(device)  # silent (there already)
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()  # silent


def main(data):
    loader = DataLoader(data, num_workers=2, pin_memory=True)
    trainer = Engine(step)
    evaluator = create_supervised_evaluator(model, metrics={"right": Right(), "accuracy": Accuracy()}, device=device)

    @trainer.on(Events.GET_BATCH_COMPLETED)
    def got(engine):
        engine.state.norm = model.weight.norm().item()  # expect ST4

    @trainer.on(Events.ITERATION_COMPLETED(once=1))
    def single(engine):
        print(engine.state.output.item())  # silent (once)

    @trainer.on(Events.ITERATION_COMPLETED)
    def each(engine):
        print(f"{engine.state.output.item():.3f}")  # expect ST4

    @trainer.on(Events.STARTED)
    def started(engine):
        print(model.weight.sum().item())  # silent (once)

    @trainer.on(Events.EPOCH_COMPLETED)
    def check(engine):
        evaluator.run(loader)
        print(evaluator.state.metrics["right"])  # silent (a number)

    trainer.run(loader, max_epochs=2)
