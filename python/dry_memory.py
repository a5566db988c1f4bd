# SPDX-License-Identifier: Apache-2.0
"""For dry_run.py: which storages live when.

It lies as steptime_dry_memory.py beside the sitecustomize.py that dry_run.py is.
"""


class Memory:
    def __init__(self, torch, mode):
        self.torch = torch

    def __enter__(self):
        return self

    def end_step(self, optimizer):
        pass

    def write(self):
        pass
