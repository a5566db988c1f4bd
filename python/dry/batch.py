# SPDX-License-Identifier: Apache-2.0
"""For run.py: how many samples and tokens a step takes, and what says so; another batch or precision where that is asked for.

It lies as steptime_dry_batch.py beside the sitecustomize.py that run.py is. Samples are the leading dimension of what a
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

    def began(self):
        """A loader with another batch hands out its first one: what is made from here on may grow with the batch."""

    def begin_step(self):
        self.loaded = [0, 0, 0]  # samples, tokens, batches
        self.called = [0, 0, 0]
        self.module = None  # the first that no other is around
        self.goes_on = False  # it was called, and no backward() came behind that
        self.loaded_at = self.called_at = "-"
        self.own = self.ran = 0  # items that loaders would have handed out, and did, where these differ

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

    def see_loaded(self, batch, own=0):
        """own: how many items it would be by itself, where it got another number."""
        if own:
            self.own += own
            self.ran += BATCH
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
        if self.own:
            tell("instead", where, f"{self.own} {self.ran}")
        self.begin_step()

    def watch(self):
        from torch.utils.data import dataloader
        given = dataloader._BaseDataLoaderIter.__next__

        @functools.wraps(given)
        def wrapper(loader):
            own = own_batch(loader)
            if own:
                self.began()
            batch = given(loader)
            self.see_loaded(batch, own)
            return batch
        dataloader._BaseDataLoaderIter.__next__ = wrapper


# ---- other than the script says ----

def another_batch(given):
    """Arguments of a DataLoader, by name. The batch that it asks for; None: it keeps that."""
    if not BATCH:
        return None
    sampler = given.get("batch_sampler")
    if sampler is not None and hasattr(sampler, "batch_size"):
        own = getattr(sampler, "steptime_own", sampler.batch_size)  # of a loader that is made of another
        sampler.batch_size = BATCH
    elif sampler is None and given.get("batch_size", 1) is not None:
        own = given.get("batch_size", 1)
        given["batch_size"] = BATCH
    else:
        return None
    tell("rebatched", place(), str(BATCH))
    return own


def own_batch(iterator):
    """Items that the loader would hand out by itself; 0: it does."""
    own = getattr(getattr(iterator, "_index_sampler", None), "steptime_own", 0)
    try:
        return min(own, len(iterator._dataset)) if own else 0
    except (AttributeError, TypeError, NotImplementedError):  # one that does not know how many it has
        return own


def another_precision(torch):
    """As if the whole script stood in autocast; where it says so itself, that counts."""
    if PRECISION:
        torch.set_autocast_dtype("cpu", getattr(torch, PRECISION))
        torch.set_autocast_enabled("cpu", True)
