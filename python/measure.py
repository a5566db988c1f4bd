# SPDX-License-Identifier: Apache-2.0
"""Measures kernels on the GPU of this machine, one a line, for `steptime calibrate`, which starts it. Needs PyTorch alone.

First it says what it is, a line each: `device NAME`, `with WORDS`, `ready`; or `cannot WHY`, and ends. Then each line that it
reads, `FORM OPERATOR TYPE NAME=SIZE ...`, is answered by `us MICROSECONDS` or `cannot WHY`. Times are of a lone call, launch
included, as in the tables that the models were fitted on: an idle device, an event, the call, an event; the median.
"""
import statistics
import sys

WARM_UPS, FEWEST, MOST, ENOUGH_US = 3, 5, 30, 40000
TYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}


def say(*words):
    print(*words, flush=True)


def products(torch, sizes, make):
    """C[m x k] = A[m x n] B[n x k]"""
    a = make(sizes["b"], sizes["m"], sizes["n"])
    b = make(sizes["b"], sizes["n"], sizes["k"])
    return lambda: torch.bmm(a, b)


def linear(torch, sizes, make):
    x, weight = make(sizes["m"], sizes["n"]), make(sizes["k"], sizes["n"])
    return lambda: torch.nn.functional.linear(x, weight)


def elementwise(name):
    def call(torch, sizes, make):
        x = make(sizes["rows"], sizes["cols"])
        y = make(sizes["rows"], sizes["cols"]) if name == "add" else None
        function = {"gelu": torch.nn.functional.gelu, "relu": torch.relu, "tanh": torch.tanh}.get(name)
        return (lambda: x + y) if name == "add" else (lambda: function(x))
    return call


def softmax(torch, sizes, make):
    x = make(sizes["rows"], sizes["cols"])
    return lambda: torch.softmax(x, -1)


def layer_norm(torch, sizes, make):
    x = make(sizes["rows"], sizes["cols"])
    return lambda: torch.nn.functional.layer_norm(x, x.shape[-1:])


CALLS = {"bmm": products, "linear": linear, "softmax": softmax, "layer_norm": layer_norm}


def call_of(torch, line, device):
    form, operator, dtype, *sizes = line.split()
    sizes = {name: int(size) for name, _, size in (word.partition("=") for word in sizes)}
    kind = getattr(torch, TYPES[dtype])
    make = lambda *shape: torch.randn(*shape, device=device, dtype=kind)
    build = elementwise(operator) if form == "elementwise" else CALLS[form]
    return build(torch, sizes, make)


def once_us(torch, events, call):
    torch.cuda.synchronize()
    events[0].record()
    call()
    events[1].record()
    torch.cuda.synchronize()
    return 1e3 * events[0].elapsed_time(events[1])


def median_us(torch, events, call):
    for _ in range(WARM_UPS):
        last_us = once_us(torch, events, call)
    repeats = min(MOST, max(FEWEST, int(ENOUGH_US / max(last_us, 1))))
    return statistics.median(once_us(torch, events, call) for _ in range(repeats))


def main():
    try:
        import torch
    except ImportError as why:
        say("cannot", f"PyTorch is not there: {why}")
        return
    if not torch.cuda.is_available():
        say("cannot", "PyTorch finds no GPU here")
        return
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    say("device", torch.cuda.get_device_name())
    say("with", f"torch {torch.__version__}")
    say("ready")
    for line in sys.stdin:
        try:
            say("us", f"{median_us(torch, events, call_of(torch, line, 'cuda')):.4f}")
        except (RuntimeError, KeyError, ValueError, AssertionError) as why:
            say("cannot", (str(why).splitlines() or ["?"])[0][:200])
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
