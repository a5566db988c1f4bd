# SPDX-License-Identifier: Apache-2.0
"""A second move of what was moved before, through parts, loops and functions: it copies nothing."""
import torch
from tensordict import TensorDict


class Trainer:
    def __init__(self, model, optimizer, stream):
        self.model = model.cuda()
        self.optimizer = optimizer
        self.stream = stream

    def update(self, data):
        batch = data.select("ids", "labels").batch
        for mini in batch.split(64):
            self.optimizer.zero_grad()
            for part in mini.split(8):
                part = part.cuda()  # silent (work() moved all of it)
                loss = self.model(part["ids"]).mean()
                loss.backward()
            self.optimizer.step()


def work(model, optimizer, stream, data):
    trainer = Trainer(model, optimizer, stream)
    data = data.to("cuda")
    trainer.update(data)


class Other:
    def __init__(self, model, optimizer, stream):
        self.model = model.cuda()
        self.optimizer = optimizer
        self.stream = stream

    def update(self, data):
        batch = data.select("ids", "labels").batch
        for mini in batch.split(64):
            self.optimizer.zero_grad()
            for part in mini.split(8):
                part = part.cuda()  # expect ST6 (nobody moved it before)
                loss = self.model(part["ids"]).mean()
                loss.backward()
            self.optimizer.step()


def work_other(model, optimizer, stream, data):
    trainer = Other(model, optimizer, stream)
    data = data.copy()
    trainer.update(data)
