# SPDX-License-Identifier: Apache-2.0
"""steptime record on the programs of test_record_producers.py, with the PyTorch of Debian (1.13, without Kineto). All cases skip
where it is not installed."""
import glob
import os
import unittest

from support import OK
from test_record import Case as Recording
from test_record_producers import Rows, WAIT, WARMUP
from torch_python import debian_python


class Debian(Rows, Recording):
    interpreter = staticmethod(debian_python)

    def test_no_kineto_is_said_and_the_older_list_is_written(self):
        self.assertFalse(self.has_kineto)
        done = self.run_it("for _ in range(40): step()\nprint('end')", options=())
        self.check(done)
        self.assertIn("this PyTorch was built without Kineto, and its traces hold none", done.err)

    # What test_record.py asks of the other interpreter.

    def test_nothing_that_steps(self):
        done = self.run_it("import time\nuntil = time.monotonic() + 4\n"
                           "while time.monotonic() < until: net(prepare()); time.sleep(0.02)\nprint('end')",
                           options=("--window", "0.5:0.5"))
        self.assertEqual((done.code, done.out), (OK, "end\n"), done.err)
        self.assertEqual(self.traces(), ["train.json.gz"], done.err)

    def test_ends_in_the_window(self):
        for last, code in (("raise ValueError('mine')", 1), ("import sys; sys.exit(5)", 5), ("import os; os._exit(3)", 3),
                           ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -15),
                           ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", -2)):
            for trace in glob.glob(os.path.join(self.out, "*")):
                os.unlink(trace)
            with self.subTest(last):
                done = self.run_it(f"for i in range({WAIT + WARMUP + 2}): step()\n{last}")
                self.assertEqual(done.code, code, done.err)
                self.assertEqual(self.traces(), ["train.json.gz"], done.err)
                self.assertIn("the script ended before", done.err)


del Recording  # its cases run in their own file

if __name__ == "__main__":
    unittest.main()
