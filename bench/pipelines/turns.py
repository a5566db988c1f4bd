# SPDX-License-Identifier: Apache-2.0
"""Trains several versions of a script at once, a step each in turns, and says what a step of each takes.

    turns.py --steps 40 before=DIR fixed=DIR ... -- run_it.py ARGS...

Every version is a process of its own, forked from one that has imported PyTorch, and runs only while the others wait: step i of
all versions lies within one moment of a busy machine, with the same data. Times are processor time of the process, so what
other programs do counts little. A second copy of the first version shows what is left of noise.

Prints JSON: of each version the times of its steps in ns and its losses as hexadecimal numbers.
"""
import argparse
import json
import os
import random
import runpy
import signal
import sys
import time
import traceback

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook


class Turn:
    """In a version's process: a step of the optimizer ends the turn."""

    def __init__(self, wait, tell, steps):
        self.wait, self.tell, self.left = wait, tell, steps
        self.begin_ns = None
        self.losses = []
        self.of_one = None

    def end(self, optimizer, *_):
        if self.of_one not in (None, id(optimizer)):  # a step is one of the first optimizer
            return
        self.of_one = id(optimizer)
        now_ns = time.process_time_ns()
        took_ns = None if self.begin_ns is None else now_ns - self.begin_ns
        self.say({"ns": took_ns, "losses": self.losses})
        self.losses = []
        self.left -= 1
        if self.left < 0:
            os._exit(0)
        os.read(self.wait, 1)
        self.begin_ns = time.process_time_ns()

    def say(self, what):
        os.write(self.tell, (json.dumps(what) + "\n").encode())

    def watch(self):
        backward = torch.autograd.backward

        def watched(tensors, *more, **named):
            if isinstance(tensors, torch.Tensor) and tensors.numel() == 1:
                self.losses.append(tensors.item().hex())
            return backward(tensors, *more, **named)

        torch.autograd.backward = watched
        register_optimizer_step_post_hook(self.end)


class Version:
    def __init__(self, name, folder, words, steps):
        self.name = name
        go, self.go = os.pipe()
        heard, tell = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            os.setpgid(0, 0)  # so that the workers of its loaders end with it
            run(folder, words, Turn(go, tell, steps))
        os.close(go)
        os.close(tell)
        self.heard = os.fdopen(heard)
        self.steps, self.losses = [], []

    def hear(self):
        """False at the end of the version's training."""
        line = self.heard.readline()
        if not line:
            return False
        said = json.loads(line)
        self.steps += [said["ns"]] if said["ns"] is not None else []
        self.losses += said["losses"]
        return True

    def end(self):
        try:
            os.killpg(self.process, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.process, 0)

    def step(self):
        os.write(self.go, b"g")
        return self.hear()


def run(folder, words, turn):
    """Never returns."""
    try:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.argv, sys.path[0] = words, folder
        os.read(turn.wait, 1)
        turn.watch()
        runpy.run_path(words[0], run_name="__main__")
    except BaseException:  # whatever ends a script ends its process here
        traceback.print_exc()
    os._exit(1)


def import_what_optimizers_import():
    """Once, before the versions part."""
    try:
        import torch._dynamo  # noqa: F401
    except ImportError:
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=600, help="begin no round of turns later")
    parser.add_argument("versions", nargs="+", metavar="NAME=FOLDER")
    cut = sys.argv.index("--")
    options, words = parser.parse_args(sys.argv[1:cut]), sys.argv[cut + 1:]
    torch.set_num_threads(1)
    import_what_optimizers_import()
    versions = [Version(*(version.split("=", 1)), words, options.steps) for version in options.versions]
    alive = [version for version in versions if version.step()]
    order = random.Random(0)
    late = time.monotonic() + options.seconds
    for turn in range(options.steps):
        if time.monotonic() > late:
            break
        for version in order.sample(alive, len(alive)):  # another one each turn: what runs before a step changes it
            version.step()
    for version in versions:
        version.end()
    json.dump({version.name: {"steps_ns": version.steps, "losses": version.losses} for version in versions}, sys.stdout)


if __name__ == "__main__":
    main()
