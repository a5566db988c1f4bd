# SPDX-License-Identifier: Apache-2.0
"""torchrl: a collector gives what lies on its storing device; hooks of the Trainer have their own pace."""
import torch
from torchrl.collectors import SyncDataCollector
from torchrl.objectives import ClipPPOLoss
from torchrl.trainers import Trainer


def main(env, policy, buffer, actor, critic):
    device = torch.device("cuda")
    collector = SyncDataCollector(env, policy, frames_per_batch=100, total_frames=10_000, device="cuda",
                                  storing_device="cpu")
    module = ClipPPOLoss(actor, critic).to(device)
    optimizer = torch.optim.Adam(module.parameters())
    for data in collector:
        length = int(data["length"].max())  # silent (stored on the host)
        buffer.extend(data)
        for _ in range(10):
            sub = buffer.sample().to(device)
            losses = module(sub)
            loss = losses["loss_objective"] + losses["loss_critic"]
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(loss.item() / length)  # expect ST4


def hooks(collector, module, optimizer):
    weight = torch.nn.Parameter(torch.ones(4, device="cuda"))

    def after_loss(batch):
        print(weight.sum().item())  # expect ST4
        return batch

    def once_a_collection(batch):
        print(weight.sum().item())  # silent (once a collection)
        return batch

    trainer = Trainer(collector=collector, total_frames=100, frame_skip=1, optim_steps_per_batch=10,
                      loss_module=module, optimizer=optimizer)
    trainer.register_op("post_loss", after_loss)
    trainer.register_op("batch_process", once_a_collection)
    trainer.train()
