# SPDX-License-Identifier: Apache-2.0
"""Calls that look at a value inside, and their kin that do not."""
import torch
import torch.nn.functional as F

device = torch.device("cuda")
model = torch.nn.Linear(8, 8).to(device)
norm = torch.nn.BatchNorm1d(8, momentum=None).to(device)
other = torch.nn.BatchNorm1d(8).to(device)
optimizer = torch.optim.Adam(model.parameters())
lbfgs = torch.optim.LBFGS(model.parameters())
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)


def main(steps):
    for step in range(steps):
        y = model(torch.randn(8, 8, device=device))
        if torch.equal(y, y.T):  # expect ST4
            print("same")
        a = torch.quantile(y, 0.5)  # expect ST4
        b = torch.linalg.cholesky(y @ y.T)  # expect ST4
        c = torch.linalg.solve(y, y)  # expect ST4
        d = torch.linalg.eigh(y @ y.T)  # expect ST4
        e = torch.linalg.svd(y)  # expect ST4
        f = torch.linalg.lstsq(y, y)  # expect ST4
        g = torch.distributions.Normal(y, y.exp())  # expect ST4
        h = torch.distributions.Normal(y, y.exp(), validate_args=False)  # silent
        i = norm(y)  # expect ST4
        j = other(y)  # silent (a fixed momentum)
        k = torch.linalg.inv_ex(y)  # silent (no check)
        m = torch.linalg.qr(y)  # silent (no check)
        n = torch.linalg.det(y)  # silent (no check)
        o = torch.eq(y, y.T).all()  # silent (a device bool)
        p = torch.isnan(y).any()  # silent (a device bool)
        q = torch.multinomial(y.softmax(-1), 1)  # silent (its check stays on the device)
        r = torch.nan_to_num(y).count_nonzero()  # silent
        s = F.cross_entropy(y, y.argmax(-1))  # silent
        t = y.sort().values.cumsum(0)  # silent
        i.sum().backward()
        plateau.step(s)  # note (the host needs it)
        optimizer.step()  # silent (its counter is on the host)
        lbfgs.step(lambda: s)  # note (a line search needs it)
        optimizer.zero_grad()
        del a, b, c, d, e, f, g, h, j, k, m, n, o, p, q, r, t
