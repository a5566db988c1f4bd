# SPDX-License-Identifier: Apache-2.0
"""Small programs that say themselves what lint is to find in them (tests/traps): one for each line of what frameworks
promise, what calls do, what is a use, what loaders yield and what values are. They are read as if they were no tests."""
import glob
import os
import shutil
import tempfile
import unittest

from support import SOURCE
from test_lint_frameworks import differing

TRAPS = os.path.join(SOURCE, "tests", "traps")


class Traps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()  # below tests/ everything is told as a note
        self.addCleanup(shutil.rmtree, self.folder)

    def check(self, room):
        lines = []
        for path in sorted(glob.glob(os.path.join(TRAPS, room, "*.py"))):
            lines += differing(shutil.copy(path, self.folder))
        self.assertEqual(lines, [])

    def test_what_frameworks_promise(self):
        self.check("frameworks")

    def test_what_calls_do(self):
        self.check("calls")

    def test_what_data_is(self):
        self.check("data")

    def test_how_often_lines_run_and_what_is_gained(self):
        self.check("proof")


if __name__ == "__main__":
    unittest.main()
