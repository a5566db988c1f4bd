# SPDX-License-Identifier: Apache-2.0
"""What makes the host wait: values that become Python's."""
import logging
import math

import torch

log = logging.getLogger(__name__)
device = torch.device("cuda")
model = torch.nn.Linear(8, 8).to(device)
optimizer = torch.optim.Adam(model.parameters())


def main(steps, table, kept):
    for step in range(steps):
        y = model(torch.randn(16, 8, device=device))
        loss = y.square().mean()
        kept.append(loss.tolist())  # expect ST4
        kept.append(y.detach().to("cpu"))  # expect ST4
        kept.append(y.numpy(force=True))  # expect ST4
        y = model(y)  # work for the device: else the wait of the line before would do
        kept.append(float(loss))  # expect ST4
        kept.append(math.sqrt(loss))  # expect ST4
        kept.append(complex(loss))  # expect ST4
        kept.append(table[loss.long()])  # expect ST4
        kept.append(sorted([y.sum(), y.mean()]))  # expect ST4
        kept.append(list(range(y.argmax())))  # expect ST4
        kept.append(torch.zeros(y.argmax(), device=device))  # expect ST4
        kept.append(table[: y.argmax()])  # expect ST4
        assert loss > 0  # expect ST4
        y = model(y)
        if not loss:  # expect ST4
            print("none")
        print(loss)  # expect ST4
        kept.append(str(loss))  # expect ST4
        log.info("loss %s", loss)  # expect ST4
        if loss is None:  # silent (asks for the object)
            continue
        size = (len(y), y.shape[0], y.size(1), y.numel(), y.dim(), y.dtype, y.device, y.is_cuda)  # silent
        if y.is_cuda and y.dtype == torch.float32 and y.device.type == "cuda":  # silent
            kept.append(size)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
