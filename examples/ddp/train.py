# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training of a small MLP over several ranks, one of them late if you like.

Each rank learns from its own batches; DistributedDataParallel averages the gradients with all-reduces
during backward. A rank made slow (--slow-rank, --slow-ms) gets its data late: the others then wait
for it inside their all-reduce, so the long collective is on the ranks that are not to blame.

The ranks find each other through RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which torchrun sets.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

sys.path.append(str(Path(__file__).resolve().parents[1]))
from recording import add_arguments, pick_device, recorder

FEATURES = 256


class Batches(Dataset):
    """Whole batches, each `late_ms` late."""

    def __init__(self, count, batch, seed, late_ms):
        random = torch.Generator().manual_seed(seed)
        self.inputs = torch.randn(count, batch, FEATURES, generator=random)
        self.targets = self.inputs.mean(2, keepdim=True)
        self.late_ms = late_ms

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        if self.late_ms > 0:
            time.sleep(self.late_ms / 1000)
        return self.inputs[index], self.targets[index]


def train(args, device, rank):
    torch.manual_seed(args.seed)
    late_ms = args.slow_ms if rank == args.slow_rank else 0
    loader = DataLoader(Batches(args.steps, args.batch, args.seed + rank, late_ms), batch_size=None)
    model = nn.Sequential(nn.Linear(FEATURES, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 1))
    model = DistributedDataParallel(model.to(device), bucket_cap_mb=1)
    loss_of = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    with recorder(args, device) as profiler:
        for step, (inputs, targets) in enumerate(loader):
            loss = loss_of(model(inputs.to(device)), targets.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if rank == 0 and step % args.log_every == 0:
                print(f"step {step} loss {loss.item():.4f}")
            profiler.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch", type=int, default=64, help="of each rank (default: 64)")
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--slow-rank", type=int, metavar="RANK", help="the rank that gets its data late")
    parser.add_argument("--slow-ms", type=float, default=5, help="how late (default: 5)")
    parser.add_argument("--log-every", type=int, default=10, metavar="STEPS")
    args = parser.parse_args()
    device = pick_device(args)
    if device.type == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    rank = dist.get_rank()
    if args.profile:
        args.profile = args.profile.replace("{rank}", str(rank))
    train(args, device, rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
