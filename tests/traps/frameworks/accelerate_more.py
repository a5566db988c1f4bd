# SPDX-License-Identifier: Apache-2.0
"""Accelerate: loaders that are and are not prepared, host values, collectives of objects."""
import torch
from accelerate import Accelerator, skip_first_batches
from accelerate.utils import broadcast_object_list, gather_object
from torch.utils.data import DataLoader


def host_batches(data):
    accelerator = Accelerator(device_placement=False)
    model = torch.nn.Linear(8, 2).to(accelerator.device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model, optimizer, loader = accelerator.prepare(
        model, optimizer, DataLoader(data, batch_size=8, num_workers=2, pin_memory=True))
    for batch in loader:
        rows = int(batch["n"].max())  # silent (device_placement=False: host)
        loss = model(batch["x"].to(accelerator.device)).square().mean() / rows  # expect ST602
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


def main(data, done):
    accelerator = Accelerator()
    device = accelerator.device
    model = torch.nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    loader = DataLoader(data, batch_size=8, num_workers=2, pin_memory=True)
    loader = accelerator.prepare_data_loader(loader)
    model = accelerator.prepare_model(model)
    optimizer, scheduler = accelerator.prepare(optimizer, scheduler)
    for x, y in skip_first_batches(loader, done):
        x = x.to(device)  # silent (moved by the loader)
        y = y.cuda()  # silent (there already)
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            if not accelerator.optimizer_step_was_skipped:  # silent (a host value)
                scheduler.step()
            optimizer.zero_grad()
        worst = accelerator.reduce(loss.detach(), reduction="max")  # silent
        padded = accelerator.pad_across_processes(y, dim=0)  # silent
        size = padded.shape[0]  # silent
        if accelerator.check_trigger():  # silent (a host value)
            break
        if worst > 100:  # expect ST4
            print("large", size)
        if accelerator.is_local_main_process:  # silent
            print(loss.detach().cpu())  # expect ST4


def unwrapped(data):
    accelerator = Accelerator(mixed_precision="bf16")
    model, optimizer, loader = accelerator.prepare(
        torch.nn.Linear(8, 2), torch.optim.AdamW([torch.zeros(1)]), DataLoader(data))
    ema = 0.0
    for step, batch in enumerate(loader):
        loss = accelerator.unwrap_model(model)(batch).mean()
        accelerator.backward(loss)
        norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        ema = 0.9 * ema + 0.1 * loss.item()  # expect ST4
        if accelerator.sync_gradients and step % 10 == 0:
            accelerator.log({"norm": norm.item()})  # note (gate)
    accelerator.print(ema)  # silent
