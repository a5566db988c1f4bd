# SPDX-License-Identifier: Apache-2.0
"""The naive pipelines of examples/antipatterns, fixed and verified: the whole way from a finding to the same, faster
training. Needs an interpreter with PyTorch."""
import filecmp
import os
import shutil
import tempfile
import unittest

from support import JUDGED, OK, SOURCE, steptime
from torch_python import torch_python

NAIVE = os.path.join(SOURCE, "examples", "antipatterns")
SMALL = {"session_gnn": ("--sessions", "600", "--test-sessions", "20", "--width", "32", "--negatives", "512"),
         "bcq": ("--sessions", "600", "--test-sessions", "20", "--batch", "32")}
SLOW_S = 500


def fixed(into, name, *words):
    """A copy of a pipeline, rewritten by fix, at notes too (what an evaluation copies is one)."""
    copy = os.path.join(into, name)
    shutil.copytree(os.path.join(NAIVE, name), copy, ignore=shutil.ignore_patterns("__pycache__"))
    outcome = steptime("fix", "--write", "--notes", *words, copy)
    if outcome.code != OK:
        raise AssertionError(outcome.err + outcome.out)
    return copy


def fixable(folder, *kinds):
    outcome = steptime("lint", "--format", "json", folder)
    assert outcome.code in (OK, JUDGED), outcome.err
    return [(f["file"], f["line"], f["rule"]) for f in outcome.json["findings"] if f["fix"] in kinds]


def same_files(a, b):
    names = [name for name in os.listdir(a) if name.endswith(".py")]
    return filecmp.cmpfiles(a, b, names, shallow=False)[0] == names


class Pipeline:
    """What holds for each of them; NAME and CHANGED say which and which files a fix touches."""

    @classmethod
    def setUpClass(cls):
        cls.python = torch_python()
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.naive = os.path.join(NAIVE, cls.NAME)
        cls.safe = fixed(os.path.join(holder.name, "safe"), cls.NAME)
        cls.unsafe = fixed(os.path.join(holder.name, "unsafe"), cls.NAME, "--unsafe")

    def verify(self, folder, *words):
        outcome = steptime("verify", "--python", self.python, "--format", "json", *words,
                           os.path.join(self.naive, "train.py"), os.path.join(folder, "train.py"), "--",
                           *SMALL[self.NAME], "--seed", "{seed}", env={"OMP_NUM_THREADS": "1"}, limit_s=SLOW_S)
        self.assertIn(outcome.code, (OK, JUDGED), outcome.err)
        return outcome

    def test_safe_fixes_keep_every_bit_of_the_losses(self):
        outcome = self.verify(self.safe, "--seeds", "0,1,2", "--steps", "6", "--repeat", "0")
        self.assertEqual(outcome.code, OK, outcome.json["findings"])
        same = {v["id"]: v["value"] for v in outcome.json["sections"][0]["values"]}
        self.assertEqual((same["verdict"], same["losses"]), ("equal", 18))
        self.assertEqual(outcome.json["warnings"], [])

    def test_unsafe_fixes_keep_the_losses_within_rounding(self):
        outcome = self.verify(self.unsafe, "--seeds", "0", "--steps", "20", "--repeat", "0", "--rtol", "1e-5")
        self.assertEqual(outcome.code, OK, outcome.json["findings"])

    def test_nothing_is_left_to_fix(self):
        self.assertEqual(fixable(self.safe, "safe"), [])
        self.assertEqual(fixable(self.unsafe, "safe", "unsafe"), [])

    def test_there_was_something_to_fix(self):
        self.assertNotEqual(fixable(self.naive, "safe"), [])
        self.assertNotEqual(fixable(self.safe, "unsafe"), [])
        self.assertFalse(same_files(self.naive, self.safe))
        self.assertFalse(same_files(self.safe, self.unsafe))

    def test_fixing_twice_changes_nothing(self):
        for folder, words in ((self.safe, ()), (self.unsafe, ("--unsafe",))):
            with tempfile.TemporaryDirectory() as again:
                copy = shutil.copytree(folder, os.path.join(again, self.NAME))
                self.assertEqual(steptime("fix", "--write", "--notes", *words, copy).code, OK)
                self.assertTrue(same_files(folder, copy))


class SessionGnn(Pipeline, unittest.TestCase):
    NAME = "session_gnn"

    def test_fixed_it_is_faster(self):
        """By how much is for the bench to say; a machine with other work still shows half of it."""
        outcome = self.verify(self.unsafe, "--steps", "16", "--warmup", "4", "--repeat", "2")
        pace = next(s for s in outcome.json["sections"] if s["id"] == "pace")
        ratio = next(v["value"] for v in pace["values"] if v["id"] == "ratio")
        self.assertGreater(ratio, 1.3)


class BatchConstrained(Pipeline, unittest.TestCase):
    NAME = "bcq"


if __name__ == "__main__":
    unittest.main()
