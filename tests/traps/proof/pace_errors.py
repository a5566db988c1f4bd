# SPDX-License-Identifier: Apache-2.0
"""Ways that are not taken in a run that goes well."""
import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.Adam(model.parameters())


def train(loader):
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = model(x).mean()
        try:
            loss.backward()
        except RuntimeError:
            print("failed at", loss.item())  # silent
            raise
        if not torch.isfinite(loss):  # expect ST4
            print("bad loss", loss.item())  # note (the test found trouble)
            continue
        if loss.isnan().any():  # expect ST4
            raise ValueError(f"loss is {loss.item()}")  # silent
        optimizer.step()
        optimizer.zero_grad()


def infer(net, batches):
    net.eval()
    outs = []
    with torch.inference_mode():
        for batch in batches:
            outs.append(net(batch.to(device)).cpu())  # note (inference)
    return outs


infer(model, [])
