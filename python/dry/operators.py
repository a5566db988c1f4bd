# SPDX-License-Identifier: Apache-2.0
"""For waits.py: which operators wait for a CUDA device, which give it work, and how much.

It lies as steptime_dry_operators.py beside the sitecustomize.py that run.py is.
"""

SHAPES = {"nonzero", "masked_select", "_unique", "_unique2", "unique_dim", "unique_consecutive", "bincount"}
VALUES = {"_local_scalar_dense", "is_nonzero", "equal"}
LIBRARY = {"_linalg_check_errors", "_linalg_svd", "_linalg_eigh", "linalg_eig", "linalg_lstsq", "_ctc_loss"}
NO_WORK = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "_unsafe_view", "_reshape_alias",
           "lift_fresh", "detach", "detach_", "resize_", "set_", "alias", "_local_scalar_dense", "requires_grad_", "lift"}
PRODUCTS = ("mm", "bmm", "addmm", "baddbmm", "addbmm", "addmv", "mv", "dot", "conv", "lstm", "gru", "rnn", "attention",
            "_foreach", "_fused", "einsum", "linear", "_thnn", "_cudnn", "_sparse")
MANY_BYTES = 4 << 20


class Operators:
    def __init__(self, torch):
        self.torch = torch
        self.names, self.views = {}, {}

    def name(self, func):
        known = self.names.get(func)
        if known is None:
            known = self.names[func] = func.__name__.split(".")[0]
        return known

    def waits(self, func, args, kwargs, lies_there):
        """"value", "shape", "library" or None."""
        name = self.name(func)
        if name in VALUES:
            return "value"
        if name in SHAPES:
            return "shape"
        if name == "repeat_interleave":
            return "shape" if (args[1] if len(args) > 1 else kwargs.get("output_size")) is None else None
        if name in ("index", "index_put", "index_put_", "_index_put_impl_"):
            return "shape" if self.is_masked(name, args, lies_there) else None
        return "library" if name in LIBRARY and lies_there(args[0]) else None

    def is_masked(self, name, args, lies_there):
        """One number of the host for all that a mask chooses is a fill."""
        masks = [index for index in args[1] if isinstance(index, self.torch.Tensor)
                 and index.dtype in (self.torch.bool, self.torch.uint8)]
        if not masks:
            return False
        return name == "index" or args[2].numel() != 1 or lies_there(args[2])

    def launches(self, func):
        """A view gives the device nothing to do, nor does memory that nobody fills."""
        known = self.views.get(func)
        if known is None:
            returns = func._schema.returns
            alias = returns[0].alias_info if returns else None
            known = self.views[func] = self.name(func) not in NO_WORK and not (alias is not None and not alias.is_write)
        return known

    def is_heavy(self, name, given, made):
        """More than a sum, a comparison and the like."""
        if any(word in name for word in PRODUCTS[7:]) or name.lstrip("_").startswith(PRODUCTS[:7]):
            return True
        size = 0
        for tensor in (*given, *made):
            try:
                size += tensor.numel() * tensor.element_size()
            except (RuntimeError, NotImplementedError):
                return True
        return size >= MANY_BYTES
