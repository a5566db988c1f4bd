# SPDX-License-Identifier: Apache-2.0
"""Waits that are asked for, and their kin that only order the device."""
import torch
import torch.distributed as dist

device = torch.device("cuda")
model = torch.nn.Linear(8, 8).to(device)
optimizer = torch.optim.Adam(model.parameters())
side = torch.cuda.Stream()


def main(steps, path):
    event = torch.cuda.Event()
    for step in range(steps):
        y = model(torch.randn(8, 8, device=device))
        loss = y.square().mean()
        side.wait_stream(torch.cuda.current_stream())  # silent (an order of the device)
        event.record()  # silent
        side.wait_event(event)  # silent
        y.record_stream(side)  # silent
        side.synchronize()  # expect ST6
        event.synchronize()  # expect ST6
        y = model(y)  # work for the device: else the wait of the line before would do
        torch.cuda.synchronize()  # expect ST6
        torch.cuda.current_stream().synchronize()  # expect ST6
        work = dist.all_reduce(loss.detach(), async_op=True)  # silent (NCCL)
        work.wait()  # silent (the stream waits)
        dist.barrier()  # expect ST6
        parts = [None] * 2
        dist.all_gather_object(parts, step)  # expect ST4
        loss.backward()
        grad_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # silent
        total = grad_norm * 2  # silent (a device tensor)
        print(total.item())  # expect ST4
        optimizer.step()
        optimizer.zero_grad()
        if step % 1000 == 0:
            torch.save(model.state_dict(), path)  # silent (a checkpoint)
