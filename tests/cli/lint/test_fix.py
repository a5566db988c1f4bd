# SPDX-License-Identifier: Apache-2.0
"""`steptime fix` from outside: diffs that other programs take, files that are replaced whole, rounds that end."""
import ast
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

from support import INPUT, JUDGED, OK, OUTPUT, USAGE, steptime

TRAIN = b"""# a comment that stays
import torch
from torch import nn
from torch.nn import functional as F


def train(model, loader, optimizer, device):
    model = model.to(device)
    total = 0.0
    for x, y in loader:
        x = x.to(device)
        y = y.to(device)   # and this one
        optimizer.zero_grad()
        mask = torch.ones(x.shape[0]).to(device)
        loss = (F.cross_entropy(model(x), y, reduction="none") * mask).mean()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def main():
    device = torch.device("cuda")
    data = torch.utils.data.TensorDataset(torch.zeros(8, 4), torch.zeros(8, dtype=torch.long))
    loader = torch.utils.data.DataLoader(data, batch_size=2)
    model = nn.Linear(4, 3)
    train(model, loader, torch.optim.SGD(model.parameters(), lr=0.1), device)


if __name__ == "__main__":
    main()
"""


class Fix(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def fix(self, *arguments, code=OK, user=None):
        outcome = steptime("fix", *arguments, cwd=self.folder, user=user)
        self.assertEqual(outcome.code, code, outcome.err)
        return outcome

    def run_here(self, *command, text):
        return subprocess.run(command, cwd=self.folder, input=text, capture_output=True, text=True, check=False)

    def written(self, text, *options):
        """What becomes of a file."""
        self.write("w.py", text)
        self.fix("--write", *options, "w.py")
        return self.read("w.py")


class Diff(Fix):
    def test_it_is_the_default_and_changes_nothing(self):
        self.write("train.py", TRAIN)
        outcome = self.fix("train.py")
        self.assertEqual(self.read("train.py"), TRAIN)
        self.assertIn("--- a/train.py\n+++ b/train.py\n@@", outcome.out)
        self.assertRegex(outcome.err, r"\d+ rewrites in 1 file")
        self.assertEqual(outcome.out, self.fix("--diff", "train.py").out)

    @unittest.skipUnless(shutil.which("git") and shutil.which("patch"), "git and patch are needed")
    def test_git_and_patch_take_it(self):
        wanted = self.written(TRAIN)
        for name in "train.py", "sub folder/tr\xe4in.py":
            for command in ["git", "apply"], ["patch", "-s", "-p1"]:
                with self.subTest(name=name, command=command[0]):
                    self.write(name, TRAIN)
                    diff = self.fix(name).out
                    done = self.run_here(*command, text=diff)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(self.read(name), wanted)

    def test_a_line_that_stays_is_not_told(self):
        self.write("train.py", TRAIN)
        lines = self.fix("train.py").out.splitlines()
        gone = {line[1:] for line in lines if line.startswith("-")}
        self.assertEqual(gone & {line[1:] for line in lines if line.startswith("+")}, set())

    def test_the_reason_of_each_rewrite_stands_before_it(self):
        self.write("train.py", TRAIN)
        header = self.fix("--unsafe", "train.py").out.partition("--- a/")[0]
        self.assertRegex(header, r"(?m)^# line \d+: ST\d{3} [a-z-]+")
        for line in header.splitlines():
            self.assertTrue(line.startswith("# "), line)


class Json(Fix):
    """What editors and scripts take: applying the edits by hand gives what --write writes."""

    def rows(self, document, table):
        table = next(t for s in document["sections"] for t in s["tables"] if t["id"] == table)
        return [dict(zip([c["id"] for c in table["columns"]], row)) for row in table["rows"]]

    def apply(self, text, edits):
        lines = text.decode().splitlines(keepends=True)
        starts = [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]
        text = "".join(lines)

        def byte(line, column):
            rest = text[starts[line - 1]:].encode("utf-16-le")[:2 * (column - 1)].decode("utf-16-le")
            return starts[line - 1] + len(rest)
        for edit in sorted(edits, key=lambda e: (e["line"], e["column"]), reverse=True):
            begin, end = byte(edit["line"], edit["column"]), byte(edit["end_line"], edit["end_column"])
            text = text[:begin] + edit["text"] + text[end:]
        return text.encode()

    def test_the_edits_make_what_write_makes(self):
        for text in TRAIN, TRAIN.replace(b"y = y.to(device)", b'u = "\xf0\x9f\x98\x80"; y = y.to(device)'):
            for options in [], ["--unsafe"]:
                wanted = self.written(text, *options)
                self.write("w.py", text)
                document = self.fix("--format", "json", *options, "w.py").json
                self.assertEqual(self.apply(text, self.rows(document, "edits")), wanted)
                self.assertEqual(self.read("w.py"), text)

    def test_each_edit_names_its_rules(self):
        self.write("w.py", TRAIN)
        document = self.fix("--format", "json", "--unsafe", "w.py").json
        made = {(r["rule"], r["fix"]) for r in self.rows(document, "rewrites")}
        told = {rule for e in self.rows(document, "edits") for rule in e["rules"].split(", ")}
        self.assertEqual(told, {rule for rule, _ in made})
        self.assertLessEqual({e["fix"] for e in self.rows(document, "edits")}, {"safe", "unsafe"})
        (diff,) = self.rows(document, "diffs")
        self.assertEqual(diff["diff"], self.fix("--unsafe", "w.py").out)

    def test_lint_tells_the_edits_of_each_finding(self):
        self.write("w.py", TRAIN)
        found = steptime("lint", "--format", "json", "--select", "ST601", "w.py", cwd=self.folder).json["findings"]
        wanted = self.written(TRAIN, "--select", "ST601")
        (finding,) = found
        self.assertEqual(self.apply(TRAIN, finding["edits"]), wanted)


class Policy(Fix):
    """What is rewritten unless somebody asks for more."""

    GATED = TRAIN.replace(b"mask = torch.ones(x.shape[0]).to(device)",
                          b"mask = 1.0\n        if x.step % 10 == 0:\n            mask = torch.ones(9).to(device)")

    def test_notes_stay_unless_asked_for(self):
        only = ["--select", "ST601"]
        self.assertEqual(self.written(self.GATED, *only), self.GATED)
        self.assertIn("1 of notes with --notes", self.fix(*only, "w.py").err)
        self.assertIn(b"torch.ones(9, device=device)", self.written(self.GATED, *only, "--notes"))

    def test_tests_stay(self):
        for name in "test_train.py", "train_test.py", "tests/train.py", "a/tests/train.py":
            self.write(name, TRAIN)
            self.fix("--write", "--unsafe", "--notes", name)
            self.assertEqual(self.read(name), TRAIN, name)


class Piped(Fix):
    """Standard input in, standard output out."""

    def pipe(self, command, *arguments, text=TRAIN, code=OK):
        outcome = steptime(command, *arguments, cwd=self.folder, stdin=text)
        self.assertEqual(outcome.code, code, outcome.err)
        return outcome

    def test_the_fixed_text_is_the_output(self):
        wanted = self.written(TRAIN)
        self.assertEqual(self.pipe("fix", "--write", "-").out.encode(), wanted)
        self.assertEqual(self.pipe("fix", "--write", "-", text=b"a = 1\n").out, "a = 1\n")

    def test_the_name_is_told_and_its_configuration_holds(self):
        self.assertIn("--- a/src/train.py\n", self.pipe("fix", "-", "--stdin-filename", "src/train.py").out)
        self.write("src/pyproject.toml", b'[tool.steptime]\nignore = ["ST4"]\n')
        self.assertIn("total += loss.item()", self.pipe("fix", "--write", "-", "--stdin-filename", "src/train.py").out)

    def test_it_stands_for_the_file_of_its_name(self):
        self.write("train.py", b"a = 1\n")
        found = self.pipe("lint", "--format", "json", ".", "-", "--stdin-filename", "train.py", code=JUDGED).json
        self.assertEqual({f["file"] for f in found["findings"]}, {"train.py"})

    def test_wrong_calls(self):
        self.write("train.py", TRAIN)
        self.assertIn("name '-' too", self.pipe("lint", "--stdin-filename", "a.py", "train.py", code=USAGE).err)
        self.assertIn("no other files", self.pipe("fix", "--write", "-", "train.py", code=USAGE).err)


class Write(Fix):
    def test_comments_and_all_else_stay(self):
        after = self.written(TRAIN)
        self.assertNotEqual(after, TRAIN)
        for kept in b"# a comment that stays\n", b"   # and this one\n", b"\n\nif __name__ ==":
            self.assertIn(kept, after)
        ast.parse(after)

    def test_a_second_time_changes_nothing(self):
        for options in [], ["--unsafe"]:
            once = self.written(TRAIN, *options)
            again = self.fix("--write", *options, "w.py")
            self.assertEqual(self.read("w.py"), once)
            self.assertIn("0 rewrites", again.err)

    def test_line_ends_and_encoding_stay(self):
        plain = self.written(TRAIN)
        self.assertEqual(self.written(TRAIN.replace(b"\n", b"\r\n")), plain.replace(b"\n", b"\r\n"))
        self.assertEqual(self.written(TRAIN.replace(b"    ", b"\t")), plain.replace(b"    ", b"\t"))
        self.assertEqual(self.written(b"\xef\xbb\xbf" + TRAIN), b"\xef\xbb\xbf" + plain)
        latin = b"# -*- coding: latin-1 -*-\n# \xe9\n"
        self.assertEqual(self.written(latin + TRAIN), latin + plain)

    def test_rights_and_links_stay(self):
        path = self.write("real.py", TRAIN)
        os.chmod(path, 0o750)
        os.symlink("real.py", os.path.join(self.folder, "link.py"))
        self.fix("--write", "link.py")
        self.assertTrue(os.path.islink(os.path.join(self.folder, "link.py")))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o750)
        self.assertNotEqual(self.read("real.py"), TRAIN)

    def test_a_file_that_cannot_be_written_keeps_none_from_it(self):
        self.write("a/train.py", TRAIN)
        other = self.write("b/train.py", TRAIN)
        os.chmod(os.path.join(self.folder, "a", "train.py"), 0o444)
        for path, mode in (self.folder, 0o755), (os.path.dirname(other), 0o777), (other, 0o666):
            os.chmod(path, mode)
        nobody = 65534 if os.geteuid() == 0 else None  # root may write everything
        try:
            outcome = self.fix("--write", ".", code=OUTPUT, user=nobody)
        except PermissionError:
            self.skipTest("the program lies where nobody but root gets to")
        self.assertIn("a/train.py", outcome.err)
        self.assertEqual(self.read("a/train.py"), TRAIN)
        self.assertNotEqual(self.read("b/train.py"), TRAIN)

    def test_what_a_comment_silences_stays(self):
        silenced = TRAIN.replace(b"total += loss.item()", b"total += loss.item()  # steptime: ignore[ST401] wanted")
        self.assertIn(b"total += loss.item()  # steptime", self.written(silenced))
        self.assertIn(b"total += loss.item()", self.written(TRAIN, "--ignore", "ST4"))
        self.assertNotIn(b"total += loss.item()", self.written(TRAIN, "--select", "ST4"))


class Trouble(Fix):
    def test_a_file_that_does_not_parse_is_named_and_others_go_on(self):
        self.write("broken.py", b"def f(:\n")
        self.write("train.py", TRAIN)
        outcome = self.fix("--write", ".")
        self.assertRegex(outcome.err, r"broken\.py:1: ")
        self.assertNotEqual(self.read("train.py"), TRAIN)
        self.assertEqual(self.read("broken.py"), b"def f(:\n")

    def test_wrong_calls(self):
        self.assertIn("which files", self.fix(code=USAGE).err)
        self.assertIn("--diff and --write", self.fix("--diff", "--write", ".", code=USAGE).err)
        self.fix("missing.py", code=INPUT)
        self.fix("--trace", "missing.json", self.write("train.py", TRAIN), code=INPUT)

    def test_nothing_to_do_is_no_error(self):
        self.write("a.py", b"a = 1\n")
        outcome = self.fix("a.py")
        self.assertEqual(outcome.out, "")
        self.assertIn("0 rewrites", outcome.err)


if __name__ == "__main__":
    unittest.main()
