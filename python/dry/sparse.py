# SPDX-License-Identifier: Apache-2.0
"""For run.py: sparse tensors. A trace has their whole shape and not how much of it is there, so their products are counted as those of
full ones: each line that makes one is told.

It lies as steptime_dry_sparse.py beside the sitecustomize.py that run.py is.
"""
import functools

from steptime_dry_plan import count

MAKERS = ("sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_bsc_tensor", "sparse_compressed_tensor")
METHODS = ("to_sparse", "to_sparse_coo", "to_sparse_csr", "to_sparse_csc", "to_sparse_bsr", "to_sparse_bsc")
KINDS = ("FloatTensor", "DoubleTensor", "HalfTensor", "LongTensor")  # of torch.sparse: they are asked for by isinstance(), too


def tell():
    count("shape", "a sparse tensor, counted as a full one")


def told(given):
    @functools.wraps(given, updated=())
    def make(*arguments, **named):
        tell()
        return given(*arguments, **named)
    return make


def told_kind(given):
    class Kind(type):
        def __call__(cls, *arguments, **named):
            tell()
            return given(*arguments, **named)

        def __instancecheck__(cls, held):
            return isinstance(held, given)
    return Kind(given.__name__, (), {"__doc__": given.__doc__})


def tell_of_sparse_tensors(torch):
    for owner, names, make in ((torch, MAKERS, told), (torch.Tensor, METHODS, told), (torch.sparse, KINDS, told_kind)):
        for name in names:
            given = getattr(owner, name, None)
            if given is not None:
                setattr(owner, name, make(given))
