# SPDX-License-Identifier: Apache-2.0
"""For run.py: which kernels of attention the asked device would take. PyTorch chooses by the device, far below its Python.

It lies as steptime_dry_attention.py beside the sitecustomize.py that run.py is.

Of the host's kernels the fused one stands for all fused ones of a device. Where a device has none for the call, it multiplies matrices,
and keeps that of probabilities. The rules are those of PyTorch's sdp_utils.cpp:

    flash       generation 8.0 on, types of 16 bits, no mask, heads to 256 wide, all of one width
    efficient   types of 16 bits and float32, bfloat16 from generation 8.0 on; queries as wide as keys, widths multiples of what its
                products are aligned to: 8 of 16 bits and 4 of float32 on tensor cores (7.0 on for 16 bits, 8.0 on for all), else 1
    matrices    all else: float64 among it
"""
import contextlib

from steptime_dry_plan import DEVICE_CAPABILITY

WIDEST_FLASH = 256


def alignment(half):
    major = DEVICE_CAPABILITY[0]
    if major >= 8 or (major == 7 and half):
        return 8 if half else 4
    return 1


def is_flash(torch, query, key, value, mask):
    width = query.shape[-1]
    return (DEVICE_CAPABILITY >= (8, 0) and query.dtype in (torch.float16, torch.bfloat16) and mask is None and width <= WIDEST_FLASH
            and width == key.shape[-1] == value.shape[-1])


def is_efficient(torch, query, key, value):
    kinds = (torch.float16, torch.float32) + ((torch.bfloat16,) if DEVICE_CAPABILITY >= (8, 0) else ())
    step = alignment(query.dtype != torch.float32)
    return (query.dtype in kinds and query.shape[-1] == key.shape[-1] and query.shape[-1] % step == 0 and value.shape[-1] % step == 0)


def attention_as_there(torch):
    """With dropout the host's fused kernels fall back to matrices; those of devices do not."""
    functional = torch.nn.functional
    given = functional.scaled_dot_product_attention

    def attention(query, key, value, attn_mask=None, dropout_p=0.0, *arguments, **named):
        if is_flash(torch, query, key, value, attn_mask) or is_efficient(torch, query, key, value):
            return given(query, key, value, attn_mask, 0.0, *arguments, **named)
        with matrices(torch):
            return given(query, key, value, attn_mask, dropout_p, *arguments, **named)
    functional.scaled_dot_product_attention = attention


def matrices(torch):
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel
    except ImportError:  # before 2.3
        return contextlib.nullcontext()
    return sdpa_kernel(SDPBackend.MATH)
