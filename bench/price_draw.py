# SPDX-License-Identifier: Apache-2.0
"""Draws training scripts of public repositories by chance: first a repository, then one of its scripts, none twice. A script counts
when what it does as it is run has backward() and the step() of an optimizer, or hands a model to a Trainer, and all that it
imports is found: in its folder, in its repository, or by this Python. One that is drawn and whose imports fail is passed over.

    bench/price_draw.py --seed N [--count 20] CHECKOUT...

Run it with the Python that is to run the scripts. A checkout is a folder OWNER+NAME with a file .commit.
"""
import argparse
import ast
import functools
import importlib.util
import os
import random
import re
import subprocess
import sys

STEPS = re.compile(r"\.backward\(|\bTrainer\(|\bPPO\(|\.fit\(")
ENDS = re.compile(r"\.step\(|\.train\(|\.fit\(|\.learn\(")
NOT_ALONE = re.compile(r"(^|/)(tests?|setup|docs?|build)(/|\.py|_)|test_|_test\.py")


@functools.lru_cache(None)
def installed(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.split(".")[0]


def is_here(name, folders):
    return installed(name) or any(os.path.exists(os.path.join(folder, name + end)) for folder in folders for end in ("", ".py"))


def begins_work(node):
    """A loop, main(), trainer.train(), or what is asked by __name__. A module that silences warnings or asks what is installed begins none."""
    if isinstance(node, ast.If):
        return "__name__" in ast.unparse(node.test)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return isinstance(node.value.func, ast.Name) or bool(ENDS.search(ast.unparse(node.value)))
    return isinstance(node, (ast.For, ast.While))


def names_in(node):
    return {one.id if isinstance(one, ast.Name) else one.attr for one in ast.walk(node) if isinstance(one, (ast.Name, ast.Attribute))}


def reached(tree):
    """The text that runs when the script does: what stands outside functions and classes, and those of them that it, or they, name, or
    that a decorator takes (a command). A module of losses that shows itself at work, or a main() that does nothing, trains nothing."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    left = [node for node in tree.body if isinstance(node, kinds)]
    texts, names = [], set()
    for node in tree.body:
        if not isinstance(node, (*kinds, ast.Import, ast.ImportFrom)):
            texts.append(ast.unparse(node))
            names |= names_in(node)
    while True:
        found = [node for node in left if node.name in names or node.decorator_list]
        if not found:
            return "\n".join(texts)
        for node in found:
            left.remove(node)
            texts.append(ast.unparse(node))
            names |= names_in(node)


def counts(path, checkout):
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, UnicodeDecodeError):
        return False
    text = reached(tree)
    return (bool(STEPS.search(text) and ENDS.search(text)) and any(map(begins_work, tree.body))
            and all(is_here(name, (os.path.dirname(path), checkout)) for name in imported(tree)))


def imports_work(path, checkout):
    """The imports at the script's head, alone in a process: names that a package no longer has count, and what its own modules import."""
    with open(path, encoding="utf-8") as file:
        heads = [ast.unparse(node) for node in ast.parse(file.read()).body
                 if isinstance(node, (ast.Import, ast.ImportFrom)) and getattr(node, "module", "") != "__future__"]
    folder = os.path.dirname(path)
    try:
        return subprocess.run([sys.executable, "-c", "\n".join(heads)], cwd=folder, timeout=120, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join((folder, checkout))}).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def scripts_of(checkout):
    found = []
    for folder, _, names in os.walk(checkout):
        for name in names:
            path = os.path.join(folder, name)
            short = os.path.relpath(path, checkout)
            if name.endswith(".py") and not NOT_ALONE.search(short) and counts(path, checkout):
                found.append(short)
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("checkouts", nargs="+")
    asked = parser.parse_args()
    pools = {checkout: scripts_of(checkout) for checkout in sorted(one.rstrip("/") for one in asked.checkouts)}
    for checkout, pool in pools.items():
        print(f"# {os.path.basename(checkout).replace('+', '/')}: {len(pool)} scripts")
    draw = random.Random(asked.seed)
    drawn = 0
    while drawn < asked.count and any(pools.values()):
        checkout = draw.choice([checkout for checkout, pool in pools.items() if pool])
        script = draw.choice(pools[checkout])
        pools[checkout].remove(script)
        works = imports_work(os.path.join(checkout, script), os.path.abspath(checkout))
        drawn += works
        with open(os.path.join(checkout, ".commit"), encoding="utf-8") as file:
            print("" if works else "# imports fail: ", os.path.basename(checkout).replace("+", "/"), " ", file.read().strip(), " ", script,
                  sep="", flush=True)


if __name__ == "__main__":
    main()
