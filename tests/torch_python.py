# SPDX-License-Identifier: Apache-2.0
"""The interpreter that has PyTorch, for tests that run real training: STEPTIME_TORCH_PYTHON, or the one they run in."""
import functools
import os
import subprocess
import sys
import unittest


def has_torch(python):
    try:
        return subprocess.run([python, "-c", "import torch, numpy"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


@functools.lru_cache
def find():
    return next(filter(has_torch, filter(None, (os.environ.get("STEPTIME_TORCH_PYTHON"), sys.executable))), None)


def torch_python():
    """The case skips where there is none."""
    if not find():
        raise unittest.SkipTest("no interpreter with PyTorch; STEPTIME_TORCH_PYTHON names one")
    return find()
