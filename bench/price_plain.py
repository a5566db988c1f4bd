# SPDX-License-Identifier: Apache-2.0
"""Runs a script as it is, without steptime, until its first step: does it run here at all?

    price_plain.py [--limit SECONDS] SCRIPT [ARGUMENT...]

The answer is a line on the standard output: "plain yes SECONDS", or "plain no REASON" with the last line that the script said. A step ends
with the step() of any of PyTorch's optimizers, in the script's process or in one that it starts, or, where the script makes no
optimizer, with its first backward(). What the script does behind that is not run: it is killed with all that it started.
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

# Lies as sitecustomize.py before all that the script imports.
HOOK = '''
import importlib.abc, importlib.util, os, sys

def told(word):
    if not getattr(told, word, False):
        setattr(told, word, True)
        with open(os.environ["PRICE_PLAIN"], "a") as file:
            file.write(word + chr(10))

def watch(torch):
    sys.modules["torch.optim.optimizer"].register_optimizer_step_post_hook(lambda *_: told("step"))
    make = torch.optim.Optimizer.__init__
    def made(*arguments, **named):
        make(*arguments, **named)
        told("optimizer")
    torch.optim.Optimizer.__init__ = made
    backward = torch.autograd.backward
    def through(*arguments, **named):
        backward(*arguments, **named)
        told("backward")
    torch.autograd.backward = through

class Waiting(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *_):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        execute = spec.loader.exec_module
        def then(module):
            execute(module)
            watch(module)
        spec.loader.exec_module = then
        return spec

sys.meta_path.insert(0, Waiting())
'''


def has_stepped(path):
    with open(path, encoding="utf-8") as file:
        words = file.read().split()
    return "step" in words or ("backward" in words and "optimizer" not in words and "over" in words)


def last_line(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    return lines[-1][:300] if lines else "nothing said"


def wait(child, told, limit):
    """Seconds until a step, or None."""
    began = time.monotonic()
    while time.monotonic() - began < limit:
        ended = child.poll() is not None
        if ended:
            with open(told, "a", encoding="utf-8") as file:
                file.write("over\n")
        if has_stepped(told):
            return time.monotonic() - began
        if ended:
            return None
        time.sleep(0.2)
    with open(told, "a", encoding="utf-8") as file:
        file.write("over\n")
    return limit if has_stepped(told) else None


def run(script, arguments, limit):
    with tempfile.TemporaryDirectory() as folder:
        told, said = os.path.join(folder, "told"), os.path.join(folder, "said")
        with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write(HOOK)
        with open(told, "w", encoding="utf-8"), open(said, "w", encoding="utf-8") as out:
            path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
            child = subprocess.Popen([sys.executable, script, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out,  # pylint: disable=consider-using-with
                                     start_new_session=True, env={**os.environ, "PYTHONPATH": path, "PRICE_PLAIN": told})
        seconds = wait(child, told, limit)
        code = child.poll()
        if code is None or seconds is not None:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        child.wait()
        if seconds is not None:
            return f"plain yes {seconds:.1f}"
        return "plain no " + (f"step within {limit:g} s: " if code is None else f"ended with {code}: ") + last_line(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    print(run(asked.script, asked.arguments, asked.limit))


if __name__ == "__main__":
    main()
