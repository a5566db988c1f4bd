# SPDX-License-Identifier: Apache-2.0
"""What part of a step goes before the network: prepared.py [--steps 40] run_it.py NAME, from the folder of a version.

Processor time from the end of the optimizer's step to the first call of a module, of that of the whole step: the median over
steps, with its quartiles. What prepares while the network runs is not in it.
"""
import argparse
import os
import runpy
import statistics
import sys
import time

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook

WARM_UP = 5


class Watch:
    def __init__(self, steps):
        self.steps, self.parts, self.lengths = steps + WARM_UP, [], []
        self.begin_ns = self.network_ns = None

    def network(self, *_):
        if self.network_ns is None:
            self.network_ns = time.process_time_ns()

    def step(self, *_):
        now_ns = time.process_time_ns()
        if self.begin_ns is not None and self.network_ns is not None:
            self.lengths.append(now_ns - self.begin_ns)
            self.parts.append((self.network_ns - self.begin_ns) / self.lengths[-1])
        self.begin_ns, self.network_ns = now_ns, None
        if len(self.parts) == self.steps:
            self.tell()

    def tell(self):
        low, middle, high = statistics.quantiles(self.parts[WARM_UP:], n=4)
        print(f"{100 * middle:.1f} % ({100 * low:.1f} to {100 * high:.1f}) of {statistics.median(self.lengths[WARM_UP:]) / 1e6:.1f} ms",
              flush=True)
        os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    watch = Watch(options.steps)
    torch.set_num_threads(1)
    register_module_forward_pre_hook(watch.network)
    register_optimizer_step_post_hook(watch.step)
    sys.argv, sys.path[0] = options.words, os.getcwd()
    runpy.run_path(options.words[0], run_name="__main__")


if __name__ == "__main__":
    main()
