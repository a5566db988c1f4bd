# SPDX-License-Identifier: Apache-2.0
"""What the examples share: the device, the profiler's flags, and a context that records a few steps.

A step of the trace is what lies between two calls of step(), so call it last in the training loop:

    with recorder(args, device) as profiler:
        for batch in loader:
            ...
            profiler.step()
"""

import contextlib
from types import SimpleNamespace

import torch
from torch.profiler import ProfilerActivity, profile, schedule


def add_arguments(parser):
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto",
                        help="cuda means AMD's ROCm too (default: cuda if there is one)")
    parser.add_argument("--seed", type=int, default=1)
    group = parser.add_argument_group("recording")
    group.add_argument("--profile", metavar="FILE.json.gz", help="record a trace into this file")
    group.add_argument("--wait", type=int, default=2, help="steps before the profiler starts (default: 2)")
    group.add_argument("--warmup", type=int, default=2, help="steps it runs without keeping any (default: 2)")
    group.add_argument("--active", type=int, default=4, help="steps in the trace (default: 4)")
    group.add_argument("--record-shapes", action="store_true", help="with the shapes of the operators' inputs")
    group.add_argument("--with-stack", action="store_true", help="with Python frames")
    group.add_argument("--profile-memory", action="store_true", help="with allocations")


def pick_device(args):
    if args.device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.device(args.device)


def recorder(args, device):
    """The profiler that the arguments ask for; without --profile, one that does nothing."""
    if not args.profile:
        return contextlib.nullcontext(SimpleNamespace(step=lambda: None))
    needed = args.wait + args.warmup + args.active
    if args.steps < needed:
        raise SystemExit(f"recording needs at least --steps {needed} (--wait + --warmup + --active)")
    activities = [ProfilerActivity.CPU]
    if device.type == "cuda":
        activities.append(ProfilerActivity.CUDA)
    return profile(
        activities=activities,
        schedule=schedule(wait=args.wait, warmup=args.warmup, active=args.active, repeat=1),
        on_trace_ready=lambda trace: trace.export_chrome_trace(args.profile),
        record_shapes=args.record_shapes,
        with_stack=args.with_stack,
        profile_memory=args.profile_memory,
    )
