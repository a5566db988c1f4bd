# SPDX-License-Identifier: Apache-2.0
"""torch.func: what its functions give lies where their arguments lie."""
import torch
from torch.func import functional_call, grad, grad_and_value, vmap


def main(loader):
    device = torch.device("cuda")
    model = torch.nn.Linear(8, 4).to(device)
    params = {k: v.detach() for k, v in model.named_parameters()}

    def compute(params, x):
        return functional_call(model, params, (x,)).square().mean()

    for x in loader:
        x = x.to(device, non_blocking=True)
        out = functional_call(model, params, (x,))
        if out.isnan().any():  # expect ST4
            continue
        grads, value = grad_and_value(compute)(params, x)
        print(value.item())  # expect ST4
        other = grad(compute)(params, x)
        params = {k: params[k] - 0.1 * grads[k] for k in params}  # silent
        rows = vmap(lambda row: row.sum())(x)
        print(rows.max().item())  # expect ST4
        shapes = {k: v.shape for k, v in other.items()}  # silent
    return shapes
