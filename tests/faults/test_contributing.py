# SPDX-License-Identifier: Apache-2.0
"""The examples of CONTRIBUTING.md: put into a copy of the source they build without a warning, and do what they say."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import support

MOST_PLACES = 3
PARTS = ["src", "include", "data", "doc", "python", "tools", "meson.build", "meson_options.txt"]
BLOCK = re.compile(r"^(?:New file `(?P<new>[^`]+)`|In `(?P<old>[^`]+)`, behind the line `(?P<anchor>[^`]+)`):\n\n"
                   r"```c\n(?P<text>.*?)```$", re.MULTILINE | re.DOTALL)
TRAINING = "import torch\n\n\ndef train(loader, model):\n    for x in loader:\n        model(x).backward()\n" \
           "        torch.cuda.empty_cache()\n\n\ntrain([], torch.nn.Linear(1, 1))\n"


def manual():
    with open(os.path.join(support.SOURCE, "CONTRIBUTING.md"), encoding="utf-8") as file:
        return file.read()


def place(block):
    """A file with its header is one place, however many of its lines change."""
    return os.path.splitext(block["new"] or block["old"])[0]


def apply(block, top):
    path = os.path.join(top, block["new"] or block["old"])
    if block["new"]:
        assert not os.path.exists(path), f"{path} is there already"
        text = block["text"]
    else:
        with open(path, encoding="utf-8") as file:
            before, line, after = file.read().partition(block["anchor"] + "\n")
        assert line, f"{path} has no line '{block['anchor']}'"
        text = before + line + block["text"] + after
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Manual(unittest.TestCase):
    def test_nothing_takes_more_than_three_places(self):
        sections = re.split(r"^### ", manual(), flags=re.MULTILINE)[1:]
        self.assertEqual(len(sections), 4)
        for section in sections:
            places = {place(block) for block in BLOCK.finditer(section)}
            self.assertTrue(1 <= len(places) <= MOST_PLACES, (section.splitlines()[0], places))
            said = re.match(r".*: (one|two|three) places?$", section.splitlines()[0])[1]
            self.assertEqual(len(places), ["one", "two", "three"].index(said) + 1, section.splitlines()[0])

    def test_every_block_of_code_is_part_of_an_example(self):
        self.assertEqual(manual().count("```c\n"), len(BLOCK.findall(manual())))


@unittest.skipIf(support.SANITIZED or os.environ.get("STEPTIME_COMPILER", "gcc") != "gcc", "once is enough: it builds the program")
class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = os.path.join(folder.name, "copy")
        os.mkdir(cls.top)
        for part in PARTS:
            path = os.path.join(support.SOURCE, part)
            (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, os.path.join(cls.top, part))
        with open(os.path.join(cls.top, "meson.build"), encoding="utf-8") as file:
            text = re.sub(r"^subdir\('(?!src)\w+'\)\n", "", file.read(), flags=re.MULTILINE)
        with open(os.path.join(cls.top, "meson.build"), "w", encoding="utf-8") as file:
            file.write(text)
        for block in BLOCK.finditer(manual()):
            apply(block, cls.top)
        build = os.path.join(cls.top, "build")
        for command in (["meson", "setup", build, "-Dwerror=true", "-Doptimization=0", "-Dmpi=disabled"],
                        ["ninja", "-C", build, "src/steptime"]):
            done = subprocess.run(command, cwd=cls.top, capture_output=True, text=True, check=False)
            if done.returncode:
                raise AssertionError(f"{' '.join(command)}:\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
        cls.program = os.path.join(build, "src", "steptime")

    def run_new(self, *words):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        return done.stdout

    def write(self, name, text):
        path = os.path.join(self.top, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def longest(self, path):
        (table,) = json.loads(self.run_new("longest", path, "--format", "json"))["sections"][0]["tables"]
        return table["rows"]

    def test_the_reader_reads(self):
        spans = self.write("some.spans", "# spans\nload\t0\t250\nwrong\ncompute\t250\t700\n")
        self.assertEqual(self.longest(spans), [[0, "compute", 700_000]])
        info = json.loads(self.run_new("info", spans, "--format", "json"))
        self.assertEqual((info["inputs"][0]["format"], info["inputs"][0]["dropped"]), ("spans", 1))

    def test_the_command_runs_and_explains_itself(self):
        trace = support.write_trace(os.path.join(self.top, "trace.json"))
        self.assertEqual(self.longest(trace)[0][2], 1_000_000)
        self.assertIn("Usage: steptime longest", self.run_new("longest", "--help"))
        self.assertIn("longest", self.run_new("--help"))

    def test_the_operator_is_counted(self):
        events = [support.span("aten::mish2", 0, 5, **{"Input Dims": [[8, 8], [8, 8]], "Input type": ["float", "float"]})]
        trace = support.write_trace(os.path.join(self.top, "mish.json"), events)
        (row,) = [row for section in json.loads(self.run_new("ops", trace, "--format", "json"))["sections"]
                  for table in section["tables"] if table["id"] == "operators" for row in
                  [dict(zip([c["id"] for c in table["columns"]], row)) for row in table["rows"]]]
        self.assertEqual((row["name"], row["flops"], row["bytes"]), ("aten::mish2", 256, 768))

    def test_the_rule_finds_and_is_explained(self):
        source = self.write("train.py", TRAINING)
        found = json.loads(self.run_new("lint", source, "--fail-on", "never", "--format", "json"))["findings"]
        self.assertIn(("ST411", 7), [(finding["rule"], finding["line"]) for finding in found])
        self.assertIn("## ST411 emptied-cache", self.run_new("rules", "show", "ST411"))


if __name__ == "__main__":
    unittest.main()
