# SPDX-License-Identifier: Apache-2.0
"""The session network as an H200 ran it (bench/gpu/measured/h200, doc/h200.md): what lint says of the recording, beside what fixing brought there."""
import os
import unittest

from support import SOURCE, steptime

MEASURED = os.path.join(SOURCE, "bench", "gpu", "measured", "h200")
EXAMPLE = os.path.join(SOURCE, "examples", "antipatterns", "session_gnn")
TIMES_AS_FAST = 8.44  # fix --unsafe and fused=True, measured without a recorder


def share(document):
    section = next(section for section in document["sections"] if section["id"] == "evidence")
    table = section["tables"][0]
    row = dict(zip([column["id"] for column in table["columns"]], table["rows"][0]))
    return row["saving_ns"] / row["bare_step_ns"]


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.document = steptime("lint", "--trace", os.path.join(MEASURED, "naive.json.gz"), "--format", "json", EXAMPLE).json
        cls.findings = sorted(cls.document["findings"], key=lambda finding: -(finding.get("per_step_saving_ns") or 0))

    def test_the_largest_are_the_ones_that_fixing_shows_to_be_the_largest(self):
        first = [(finding["rule"], os.path.basename(finding["file"])) for finding in self.findings[:4]]
        self.assertEqual(first, [("ST102", "model.py"), ("ST201", "model.py"), ("ST302", "train.py"), ("ST302", "data.py")])

    def test_all_together_save_about_what_fixing_saved(self):
        self.assertAlmostEqual(share(self.document), 1 - 1 / TIMES_AS_FAST, delta=0.1)

    def test_each_line_that_pytorch_saw_wait_has_a_finding(self):
        section = next(section for section in self.document["sections"] if section["id"] == "evidence")
        table = next(table for table in section["tables"] if table["id"] == "sync_lines")
        rows = [dict(zip([column["id"] for column in table["columns"]], row)) for row in table["rows"]]
        self.assertEqual({(row["file"], row["line"]) for row in rows}, {("session_gnn/model.py", 11), ("session_gnn/model.py", 60),
                                                                        ("session_gnn/train.py", 21), ("session_gnn/train.py", 23)})

    def test_diff_tells_the_two_apart_and_why(self):
        done = steptime("diff", os.path.join(MEASURED, "naive.json.gz"), os.path.join(MEASURED, "fixed.json.gz"))
        self.assertIn("host work", done.out)
        self.assertIn("before 5760", " ".join(done.out.split()))


if __name__ == "__main__":
    unittest.main()
