# SPDX-License-Identifier: Apache-2.0
"""lint from outside: what it finds and how it tells, configuration, comments, and files that cannot be used."""
import csv
import io
import os
import resource
import unittest

from support import INPUT, JUDGED, OK, USAGE, Folder, steptime

TRAINING = """\
import torch
from torch import nn


def train(model, loader, optimizer, criterion, device):
    model.to(device)
    total = 0.0
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total
"""
READ = 14  # the line of loss.item()


class Case(Folder):
    def write(self, name, text=TRAINING):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def lint(self, *arguments):
        return steptime("lint", *arguments, cwd=self.folder)

    def found(self, *arguments):
        """(file, line, rule) of each finding."""
        run = self.lint("--format", "json", *arguments)
        self.assertIn(run.code, (OK, JUDGED), run.err)
        return [(f["file"], f["line"], f["rule"]) for f in run.json["findings"]]


class Findings(Case):
    def test_a_read_back_is_found_at_its_line(self):
        self.write("train.py")
        self.assertIn(("train.py", READ, "ST401"), self.found("train.py"))

    def test_fields(self):
        self.write("train.py")
        run = self.lint("--format", "json", "--select", "ST401", "train.py")
        (finding,) = run.json["findings"]
        self.assertEqual(run.code, JUDGED)
        self.assertEqual((finding["severity"], finding["tier"]), ("warning", "static"))
        self.assertIn(finding["fix"], ("safe", "none"))
        self.assertEqual(finding["column"], TRAINING.splitlines()[READ - 1].index("loss.item") + 1)
        self.assertEqual((finding["end_line"], finding["per_step_saving_ns"], finding["events"]), (READ, None, None))
        self.assertTrue(finding["message"])

    def test_a_fix_is_promised_where_there_is_one(self):
        self.write("train.py", TRAINING.replace("        loss = ", "        noise = torch.zeros(3).to(device)\n        loss = "))
        run = self.lint("--format", "json", "--select", "ST601", "train.py")
        self.assertEqual([f["fix"] for f in run.json["findings"]], ["safe"])
        self.assertIn("'steptime fix' rewrites 1 of them safely", self.lint("--select", "ST601", "train.py").out)

    def test_the_screen_shows_the_line_and_a_caret(self):
        self.write("train.py")
        lines = self.lint("--select", "ST401", "train.py").out.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith(f"train.py:{READ}:"))
        self.assertIn("ST401 scalar-read-back [static]", lines[at])
        self.assertIn("total += loss.item()", lines[at + 1])
        caret = lines[at + 2]
        self.assertEqual(lines[at + 1][caret.index("^"):caret.rindex("^") + 1], "loss.item()")

    def test_tabs_do_not_move_the_caret(self):
        self.write("train.py", TRAINING.replace("    ", "\t"))
        lines = self.lint("--select", "ST401", "train.py").out.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith(f"train.py:{READ}:"))
        caret = lines[at + 2]
        self.assertEqual(lines[at + 1][caret.index("^"):caret.rindex("^") + 1], "loss.item()")

    def test_ids_outlive_lines_above(self):
        self.write("train.py")
        before = self.lint("--format", "json", "train.py").json["findings"]
        self.write("train.py", "# one more line\n" + TRAINING)
        after = self.lint("--format", "json", "train.py").json["findings"]
        self.assertEqual([f["id"] for f in before], [f["id"] for f in after])
        self.assertEqual(len({f["id"] for f in after}), len(after))

    def test_csv(self):
        self.write("train.py")
        rows = list(csv.DictReader(io.StringIO(self.lint("--format", "csv", "--table", "findings", "train.py").out)))
        self.assertIn(("train.py", str(READ), "ST401"), [(r["file"], r["line"], r["rule"]) for r in rows])

    def test_threads_change_nothing(self):
        for i in range(12):
            self.write(f"t{i}.py")
        once = self.lint("--format", "json", "--threads", "1", ".").out
        self.assertEqual(self.lint("--format", "json", "--threads", "4", ".").out, once)

    def test_annotations(self):
        self.write("a,b%.py")
        run = self.lint("--format", "github", "--select", "ST401", ".")
        (line,) = run.out.splitlines()
        self.assertTrue(line.startswith(f"::warning file=a%2Cb%25.py,line={READ},"), line)
        self.assertIn(",title=ST401 scalar-read-back::", line)


class Verdict(Case):
    def test_exit_codes(self):
        self.write("train.py")
        self.write("clean.py", "import torch\n")
        self.assertEqual(self.lint("train.py").code, JUDGED)
        self.assertEqual(self.lint("clean.py").code, OK)
        self.assertEqual(self.lint("--fail-on", "never", "train.py").code, OK)
        self.assertEqual(self.lint("--fail-on", "error", "train.py").code, OK)
        self.assertEqual(self.lint("--select", "ST103", "train.py").code, OK)

    def test_mistakes(self):
        self.write("train.py")
        for words, code, says in (([], USAGE, "which files?"), (["gone.py"], INPUT, "gone.py: No such file"),
                                  (["--select", "ST9", "train.py"], USAGE, "there is no rule 'ST9'"),
                                  (["--ignore", "elemant-access", "train.py"], USAGE, "did you mean 'element-access'"),
                                  (["--fail-on", "sometimes", "train.py"], USAGE, "--fail-on")):
            run = self.lint(*words)
            self.assertEqual((run.code, run.out), (code, ""), run.err)
            self.assertIn(says, run.err)

    def test_a_folder_without_python_is_said(self):
        self.write("readme.md", "x")
        run = self.lint(".")
        self.assertEqual(run.code, INPUT)
        self.assertIn("no Python files", run.err)


class Comments(Case):
    def suppressed(self, text):
        self.write("train.py", text)
        return not [f for f in self.found("train.py") if f[2] == "ST401"]

    def test_where_a_comment_silences(self):
        line = "        total += loss.item()\n"
        end = line.rstrip("\n")
        self.assertFalse(self.suppressed(TRAINING))
        for comment in ("# steptime: ignore[ST401] wanted", "# steptime: ignore", "# steptime: ignore[ST4]",
                        "# noqa # steptime: ignore[ST602, scalar-read-back]", "#steptime:ignore[ST401]"):
            self.assertTrue(self.suppressed(TRAINING.replace(line, f"{end}  {comment}\n")), comment)
            self.assertTrue(self.suppressed(TRAINING.replace(line, f"        {comment}\n{line}")), comment)

    def test_where_it_does_not(self):
        line = "        total += loss.item()\n"
        for text in (TRAINING.replace(line, f"{line}        # steptime: ignore\n"),
                     TRAINING.replace(line, line.replace("\n", "  # steptime: ignore[ST101]\n")),
                     TRAINING.replace(line, f"        x = '# steptime: ignore'\n{line}")):
            self.assertFalse(self.suppressed(text))

    def test_of_a_statement_over_several_lines_the_first_counts(self):
        text = TRAINING.replace("        total += loss.item()\n",
                                "        total += (  # steptime: ignore[ST401]\n            loss.item())\n")
        self.assertTrue(self.suppressed(text))

    def test_unused_ones_are_named_on_request(self):
        self.write("train.py", TRAINING + "# steptime: ignore[ST101]\n")
        self.assertNotIn("suppresses nothing", self.lint("train.py").out)
        self.assertIn("line 16: the comment suppresses nothing", self.lint("--unused-ignores", "train.py").out)

    def test_names_that_are_no_rules_are_told(self):
        self.write("train.py", TRAINING + "x = 1  # steptime: ignore[ST999]\n")
        self.assertIn("names a rule that there is not: ST999", self.lint("train.py").out)


class Configuration(Case):
    def configure(self, text, name="pyproject.toml"):
        self.write(name, text)

    def test_it_is_found_above_the_path(self):
        self.write("pkg/train.py")
        self.configure("[tool.steptime]\nignore = ['ST401']\n")
        self.assertNotIn("ST401", [rule for _, _, rule in self.found("pkg")])
        self.assertNotIn("ST401", [rule for _, _, rule in self.found("pkg/train.py")])

    def test_one_of_another_tool_is_passed_over(self):
        self.write("pkg/train.py")
        self.configure("[tool.steptime]\nignore = ['ST401']\n")
        self.configure("[tool.black]\nline-length = 100\n", "pkg/pyproject.toml")
        self.assertNotIn("ST401", [rule for _, _, rule in self.found("pkg")])

    def test_select_of_the_command_line_counts_more(self):
        self.write("train.py")
        self.configure("[tool.steptime]\nselect = ['ST6']\n")
        self.assertNotIn("ST401", [rule for _, _, rule in self.found("train.py")])
        self.assertIn("ST401", [rule for _, _, rule in self.found("--select", "ST401", "train.py")])

    def test_exclude_and_per_file_ignores(self):
        for name in ("a.py", "old/b.py", "third/c.py"):
            self.write(name)
        self.configure("[tool.steptime]\nexclude = ['third/']\n[tool.steptime.per-file-ignores]\n'old/*' = ['ST4']\n")
        reads = [file for file, _, rule in self.found(".") if rule == "ST401"]
        self.assertEqual(reads, ["a.py"])
        reads = [file for file, _, rule in self.found("old", "third/c.py") if rule == "ST401"]
        self.assertEqual(reads, ["third/c.py"], "a file that is named is looked at")

    def test_fail_on(self):
        self.write("train.py")
        self.configure("[tool.steptime]\nfail-on = 'never'\n")
        self.assertEqual(self.lint("train.py").code, OK)
        self.assertEqual(self.lint("--fail-on", "warning", "train.py").code, JUDGED)

    def test_helpers_that_move(self):
        text = "from helpers import ship\n" + TRAINING.replace("x.to(device, non_blocking=True)", "ship(x)").replace(
            "        total += loss.item()\n", "        first = x[0].item()\n        total += first\n").replace(
            "    model.to(device)\n", "").replace("y.to(device, non_blocking=True)", "y")
        self.write("train.py", text)
        self.assertEqual([f for f in self.found("train.py") if f[2].startswith("ST4")], [])
        self.configure("[tool.steptime]\nupload = ['ship']\n")
        self.assertTrue([f for f in self.found("train.py") if f[2].startswith("ST4")])

    def test_what_is_wrong_in_it_is_told_with_its_line(self):
        self.write("train.py")
        self.configure("[tool.steptime]\nselcet = []\n")
        run = self.lint("train.py")
        self.assertEqual((run.code, run.out), (INPUT, ""))
        self.assertIn("pyproject.toml: line 2: [tool.steptime] has no 'selcet'; did you mean 'select'?", run.err)

    def test_a_file_that_is_named(self):
        self.write("train.py")
        self.configure("[tool.steptime]\nignore = ['ST4']\n", "other.toml")
        self.assertNotIn("ST401", [rule for _, _, rule in self.found("--config", "other.toml", "train.py")])
        self.assertEqual(self.lint("--config", "none.toml", "train.py").code, INPUT)


class Collecting(Case):
    def test_what_is_looked_at_in_a_folder(self):
        for name in ("a.py", "pkg/b.py", ".hidden/c.py", "pkg/__pycache__/d.py", "venv/e.py", "pkg/f.txt"):
            self.write(name)
        self.write("venv/pyvenv.cfg", "home = /usr\n")
        os.symlink(self.folder, os.path.join(self.folder, "pkg", "loop"))
        self.assertEqual(sorted({file for file, _, _ in self.found(".")}), ["a.py", "pkg/b.py"])

    def test_a_file_is_named_by_itself_and_not_by_a_link_to_it(self):
        for link, real in ("a.py", "b.py"), ("z.py", "y.py"), ("c/d.py", "e/f.py"), ("h/g.py", "e/f.py"):
            if not os.path.exists(os.path.join(self.folder, real)):
                self.write(real)
            os.makedirs(os.path.dirname(os.path.join(self.folder, link)), exist_ok=True)
            os.symlink(os.path.join(self.folder, real), os.path.join(self.folder, link))
        self.assertEqual(sorted({file for file, _, _ in self.found(".")}), ["b.py", "e/f.py", "y.py"])
        self.assertEqual(sorted({file for file, _, _ in self.found("a.py", "b.py")}), ["b.py"])
        self.assertEqual(sorted({file for file, _, _ in self.found("c")}), ["c/d.py"])

    def test_of_two_links_to_a_file_elsewhere_the_first_names_it(self):
        self.write("elsewhere/real.py")
        os.mkdir(os.path.join(self.folder, "code"))
        for name in "qbzcm":
            os.symlink("../elsewhere/real.py", os.path.join(self.folder, "code", name + ".py"))
        self.assertEqual(sorted({file for file, _, _ in self.found("code")}), ["code/b.py"])

    def test_a_file_that_is_named_twice_is_looked_at_once(self):
        self.write("a.py")
        self.assertEqual(self.found("a.py", ".", "a.py"), self.found("a.py"))


class Faults(Case):
    """A file that cannot be used is told with its line, and the others go on."""

    def with_fault(self, text, says, usable=False):
        self.write("train.py")
        self.write("fault.py", text)
        run = self.lint("--format", "json", "--select", "ST401", ".")
        self.assertEqual(run.code, JUDGED, run.err)
        self.assertIn(("train.py", READ), [(f["file"], f["line"]) for f in run.json["findings"]])
        told = [w["message"] for w in run.json["warnings"] if w["path"] == "fault.py"]
        self.assertTrue(any(says in message for message in told), told)

    def test_not_utf_8(self):
        self.with_fault(b"x = 1\ny = '\xff'\n", "line 2: is not UTF-8")

    def test_another_encoding_that_is_declared(self):
        self.write("train.py", b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + TRAINING.encode())
        self.assertIn(("train.py", READ + 2, "ST401"), self.found("train.py"))

    def test_nul(self):
        self.with_fault(b"x = 1\n\0\n", "line 2: a NUL byte")

    def test_too_large(self):
        self.with_fault(b"#" * 50_000_000, "has 50 MB")

    def test_not_python(self):
        self.with_fault("def f(:\n    pass\n", "line 1: does not parse")

    def test_the_rest_of_a_broken_file_is_looked_at(self):
        self.write("train.py", TRAINING + "\n\ndef broken(:\n")
        self.assertIn(("train.py", READ, "ST401"), self.found("train.py"))

    def test_depth(self):
        self.write("train.py")
        for deep in ("(" * 10_000 + ")" * 10_000, "x = " + "[" * 10_000 + "]" * 10_000,
                     "".join(" " * i + "if x:\n" for i in range(2_000)) + " " * 2_000 + "pass",
                     "x = " + "not " * 10_000 + "y", "x" + ".a" * 10_000, "x" + "()" * 10_000):
            self.write("deep.py", deep + "\n")
            self.assertIn(("train.py", READ, "ST401"), self.found("."))

    def cpu_of_ifs(self, count):
        """Seconds to lint a loop of ifs, each of which may bind what the others read."""
        self.write("ifs.py", "import torch\ndef train(x, y, loader):\n    for batch in loader:\n" + "".join(
            f"        if x > {i}:\n            y = x.cpu()\n            x = y.cuda()\n" for i in range(count)) + "        x.backward()\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertIn(self.lint("--format", "json", "ifs.py").code, (OK, JUDGED))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime

    def test_ifs_in_a_loop_cost_what_they_are_many(self):
        small, large = (min(self.cpu_of_ifs(count) for _ in range(2)) for count in (500, 2_000))
        self.assertLess(large, 10 * max(small, 0.02), "four times as many")

    def test_tabs_and_line_ends_mixed(self):
        lines = TRAINING.splitlines()
        ends = ["\n", "\r\n"]
        self.write("train.py", "".join(line.replace("    ", "\t") + ends[i % 2] for i, line in enumerate(lines)))
        self.assertIn(("train.py", READ, "ST401"), self.found("train.py"))

    def test_no_usable_file(self):
        self.write("fault.py", b"\xff\n")
        self.assertEqual(self.lint("fault.py").code, INPUT)


if __name__ == "__main__":
    unittest.main()
