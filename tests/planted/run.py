#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs steptime on planted jobs and shows what each command says, beside the truth.

run.py [--keep FOLDER] [--proof] [NAME...]      NAME: of a job, or the beginning of several (late_, real_, bound_); default: all

Marks: + right, ! wrong, - says nothing about it. Exit code 1 where a job has anything but +.
"""
import argparse
import collections
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True

from planted import compare, real, truth as truths  # noqa: E402
from planted.jobs import JOBS  # noqa: E402
from support import steptime  # noqa: E402

COMMANDS = {"summary": ("summary",), "ranks": ("ranks",), "critical-path": ("critical-path",),
            "stragglers": ("fleet", "stragglers")}


def answers(truth, folder):
    """{command: its document, or None where it failed}."""
    alone = truth["ranks"] == 1 or truth["alone"]
    found = {}
    for name, words in COMMANDS.items():
        if alone and name in ("ranks", "stragglers"):
            continue
        traces = sorted(os.path.join(folder, file) for file in os.listdir(folder) if file.endswith(".json.gz"))
        outcome = steptime(*words, "--format", "json", *traces)
        found[name] = outcome.json if outcome.code == 0 else None
    return found


def written(name, folder, proof):
    truth = truths.truth(JOBS[name])
    if proof:
        truth["proof"] = truths.proof(JOBS[name])
    truths.write(JOBS[name], folder)
    return truth


def jobs(names, keep, proof):
    """(truth, folder) of each job that is asked for."""
    chosen = lambda name: not names or any(name.startswith(word) for word in names)
    for name in filter(chosen, JOBS):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.join(keep, name) if keep else folder
            os.makedirs(folder, exist_ok=True)
            yield written(name, folder, proof), folder
    for truth in real.truths():
        if chosen(truth["name"]):
            yield truth, truth["folder"]


def brief(value):
    if isinstance(value, float) or isinstance(value, int) and value is not True and value > 9999:
        return f"{value / 1e6:.4g} ms"
    if isinstance(value, tuple) and value and isinstance(value[0], float):
        return " ".join(f"{share:.1%}" for share in value)
    return ",".join(sorted(map(str, value))) if isinstance(value, (set, list, tuple)) else str(value)


def tell(truth, checks):
    words = [f"{truth['name']}  {truth['ranks']} ranks: {truth['bound']};", truth["cause"] or "nothing"]
    if truth["rank"] is not None and truth["ranks"] > 1:
        words.append(f"on rank {truth['rank']}")
    if truth["cause"]:
        words += [truth["phase"] or "", truth["when"]]
    if truth["expected_ns"]:
        words.append(f"{truth['expected_ns'] / 1e6:.4g} ms a step")
    print(" ".join(filter(None, words)))
    by = collections.defaultdict(list)
    for each in checks:
        by[each.command].append(mark(each))
    for command, found in by.items():
        print(f"    {command:14} {'  '.join(found)}")


def mark(check):
    wrong = f" {brief(check.said)} (is {brief(check.wanted)})" if check.right is False else ""
    return {True: "+", False: "!", None: "-"}[check.right] + check.what + wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="FOLDER", help="write the traces there and leave them")
    parser.add_argument("--proof", action="store_true", help="compare the experiments behind the bound too (slower)")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    counts, whole = collections.Counter(), collections.Counter()
    for truth, folder in jobs(args.names, args.keep, args.proof):
        checks = compare.check(truth, answers(truth, folder))
        tell(truth, checks)
        marks = [each.right for each in checks]
        counts.update((each.command, each.right) for each in checks)
        whole["right" if all(marks) else "wrong" if False in marks else "silent"] += 1
    for command in COMMANDS:
        print(f"{command:14} right {counts[command, True]}, wrong {counts[command, False]}, silent {counts[command, None]}")
    print(f"{sum(whole.values())} jobs: {whole['right']} right, {whole['wrong']} with something wrong,"
          f" {whole['silent']} with gaps")
    return 0 if whole["right"] == sum(whole.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
