# SPDX-License-Identifier: Apache-2.0
"""lint --dry: findings against a dry run of the program, with real PyTorch; no GPU."""
import json
import os
import tempfile
import textwrap
import unittest

from support import INPUT, JUDGED, OK, USAGE, steptime
from torch_python import torch_python

HEAD = """
    import argparse
    import torch
    from torch import nn
    import torch.nn.functional as F
    from torch.utils.data import DataLoader, TensorDataset

    parser = argparse.ArgumentParser()
    parser.add_argument("--mix", type=float, default=0.0)
    args = parser.parse_args()
    device = torch.device("cuda")
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(640, 16), torch.randint(0, 4, (640,)))
"""

BODY = """
        out = model(x)
        loss = F.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""

OFF = HEAD + """
    total = 0.0
    for x, y in DataLoader(data, batch_size=32, num_workers=2, pin_memory=True):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        if args.mix > 0:
            share = torch.rand(1, device=device).item()
            x = share * x + (1 - share) * x.flip(0)
""" + BODY + """
        total += loss.item()
"""

TWO = HEAD + """
    total, right = 0.0, 0
    for x, y in DataLoader(data, batch_size=32, num_workers=2, pin_memory=True):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
""" + BODY + """
        total += loss.item()
        right += (out.argmax(1) == y).sum().item()
"""

COPIES = HEAD + """
    for x, y in DataLoader(data, batch_size=32, num_workers=2):
        x = x.to(device)
""" + BODY.replace("cross_entropy(out, y)", "cross_entropy(out, y.to(device, non_blocking=True))")

SELECTED = HEAD + """
    for x, y in DataLoader(data, batch_size=32, num_workers=2, pin_memory=True):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        out = model(x)
        kept = torch.masked_select(out[:, 0], y > 1)
        loss = F.cross_entropy(out, y) + 0.0 * kept.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""

CHOSEN = HEAD + """
    best, names = 9.0, []
    def log(value):
        names.append(value.item())
    for x, y in DataLoader(data, batch_size=32, num_workers=2, pin_memory=True):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
""" + BODY + """
        if out.abs().max() > 1000:
            log(loss.detach())
"""


class Dry(unittest.TestCase):
    def setUp(self):
        self.python = torch_python()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.script = os.path.join(self.folder, "train.py")

    def write(self, text):
        with open(self.script, "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(text))

    def line_of(self, text):
        with open(self.script, encoding="utf-8") as lines:
            return next(number for number, line in enumerate(lines, 1) if text in line)

    def run_lint(self, *options, words=()):
        return steptime("lint", "--dry", *options, "--", self.python, self.script, *words, env={"OMP_NUM_THREADS": "1"})

    def lint(self, text, *words, options=()):
        self.write(text)
        done = self.run_lint("--format", "json", *options, words=words)
        self.assertIn(done.code, (OK, JUDGED), done.err)
        return done.json

    def found(self, document, text):
        line = self.line_of(text)
        found = [one for one in document["findings"] if one["line"] == line]
        self.assertEqual(len(found), 1, document["findings"])
        return found[0]


class Verdicts(Dry):
    def test_an_option_that_is_off_is_not_come_to(self):
        found = self.found(self.lint(OFF), "share = torch.rand")
        self.assertEqual((found["severity"], found["tier"]), ("note", "static"))
        self.assertIn("in a dry run of 5 steps this run's steps do not come to it", found["message"])
        self.assertEqual(found["proof"]["pace"]["holds"], False)
        found = self.found(self.lint(OFF, "--mix", "0.5"), "share = torch.rand")
        self.assertEqual((found["severity"], found["tier"]), ("note", "static"))  # the loss was read just before
        self.assertIn("has emptied the device", found["message"])

    def test_a_wait_in_each_step_is_proven_with_what_was_queued(self):
        document = self.lint(OFF)
        found = self.found(document, "total += loss.item()")
        self.assertEqual((found["severity"], found["tier"]), ("warning", "confirmed"))
        self.assertRegex(found["message"], r"In a dry run of 5 steps it waits once a step, with \d\d+ operators queued")
        self.assertEqual(found["proof"]["pace"]["holds"], True)
        self.assertIn("it waits once a step", found["proof"]["pace"]["text"])
        ran = next(part for part in document["sections"] if part["id"] == "dry_run")
        values = {one["id"]: one["value"] for one in ran["values"]}
        self.assertEqual((values["steps"], values["rounds"], values["proven"], values["unreached"]), (5, 4, 1, 1))
        self.assertIn("The evidence is a dry run of 5 steps", " ".join(self.run_lint().out.split()))

    def test_of_two_waits_behind_each_other_the_second_is_free(self):
        document = self.lint(TWO)
        self.assertEqual(self.found(document, "total += loss.item()")["tier"], "confirmed")
        rows = self.table(document, "dry_run", "waits")
        first, second = (next(row for row in rows if row["line"] == self.line_of(text))
                         for text in ("total += loss.item()", "right += "))
        self.assertEqual((first["waits"], first["busy"], second["waits"], second["busy"]), (1, 1, 1, 0))
        again = [one for one in document["findings"] if one["line"] == second["line"]]
        for found in again:
            self.assertEqual(found["severity"], "note")

    def test_a_copy_that_blocks_is_proven_and_one_from_pinned_memory_waits_for_nothing(self):
        found = self.found(self.lint(COPIES), "x = x.to(device)")
        self.assertEqual((found["rule"], found["severity"], found["tier"]), ("ST602", "warning", "confirmed"))
        document = self.lint(COPIES.replace("num_workers=2)", "num_workers=2, pin_memory=True)")
                             .replace("x = x.to(device)", "x = x.to(device, non_blocking=True)"))
        rows = self.table(document, "dry_run", "waits")
        self.assertFalse([row for row in rows if row["kind"] == "upload"], rows)

    def test_a_size_that_depends_on_values_is_proven(self):
        found = self.found(self.lint(SELECTED), "kept = torch.masked_select")
        self.assertEqual((found["rule"], found["severity"], found["tier"]), ("ST406", "warning", "confirmed"))

    def test_where_a_stand_in_chose_the_way_it_says_so_and_changes_nothing(self):
        self.write(CHOSEN)
        static = steptime("lint", "--format", "json", self.folder).json
        before, after = (self.found(document, "names.append") for document in (static, self.lint(CHOSEN)))
        self.assertEqual(before["severity"], after["severity"])
        self.assertIn("a stand-in chose the way", after["message"])

    def test_waits_that_no_rule_finds_are_told(self):
        hidden = SELECTED.replace("kept = torch.masked_select(out[:, 0], y > 1)", "kept = getattr(torch, 'non' + 'zero')(y > 1)") \
                         .replace("kept.sum()", "len(kept)")
        document = self.lint(hidden)
        found = self.found(document, "kept = getattr")
        self.assertEqual((found["rule"], found["tier"]), ("ST406", "dry"))
        self.assertIn("nothing in the source shows that", found["message"])
        self.assertEqual(self.found(self.lint(hidden, options=["--ignore", "ST401"]), "kept = getattr")["rule"], "ST406")
        ignored = self.lint(hidden, options=["--ignore", "ST406"])
        self.assertFalse([one for one in ignored["findings"] if one["rule"] == "ST406"])
        rows = self.table(ignored, "unnamed_waits", "unnamed_waits")
        self.assertEqual([row["line"] for row in rows], [self.line_of("kept = getattr")])

    def table(self, document, section, table):
        part = next(one for one in document["sections"] if one["id"] == section)
        found = next(one for one in part["tables"] if one["id"] == table)
        ids = [column["id"] for column in found["columns"]]
        return [dict(zip(ids, row)) for row in found["rows"]]


class Doors(Dry):
    def test_sarif_holds_the_proof(self):
        self.write(OFF)
        done = self.run_lint("--format", "sarif")
        results = json.loads(done.out)["runs"][0]["results"]
        proven = next(one for one in results if one["properties"]["tier"] == "confirmed")
        self.assertIn("it waits once a step", json.dumps(proven))

    def test_a_script_that_puts_nothing_on_the_device_proves_nothing(self):
        document = self.lint(OFF.replace('"cuda"', '"cpu"'))
        self.assertIn("puts nothing on the device", json.dumps(document))
        self.assertFalse([one for one in document["findings"] if one["tier"] != "static"])

    def test_what_cannot_be_run_is_an_error_that_says_why(self):
        self.write("import nowhere_at_all\n")
        done = self.run_lint()
        self.assertEqual(done.code, INPUT)
        self.assertIn("nowhere_at_all", done.err)
        self.write("print(1)\n")
        done = self.run_lint()
        self.assertEqual(done.code, INPUT)
        self.assertIn("without importing PyTorch", done.err)


class Words(unittest.TestCase):
    """Nothing is run."""

    def test_a_program_is_asked_for(self):
        done = steptime("lint", "--dry", ".")
        self.assertEqual(done.code, USAGE)
        self.assertIn("--dry: which program?", done.err)

    def test_an_unknown_device_is_told_before_anything_runs(self):
        done = steptime("lint", "--dry=NoSuchDevice9000", "--", "/bin/false")
        self.assertNotEqual(done.code, OK)
        self.assertIn("NoSuchDevice9000", done.err)

    def test_a_program_that_is_not_there(self):
        done = steptime("lint", "--dry", "--", "/no/such/program")
        self.assertEqual(done.code, INPUT)

    def test_without_dry_what_stands_behind_two_dashes_is_a_path(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.py"), "w", encoding="utf-8") as out:
                out.write("x = 1\n")
            self.assertEqual(steptime("lint", "--", folder).code, OK)

    def test_help_writes_the_value_as_it_is_given(self):
        self.assertIn("--dry[=DEVICE]", steptime("lint", "--help").out)


if __name__ == "__main__":
    unittest.main()
