# SPDX-License-Identifier: Apache-2.0
"""steptime tune: rewrites tried one by one, those kept that train the same and are faster. Needs PyTorch, but for words.
test_tune_chance.py has what trains differently each time."""
import os
import shutil
import subprocess
import tempfile
import textwrap
import unittest

from support import INPUT, OK, OUTPUT, USAGE, steptime
from torch_python import torch_python

SLOW_S = 560
ENVIRONMENT = {"OMP_NUM_THREADS": "1"}
# The rows of a batch go to PyTorch number by number: nearly all of the step, so that no busy machine hides what is gained.
SLOW = """
    import numpy as np
    import torch

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(64, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
    samples = [np.random.RandomState(i).rand(64) for i in range(512)]

    def prepare(at):
        rows = []
        for i in range(500):
            rows.append(samples[(at + i) % 512])
        return torch.Tensor(rows).float().to(device)

    for step in range(60):
        loss = net(prepare(step)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with open("written.txt", "w") as out:
        out.write("trained")
"""


class Words(unittest.TestCase):
    def test_wrong_ones(self):
        for words, said in ((("--",), "which command?"), (("--budget", "soon", "--", "x.py"), "--budget takes a time"),
                            (("--", "python", "-c", "1"), "which of these words is the script?"),
                            (("--rtol", "-1", "--", "x.py"), "--rtol is a number")):
            done = steptime("tune", *words)
            self.assertEqual(done.code, USAGE)
            self.assertIn(said, done.err)

    def test_a_folder_that_is_there_is_left_alone(self):
        with tempfile.TemporaryDirectory() as here:
            script = os.path.join(here, "train.py")
            with open(script, "w", encoding="utf-8"):
                pass
            done = steptime("tune", "--folder", here, "--", script)
            self.assertEqual(done.code, OUTPUT)
            self.assertIn("cannot be made: File exists", done.err)
            self.assertEqual(os.listdir(here), ["train.py"])

    def test_a_script_that_is_not_there(self):
        done = steptime("tune", "--", "python", "no-such-script.py")
        self.assertEqual(done.code, INPUT)
        self.assertIn("no-such-script.py", done.err)


class Tuned(unittest.TestCase):
    def setUp(self):
        self.python = torch_python()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "a project")
        os.mkdir(self.folder)

    def script(self, text):
        with open(os.path.join(self.folder, "train.py"), "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(text))
        return out.name

    def tune(self, *words):
        """Timed by the processor's clock: on a busy machine the wall's takes more repetitions."""
        return steptime("tune", "--format", "json", "--steps", "16", "--repeat", "2", "--processor-time", "--folder", "tuned",
                        *words, "--", self.python, "train.py", env=ENVIRONMENT, cwd=self.folder, limit_s=SLOW_S)

    def test_what_pays_is_kept_and_the_files_stay_as_they_are(self):
        path = self.script(SLOW)
        done = self.tune()
        self.assertEqual(done.code, OK, done.err)
        with open(path, encoding="utf-8") as text:
            self.assertEqual(text.read(), textwrap.dedent(SLOW))
        values = {v["id"]: v["value"] for v in done.json["sections"][0]["values"]}
        self.assertGreaterEqual(values["kept"], 1, done.err)
        self.assertGreater(values["low"], 1)
        rows = [dict(zip([c["id"] for c in t["columns"]], row)) for t in done.json["sections"][0]["tables"] for row in t["rows"]]
        self.assertEqual(len(rows), values["tried"])
        for row in rows:
            if row["outcome"] == "kept":
                self.assertGreater(row["low"], 1)
        # Recording runs the script where it lies, trials in copies.
        self.assertTrue(os.path.exists(os.path.join(self.folder, "tuned", "trial", "train.py")))
        plain = os.path.join(self.folder, "plain")
        os.mkdir(plain)
        shutil.copy(path, plain)
        applied = subprocess.run(["git", "apply", os.path.join(self.folder, "tuned", "tune.diff")], cwd=plain,
                                 capture_output=True, text=True, check=False)
        self.assertEqual(applied.returncode, 0, applied.stderr)
        with open(os.path.join(plain, "train.py"), encoding="utf-8") as ours, \
                open(os.path.join(self.folder, "tuned", "kept", "train.py"), encoding="utf-8") as kept:
            self.assertEqual(ours.read(), kept.read())

    def test_a_script_that_fails(self):
        self.script("import torch\nraise SystemExit(4)")
        done = self.tune()
        self.assertEqual(done.code, INPUT)
        self.assertIn("ended with exit code 4", done.err)

    def test_nothing_to_rewrite(self):
        self.script("""
            import torch
            net = torch.nn.Linear(4, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(20):
                net(torch.ones(2, 4)).mean().backward()
                optimizer.step()
        """)
        done = self.tune()
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(done.json["sections"][0]["values"][0]["value"], 0)
