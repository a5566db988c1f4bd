# SPDX-License-Identifier: Apache-2.0
"""The tools that run the tests: what they count, and that a skip is no failure to anybody."""
import os
import subprocess
import sys
import tempfile
import unittest

from support import SOURCE


def run_program(script):
    """What a test program that is this shell script looks like to the build: exit status and TAP."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "some_test")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)
        done = subprocess.run([sys.executable, "-I", "-S", os.path.join(SOURCE, "tests", "run_program.py"), path],
                              capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


class Walls(unittest.TestCase):
    def test_a_test_is_linked_with_what_it_and_its_headers_include(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"src/trace/trace.h": "", "src/fleet/step/job.h": "", "src/read/read.h": "",
                               "unit/case.h": '#include "read/read.h"\n#include "case.h"\n',
                               "unit/a_test.c": '#include <stdio.h>\n#include "case.h"\n#include "fleet/step/job.h"\n',
                               "unit/b_test.c": '#include "steptime/steptime.h"\n'}.items():
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    file.write(text)
            done = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "walls.py"), "tests", "src", ".",
                                   "unit/a_test.c", "unit/b_test.c"], cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.stdout, "unit/a_test.c fleet/step read\nunit/b_test.c\n", done.stderr)


class Runner(unittest.TestCase):
    def test_a_skipped_case_is_ok(self):
        code, out = run_program('echo 1..2; echo "ok 1 - a"; echo "not ok 2 # SKIP no_such_file"')
        self.assertEqual((code, out.splitlines()[:3]), (0, ["1..2", "ok 1 - a", "ok 2 # SKIP no_such_file"]))

    def test_a_failed_case_stays_one(self):
        code, out = run_program('echo 1..1; echo "not ok 1 - a # SKIPPER"; exit 1')
        self.assertEqual((code, out.splitlines()[1]), (1, "not ok 1 - a # SKIPPER"))

    def test_a_crash_stays_one(self):
        self.assertEqual(run_program("kill -ABRT $$")[0], 128 + 6)

    def test_the_cost_is_told(self):
        self.assertRegex(run_program("echo 1..0")[1], r"# cpu \d+\.\d\d s\n$")


if __name__ == "__main__":
    unittest.main()
