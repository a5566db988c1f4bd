# SPDX-License-Identifier: Apache-2.0
"""Fits without a GPU, made once: several benches ask for the same, and a fit takes a minute.

They lie in a folder that goes with the run, or in one that is named (`keep`) and is read by later runs: whoever changes how
models are fitted empties it.
"""
import os
import tempfile

_made = None    # goes with the process
_folder = None


def keep(folder):
    """Fits lie in this folder from now on, and stay there."""
    global _folder
    os.makedirs(folder, exist_ok=True)
    _folder = folder


def folder():
    global _folder, _made
    if _folder is None:
        _made = tempfile.TemporaryDirectory(prefix="fits-")
        _folder = _made.name
    return _folder


def once(name, make):
    """The file of that name; `make(path)` writes it where it is not there yet."""
    full = os.path.join(folder(), name)
    if not os.path.exists(full):
        make(full + ".part")
        os.replace(full + ".part", full)
    return full
