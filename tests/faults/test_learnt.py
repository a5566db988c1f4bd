# SPDX-License-Identifier: Apache-2.0
"""What the fuzzers learnt (tests/fuzz/learnt, minimised by tools/fuzz.py --keep), met again by every build."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

import support

sys.path.insert(0, os.path.join(support.SOURCE, "tools"))
import fuzz  # noqa: E402


class Learnt(unittest.TestCase):
    def replay(self, program):
        name = fuzz.target_of(program)
        with tempfile.TemporaryDirectory() as folder:
            fuzz.unpack(name, folder)
            count = len(os.listdir(folder))
            done = subprocess.run([program, "--packed", folder], capture_output=True, text=True, errors="replace",
                                  check=False)
        self.assertEqual(done.returncode, 0, f"{name}: {done.stderr[-2000:]}")
        return count

    def test_every_target_survives_it(self):
        programs = [p for p in glob.glob(os.path.join(support.BUILD, "tests", "fuzz", "fuzz_*")) if os.path.isfile(p)]
        self.assertGreater(len(programs), 5)
        for program in sorted(programs):
            with self.subTest(fuzz.target_of(program)):
                self.assertGreater(self.replay(program), 0)

    def test_there_is_not_too_much_of_it(self):
        archives = glob.glob(os.path.join(fuzz.LEARNT, "*.tar.xz"))
        self.assertLess(sum(os.path.getsize(path) for path in archives), 1_000_000)


if __name__ == "__main__":
    unittest.main()
