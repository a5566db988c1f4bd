# SPDX-License-Identifier: Apache-2.0
"""The library answers what the program does: every command whose result is a report, byte for byte."""
import os
import subprocess
import sys
import tempfile
import unittest

import support
from support import INPUT, JUDGED, OK, USAGE

HOST = os.path.join(support.BUILD, "tests", "in_library")
TRACE = support.recorded("ddp-gloo-rank0.json.gz")
OTHER = support.recorded("ddp-gloo-rank1.json.gz")

SOURCE = """import torch


def train(model, loader, optimizer):
    for x, y in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        print(loss.item())
"""


@unittest.skipUnless(os.path.exists(HOST), "no host program in this build")
class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.source = cls.write("train.py", SOURCE)
        cls.tables = cls.write("tables.csv", "rows,width\n1000,64\n2000,32\n")
        cls.jobs = cls.write("jobs.csv", "job,architecture,cnodes,flops,memory_bytes,input_bytes,weight_bytes\n"
                                         "a,1w1g,1,1e12,1e9,1e6,1e8\n")

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def answers(self):
        """Words of each command that gives a report, and how they end."""
        trace = {name: [name, TRACE, OTHER] for name in support.trace_commands()}
        return {**trace, "predict": ["predict", "--mode", "model", "--hw", "V100", TRACE],
                "hw": ["hw"], "hw of one": ["hw", "V100"],
                "model show": ["model", "show"], "rules": ["rules"],
                "lint": ["lint", self.source], "lint of nothing": ["lint", self.write("empty.py", "a = 1\n")],
                "lint and a trace": ["lint", self.source, "--trace", TRACE],
                "shard": ["shard", self.tables, "--gpus", "2", "--hw", "H100"],
                "fleet features": ["fleet", "features", TRACE],
                "fleet stragglers": ["fleet", "stragglers", TRACE, OTHER],
                "fleet breakdown": ["fleet", "breakdown", self.jobs, "--hw", "paper"],
                "fleet project": ["fleet", "project", "--to", "allreduce-local", "--hw", "paper", self.jobs]}

    def run_program(self, program, words):
        return subprocess.run([program, *words], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "NO_COLOR": "1"})

    def test_the_same_document_and_the_same_code(self):
        for name, words in self.answers().items():
            with self.subTest(command=name):
                program = self.run_program(support.PROGRAM, [*words, "--format", "json"])
                library = self.run_program(HOST, words)
                self.assertIn(program.returncode, (OK, JUDGED), program.stderr)
                self.assertEqual(library.returncode, program.returncode, library.stderr)
                self.assertEqual(library.stdout, program.stdout)

    def test_two_programs_compared(self):
        script = self.write("script.py", "import sys\n")
        words = ["verify", "--python", sys.executable, script, script]
        program = self.run_program(support.PROGRAM, [*words, "--format", "json"])
        library = self.run_program(HOST, words)
        self.assertEqual((library.returncode, bool(library.stdout)), (program.returncode, bool(program.stdout)))

    def test_what_could_be_used_is_answered(self):
        words = ["summary", TRACE, os.path.join(self.folder, "none.json")]
        program = self.run_program(support.PROGRAM, [*words, "--format", "json"])
        library = self.run_program(HOST, words)
        self.assertEqual(library.returncode, INPUT)
        self.assertEqual(library.stdout, program.stdout)
        self.assertIn("none.json", library.stderr)

    def test_what_is_no_report_is_refused_in_words(self):
        for words in (["fix", self.source], ["help"], ["completion", "bash"], ["rules", "show", "ST401"],
                      ["predict", "kernel", "--input", self.jobs, "--hw", "V100"],
                      ["predict", "graph", "--input", self.jobs, "--hw", "V100"],
                      ["model", "fit", self.jobs], ["model", "fit", self.jobs, "--into", self.folder]):
            with self.subTest(words=words[:2]):
                done = self.run_program(HOST, words)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)
                self.assertIn("for the program, not for the library", done.stderr)


if __name__ == "__main__":
    unittest.main()
