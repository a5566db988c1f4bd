# SPDX-License-Identifier: Apache-2.0
"""Runs a public training script as it is: go.py SCRIPT [WORD...], with `site-packages` on PYTHONPATH.

What it imports and does not train with (loggers, plots) is an empty module where it is not installed; `site-packages` holds drawn data in the place of
torchvision's data sets and of gym's environments. Names that NumPy and SciPy no longer have are given back; with --old before SCRIPT, `loss.data[0]` too.
"""
import importlib
import importlib.machinery
import os
import runpy
import sys
import types

import numpy as np
import scipy.sparse.linalg

UNUSED = ("setproctitle", "tensorboard_logger", "tensorboard", "tensorboardX", "skimage", "skimage.transform", "wandb", "visdom",
          "graphviz", "imageio", "igraph", "wilds", "wilds.datasets", "wilds.datasets.camelyon17_dataset", "wilds.datasets.fmow_dataset", "gpuinfo", "torchnet", "torchnet.engine", "onnx", "lmdb", "torchsummary")
ALWAYS = ("torch.utils.tensorboard",)


class Nothing:
    """Whatever is asked of it."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *_, **__):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def empty(name, **members):
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__path__ = []
    module.__getattr__ = lambda member: getattr(Nothing, member) if member.startswith("__") else Nothing
    vars(module).update(members)
    sys.modules[name] = module


def installed(name):
    try:
        importlib.import_module(name)
        return True
    except ImportError:
        return False


class Terminal:
    def read(self):
        return "40 80"


def stand_in():
    for name in UNUSED:
        if not installed(name):
            empty(name)
    for name in ALWAYS:
        empty(name)
    empty("scipy.sparse.linalg.eigen")
    empty("scipy.sparse.linalg.eigen.arpack", eigsh=scipy.sparse.linalg.eigsh)
    np.in1d = np.isin
    for name, kind in (("bool", bool), ("int", int), ("float", float), ("object", object)):
        if name not in vars(np):
            setattr(np, name, kind)
    given = os.popen
    os.popen = lambda command, *more: Terminal() if "stty" in command else given(command, *more)


stand_in()
sys.argv = sys.argv[1:]
if sys.argv[0] == "--old":
    import old_torch  # noqa: F401
    sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
