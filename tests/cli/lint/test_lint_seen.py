# SPDX-License-Identifier: Apache-2.0
"""lint --trace with the lines that PyTorch itself saw wait, as `record --sync-lines` leaves them beside a trace."""
import json
import os
import unittest

from support import OK, steptime
from test_lint import READ
from test_lint_trace import TRAIN, Case as Traced, recorded, warnings


class Seen(Traced):
    def beside(self, name="t", function="train", first_line=TRAIN, line=READ, count=8, steps=4, file="job/train.py", **more):
        lines = [{"file": file, "line": line, "function": function, "first_line": first_line, "count": count,
                  "steps": steps, "via": more.pop("via", [])}]
        with open(self.path(f"{name}.syncs.json"), "w", encoding="utf-8") as out:
            json.dump({"version": 1, "steps": 4, "lines": lines, **more}, out)

    def table(self, document):
        sections = {section["id"]: section for section in document["sections"]}
        tables = {table["id"]: table for table in sections["evidence"]["tables"]} if "evidence" in sections else {}
        if "sync_lines" not in tables:
            return None
        ids = [column["id"] for column in tables["sync_lines"]["columns"]]
        return [dict(zip(ids, row)) for row in tables["sync_lines"]["rows"]]

    def test_a_line_seen_to_wait_is_confirmed_where_the_trace_shows_nothing(self):
        trace = recorded(self.path("t.json"), read=False)
        self.beside()
        found, document = self.read("--trace", trace)
        self.assertEqual(found["tier"], "confirmed")
        self.assertEqual(found["severity"], "warning")
        self.assertIn("PyTorch saw this line wait for the device 2 times a step.", found["message"])
        self.assertIsNone(found["per_step_saving_ns"])
        (row,) = self.table(document)
        self.assertEqual((row["line"], row["waits"], row["rule"][:3]), (READ, 2, "ST4"))

    def test_beside_what_the_trace_shows_it_is_one_sentence_more(self):
        trace = recorded(self.path("t.json"))
        self.beside(count=4)
        found, _ = self.read("--trace", trace)
        self.assertEqual(found["per_step_saving_ns"], (80 + 25) * 1000)
        self.assertIn("Without it a step would take", found["message"])
        self.assertIn("PyTorch saw this line wait for the device once a step.", found["message"])

    def test_without_frames_it_is_all_that_is_known(self):
        trace = recorded(self.path("t.json"), frames=False)
        self.assertEqual(self.read("--trace", trace)[0]["tier"], "static")
        self.beside()
        found, document = self.read("--trace", trace)
        self.assertEqual(found["tier"], "confirmed")
        self.assertIn("findings rest on lines that PyTorch saw wait", warnings(document))

    def test_a_line_that_no_finding_explains_is_listed(self):
        trace = recorded(self.path("t.json"))
        self.beside(line=TRAIN, via=["/x/site-packages/lib.py(3): clip"])
        _, document = self.read("--trace", trace)
        (row,) = self.table(document)
        self.assertEqual((row["rule"], row["via"]), ("", "/x/site-packages/lib.py(3): clip"))

    def test_what_says_nothing_of_this_source(self):
        trace = recorded(self.path("t.json"), read=False)
        for wrong in ({"first_line": TRAIN + 3}, {"file": "other/train.py"}, {"function": "other"}):
            with self.subTest(wrong):
                self.beside(**wrong)
                self.assertEqual(self.read("--trace", trace)[0]["tier"], "static")

    def test_files_that_are_none(self):
        trace = recorded(self.path("t.json"), read=False)
        for text, said in (("[]", "no JSON of lines that wait"), ("{\"version\": 1, \"lines\": [", "no JSON"),
                           ("", "no JSON"), ('{"version": 9, "steps": 1, "lines": []}', "has version 9")):
            with self.subTest(text):
                with open(self.path("t.syncs.json"), "w", encoding="utf-8") as out:
                    out.write(text)
                found, document = self.read("--trace", trace)
                self.assertEqual(found["tier"], "static")
                self.assertIn(said, warnings(document))

    def test_counts_that_nothing_can_count(self):
        trace = recorded(self.path("t.json"), read=False)
        for wrong in ({"count": 2 ** 62}, {"steps": 2 ** 62}, {"count": -1}):
            with self.subTest(wrong):
                self.beside(**wrong)
                self.assertEqual(self.read("--trace", trace)[0]["tier"], "static")

    def test_more_lines_than_are_read_are_told(self):
        trace = recorded(self.path("t.json"), read=False)
        line = {"file": "job/train.py", "line": READ, "function": "train", "first_line": TRAIN, "count": 1, "steps": 1}
        self.beside(lines=[line] * 65537)
        found, document = self.read("--trace", trace)
        self.assertEqual(found["tier"], "static")
        self.assertIn("more than 65536 lines that wait", warnings(document))

    def test_in_a_folder_it_is_no_trace(self):
        os.mkdir(self.path("runs"))
        recorded(self.path("runs/t.json"))
        self.beside("runs/t")
        done = steptime("summary", "--format", "json", self.path("runs"))
        self.assertEqual(done.code, OK, done.err)
        self.assertNotIn("syncs", warnings(done.json))


del Traced  # its cases run in their own file

if __name__ == "__main__":
    unittest.main()
