# SPDX-License-Identifier: Apache-2.0
"""The interpreter that has PyTorch, for tests that run real training: STEPTIME_TORCH_PYTHON, or the one they run in.

Cases that need one run in one build only: they take minutes of somebody's program, and how ours was built makes no
difference to that. Under the sanitizers and the second compiler they skip; the stand-ins (torch_stand_in.py) run there."""
import functools
import os
import subprocess
import sys
import unittest

from support import FIRST_BUILD


def has_torch(python):
    try:
        return subprocess.run([python, "-c", "import torch, numpy"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


@functools.lru_cache
def find():
    return next(filter(has_torch, filter(None, (os.environ.get("STEPTIME_TORCH_PYTHON"), sys.executable))), None)


def once_is_enough():
    if not FIRST_BUILD:
        raise unittest.SkipTest("real PyTorch is asked of one build only, that of make check")


def torch_python():
    """The case skips where there is none."""
    once_is_enough()
    if not find():
        raise unittest.SkipTest("no interpreter with PyTorch; STEPTIME_TORCH_PYTHON names one")
    return find()


DEBIAN = "/usr/bin/python3"  # whose python3-torch is 1.13, without Kineto


def debian_python():
    """The case skips where Debian's PyTorch is not installed, or is what all tests run on anyway."""
    once_is_enough()
    if not os.path.exists(DEBIAN) or not has_torch(DEBIAN):
        raise unittest.SkipTest(f"no PyTorch in {DEBIAN} (Debian's python3-torch)")
    if os.path.realpath(find() or "") == os.path.realpath(DEBIAN):
        raise unittest.SkipTest(f"all tests run on {DEBIAN}")
    return DEBIAN
