# SPDX-License-Identifier: Apache-2.0
"""steptime record on the programs of test_record_producers.py, with the PyTorch of Debian (1.13, without Kineto). All cases skip
where it is not installed."""
import unittest

from test_record import Case as Recording
from test_record_producers import Rows
from torch_python import debian_python


class Debian(Rows, Recording):
    interpreter = staticmethod(debian_python)

    def test_no_kineto_is_said_and_the_older_list_is_written(self):
        self.assertFalse(self.has_kineto)
        done = self.run_it("for _ in range(40): step()\nprint('end')", options=())
        self.check(done)
        self.assertIn("this PyTorch was built without Kineto, and its traces hold none", done.err)


del Recording  # its cases run in their own file

if __name__ == "__main__":
    unittest.main()
