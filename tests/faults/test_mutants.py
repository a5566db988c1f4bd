# SPDX-License-Identifier: Apache-2.0
"""The invariants of tests/mutants over the traces recorded here, whole, and over some mutants; `make mutants` takes a thousand."""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import support

FOLDER = os.path.join(support.SOURCE, "tests", "mutants")
sys.path.insert(0, FOLDER)
import invariants  # noqa: E402
import mutate  # noqa: E402

RUNNER = os.path.join(FOLDER, "run.py")
MUTANTS = 10 if support.SANITIZED else 40


def hold(*words, program=support.PROGRAM):
    done = subprocess.run([sys.executable, RUNNER, program, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr[-2000:]


class Invariants(unittest.TestCase):
    def test_of_traces_recorded_here(self):
        code, said = hold("--whole", *([] if support.SANITIZED else ["--every"]), support.recorded(""))
        self.assertEqual(code, 0, said)

    def test_of_mutants(self):
        code, said = hold("--mutants", str(MUTANTS), support.recorded(""))
        self.assertEqual(code, 0, said)


class Altered(invariants.Subject):
    """The program with something wrong in what it says."""

    wrong = ("", "")  # an expression, and what stands in its place
    only = ""         # in runs with this word

    def run(self, *words, stdin=None):
        code, out, err = super().run(*words, stdin=stdin)
        return code, re.sub(*self.wrong, out) if self.only in words else out, err


@unittest.skipIf(support.SANITIZED, "the same in every build")
class Harness(unittest.TestCase):
    """What fails beside the program is told with its trace, and the others are held all the same."""

    @unittest.skipUnless(shutil.which("zstd"), "zstd is not installed")
    def test_a_packed_trace_is_read_through_a_link(self):
        with tempfile.TemporaryDirectory() as folder:
            packed, link = os.path.join(folder, "packed.json.zst"), os.path.join(folder, "link.json.zst")
            with open(packed, "wb") as file:
                file.write(invariants.raw_zstd(b'{"traceEvents": []}'))
            os.symlink(packed, link)
            self.assertEqual(mutate.read_bytes(link), b'{"traceEvents": []}')

    def test_a_trace_that_cannot_be_unpacked_ends_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.json.gz"), "wb") as file:
                file.write(b"no gzip")
            support.write_trace(os.path.join(folder, "b.json"), support.training_steps(3))
            code, said = hold("--whole", folder)
        self.assertEqual(code, 1)
        self.assertRegex(said, r"a\.json\.gz: not held, the harness failed: BadGzipFile: .* \(gzip\.py:\d+\)")
        self.assertIn("1 traces held, 1 violations", said)


@unittest.skipIf(support.SANITIZED, "the same in every build")
class Checks(unittest.TestCase):
    """A check that never fails checks nothing: a program that breaks an invariant is found out."""

    def found(self, only, wrong, replacement, check, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = support.write_trace(os.path.join(folder, "trace.json"), support.training_steps(3))
            subject = Altered(support.PROGRAM, path, folder)
            self.assertEqual(list(check(subject, *arguments)), [])
            subject = Altered(support.PROGRAM, path, folder)
            subject.only, subject.wrong = only, (wrong, replacement)
            return "; ".join(check(subject, *arguments))

    def test_parts_that_do_not_sum(self):
        self.assertIn("parts sum to", self.found("summary", r'("step_mean", "value": )', r"\g<1>1", invariants.parts))

    def test_negative_figures(self):
        self.assertIn("steps is -3", self.found("summary", r'("steps", "value": )', r"\g<1>-", invariants.figures))

    def test_what_is_no_number(self):
        self.assertIn("step_mean is inf", self.found("summary", r'("step_mean", "value": )\d+', r"\g<1>Infinity",
                                                     invariants.figures))

    def test_a_path_longer_than_its_step(self):
        self.assertIn("critical-path: step", self.found("critical-path", "1000000", "1000001", invariants.path))

    def test_a_csv_of_its_own(self):
        self.assertIn("differ", self.found("csv", r",(\d)", r",7\g<1>", invariants.csv_is_json, "summary"))

    def test_a_screen_of_its_own(self):
        self.assertIn("is not on the screen", self.found("term", r"\d+\.\d+", "77.77", invariants.screen_is_json, "breakdown"))

    def test_threads(self):
        self.assertIn("one thread", self.found("--threads", r'("steps", "value": )', r"\g<1>1", invariants.ways_in, "summary",
                                               random.Random(0)))

    def test_a_report_of_a_sanitizer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "crashes")
            with open(path, "w", encoding="ascii") as file:
                file.write("#!/bin/sh\necho 'ERROR: AddressSanitizer: heap' >&2\nexit 1\n")
            os.chmod(path, 0o755)
            said = list(invariants.violations(path, support.recorded("dlrm-cpu.json.gz"), random.Random(0)))
        self.assertTrue(any("AddressSanitizer" in line for line in said), said)


class Mutants(unittest.TestCase):
    def test_one_is_the_same_in_every_run(self):
        document = mutate.load(support.recorded("dlrm-cpu.json.gz"))
        made = [mutate.mutant(document, "dlrm-cpu.json.gz", 7) for _ in range(2)]
        self.assertEqual(made[0], made[1])
        self.assertNotEqual(made[0], mutate.mutant(document, "dlrm-cpu.json.gz", 8))


if __name__ == "__main__":
    unittest.main()
