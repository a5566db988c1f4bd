# SPDX-License-Identifier: Apache-2.0
"""steptime record where something fails: disks, folders, kills, two at once, odd names. A clear line each, and the script's
output and exit code as without it. Cases with PyTorch skip where there is none."""
import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
import unittest

from support import OK, OUTPUT, PROGRAM, steptime
from test_record import Case as Recording, ENVIRONMENT
from torch_python import torch_python

TRAINS = "import sys\nfor _ in range({steps}): step()\nprint('end'); sys.exit(6)"


@contextlib.contextmanager
def disk(path, options):
    """A small one of its own."""
    os.makedirs(path, exist_ok=True)
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], check=False, stderr=subprocess.DEVNULL)
    if made.returncode:
        raise unittest.SkipTest("mounting is not allowed here")
    try:
        yield
    finally:
        subprocess.run(["umount", path], check=False)


class Disks(Recording):
    def test_a_disk_that_gets_full(self):
        """Before a trace is whole: it is said, and no piece of a file stays."""
        python = torch_python()
        with disk(self.out, "size=16k"):
            done = self.record(python, self.script(TRAINS.format(steps=30)))
            self.assertEqual((done.code, done.out), (6, "end\n"), done.err)
            self.assertRegex(done.err, "recording failed: .*No space left")
            self.assertIn("nothing was recorded", done.err)
            self.assertEqual(os.listdir(self.out), [])

    def test_a_disk_that_was_full_before(self):
        full = os.path.join(self.folder, "full")
        with disk(full, "size=8k"):
            path = self.script("print('ran')", train=False)
            done = steptime("record", "-o", self.out, "--", sys.executable, path, env={"TMPDIR": full})
            self.assertEqual((done.code, done.out), (OUTPUT, ""))
            self.assertIn("no space left", done.err.lower())
            self.assertEqual(os.listdir(full), [])
        self.assertFalse(os.path.exists(self.out))

    def test_a_folder_that_is_read_only(self):
        with disk(self.out, "size=64k,ro"):
            done = self.record(sys.executable, self.script("print('ran')", train=False))
            self.assertEqual((done.code, done.out), (OUTPUT, ""))
            self.assertIn("cannot be written to", done.err)


class Interpreters(Recording):
    def test_without_torch(self):
        """The error and the exit status are the script's; why there is no trace is said."""
        nowhere = os.path.join(self.folder, "lib", "torch.py")
        self.script("raise ModuleNotFoundError(\"No module named 'torch'\")", nowhere, train=False)
        environment = {"PYTHONPATH": os.path.dirname(nowhere)}
        for lines, code in (("import torch", 1), ("try:\n    import torch\nexcept ImportError:\n    pass\nraise SystemExit(3)", 3)):
            with self.subTest(lines):
                done = self.record(sys.executable, self.script(lines, train=False), environment=environment)
                self.assertEqual((done.code, done.out), (code, ""), done.err)
                self.assertEqual("No module named 'torch'" in done.err, code == 1)
                self.assertIn("nothing was recorded: the script ended without importing PyTorch", done.err)
                self.assertEqual(self.traces(), [])


class Kills(Recording):
    def setUp(self):
        super().setUp()
        self.python = torch_python()

    def test_a_kill_in_the_first_pass(self):
        done = self.record(self.python, self.script("import os\nfor _ in range(14): step()\nos.kill(os.getpid(), 9)"))
        self.assertEqual(done.code, -signal.SIGKILL)
        self.assertIn("nothing was recorded", done.err)
        self.assertFalse(os.path.exists(self.out))

    def test_a_kill_in_the_second_leaves_what_the_first_gave(self):
        done = self.record(self.python, self.script("import os\nfor _ in range(21): step()\nos.kill(os.getpid(), 9)"))
        self.assertEqual(done.code, -signal.SIGKILL)
        self.assertIn("5 steps, without stacks", done.err)
        self.assertEqual(sorted(os.listdir(self.out)), ["train.json.gz", "train.steps.json"])
        self.assertEqual(steptime("summary", self.out).code, OK)

    def test_a_recorder_that_is_killed_leaves_the_script_alone(self):
        path = self.script("import time\nprint('begun', flush=True)\nfor _ in range(20): step(); time.sleep(0.05)\n"
                           "open(__file__ + '.ended', 'w').close()")
        with subprocess.Popen([PROGRAM, "record", "-o", self.out, "--", self.python, path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT}) as running:
            running.stdout.readline()
            running.kill()
            running.wait(30)
            until = time.monotonic() + 120
            while not os.path.exists(path + ".ended") and time.monotonic() < until:
                time.sleep(0.1)
        self.assertTrue(os.path.exists(path + ".ended"))


class TwoAtOnce(Recording):
    def waiting(self, *options):
        """A recorder whose script runs until its input ends."""
        path = self.script("import sys; print('begun', flush=True); sys.stdin.read()", train=False)
        running = subprocess.Popen([PROGRAM, "record", *options, "--", sys.executable, path], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(running.communicate)
        running.stdout.readline()
        return path

    def test_into_one_folder_the_second_is_refused(self):
        path = self.waiting("-o", self.out)
        done = self.record(sys.executable, path)
        self.assertEqual((done.code, done.out), (OUTPUT, ""))
        self.assertIn("somebody else writes there at this time; --out names another folder", done.err)
        self.assertTrue(os.path.exists(self.out))

    def test_without_a_name_each_has_its_own(self):
        path = self.waiting()
        done = steptime("record", "--", sys.executable, path, cwd=self.folder, stdin=b"")
        self.assertEqual((done.code, done.out), (OK, "begun\n"), done.err)
        self.assertTrue(os.path.isdir(os.path.join(self.folder, "steptime-train")))

    def test_both_record(self):
        python = torch_python()
        path = self.script("for _ in range(30): step()")
        both = [subprocess.Popen([PROGRAM, "record", "--no-stacks", "--", python, path], cwd=self.folder,
                                 stderr=subprocess.PIPE, text=True, env={**os.environ, **ENVIRONMENT}) for _ in range(2)]
        said = [one.communicate(timeout=300)[1] for one in both]
        self.assertEqual([one.returncode for one in both], [OK, OK], said)
        for name in ("steptime-train", "steptime-train-2"):
            self.assertEqual(sorted(os.listdir(os.path.join(self.folder, name))), ["train.json.gz", "train.steps.json"], said)


class Names(Recording):
    def test_another_python_than_the_one_on_path(self):
        """The one that is named is the one that runs; that on PATH is not looked at."""
        wrong = self.script("#!/bin/sh\necho wrong; exit 9\n", "bin/python3", train=False)
        os.chmod(wrong, 0o755)
        path = self.script("import sys; print(sys.executable)", train=False)
        environment = {"PATH": os.path.dirname(wrong) + os.pathsep + os.environ["PATH"]}
        real = os.path.realpath(sys.executable)
        for words in (("--", real, path), ("--python", real, "--", path)):
            done = steptime("record", "-o", self.out, *words, env=environment)
            self.assertEqual((done.code, done.out), (OK, f"{real}\n"), done.err)
        done = steptime("record", "-o", self.out, "--", path, env=environment)
        self.assertEqual((done.code, done.out), (9, "wrong\n"), done.err)
        self.assertIn("no python heeded PYTHONPATH", done.err)

    def test_names_with_blanks_and_line_ends(self):
        python = torch_python()
        odd = os.path.join(self.folder, "of \n two 'lines'")
        path = self.script("import sys\nfor _ in range(30): step()\nprint(sys.argv[1:])", "of \n two 'lines'/train \n me.py")
        self.out = os.path.join(odd, "out \n folder")
        done = self.record(python, path, "a\nb", options=("--memory",))
        self.assertEqual((done.code, done.out), (OK, "['a\\nb']\n"), done.err)
        self.assertEqual(len([name for name in self.traces() if ".memory." not in name]), 1, done.err)
        command = done.err.partition("what to change first: steptime ")[2].partition("\nsteptime: ")[0]
        self.assertEqual(shlex.split(command), [os.path.realpath(self.out)])
        shown = steptime("summary", "--format", "json", self.out)
        self.assertEqual(shown.code, OK, shown.err)

    def test_a_temporary_folder_with_a_blank(self):
        """It comes into PYTHONPATH."""
        python = torch_python()
        place = os.path.join(self.folder, "a place")
        os.mkdir(place)
        done = self.record(python, self.script("for _ in range(20): step()"), options=("--no-stacks",),
                           environment={"TMPDIR": place})
        self.assertEqual((done.code, self.traces()), (OK, ["train.json.gz"]), done.err)
        self.assertFalse([name for name in os.listdir(place) if name.startswith("steptime")])  # PyTorch has folders there


del Recording  # its cases run in their own file

if __name__ == "__main__":
    unittest.main()
