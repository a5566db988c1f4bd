# SPDX-License-Identifier: Apache-2.0
"""What of the findings counts: `# noqa`, baselines, and `lint --fix`."""
import os
import shutil
import tempfile
import unittest

from support import INPUT, JUDGED, OK, USAGE, steptime

TRAIN = """\
import torch


def train(model, loader, optimizer):
    model = model.to("cuda")
    total = 0.0
    for x in loader:
        loss = model(x.to("cuda", non_blocking=True)).mean()
        print(
            "loss",
            loss)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


train(torch.nn.Linear(3, 3), torch.utils.data.DataLoader([], pin_memory=True, num_workers=2), None)
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "src"))

    def write(self, text, name="src/train.py"):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name="src/train.py"):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def lint(self, *arguments, code=JUDGED, cwd=None, path="src"):
        outcome = steptime("lint", *arguments, path, cwd=os.path.join(self.folder, cwd or ""))
        self.assertEqual(outcome.code, code, outcome.out + outcome.err)
        return outcome

    def found(self, *arguments, **how):
        document = self.lint("--format", "json", "--fail-on", "never", *arguments, code=OK, **how).json
        return [f["rule"] for f in document["findings"] if f["severity"] == "warning"]


class Noqa(Case):
    def silenced(self, comment, line="total += loss.item()"):
        self.write(TRAIN.replace(line, f"{line}  {comment}"))
        return "ST401" not in self.found()

    def test_codes_of_this_program_silence_their_rules(self):
        for comment in ("# noqa: ST401", "# noqa", "#noqa:ST401", "# NOQA: ST4", "# noqa: E501, ST401", "# noqa: E501 ST401",
                        "# type: ignore # noqa: ST401 because", "# why  # noqa"):
            self.assertTrue(self.silenced(comment), comment)

    def test_others_do_not(self):
        for comment in "# noqa: E501", "# noqa: ST402", "# noqable", "# nothing", "# noqa:E501,W291":
            self.assertFalse(self.silenced(comment), comment)

    def test_the_first_and_the_last_line_of_what_is_found(self):
        for old, new in ("print(\n", "print(  # noqa: ST403\n"), ("loss)\n", "loss)  # noqa: ST403\n"):
            self.write(TRAIN.replace(old, new))
            self.assertNotIn("ST403", self.found())
        self.write(TRAIN)
        self.assertIn("ST403", self.found())

    def test_what_it_silences_is_not_rewritten(self):
        text = TRAIN.replace("total += loss.item()", "total += loss.item()  # noqa: ST401")
        self.write(text)
        steptime("fix", "--write", "src", cwd=self.folder)
        self.assertEqual(self.read(), text)

    def test_codes_of_others_are_no_mistake_and_none_is_unused(self):
        self.write(TRAIN.replace("import torch\n", "import torch  # noqa: F401,ST999\n"))
        self.assertEqual(self.lint("--unused-ignores").err, "")


class Baseline(Case):
    def test_what_is_listed_does_not_count(self):
        self.write(TRAIN)
        self.assertTrue(self.found())
        self.lint("--write-baseline", "known", code=OK)
        self.lint("--baseline", "known", code=OK)
        self.assertIn("total += loss.item()", self.read("known"))

    def test_lines_above_do_not_matter(self):
        self.write(TRAIN)
        self.lint("--write-baseline", "known", code=OK)
        self.write("# a line more\n\n" + TRAIN.replace("        total", "\n        total"))
        self.assertEqual(self.found("--baseline", "known"), [])

    def test_nor_does_the_folder_that_it_is_run_in(self):
        self.write(TRAIN)
        self.lint("--write-baseline", "known", code=OK)
        self.assertEqual(self.found("--baseline", "../known", cwd="src", path="train.py"), [])

    def test_what_is_new_counts(self):
        self.write(TRAIN)
        self.lint("--write-baseline", "known", code=OK)
        self.write(TRAIN.replace("total += loss.item()", "total += 2 * loss.item()"))
        self.assertEqual(self.found("--baseline", "known"), ["ST401"])
        self.write(TRAIN.replace("        loss.backward()\n", "        loss.backward()\n        total += loss.item()\n"))
        self.assertEqual(self.found("--baseline", "known"), ["ST401"], "the same statement once more than it was")
        self.lint("--baseline", "known")

    def test_the_summary_tells_how_many(self):
        self.write(TRAIN)
        outcome = self.lint("--write-baseline", "known", code=OK)
        self.assertIn("No new antipattern", outcome.out)
        self.assertRegex(outcome.out, r"in the baseline +3")

    def test_trouble(self):
        self.write(TRAIN)
        self.lint("--baseline", "missing", code=INPUT)
        self.write("ST401 src/train.py\n", "known")
        self.assertIn("line 1", self.lint("--baseline", "known", code=INPUT).err)


class WithFix(Case):
    def test_safe_rewrites_are_made_and_the_rest_is_told(self):
        self.write(TRAIN)
        self.assertEqual(self.found(), ["ST403", "ST401"])
        outcome = self.lint("--fix")
        self.assertIn("1 rewrite made in 1 file", outcome.err)
        self.assertIn("ST403", outcome.out)
        self.assertNotIn("ST401", outcome.out)
        fixed = self.read()
        self.write(TRAIN)
        steptime("fix", "--write", "src", cwd=self.folder)
        self.assertEqual(fixed, self.read())

    def test_standard_input_is_not_written(self):
        outcome = steptime("lint", "--fix", "-", stdin=TRAIN.encode())
        self.assertEqual(outcome.code, USAGE)
        self.assertIn("fix --write -", outcome.err)


if __name__ == "__main__":
    unittest.main()
