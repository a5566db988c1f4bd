# SPDX-License-Identifier: Apache-2.0
"""Memory that runs out at every single allocation of a small run, in turn: the program ends with exit code 5 (or goes
on where a library could do without), never by a signal, never stuck, and its output file is whole or untouched."""
import json
import os
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import support
from support import MEMORY, OK, steptime, trace_commands, training_steps, write_trace

LIBRARY = os.path.join(support.BUILD, "tests", "libfailmalloc.so")
MOST_RUNS = 1500  # of one command; beyond that only every so many allocations fail

TRAINING = """\
import torch


def train(model, loader, optimizer, criterion, device):
    total = 0.0
    for x, y in loader:
        weights = torch.ones(8).to(device)
        loss = criterion(model(x.to(device)), y.to(device), weights)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total
"""


@unittest.skipIf(support.SANITIZED, "the sanitizers bring a heap of their own")
@unittest.skipUnless(os.path.exists(LIBRARY), "the failing allocator needs glibc")
class FailingAllocations(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = write_trace(self.path("trace.json.gz"), training_steps(100))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_failing(self, arguments, stdin=None, **env):
        return steptime(*arguments, stdin=stdin, env={"LD_PRELOAD": LIBRARY, **env}, limit_s=20)

    def allocations(self, arguments):
        outcome = self.run_failing(arguments, FAIL_COUNT=self.path("count"))
        self.assertEqual(outcome.code, OK, outcome.err)
        with open(self.path("count"), encoding="ascii") as count:
            return int(count.read())

    def try_one(self, arguments, mode, n):
        """What is wrong with the run whose n-th allocation fails, or None."""
        result = self.path(f"result-{mode}-{n}.json")
        with open(result, "w", encoding="ascii") as out:
            out.write("as it was")
        outcome = self.run_failing([*arguments, "-o", result], **{mode: str(n)})
        with open(result, encoding="utf-8") as written:
            text = written.read()
        os.unlink(result)
        if outcome.code == MEMORY:
            if "memory" not in outcome.err:
                return f"{mode}={n}: silent"
            return None if text == "as it was" else f"{mode}={n}: the output file was touched"
        if outcome.code != OK:
            return f"{mode}={n}: exit {outcome.code}: {outcome.err.strip()}"
        try:
            json.loads(text)
        except ValueError:
            return f"{mode}={n}: exit 0 with a broken file"
        return None

    def fail_each(self, *arguments):
        count = self.allocations(arguments)
        self.assertGreater(count, 10)
        stride = 1 + count // MOST_RUNS
        tries = [(mode, n) for mode in ("FAIL_AT", "FAIL_FROM") for n in range(1, count + 1, stride)]
        with ThreadPoolExecutor(max_workers=2) as pool:
            wrong = [why for why in pool.map(lambda t: self.try_one(arguments, *t), tries) if why]
        self.assertEqual(wrong, [])

    def test_every_command(self):
        for command in trace_commands():
            with self.subTest(command=command):
                self.fail_each(command, self.trace, "--format", "json")

    def source(self):
        path = self.path("train.py")
        with open(path, "w", encoding="utf-8") as out:
            out.write(TRAINING)
        return path

    def test_lint_with_a_trace(self):
        self.fail_each("lint", "--fail-on", "never", "--trace", self.trace, self.source(), "--format", "json")

    def test_fix_writes_all_or_nothing(self):
        path = self.source()
        arguments = ["fix", "--unsafe", "--write", path]
        count = self.allocations(arguments)
        with open(path, encoding="utf-8") as file:
            fixed = file.read()
        self.assertNotEqual(fixed, TRAINING)
        for n in range(1, count + 1, 1 + count // MOST_RUNS):
            self.source()
            outcome = self.run_failing(arguments, FAIL_AT=str(n))
            self.assertIn(outcome.code, (OK, MEMORY), f"FAIL_AT={n}: {outcome.err}")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), fixed if outcome.code == OK else TRAINING, f"FAIL_AT={n}")

    def test_lint_of_a_notebook(self):
        path = self.path("n.ipynb")
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"cells": [{"cell_type": "code", "source": text.splitlines(keepends=True)}
                                 for text in ("%matplotlib inline", TRAINING, "for x in :")], "nbformat": 4}, out)
        self.fail_each("lint", "--fail-on", "never", path, "--format", "json")

    def test_language_server(self):
        with open(os.path.join(support.SOURCE, "tests", "fuzz", "corpus", "lsp", "life"), "rb") as file:
            life = file.read()
        outcome = self.run_failing(["lsp"], stdin=life, FAIL_COUNT=self.path("count"))
        self.assertEqual(outcome.code, OK, outcome.err)
        with open(self.path("count"), encoding="ascii") as file:
            count = int(file.read())
        self.assertGreater(count, 10)
        for n in range(1, count + 1, 1 + 3 * count // MOST_RUNS):
            outcome = self.run_failing(["lsp"], stdin=life, FAIL_AT=str(n))
            self.assertIn(outcome.code, (OK, MEMORY), f"FAIL_AT={n}: {outcome.err}")

    def test_two_files(self):
        other = write_trace(self.path("other.json"), distributedInfo={"rank": 1, "world_size": 2})
        self.fail_each("info", self.trace, other, "--format", "json")

    def test_two_sides(self):
        self.fail_each("diff", self.trace, self.trace, "--format", "json")

    def test_snapshot_of_an_allocator(self):
        path = os.path.join(support.SOURCE, "tests", "fuzz", "corpus", "snapshot", "steps")
        self.fail_each("memory", path, "--format", "json")

    def test_queries(self):
        if steptime("query", self.trace, "SELECT 1 AS one").code == OK:
            self.fail_each("query", self.trace, "--format", "json", "--sql",
                           "SELECT name, step, count(*) AS n, group_concat(stack) AS s FROM stacks GROUP BY name, step UNION "
                           "SELECT name, event, dur_ns, kind FROM events WHERE start_ns > 9 ORDER BY 2 LIMIT 20")

    def test_export(self):
        """A file for Perfetto is whole or untouched."""
        self.whole_or_untouched("export")

    def test_report(self):
        """And so is a page."""
        self.whole_or_untouched("report")

    def whole_or_untouched(self, command):
        whole = self.path("whole")
        arguments = (command, self.trace, "-o", whole)
        count = self.allocations(arguments)
        with open(whole, "rb") as file:
            expected = file.read()
        for n in range(1, count + 1, 1 + count // MOST_RUNS):
            os.unlink(whole)
            outcome = self.run_failing(arguments, FAIL_AT=str(n))
            self.assertIn(outcome.code, (OK, MEMORY), f"FAIL_AT={n}: {outcome.err}")
            self.assertEqual(os.path.exists(whole), outcome.code == OK, f"FAIL_AT={n}")
            if outcome.code == OK:
                with open(whole, "rb") as file:
                    self.assertEqual(file.read(), expected, f"FAIL_AT={n}")
            else:
                with open(whole, "wb"):
                    pass

    def test_tables_of_jobs(self):
        path = self.path("jobs.csv")
        with open(path, "w", encoding="ascii") as out:
            out.write("job,architecture,cnodes,input_bytes,flops,memory_bytes,weight_bytes,team\n")
            out.writelines(f"j{i},ps-worker,{i % 9},1e6,{i}e9,1e9,1e8,t{i % 3}\n" for i in range(400))
        for verb in (("breakdown", "--group-by", "team"), ("project", "--to", "allreduce-local", "--threads", "1")):
            with self.subTest(verb=verb):
                self.fail_each("fleet", *verb, path, "--hw", "paper", "--format", "json")
