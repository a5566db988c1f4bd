# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed: the engine moves the module alone; backward gives a device tensor."""
import deepspeed
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 4)

    def forward(self, x):
        peak = x.max().item()  # expect ST4
        return self.net(x).square().mean() / peak


def main(data):
    net = Net()
    engine, optimizer, loader, scheduler = deepspeed.initialize(
        model=net, model_parameters=net.parameters(), training_data=data, config={"train_batch_size": 8})
    for x, y in loader:
        rows = int(y.max())  # silent (host)
        x = x.to(engine.local_rank, non_blocking=True)  # silent (pinned by deepspeed_io)
        loss = engine(x) / rows
        scaled = engine.backward(loss)
        engine.step()
        print(scaled.item())  # expect ST4
        if engine.is_gradient_accumulation_boundary():  # silent (a host value)
            print(engine.global_steps)  # silent
    engine.save_checkpoint("out")  # silent
