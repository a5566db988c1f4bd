# SPDX-License-Identifier: Apache-2.0
"""A file that cannot be used costs that file: it is named with the reason, and the others are looked at as ever."""
import os
import socket
import tempfile
import unittest

from support import JUDGED, SANITIZED, steptime

TRAINING = """import torch


def train(model, loader, opt):
    model.cuda()
    total = 0.0
    for x, y in loader:
        loss = model(x.cuda(non_blocking=True)).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total
"""
NOBODY = 65534


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)
        self.write("good.py", TRAINING)

    def at(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.at(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def lint(self, skipped, named="", user=None):
        """The good file is judged; so many others could not be used, and one is named with this."""
        run = steptime("lint", "--format", "json", ".", cwd=self.folder, user=user)
        self.assertEqual(run.code, JUDGED, run.err)
        result = run.json
        self.assertIn("good.py", {finding["file"] for finding in result["findings"]})
        values = {value["id"]: value["value"] for section in result["sections"] if section["id"] == "lint"
                  for value in section["values"]}
        self.assertEqual(values["skipped"], skipped)
        self.assertIn(named, str(result["warnings"]))

    def test_nul(self):
        self.write("bad.py", b"x = 1\n\0\n")
        self.lint(1, "NUL byte")

    def test_not_utf8(self):
        self.write("bad.py", b"x = '\xff\xfe'\n")
        self.lint(1, "not UTF-8")

    def test_syntax_error(self):
        self.write("bad.py", "def f(:\n    loss.item(\n")
        self.lint(0, "does not parse")

    def test_too_large(self):
        with open(self.at("bad.py"), "wb") as file:
            file.truncate(100_000_000)
        self.lint(1, "MB are not read")

    def test_nested_deep(self):
        self.write("bad.py", "x = " + "(" * 100_000 + ")" * 100_000 + "\n")
        self.lint(0, "not looked into")

    def test_pipe(self):
        os.mkfifo(self.at("bad.py"))
        self.lint(1, "bad.py")

    def test_socket(self):
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(self.at("bad.py"))
            self.lint(1, "bad.py")

    def test_link_that_leads_nowhere(self):
        os.symlink("nowhere.py", self.at("bad.py"))
        self.lint(1, "bad.py")

    def test_link_to_itself(self):
        os.symlink("bad.py", self.at("bad.py"))
        self.lint(1, "bad.py")

    def test_folder_linked_to_the_one_above(self):
        os.symlink(".", self.at("loop"))
        os.symlink("..", self.at("loop.py"))
        self.lint(0)

    def test_folder_of_that_name(self):
        os.mkdir(self.at("bad.py"))
        self.lint(0)

    @unittest.skipIf(os.getuid(), "only root can be somebody else")
    @unittest.skipIf(SANITIZED, "a sanitizer may not start as somebody else")
    def test_what_may_not_be_read(self):
        self.write("bad.py", "x = 1\n")
        os.chmod(self.at("bad.py"), 0)
        os.mkdir(self.at("closed"), 0)
        self.lint(2, "Permission denied", user=NOBODY)

    def test_all_at_once(self):
        self.write("a.py", b"\0")
        self.write("b.py", b"\xff")
        os.mkfifo(self.at("c.py"))
        os.symlink("nowhere.py", self.at("d.py"))
        self.lint(4)


if __name__ == "__main__":
    unittest.main()
