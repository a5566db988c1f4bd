# SPDX-License-Identifier: Apache-2.0
"""Values that the host needs there, and values that only seem to be needed."""
import torch
import torch.distributed as dist

device = torch.device("cuda")
model = torch.nn.LSTM(8, 4).to(device)
optimizer = torch.optim.Adam(model.parameters())
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)


def packed(loader):
    for x, lengths in loader:
        x, lengths = x.to(device, non_blocking=True), lengths.to(device, non_blocking=True)
        rows = torch.nn.utils.rnn.pack_padded_sequence(x, lengths.cpu())  # note (lengths are needed on the host)
        loss = model(rows)[0].data.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def stops(loader, limit):
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = model(x)[0].mean()
        optimizer.zero_grad()
        loss.backward()
        divergence = loss.detach().abs()
        if divergence.item() > limit:  # note (it ends the loop)
            break
        optimizer.step()


def schedules(loader):
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = model(x)[0].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        plateau.step(loss.item())  # note (the schedule needs it)


def sends(loader, counts_of):
    for x in loader:
        x = x.to(device, non_blocking=True)
        counts = counts_of(x).to(device)
        parts = torch.split(x, counts.tolist())  # note (sizes of a split are numbers of the host)
        loss = model(parts[0])[0].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def solves(x, tolerance):
    x = x.to(device)
    error = torch.ones((), device=device)
    while error.item() > tolerance:  # note (it ends the loop)
        loss = model(x)[0].square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        error = loss.detach()


def only_sums(loader):
    total = 0.0
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = model(x)[0].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # expect ST4
    return total


def keeps_the_best(loader):
    best = None
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = model(x)[0].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        value = loss.item()  # note (the best is kept)
        if best is None or value < best:
            best = value
            torch.save(model.state_dict(), "best.pt")
    return best


def parts_of(lengths, parts):
    assert len(lengths) >= parts
    return [lengths[i::parts] for i in range(parts)]


def into_parts(loader, most):
    for x, lengths in loader:
        x, lengths = x.to(device, non_blocking=True), lengths.to(device, non_blocking=True)
        needed = lengths.sum() // most
        dist.all_reduce(needed, op=dist.ReduceOp.MAX)
        parts = needed.item()  # note (a function of the run makes so many parts)
        for rows in parts_of(list(range(len(x))), parts):
            model(x[rows])[0].mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def scaled_by(loss, parts):
    return loss / parts


def into_a_sum(loader):
    for x, lengths in loader:
        x, lengths = x.to(device, non_blocking=True), lengths.to(device, non_blocking=True)
        parts = lengths.sum().item()  # expect ST401 (a function only divides by it)
        loss = scaled_by(model(x)[0].sum(), parts)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
