# SPDX-License-Identifier: Apache-2.0
"""steptime tune when things go wrong: disks, interpreters, paths, scripts that write or die, kills at each phase."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from support import INPUT, OK, OUTPUT, PROGRAM, steptime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from torch_python import torch_python  # noqa: E402
from torch_stand_in import NUMPY, STAND_IN  # noqa: E402

# One place that costs much; the file that it writes lies beside the script. WHERE stands for what goes wrong.
TRAIN = """
import os, sys, time
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
optimizer = torch.optim.SGD()
samples = [[0.0] * 4 for i in range(8)]

def prepare(at):
    rows = []
    for i in range(8):
        rows.append(samples[(at + i) % 8])
    return torch.Tensor(rows).float().to(device)

with open("written.txt", "a") as out:
    out.write("x")
for step in range(8):
    batch = prepare(step)
    WHERE
    batch.backward()
    optimizer.step()
"""
PHASES = ("copying", "recording the script", "running the script twice", "trying", "kept: ", "measuring all")


class Faults(unittest.TestCase):
    name = "a project"

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="tune faults ")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.project = os.path.join(self.folder, self.name)
        os.makedirs(self.project)
        os.mkdir(os.path.join(self.folder, "lib"))
        for name, text in (("lib/torch.py", STAND_IN), ("lib/numpy.py", NUMPY)):
            self.write(name, text)
        self.script()
        self.environment = {"PYTHONPATH": os.path.join(self.folder, "lib"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.tuned = os.path.join(self.folder, "tuned")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as out:
            out.write(text)

    def script(self, where="pass", text=TRAIN):
        self.write(os.path.join(self.name, "train.py"), text.replace("WHERE", where))

    def words(self, folder=None, python=sys.executable):
        return ["tune", "--format", "json", "--steps", "6", "--warmup", "1", "--repeat", "3", "--folder", folder or self.tuned, "--",
                python, "train.py"]

    def tune(self, **more):
        environment = more.pop("env", self.environment)
        return steptime(*self.words(**more), env=environment, cwd=self.project, limit_s=300)

    def resume(self):
        return steptime("tune", "--format", "json", "--resume", self.tuned, cwd=self.folder, limit_s=300)

    def manifest(self, folder=None):
        with open(os.path.join(folder or self.tuned, "manifest.json"), encoding="utf-8") as text:
            return json.load(text)

    def outcomes(self, folder=None):
        return [(trial["rule"], trial["path"], trial["outcome"] == "kept") for trial in self.manifest(folder)["trials"]]

    # ---- scripts ----

    def test_what_a_script_writes_lies_in_the_copies(self):
        done = self.tune()
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(os.listdir(self.project), ["train.py"])
        self.assertTrue(os.path.exists(os.path.join(self.tuned, "trial", "written.txt")))
        self.assertEqual(self.outcomes(), [("ST201", "train.py", True)])
        shown = " ".join(steptime("tune", "--resume", self.tuned, cwd=self.folder).out.split())  # what to do next, last
        self.assertIn("--write' puts it into your files, with nothing run again.", shown)

    def test_a_script_that_dies(self):
        for where, said in (("step > 3 and sys.exit(7)", "ended with exit code 7"), ("os.kill(os.getpid(), 9)", "ended with signal 9"),
                            ("1 / 0", "ended with exit code 1"), ("time.sleep(0); exec('(')", "SyntaxError")):
            self.script(where)
            shutil.rmtree(self.tuned, ignore_errors=True)
            done = self.tune()
            self.assertEqual(done.code, INPUT, where)
            self.assertIn(said, done.err)
            self.assertEqual(os.listdir(self.project), ["train.py"])

    def test_a_script_that_dies_with_the_rewrite_alone(self):
        self.script("if 'np.as' + 'array' in open('train.py').read(): sys.exit(9)")
        done = self.tune()
        self.assertEqual(done.code, OK, done.err)
        trial = self.manifest()["trials"][0]
        self.assertEqual(trial["outcome"], "fails")
        self.assertIn("ended with exit code 9", trial["why"])

    # ---- interpreters ----

    def test_an_interpreter_without_torch(self):
        done = self.tune(env={"PYTHONPATH": "", "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"},
                         python=self.interpreter("exec {python} -S -E \"$@\""))
        self.assertEqual(done.code, INPUT, done.err)
        self.assertIn("No module named", done.err)

    def interpreter(self, line):
        path = os.path.join(self.folder, "another python")
        with open(path, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\n" + line.format(python=f"'{sys.executable}'") + "\n")
        os.chmod(path, 0o755)
        return path

    def test_another_python_than_that_on_the_path(self):
        """The one that is named runs in each copy; the one on PATH would fail."""
        os.mkdir(os.path.join(self.folder, "bin"))
        for name in ("python", "python3"):
            path = os.path.join(self.folder, "bin", name)
            self.write(os.path.join("bin", name), "#!/bin/sh\nexit 3\n")
            os.chmod(path, 0o755)
        path = os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"]
        done = self.tune(env={**self.environment, "PATH": path}, python=self.interpreter('exec {python} "$@"'))
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.outcomes(), [("ST201", "train.py", True)])

    # ---- disks ----

    def test_a_folder_that_cannot_be_made(self):
        self.write("a file", "")
        for folder in (os.path.join(self.folder, "a file", "tuned"), "/proc/tuned"):
            done = self.tune(folder=folder)
            self.assertEqual(done.code, OUTPUT, done.err)
            self.assertIn("cannot be made", done.err)
        self.assertEqual(os.listdir(self.project), ["train.py"])

    def test_a_full_disk_at_each_size(self):
        """Of a disk that fills while it runs: a message, the user's files untouched, and with room again the same result."""
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", disk], check=False, capture_output=True)
        if made.returncode:
            self.skipTest("no disk of its own can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=False)
        self.tuned = os.path.join(disk, "tuned")
        done = self.tune()
        self.assertEqual(done.code, OUTPUT, done.err)
        self.assertIn("No space left on device", done.err)
        self.assertEqual(os.listdir(self.project), ["train.py"])
        for size in ("16k", "32k", "48k"):
            subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)
            if not os.path.exists(os.path.join(self.tuned, "manifest.json")):
                shutil.rmtree(self.tuned, ignore_errors=True)
                done = self.tune()
            else:
                done = self.resume()
            self.assertIn(done.code, (OK, OUTPUT, INPUT), done.err)
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        done = self.resume()
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.outcomes(), [("ST201", "train.py", True)])

    def test_a_source_that_cannot_be_written(self):
        """--write into a folder in which nothing can be made: said, and nothing half done."""
        if os.geteuid() == 0 and subprocess.run(["chattr", "+i", os.path.join(self.project, "train.py")], check=False,
                                                capture_output=True).returncode:
            self.skipTest("root writes everywhere here")
        with open(os.path.join(self.project, "train.py"), encoding="utf-8") as text:
            before = text.read()
        if os.geteuid():
            os.chmod(self.project, 0o555)
        try:
            done = steptime("tune", "--write", *self.words()[1:], env=self.environment, cwd=self.project, limit_s=300)
        finally:
            subprocess.run(["chattr", "-i", os.path.join(self.project, "train.py")], check=False, capture_output=True)
            os.chmod(self.project, 0o755)
        self.assertEqual(done.code, OUTPUT, done.err)
        with open(os.path.join(self.project, "train.py"), encoding="utf-8") as text:
            self.assertEqual(text.read(), before)
        self.assertTrue(os.path.getsize(os.path.join(self.tuned, "tune.diff")))

    # ---- two, and kills ----

    def test_two_at_once_have_a_folder_each(self):
        words = [word for word in self.words() if word not in ("--folder", self.tuned)]
        children = [subprocess.Popen([PROGRAM, *words], cwd=self.project, env={**os.environ, **self.environment},
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
        self.assertEqual([child.wait(300) for child in children], [OK, OK])
        self.assertEqual(sorted(os.listdir(self.project)), ["steptime-tune-train", "steptime-tune-train-2", "train.py"])
        for name in os.listdir(self.project):
            if name != "train.py":
                self.assertEqual(self.outcomes(os.path.join(self.project, name))[0][:2], ("ST201", "train.py"))

    def kill_at(self, phase, words):
        """SIGKILL once it says so. False: it ended before."""
        with subprocess.Popen([PROGRAM, *words], cwd=self.project, env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as child:
            for line in child.stderr:
                if phase in line:
                    child.send_signal(signal.SIGKILL)
                    return True
        return False

    def test_a_kill_at_each_phase(self):
        whole = os.path.join(self.folder, "whole")
        done = self.tune(folder=whole)
        self.assertEqual(done.code, OK, done.err)
        with open(os.path.join(whole, "tune.diff"), encoding="utf-8") as text:
            diff = text.read()
        for phase in PHASES:
            with self.subTest(phase=phase):
                shutil.rmtree(self.tuned, ignore_errors=True)
                self.assertTrue(self.kill_at(phase, self.words()), f"nothing says '{phase}'")
                done = self.resume()
                self.assertEqual(done.code, OK, done.err)
                self.assertEqual(self.outcomes(), self.outcomes(whole))
                with open(os.path.join(self.tuned, "tune.diff"), encoding="utf-8") as text:
                    self.assertEqual(text.read(), diff)
                self.assertEqual(os.listdir(self.project), ["train.py"])

    def test_a_kill_at_each_phase_of_one_run(self):
        self.assertTrue(self.kill_at(PHASES[0], self.words()))
        for phase in PHASES[1:]:
            self.kill_at(phase, ["tune", "--resume", self.tuned])
        done = self.resume()
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.outcomes(), [("ST201", "train.py", True)])


class Odd(unittest.TestCase):
    """Paths with spaces, quotes and newlines."""

    def test_paths(self):
        for name in ("two  words", "it's \"quoted\"", "a\nline more", "-n", "\u00fcml\u00e4ut \u65e5"):
            with self.subTest(name=name):
                case = Faults("test_what_a_script_writes_lies_in_the_copies")
                case.name = name
                result = unittest.TestResult()
                case.run(result)
                self.assertTrue(result.wasSuccessful(), [text for _, text in result.failures + result.errors])


class RealTorch(Faults):
    """One kill and going on, with PyTorch: recording and its profiler are at work then."""

    SCRIPT = """
import numpy as np
import torch
torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(64, 1).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
samples = [np.random.RandomState(i).rand(64) for i in range(64)]

def prepare(at):
    rows = []
    for i in range(1000):
        rows.append(samples[(at + i) % 64])
    return torch.Tensor(rows).float().to(device)

for step in range(60):
    loss = net(prepare(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

    def test_kills_and_going_on(self):
        self.script(text=self.SCRIPT)
        self.environment = {"OMP_NUM_THREADS": "1"}
        words = ["tune", "--format", "json", "--steps", "12", "--warmup", "2", "--repeat", "2", "--folder", self.tuned, "--", torch_python(),
                 "train.py"]
        self.assertTrue(self.kill_at("a bare step takes", words))
        self.kill_at("trying", ["tune", "--resume", self.tuned])
        done = steptime("tune", "--format", "json", "--resume", self.tuned, cwd=self.folder, limit_s=500)
        self.assertEqual(done.code, OK, done.err)
        trial = self.manifest()["trials"][0]
        self.assertEqual((trial["rule"], trial["outcome"]), ("ST201", "kept"))
        self.assertGreater(trial["predicted_ns"], 0.3 * trial["step_ns"])  # nearly all of the step is the list
        self.assertEqual(os.listdir(self.project), ["train.py"])


for inherited in [name for name in dir(Faults) if name.startswith("test_")]:
    setattr(RealTorch, inherited, None)

if __name__ == "__main__":
    unittest.main()
