# SPDX-License-Identifier: Apache-2.0
"""For run.py: CTC reads its lengths, where a real run does: they are lists for the operator that computes it. Of tensors without data
PyTorch keeps them as tensors, which are other operators.

It lies as steptime_dry_ctc.py beside the sitecustomize.py that run.py is.
"""
import ctypes
import warnings

from steptime_dry_plan import count
from steptime_dry_values import is_known

MEAN, SUM = 1, 2


def numbers_of(tensor):
    """Of one of at most one dimension and 64 bits each, past PyTorch, which would leave operators of it in the trace."""
    step = tensor.stride(0) if tensor.dim() else 1
    first = ctypes.POINTER(ctypes.c_int64)
    return [ctypes.cast(tensor.data_ptr(), first)[step * i] for i in range(tensor.numel())]


class Ctc:
    def __init__(self, torch, places):
        self.torch, self.places = torch, places

    # ---- lengths ----

    def whole(self, tensor, there):
        """As numbers of 64 bits; there: on the device."""
        torch = self.torch
        if self.places is None:
            return tensor.to("cpu", torch.long)
        return self.places.moved(tensor, there, torch.Tensor.to, "cpu", torch.long)

    def is_there(self, tensor):
        return self.places is not None and self.places.lies_there(tensor)

    def read(self, lengths, longest):
        """Those that nobody knows are as long as can be."""
        if not is_known(lengths) or lengths.dim() > 1:
            count("value", "lengths of ctc_loss()")
            return [longest] * lengths.numel()
        return numbers_of(lengths.constant)

    @staticmethod
    def longest_target(targets, lengths):
        return targets.shape[-1] if targets.dim() > 1 else targets.numel() // max(1, lengths.numel())

    def as_tensor(self, lengths, beside):
        """A list as PyTorch makes a tensor of it; nothing depends on its numbers."""
        torch = self.torch
        made = torch.ops.aten.empty.memory_format([len(lengths)], dtype=beside.dtype, layout=torch.strided, device=torch.device("cpu"))
        return self.places.moved(made, True, torch.Tensor.to, "cpu") if self.is_there(beside) else made

    # ---- the operators ----

    def loss(self, scores, targets, of_scores, of_targets, blank=0, reduction=MEAN, zero_infinity=False):
        torch, batched = self.torch, scores.dim() == 3
        of_scores, of_targets = self.whole(of_scores, False), self.whole(of_targets, False)
        of_scores = self.read(of_scores, scores.shape[0])
        of_targets = self.read(of_targets, self.longest_target(targets, of_targets))
        scores = scores if batched else scores.unsqueeze(1)
        targets = self.whole(targets, self.is_there(scores))
        result = torch._ctc_loss(scores, targets, of_scores, of_targets, blank, zero_infinity)[0]
        if zero_infinity:
            none = torch.ops.aten.zeros.default([], dtype=result.dtype, layout=torch.strided, device=torch.device("cpu"))
            result = torch.where(result == float("inf"), none, result)
        if reduction == MEAN:
            return (result / self.as_tensor(of_targets, result).clamp_min(1)).mean()
        return result.sum() if reduction == SUM else result if batched else result.squeeze(0)

    @staticmethod
    def of_scores(mode, _, scores, targets, of_scores, of_targets, *__, **___):
        """What is lost, and what the gradient needs: of each time both a target and what lies between."""
        with mode:
            return scores.new_empty(len(of_scores)), scores.new_empty((len(of_scores), scores.shape[0], 2 * max(of_targets, default=0) + 1))


def read_lengths(torch, places):
    """The library of operators that it returns lasts as long as they are wanted."""
    from torch._subclasses.fake_impls import op_implementations_dict as kept
    ctc, aten = Ctc(torch, places), torch.ops.aten
    kept[aten._ctc_loss.default] = ctc.of_scores
    library = torch.library.Library("aten", "IMPL")
    try:
        with warnings.catch_warnings():  # that there is another
            warnings.simplefilter("ignore")
            library.impl("ctc_loss.Tensor", ctc.loss, "CompositeImplicitAutograd", allow_override=True)
    except (TypeError, RuntimeError):
        pass  # an older PyTorch: lengths stay tensors
    return library
