# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed's pipeline engine: train_batch is a step, and takes an iterator of host batches."""
import deepspeed
import torch
from deepspeed.pipe import PipelineModule


def main(layers, loader, steps):
    net = PipelineModule(layers=layers, num_stages=2)
    engine, _, _, _ = deepspeed.initialize(model=net, config={"train_batch_size": 8})
    batches = iter(loader)
    for step in range(steps):
        loss = engine.train_batch(data_iter=batches)
        print(f"loss {loss.item():.3f}")  # expect ST4
        if step % 100 == 0:
            print(loss.item())  # note (gate)
    for step in range(10):
        print(engine.eval_batch(data_iter=batches).item())  # note (evaluation)
