# SPDX-License-Identifier: Apache-2.0
"""steptime tune: its manifest, and going on from it after a kill. With a stand-in for PyTorch, so that a run takes seconds."""
import fcntl
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from support import INPUT, OK, PROGRAM, USAGE, steptime
from torch_stand_in import NUMPY, STAND_IN

# Two places that cost much, and one that costs more when it is rewritten; and little else.
TRAIN = """
import time
import numpy as np
import torch
from parts import labels

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
optimizer = torch.optim.SGD()
samples = [[0.0] * 4 for i in range(8)]

def prepare(at):
    rows = []
    for i in range(8):
        rows.append(samples[(at + i) % 8])
    return torch.Tensor(rows).float().to(device)

def weights(at):
    flat = []
    for i in range(8):
        flat.append(float(i + at))
    return torch.Tensor(flat).float().to(device)

open("pid", "w").write(str(__import__("os").getpid()))
for step in range(20):
    batch, weight, label = prepare(step), weights(step), labels(samples, step, device)
    time.sleep(0.003)
    batch.backward()
    optimizer.step()
"""
PARTS = """
import numpy as np
import torch

def labels(samples, at, device):
    rows = []
    for i in range(8):
        rows.append(samples[(at + i) % 8])
    return torch.Tensor(rows).float().to(device)
"""


class Resumed(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="tune test ")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.project = os.path.join(self.folder, "a project")
        for name, text in (("lib/torch.py", STAND_IN), ("lib/numpy.py", NUMPY), ("a project/train.py", TRAIN),
                           ("a project/parts.py", PARTS)):
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            self.write(name, text)
        self.environment = {"PYTHONPATH": os.path.join(self.folder, "lib"), "PYTHONDONTWRITEBYTECODE": "1"}

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as out:
            out.write(text)

    def read(self, *names):
        with open(os.path.join(self.folder, *names), encoding="utf-8") as text:
            return text.read()

    def words(self, name):
        return ["tune", "--format", "json", "--steps", "8", "--warmup", "2", "--repeat", "3", "--folder", os.path.join(self.folder, name), "--",
                sys.executable, "train.py"]

    def tune(self, name):
        return steptime(*self.words(name), env=self.environment, cwd=self.project)

    def resume(self, name, *words):
        return steptime("tune", "--format", "json", "--resume", os.path.join(self.folder, name), *words, cwd=self.folder)

    def manifest(self, name):
        return json.loads(self.read(name, "manifest.json"))

    def start_and_kill(self, name, after_s=None, trials=None, words=None):
        """SIGKILL after a time, or once so many trials are in the manifest."""
        path = os.path.join(self.folder, name, "manifest.json")
        with subprocess.Popen([PROGRAM, *(words or self.words(name))], env={**os.environ, **self.environment}, cwd=self.project,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            begin = time.monotonic()
            while child.poll() is None and time.monotonic() - begin < (60 if after_s is None else after_s):
                if trials is not None and os.path.exists(path) and len(self.manifest(name)["trials"]) >= trials:
                    break
                time.sleep(0.003)
            child.send_signal(signal.SIGKILL)

    def test_the_manifest_says_what_was_done(self):
        done = self.tune("tuned")
        self.assertEqual(done.code, OK, done.err)
        manifest = self.manifest("tuned")
        self.assertEqual(manifest["phase"], "measured")
        self.assertEqual(manifest["command"], [sys.executable, "train.py"])
        self.assertEqual(manifest["environment"]["PYTHONPATH"], self.environment["PYTHONPATH"])
        self.assertNotIn("HOME", manifest["environment"])
        self.assertEqual(manifest["torch"], "0.0-stand-in")
        self.assertEqual(manifest["sources"], [
            {"path": name, "sha256": hashlib.sha256(text.encode()).hexdigest(), "loaded": True} for name, text in
            (("parts.py", PARTS), ("train.py", TRAIN))])
        self.assertEqual(sum(trial["outcome"] == "kept" for trial in manifest["trials"]), 2)
        for trial in manifest["trials"]:
            for file in trial["after"]:
                self.assertEqual(len(file["sha256"]), 64)
        last = [trial for trial in manifest["trials"] if trial["outcome"] == "kept"][-1]["after"][0]
        self.assertEqual(hashlib.sha256(self.read("tuned", "kept", last["path"]).encode()).hexdigest(), last["sha256"])

    def test_what_the_script_never_imports_is_not_tried(self):
        self.write("a project/aside.py", PARTS)
        done = self.tune("tuned")
        self.assertEqual(done.code, OK, done.err)
        manifest = self.manifest("tuned")
        self.assertEqual({file["path"]: file["loaded"] for file in manifest["sources"]},
                         {"aside.py": False, "parts.py": True, "train.py": True})
        self.assertEqual({trial["path"] for trial in manifest["trials"]}, {"parts.py", "train.py"})
        self.write("a project/aside.py", PARTS + "# changed\n")
        self.assertEqual(self.resume("tuned").code, OK)
        self.write("a project/parts.py", PARTS + "# changed\n")
        changed = self.resume("tuned")
        self.assertEqual(changed.code, INPUT)
        self.assertIn("parts.py", changed.err)

    def test_after_kills_the_result_is_the_same(self):
        whole = self.tune("whole")
        self.assertEqual(whole.code, OK, whole.err)
        expected = [(trial["rule"], trial["path"], trial["outcome"] == "kept") for trial in self.manifest("whole")["trials"]]
        chance = random.Random(7)
        self.start_and_kill("tuned", after_s=0.3)
        for _ in range(12):
            self.start_and_kill("tuned", after_s=chance.uniform(0.05, 1.5),
                                words=["tune", "--resume", os.path.join(self.folder, "tuned")])
            before = self.manifest("tuned")["trials"]
            self.assertEqual([(trial["rule"], trial["path"], trial["outcome"] == "kept") for trial in before],
                             expected[:len(before)])
        done = self.resume("tuned")
        self.assertEqual(done.code, OK, done.err)
        after = self.manifest("tuned")
        self.assertEqual(after["trials"][:len(before)], before)  # not one was measured again
        self.assertEqual([(trial["rule"], trial["path"], trial["outcome"] == "kept") for trial in after["trials"]], expected)
        self.assertEqual(self.read("tuned", "tune.diff"), self.read("whole", "tune.diff"))
        for name in ("train.py", "parts.py"):
            self.assertEqual(self.read("tuned", "kept", name), self.read("whole", "kept", name))

    def test_finished_trials_are_not_repeated(self):
        self.start_and_kill("tuned", trials=1)
        first = self.manifest("tuned")["trials"]
        self.assertGreaterEqual(len(first), 1)
        done = self.resume("tuned")
        self.assertEqual(done.code, OK, done.err)
        self.assertIn(f"going on: {len(first)} of its trials are done", done.err)
        self.assertEqual(self.manifest("tuned")["trials"][:len(first)], first)
        again = self.resume("tuned", "--write")
        self.assertEqual(again.code, OK, again.err)
        self.assertNotIn("trying", again.err)
        self.assertEqual(again.json["sections"], done.json["sections"])
        self.assertIn("np.asarray", self.read("a project", "train.py"))

    def test_what_a_killed_run_started_ends_with_it(self):
        if not sys.platform.startswith("linux"):
            self.skipTest("Linux ends it")
        self.write("a project/train.py", TRAIN.replace("range(20)", "range(100000)"))
        self.start_and_kill("tuned", after_s=1.5, words=["tune", "--steps", "0", *self.words("tuned")[5:]])
        pid = int(self.read("tuned", "trial", "pid"))
        until = time.monotonic() + 5
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < until:
            time.sleep(0.02)
        self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_a_changed_source_is_refused_by_name(self):
        self.start_and_kill("tuned", trials=1)
        copy = os.path.join(self.folder, "before")
        shutil.copytree(os.path.join(self.folder, "tuned"), copy)
        for change, said in ((lambda: self.write("a project/parts.py", PARTS + "\n"), "parts.py: changed since"),
                             (lambda: os.remove(os.path.join(self.project, "parts.py")), "parts.py: is gone since"),
                             (lambda: self.write("a project/more.py", ""), "more.py: is new since")):
            self.write("a project/parts.py", PARTS)
            change()
            done = self.resume("tuned")
            self.assertEqual(done.code, INPUT)
            self.assertIn(said, done.err)
            self.assertEqual(self.read("tuned", "manifest.json"), self.read(copy, "manifest.json"))

    def test_another_pytorch_is_refused(self):
        self.start_and_kill("tuned", trials=1)
        self.write("lib/torch.py", STAND_IN.replace("0.0-stand-in", "0.1-stand-in"))
        done = self.resume("tuned")
        self.assertEqual(done.code, INPUT)
        self.assertIn("this is PyTorch 0.1-stand-in", done.err)
        self.write("lib/torch.py", STAND_IN)
        self.assertEqual(self.resume("tuned").code, OK)

    def test_two_at_once_are_refused(self):
        self.start_and_kill("tuned", trials=1)
        folder = os.open(os.path.join(self.folder, "tuned"), os.O_RDONLY)
        self.addCleanup(os.close, folder)
        fcntl.flock(folder, fcntl.LOCK_EX)
        done = self.resume("tuned")
        self.assertEqual(done.code, INPUT)
        self.assertIn("another steptime tune is at work there", done.err)

    def test_an_interrupt_says_how_to_go_on(self):
        with subprocess.Popen([PROGRAM, *self.words("tuned")], env={**os.environ, **self.environment}, cwd=self.project,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
            for line in child.stderr:
                if "trying" in line:
                    child.send_signal(signal.SIGINT)
                    break
            said = child.stderr.read()
        self.assertEqual(child.returncode, -signal.SIGINT)
        self.assertIn("tune --resume", said)
        self.assertEqual(self.manifest("tuned")["trials"], [])
        self.assertEqual(self.resume("tuned").code, OK)

    def test_words_that_make_no_sense(self):
        os.mkdir(os.path.join(self.folder, "empty"))
        for words, code, said in ((("--resume", self.folder + "/none"), INPUT, "No such file"),
                                  (("--resume", self.folder + "/empty"), INPUT, "manifest.json"),
                                  (("--resume", self.folder + "/empty", "--steps", "3"), USAGE, "not with --steps"),
                                  (("--resume", self.folder + "/empty", "--", "train.py"), USAGE, "nothing stands behind")):
            done = steptime("tune", *words)
            self.assertEqual(done.code, code)
            self.assertIn(said, done.err)
        for text in ("", "[]", '{"format": "steptime tune"', '{"format": "other", "version": 1}', '{"trials": [{"outcome": "?"}]}',
                     '{"format": "steptime tune", "version": 1, "command": [], "folder": "/"}'):
            self.write("empty/manifest.json", text)
            done = steptime("tune", "--resume", self.folder + "/empty")
            self.assertEqual(done.code, INPUT, text)
            self.assertIn("is no manifest of steptime tune", done.err)


if __name__ == "__main__":
    unittest.main()
