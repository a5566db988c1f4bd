# SPDX-License-Identifier: Apache-2.0
"""Calls whose result has a size that only the device knows, and those that know it before."""
import torch
import torch.nn.functional as F

device = torch.device("cuda")
model = torch.nn.Linear(8, 8).to(device)
optimizer = torch.optim.Adam(model.parameters())


def main(steps):
    other = torch.ones(16, 8, device=device)
    for step in range(steps):
        y = model(torch.randn(16, 8, device=device))
        mask = y > 0
        ids = y.argmax(-1)
        a = torch.argwhere(mask)  # expect ST4
        b = torch.where(mask)  # expect ST4
        c = torch.masked_select(y, mask)  # expect ST4
        d = torch.unique(ids)  # expect ST4
        e = torch.unique_consecutive(ids)  # expect ST4
        f = torch.combinations(ids)  # expect ST4
        g = torch.repeat_interleave(y, ids, dim=0)  # expect ST4
        h = torch.histc(y)  # expect ST4
        other[mask] = y.detach()[mask]  # expect ST4
        other[mask] += 1  # expect ST4
        i = y.masked_fill(mask, y.mean())  # expect ST4
        j = torch.arange(ids.max(), device=device)  # expect ST4
        k = torch.add(y, other, alpha=y.mean())  # expect ST4
        m = y[mask].sum()  # expect ST4
        other[mask, ids[mask]] = 1  # expect ST4
        other[mask, ids] = 1  # expect ST4
        other[mask] = 0  # silent (a masked fill)
        other[mask, :] = 0  # silent (a masked fill)
        other[mask, 2] = 0  # silent (a masked fill)
        n = torch.histc(y, min=0, max=1)  # silent (the range is given)
        o = torch.repeat_interleave(y, 2, dim=0)  # silent (a number)
        p = torch.where(mask, y, other)  # silent (three arguments)
        q = torch.nonzero_static(mask, size=16)  # silent (the size is given)
        r = other.fill_(y.mean())  # silent (a device kernel)
        s = torch.clamp(y, max=y.mean())  # silent
        t = y.masked_fill_(~mask, 1.0)  # silent
        u = F.one_hot(ids, num_classes=8)  # silent (the size is given)
        v = torch.scatter_add(other, 0, ids[:, None].expand(16, 8) % 16, y)  # silent
        w = torch.index_select(y, 0, ids)  # silent
        z = torch.cat([y[ids], other]).cumsum(0).topk(2)  # silent (an index that is no mask)
        p.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        del a, b, c, d, e, f, g, h, i, j, k, m, n, o, q, r, s, t, u, v, w, z
