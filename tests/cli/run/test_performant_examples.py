# SPDX-License-Identifier: Apache-2.0
"""The performant forms of examples/antipatterns train as the naive ones do. Needs an interpreter with PyTorch."""
import os
import unittest

from support import OK, SOURCE, steptime
from torch_python import torch_python

EXAMPLES = os.path.join(SOURCE, "examples", "antipatterns")
SMALL = {"session_gnn": ("--sessions", "600", "--test-sessions", "20", "--width", "32", "--negatives", "512"),
         "bcq": ("--sessions", "600", "--test-sessions", "20", "--batch", "32")}
# Of a loss's value. Sums that are made in another order differ by a few units of the last of 24 bits.
TOLERANCE = 1e-5


class Performant(unittest.TestCase):
    def compare(self, name):
        """The losses of eight steps with two seeds: 16 of each, or verify ends with 1."""
        outcome = steptime("verify", "--python", torch_python(), "--format", "json", "--rtol", TOLERANCE, "--seeds", "0,1",
                           "--steps", "8", "--repeat", "0", os.path.join(EXAMPLES, name, "train.py"),
                           os.path.join(EXAMPLES, "performant", name, "train.py"), "--", *SMALL[name], "--seed", "{seed}",
                           env={"OMP_NUM_THREADS": "1"}, limit_s=500)
        self.assertEqual(outcome.code, OK, outcome.err + outcome.out[:2000])
        values = {value["id"]: value["value"] for value in outcome.json["sections"][0]["values"]}
        self.assertEqual(values["losses"], 16)

    def test_session_gnn(self):
        self.compare("session_gnn")

    def test_bcq(self):
        self.compare("bcq")

    def test_lint_finds_little_in_them(self):
        """Of the naive forms it warns many times: a note may stay in a performant one, a warning not."""
        outcome = steptime("lint", "--format", "json", ".", cwd=EXAMPLES)
        warned = {f["file"].split("/")[0] for f in outcome.json["findings"] if f["severity"] == "warning"}
        self.assertEqual(warned, {"session_gnn", "bcq"})


if __name__ == "__main__":
    unittest.main()
