#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What lint does not look into it tells, and hostile shapes cost no more than their length."""
import os
import signal
import subprocess
import tempfile
import time
import unittest

from support import INPUT, OK, PROGRAM, steptime, training_steps, write_trace

MIB = 1 << 20


class Limits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "shape.py")

    def lint(self, text, code=OK):
        with open(self.path, "w", encoding="ascii") as out:
            out.write(text)
        run = steptime("lint", "--fail-on", "never", self.path)
        self.assertEqual(run.code, code, run.err)
        return run

    def said(self, text):
        return " ".join(self.lint(text).out.split())

    def test_a_chain_of_four_thousand_links_is_told(self):
        told = self.said("import torch\n\n\ndef f(x):\n    y = x.cuda()" + ".view(1).item()" * 4000 + "\n    return y\n")
        self.assertIn("line 5: has more than 30,000 words and signs in one statement", told)

    def test_a_large_bracket_is_told(self):
        self.assertIn("line 1: has more than 30,000 words", self.said("x = [" + "1, " * 20_000 + "]\n"))

    def test_what_is_nested_too_deep_is_told(self):
        told = self.said("x = 1\ny = " + "(lambda: " * 450 + "1" + ")" * 450 + "\n")
        self.assertIn("line 2: is nested deeper than 400 blocks and expressions", told)

    def test_what_is_small_enough_is_not(self):
        self.assertNotIn("not looked into", self.said("x = [" + "1, " * 10_000 + "]\n" + "y = a" + ".b" * 1000 + "\n"))

    def test_a_string_that_never_ends_costs_no_tree(self):
        text = 'x = """\n' + "a text of several words, again and again\n" * 100_000
        run = self.lint(text, code=INPUT)
        self.assertIn("line 1: does not parse as Python here", " ".join(run.out.split()))
        self.assertLess(run.peak_bytes, 8 * len(text) + 16 * MIB)

    def test_nothing_found_where_nothing_parses_is_no_good_news(self):
        self.lint("def f(:\n  x = (\n", code=INPUT)
        trace = os.path.join(os.path.dirname(self.path), "trace.json")
        write_trace(trace, training_steps(2))
        for options in ((), ("--trace", trace), ("--fail-on", "never")):
            run = steptime("lint", *options, self.path)
            self.assertEqual(run.code, INPUT, run.err)
            self.assertIn("The file does not parse as Python", run.out)
            self.assertRegex(run.out, r"files that do not parse +1\b")
        self.assertNotIn("not parse", self.lint("x = 1\n").out)

    def test_what_is_found_in_a_file_that_does_not_parse_counts(self):
        loop = "import torch\n\n\ndef train(model, loader):\n    model.cuda()\n    total = 0.0\n    for x in loader:\n"
        run = self.lint(loop + "        loss = model(x.cuda())\n        loss.backward()\n        total += loss.item()\n\n\ndef broken(:\n")
        self.assertIn("The file does not parse as Python", run.out)
        self.assertIn("ST401", run.out)

    def test_a_machine_that_stands_still_changes_nothing(self):
        text = "import torch\n" + "def f(x, y):\n    return {'a': x.view(1), 'b': [y, 2]}\n\n\n" * 40_000
        still = self.lint(text).out
        command = [PROGRAM, "lint", "--fail-on", "never", self.path]
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as run:
            time.sleep(0.15)
            run.send_signal(signal.SIGSTOP)
            time.sleep(3.1)  # a piece of text was given up after 3 seconds of the clock
            run.send_signal(signal.SIGCONT)
            self.assertEqual(run.communicate()[0], still)


if __name__ == "__main__":
    unittest.main()
