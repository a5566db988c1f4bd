# SPDX-License-Identifier: Apache-2.0
"""steptime price when memory runs out, or its dry run leaves broken files: an interpreter that lays a finished dry run there stands
in for Python, so that no PyTorch is needed."""
import json
import os
import unittest

import test_memory
from support import INPUT, OK, steptime, write_trace, training_steps

# As sh: the private folder is named by the environment.
INTERPRETER = '#!/bin/sh\ncp "$DRY"/* "$STEPTIME_DRY_TO"/\n'
MIB = 1 << 20

NOTES = """loaded\t1\t-\t3.11
torch\t1\t-\t2.13.0
batch\t1\ttrain.py:8\tloader 8 64 1
step\t1\t-\t1
value\t3\ttrain.py:9\t.item()
done\t1\t-\t1
"""
MEMORY_TABLE = f"""+\t1\t{64 * MIB}\tforward\ttrain.py:1
k\t1\tparameter
m\t1\tBlock
+\t2\t{40 * MIB}\tforward\ttrain.py:2
+\t3\t{4 * MIB}\tforward\ttrain.py:3
e\t1\t3
m\t2\tBlock
+\t4\t{40 * MIB}\tforward\ttrain.py:2
+\t5\t{4 * MIB}\tforward\ttrain.py:3
e\t2\t5
+\t6\t{4 * MIB}\tbackward\ttrain.py:4
-\t4
-\t5
-\t2
-\t3
-\t6
s\t1
"""


def node(ident, name, parent, shapes=(), scope=0):
    tensors = [[2 * i + 40, 2 * i + 41, 0, 64, 4, "cpu"] for i in range(len(shapes))]
    arguments = {"values": tensors, "shapes": list(shapes), "types": ["Tensor(float)"] * len(shapes), "strides": [[] for _ in shapes]}
    return {"id": ident, "name": name, "ctrl_deps": parent, "inputs": arguments,
            "outputs": {"values": [], "shapes": [], "types": [], "strides": []},
            "attrs": [{"name": key, "type": "int64", "value": value}
                      for key, value in (("rf_id", ident), ("scope", scope), ("tid", 1), ("fw_parent", 0), ("seq_id", -1), ("fw_tid", 0))]}


def execution():
    square = [64, 64]
    nodes = [node(1, "[pytorch|profiler|execution_trace|process]", 1), node(2, "[pytorch|profiler|execution_trace|thread]", 1),
             node(3, "ProfilerStep#0", 2, scope=7), node(4, "steptime::call 1", 3, scope=7),
             node(5, "aten::mm", 3, (square, square)), node(6, "PythonDispatchMode", 5), node(7, "steptime::return 1", 3, scope=7),
             node(8, "aten::mm", 3, (square, square)), node(9, "PythonDispatchMode", 8)]
    return json.dumps({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": "", "start_ts": 0, "nodes": nodes, "finish_ts": 1})


class Stands(test_memory.FailingAllocations):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("dry"))
        for name, text in (("notes", NOTES), ("memory", MEMORY_TABLE), ("et.json", execution())):
            self.put(f"dry/{name}", text)
        self.put("python", INTERPRETER)
        os.chmod(self.path("python"), 0o755)
        self.put("prices.csv", "device,per_hour\nT4,0.5\n")
        # of steptime alone: the interpreter has a heap of its own
        self.environment = {"DRY": self.path("dry"), "FAIL_IN": "steptime"}

    def put(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)

    def run_failing(self, arguments, stdin=None, **env):
        return super().run_failing(arguments, stdin, **self.environment, **env)

    def words(self, *options):
        return ["price", "--hw", "T4", "--set", "memory_size=1.1GiB", *options, "--python", self.path("python"), "--format", "json"]

    def price(self, *options):
        self.put("train.py", "")
        return steptime(*self.words(*options), "--", self.path("train.py"), env=self.environment)


# The cases of all other commands are not run again.
for name in [name for name in dir(test_memory.FailingAllocations) if name.startswith("test_")]:
    setattr(Stands, name, None)


class Failing(Stands):
    def test_every_allocation(self):
        done = self.price("--prices", self.path("prices.csv"), "--batch", "8,16")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual({part["id"] for part in done.json["sections"]},
                         {"price", "ways", "sweep", "step", "memory", "dry_run"})
        trace = write_trace(self.path("real.json"), training_steps(3), deviceProperties=[{"id": 0, "name": "Tesla T4"}])
        for options in (("--prices", self.path("prices.csv"), "--batch", "8,16"),
                        ("--check", trace), ("--explain", "step_us")):
            with self.subTest(options=options):
                self.fail_some(self.words(*options), self.path("train.py"))

    def fail_some(self, words, script):
        """Some hundred of them, spread over the run."""
        with_script = [*words, script]
        count = self.allocations(with_script)
        chosen = range(1, count + 1, 1 + count // 120)
        wrong = [why for n in chosen if (why := self.try_one(with_script, "FAIL_AT", n))]
        self.assertEqual(wrong, [])


class Broken(Stands):
    def test_files_of_a_dry_run_that_are_broken(self):
        """Cut anywhere, or with other words in it, it ends with an answer or a message."""
        for name, text in (("memory", MEMORY_TABLE), ("notes", NOTES), ("et.json", execution())):
            for cut in range(0, len(text), 1 + len(text) // 12):
                for tail in ("", "\t-9223372036854775809\t\n+\t\t\t\n", "m\t9\n-\t1\n"):
                    with self.subTest(name=name, cut=cut, tail=tail):
                        self.put(f"dry/{name}", text[:cut] + tail)
                        self.assertIn(self.price("--ways").code, (OK, INPUT))
            self.put(f"dry/{name}", text)

    def test_a_table_of_memory_that_is_absent(self):
        os.unlink(self.path("dry/memory"))
        done = self.price()
        self.assertEqual(done.code, OK, done.err)
        row = next(part for part in done.json["sections"] if part["id"] == "price")["tables"][0]
        self.assertNotIn("yes", row["rows"][0])


if __name__ == "__main__":
    unittest.main()
