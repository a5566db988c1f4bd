# SPDX-License-Identifier: Apache-2.0
"""For dry_run.py: how many samples and tokens a step takes, and what says so; another batch or precision where that is asked for.

It lies as steptime_dry_batch.py beside the sitecustomize.py that dry_run.py is. Samples are the leading dimension of what a
DataLoader hands out, all batches of a step together; where a script has no loader, that of the first tensor that the outermost
module of the step is called with. Tokens are the elements of `input_ids`, or of such a first tensor that is a matrix of integers.
"""
import functools

from steptime_dry_plan import BATCH, PRECISION, place, tell

DEEPEST = 3


class Batch:
    def __init__(self, torch):
        self.torch = torch
        self.begin_step()

    def begin_step(self):
        self.loaded = [0, 0, 0]  # samples, tokens, batches
        self.called = [0, 0, 0]
        self.module = None  # the first that no other is around
        self.goes_on = False  # it was called, and no backward() came behind that
        self.loaded_at = self.called_at = "-"

    # ---- what a batch is ----

    def first_tensor(self, value, depth=0):
        """The one that tells how large the batch is; None."""
        if isinstance(value, self.torch.Tensor):
            return value if value.dim() else None
        if depth >= DEEPEST:
            return None
        if hasattr(value, "keys") and hasattr(value, "__getitem__"):
            if "input_ids" in value.keys():
                return self.first_tensor(value["input_ids"], depth + 1)
            value = [value[key] for key in list(value.keys())]
        if isinstance(value, (list, tuple)):
            for item in value:
                found = self.first_tensor(item, depth + 1)
                if found is not None:
                    return found
        return None

    def is_made(self, value, depth=0):
        """Whether a tensor of it was computed of parameters."""
        if isinstance(value, self.torch.Tensor):
            return value.grad_fn is not None
        if isinstance(value, dict):
            value = list(value.values())
        return depth < DEEPEST and isinstance(value, (list, tuple)) and any(self.is_made(item, depth + 1) for item in value)

    def count(self, sums, tensor):
        sums[0] += tensor.shape[0]
        sums[2] += 1
        if tensor.dim() == 2 and tensor.dtype in (self.torch.int64, self.torch.int32):
            sums[1] += tensor.numel()

    # ---- where it comes from ----

    def see_loaded(self, batch):
        tensor = self.first_tensor(batch)
        if tensor is not None:
            self.loaded_at = place()
            self.count(self.loaded, tensor)

    def see_call(self, module, arguments, named):
        """Of the first module in a step, each call; a loss is called with what a module made. A call with what an earlier one made (the
        state of a recurrent network) goes on with the same samples."""
        if self.module not in (None, id(module)) or self.goes_on and self.is_made((arguments, named)):
            return
        tensor = self.first_tensor({**{str(i): value for i, value in enumerate(arguments)}, **named})
        if tensor is None or tensor.grad_fn is not None:
            return
        if self.module is None:
            self.called_at = place()
        self.module, self.goes_on = id(module), True
        self.count(self.called, tensor)

    def end_backward(self):
        self.goes_on = False

    def end_step(self):
        basis, (samples, tokens, batches), where = ("loader", self.loaded, self.loaded_at) if self.loaded[0] else \
            ("module", self.called, self.called_at)
        if samples:
            tell("batch", where, f"{basis} {samples} {tokens} {batches}")
        self.begin_step()

    def watch(self):
        from torch.utils.data import dataloader
        given = dataloader._BaseDataLoaderIter.__next__

        @functools.wraps(given)
        def wrapper(loader):
            batch = given(loader)
            self.see_loaded(batch)
            return batch
        dataloader._BaseDataLoaderIter.__next__ = wrapper


# ---- other than the script says ----

def another_batch(given):
    """Arguments of a DataLoader, by name."""
    if not BATCH:
        return
    sampler = given.get("batch_sampler")
    if sampler is not None and hasattr(sampler, "batch_size"):
        sampler.batch_size = BATCH
    elif sampler is None and given.get("batch_size", 1) is not None:
        given["batch_size"] = BATCH
    else:
        return
    tell("rebatched", place(), str(BATCH))


def another_precision(torch):
    """As if the whole script stood in autocast; where it says so itself, that counts."""
    if PRECISION:
        torch.set_autocast_dtype("cpu", getattr(torch, PRECISION))
        torch.set_autocast_enabled("cpu", True)
