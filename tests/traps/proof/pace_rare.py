# SPDX-License-Identifier: Apache-2.0
"""Kinds of rarity, and what only looks like one."""
import os

import torch
import torch.distributed as dist

device = torch.device("cuda")
model = torch.nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


class Meter:
    def should_log(self):
        return True

    def update(self, value):
        pass


def train(loader, args, meter, profiler, accumulate, warmup, logger):
    rank = dist.get_rank()
    for epoch in range(args.epochs):
        for idx, (x, y) in enumerate(loader):
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            if (idx + 1) % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
                meter.update(loss.item())  # expect ST4
            if rank == 0:
                print(loss.mean().item())  # expect ST4
            if meter.should_log():
                print(loss.sum().item())  # note (should_log)
            if idx < warmup:
                print(loss.max().item())  # note (warm-up)
            if epoch == 0 and idx == 3:
                print(loss.min().item())  # note (one step)
            if idx == 0:
                print(loss.abs().item())  # silent (the first step)
            if profiler is not None and args.profile:
                print(loss.square().item())  # note (profile)
            if os.environ.get("DEBUG_LOSS"):
                print(loss.neg().item())  # note (debug)
            if logger.isEnabledFor(10):
                logger.debug("loss %s", loss.exp().item())  # note (debug)
            if args.save_every_n_steps and idx % args.save_every_n_steps == 0:
                torch.save({"loss": loss.log().item()}, "x.pt")  # note (interval)
            if not args.quiet:
                print(loss.sqrt().item())  # expect ST4
        with torch.no_grad():
            model.eval()
            for x, y in loader:
                print(model(x.to(device)).sum().item())  # note (evaluation)
            model.train()
