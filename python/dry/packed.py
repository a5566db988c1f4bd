# SPDX-License-Identifier: Apache-2.0
"""For run.py: sequences of several lengths, packed one step behind the other and unpacked again. Without data PyTorch refuses
to, as their sizes depend on values.

It lies as steptime_dry_packed.py beside the sitecustomize.py that run.py is. Where lengths are known (the script wrote them down
or computed them of what it did), so are all sizes; else every sequence counts as long as the longest.
"""
from steptime_dry_plan import count


def known_values(tensor):
    """None: nobody knows them."""
    known = getattr(tensor, "constant", None)
    return None if known is None else [int(value) for value in known.tolist()]


def sizes_of(lengths):
    """How many sequences each step still has."""
    return [sum(length > step for length in lengths) for step in range(max(lengths))]


def pack_with(torch):
    class Pack(torch.autograd.Function):
        """As PyTorch does: a copy for each run of steps of one size, and all behind each other."""

        @staticmethod
        def forward(context, steps_first, sizes):
            context.shape, context.sizes, parts, begun = steps_first.shape, sizes, [], 0
            for step in range(1, len(sizes) + 1):
                if step == len(sizes) or sizes[step] != sizes[begun]:
                    part = steps_first[begun:step, :sizes[begun]].contiguous()
                    parts.append(part.view(-1, *steps_first.shape[2:]))
                    begun = step
            return torch.cat(parts)

        @staticmethod
        def backward(context, gradient):
            made, begun = gradient.new_zeros(context.shape), 0
            for step, size in enumerate(context.sizes):
                made[step, :size].copy_(gradient[begun:begun + size])
                begun += size
            return made, None

    def pack(padded, lengths, batch_first):
        steps_first = padded.transpose(0, 1) if batch_first else padded
        known = known_values(lengths)
        if known is None:
            count("shape", "aten._pack_padded_sequence.default")
            known = [steps_first.shape[0]] * steps_first.shape[1]
        sizes = sizes_of(known)
        return Pack.apply(steps_first, sizes), torch.tensor(sizes, dtype=torch.int64)
    return pack


def unpack_with(torch):
    def unpack(data, sizes, batch_first, padding, length=0):
        """As PyTorch does: a copy for each run of steps of one size."""
        known = known_values(sizes)
        if known is None:
            count("shape", "aten._pad_packed_sequence.default")
            known = [-(-data.shape[0] // sizes.numel())] * sizes.numel()
        steps = max(len(known), length if length and length > 0 else 0)
        made, begun, row = data.new_full((steps, known[0], *data.shape[1:]), padding), 0, 0
        for step in range(1, len(known) + 1):
            if step == len(known) or known[step] != known[begun]:
                rows = (step - begun) * known[begun]
                part = data[row:row + rows].view(step - begun, known[begun], *data.shape[1:])
                made[begun:step, :known[begun]].copy_(part)
                begun, row = step, row + rows
        lengths = torch.tensor([sum(size > one for size in known) for one in range(known[0])], dtype=torch.int64)
        return (made.transpose(0, 1) if batch_first else made), lengths
    return unpack


def pack_without_data(torch):
    torch._VF._pack_padded_sequence = pack_with(torch)
    torch._VF._pad_packed_sequence = unpack_with(torch)
