# SPDX-License-Identifier: Apache-2.0
"""The hooks of .pre-commit-hooks.yaml, run by pre-commit itself where it is installed."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from support import PROGRAM, SOURCE, Folder

from test_lint import TRAINING
from test_notebook import notebook

HOOKS = os.path.join(SOURCE, ".pre-commit-hooks.yaml")


def pre_commit():
    """How to run it: a command of the path, or a module of this Python."""
    found = shutil.which("pre-commit")
    if found:
        return [found]
    try:
        import pre_commit  # noqa: F401
    except ImportError:
        return None
    return [sys.executable, "-m", "pre_commit"]


class Hooks(unittest.TestCase):
    def test_ids_and_entries(self):
        with open(HOOKS, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(re.findall(r"^- id: (\S+)$", text, re.M), ["steptime-lint", "steptime-fix"])
        self.assertEqual(re.findall(r"^  entry: (.+)$", text, re.M), ["steptime lint", "steptime fix --write"])


@unittest.skipUnless(shutil.which("git"), "git is not installed")
@unittest.skipUnless(pre_commit(), "pre-commit is not installed")
class Run(Folder):
    def run_in(self, folder, *command, fine=True):
        env = {**os.environ, "HOME": self.folder, "PRE_COMMIT_HOME": os.path.join(self.folder, "store"), "GIT_CONFIG_GLOBAL": os.devnull,
               "PATH": os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"], "LC_ALL": "C.UTF-8",
               "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
        if fine:
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def repository(self, name, files):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        for path, text in files.items():
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                file.write(text)
        self.run_in(folder, "git", "init", "-q")
        self.run_in(folder, "git", "add", "-A")
        self.run_in(folder, "git", "-c", "user.email=a@example.org", "-c", "user.name=a", "commit", "-qm", "first")
        return folder

    def try_hook(self, hook, files):
        with open(HOOKS, encoding="utf-8") as file:
            hooks = self.repository("hooks", {".pre-commit-hooks.yaml": file.read()})
        revision = self.run_in(hooks, "git", "rev-parse", "HEAD").stdout.strip()
        config = f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n  - id: {hook}\n"
        folder = self.repository("project", {".pre-commit-config.yaml": config, **files})
        return folder, self.run_in(folder, *pre_commit(), "run", "--all-files", fine=False)

    def test_lint_names_what_it_finds(self):
        _, done = self.try_hook("steptime-lint", {"train.py": TRAINING, "readme.txt": "x"})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("train.py:", done.stdout)
        self.assertIn("ST401", done.stdout)

    def test_lint_passes_what_is_clean(self):
        _, done = self.try_hook("steptime-lint", {"clean.py": "print(1)\n"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_fix_changes_files_and_fails_once(self):
        text = TRAINING.replace("        loss = ", "        new = torch.zeros(3).to(device)\n        loss = ")
        files = {"train.py": text, "n.ipynb": json.dumps(notebook(), indent=1)}
        folder, done = self.try_hook("steptime-fix", files)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("files were modified by this hook", done.stdout)
        for name, before in files.items():
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                self.assertNotEqual(file.read(), before)
        self.run_in(folder, "git", "add", "-A")
        self.run_in(folder, *pre_commit(), "run", "--all-files")


if __name__ == "__main__":
    unittest.main()
