# SPDX-License-Identifier: Apache-2.0
"""steptime record --attach by CPython's remote execution (3.14 on). A stub of sys.remote_exec stands in for it: it puts the path
of the file into a mailbox, and the process looks into that between two steps, where CPython would come to it by itself."""
import os
import sys
import textwrap
import unittest

from support import INPUT, OK, steptime
from test_record import TRAIN
from test_record_attach import Case
from torch_python import torch_python

# A sitecustomize of the user's, which our interpreter loads behind ours.
STUB = """
    import os, sys
    def remote_exec(process, path):
        if os.environ["STUB_MODE"] == "closed":
            raise PermissionError(1, "Operation not permitted")
        if os.environ["STUB_MODE"] == "off":
            raise RuntimeError("Remote debugging is not enabled")
        with open(os.environ["STUB_MAILBOX"], "w") as out:
            out.write(path)
    sys.remote_exec = remote_exec
"""
TRAINS = """
    import os, time
    print(1, flush=True)
    until = time.monotonic() + 100
    while time.monotonic() < until:
        step(); time.sleep(0.002)
        if os.path.exists(os.environ["STUB_MAILBOX"]):
            path = open(os.environ["STUB_MAILBOX"]).read()
            if path:
                os.remove(os.environ["STUB_MAILBOX"])
                exec(compile(open(path).read(), path, "exec"), {})
"""


class Remote(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(os.path.join(self.folder, "stub"))
        with open(os.path.join(self.folder, "stub", "sitecustomize.py"), "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(STUB))
        self.mailbox = os.path.join(self.folder, "mailbox")

    def ask(self, number, mode):
        return steptime("record", "--attach", str(number), "-o", self.out, limit_s=150,
                        env={"PYTHONPATH": os.path.join(self.folder, "stub"), "STUB_MODE": mode, "STUB_MAILBOX": self.mailbox})

    def idle(self):
        return self.start(sys.executable, "import time; print(1, flush=True); time.sleep(100)")

    def test_a_process_that_nobody_prepared(self):
        running = self.start(torch_python(), textwrap.dedent(TRAIN) + textwrap.dedent(TRAINS), STUB_MAILBOX=self.mailbox)
        done = self.ask(running.pid, "open")
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("train.json.gz: 5 steps, with stacks", done.err)
        self.assertIn("a bare step takes", done.err)  # steps are counted in there, which Kineto's own socket does not
        self.assertIsNone(running.poll())
        self.assertEqual(steptime("info", self.out).code, OK)
        self.assertEqual(self.left(), [])

    def test_who_may_not_be_asked(self):
        running = self.idle()
        for mode, said in (("closed", "ptrace_scope"), ("off", "PYTHON_DISABLE_REMOTE_DEBUG")):
            done = self.ask(running.pid, mode)
            self.assertEqual(done.code, INPUT, done.err)
            self.assertIn(said, done.err)
            self.assertFalse(os.path.exists(self.out))

    def test_no_python_and_too_old_a_one(self):
        done = self.attach(self.start("/bin/sh", "echo 1; sleep 100; :").pid)
        self.assertEqual(done.code, INPUT)
        self.assertIn("is no Python that could be asked", done.err)
        if sys.version_info < (3, 14):
            done = self.attach(self.idle().pid)
            self.assertEqual(done.code, INPUT)
            self.assertIn("which CPython has from 3.14 on", done.err)


if __name__ == "__main__":
    unittest.main()
