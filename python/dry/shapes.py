# SPDX-License-Identifier: Apache-2.0
"""For run.py: results whose shapes depend on values. They get the largest shape that they could have: every element counts.

It lies as steptime_dry_shapes.py beside the sitecustomize.py that run.py is.
"""
from steptime_dry_plan import count


def nonzero(torch, tensor):
    return tensor.new_empty((tensor.numel(), tensor.dim()), dtype=torch.int64)


def masked_select(torch, tensor, mask):
    return tensor.new_empty((torch.broadcast_tensors(tensor, mask)[0].numel(),))


def unique(torch, tensor, *arguments, **named):
    elements = tensor.numel()
    return (tensor.new_empty((elements,)), tensor.new_empty(tensor.shape, dtype=torch.int64),
            tensor.new_empty((elements,), dtype=torch.int64))


def repeat_interleave(torch, repeats, output_size=None):
    """By once each."""
    return repeats.new_empty((repeats.numel() if output_size is None else output_size,))


def ctc_loss(torch, scores, targets, input_lengths, target_lengths, *_, **__):
    """The second has a column for each place in the longest target; where lengths are not known, all are alike."""
    known = getattr(target_lengths, "constant", None)
    longest = targets.shape[-1] if targets.dim() == 2 else -(-targets.numel() // max(1, target_lengths.numel()))
    if known is not None and known.numel():
        longest = int(known.max())
    batch = scores.shape[1] if scores.dim() == 3 else 1
    return scores.new_empty((batch,)), scores.new_empty((batch, scores.shape[0], 2 * longest + 1))


def ctc_loss_backward(torch, gradient, scores, *_, **__):
    return torch.empty_like(scores, memory_format=torch.contiguous_format)


# PyTorch knows no shape without data. It would ask in vain, and the end of a call that raises is missing in the execution trace.
KNOWN = {"_ctc_loss_backward.default": ctc_loss_backward, "_ctc_loss_backward.Tensor": ctc_loss_backward}
GIVEN = {"_ctc_loss.Tensor": ctc_loss, "nonzero.default": nonzero, "masked_select.default": masked_select,
         "_unique2.default": unique, "unique_dim.default": unique, "unique_consecutive.default": unique,
         "repeat_interleave.Tensor": repeat_interleave}


def operator_of(torch, name):
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload)


def give_shapes(torch, kept):
    """kept: PyTorch's own table of what it does for operators without data."""
    from torch._subclasses.fake_tensor import DynamicOutputShapeException

    def stand_for(name, give):
        operator = operator_of(torch, name)
        before = kept.get(operator)

        def known_or_largest(mode, func, *arguments, **named):
            if before is not None:
                try:
                    return before(mode, func, *arguments, **named)
                except DynamicOutputShapeException:
                    pass
            count("shape", f"{operator}")
            with mode:
                return give(torch, *arguments, **named)
        kept[operator] = known_or_largest

    def know(give):
        def known(mode, func, *arguments, **named):
            with mode:
                return give(torch, *arguments, **named)
        return known

    for name, give in KNOWN.items():
        kept.setdefault(operator_of(torch, name), know(give))
    for name, give in GIVEN.items():
        stand_for(name, give)
    bags_of_two_types(torch, kept)


def bags_of_two_types(torch, kept):
    """Indices and offsets of unlike types are made alike by operators, and not by what says their results' types."""
    def made_alike(before):
        def alike(mode, func, weight, indices, offsets, *arguments, **named):
            if indices.dtype != offsets.dtype:
                wider = torch.promote_types(indices.dtype, offsets.dtype)
                with mode:
                    return func(weight, indices.to(wider), offsets.to(wider), *arguments, **named)
            return before(mode, func, weight, indices, offsets, *arguments, **named) if before else NotImplemented
        return alike
    for name in ("_embedding_bag.default", "_embedding_bag_forward_only.default"):
        operator = operator_of(torch, name)
        kept[operator] = made_alike(kept.get(operator))
