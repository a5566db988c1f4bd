# SPDX-License-Identifier: Apache-2.0
"""One finding a cause, and no number of a trace told twice."""
import os
import shutil
import tempfile
import unittest

from support import JUDGED, OK, USAGE, steptime
from test_lint_trace import recorded

HEAD = """\
import torch


def train(model, loader, optimizer, flag):
"""
LOOP = """\
    model = model.to("cuda")
    total = 0.0
    other = 0.0
    for x in loader:
        loss = model(x.to("cuda", non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
"""
TAIL = """\
    return total, other


train(torch.nn.Linear(3, 3), torch.utils.data.DataLoader([], pin_memory=True, num_workers=2), None, True)
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "job"))

    def write(self, lines):
        with open(os.path.join(self.folder, "job", "train.py"), "w", encoding="utf-8") as file:
            file.write(HEAD + LOOP + "".join(f"        {line}\n" for line in lines) + TAIL)
        return HEAD.count("\n") + LOOP.count("\n") + 1  # where the lines begin

    def lint(self, *options, form="json"):
        return steptime("lint", "--select", "ST4", "--format", form, *options, "job/train.py", cwd=self.folder)

    def found(self, *options):
        return self.lint(*options).json["findings"]


class Places(Case):
    def test_neighbouring_reads_are_one_finding_with_its_places(self):
        first = self.write(["total += loss.item()", "other += loss.item()"])
        (finding,) = self.found()
        self.assertEqual(finding["line"], first)
        self.assertEqual([place["line"] for place in finding["places"]], [first, first + 1])
        self.assertIn(f"also at {first + 1}:18", self.lint(form="term").out)
        (result,) = self.lint(form="sarif").json["runs"][0]["results"]
        (other,) = result["relatedLocations"]
        self.assertEqual(other["physicalLocation"]["region"]["startLine"], first + 1)

    def test_all_reads_of_a_statement_are_places_of_the_first(self):
        first = self.write(["total = {", "    'loss': loss.item(),", "    'low': (loss < 1).float().mean().item(),",
                            "    'rows': model(x.cuda(non_blocking=True)).sum().item(),", "}"])
        (finding,) = self.found()
        self.assertEqual([(p["line"], p["rule"], p["severity"]) for p in finding["places"]],
                         [(first + 1, "ST409", "warning"), (first + 2, "ST409", "note"), (first + 3, "ST409", "note")])
        proof = self.lint("--proof", form="term").out
        self.assertEqual(proof.count("goes with it: read by the same statement"), 2)

    def test_one_alone_has_none(self):
        self.write(["total += loss.item()"])
        (finding,) = self.found()
        self.assertIsNone(finding["places"])

    def test_what_a_mask_chooses_is_one_finding(self):
        first = self.write(["y = torch.relu(x.to('cuda', non_blocking=True))", "mask = y[:, 0] > 0", "a = y[mask]",
                            "b = y[mask, :]", "mask = torch.sigmoid(model(y))[:, 0] > 1",
                            "total += (y[mask] * b.sum() * a.sum()).sum()"]) + 1
        found = [finding for finding in self.found() if finding["rule"] == "ST406"]
        self.assertEqual([finding["line"] for finding in found], [first + 1, first + 4])
        self.assertEqual([place["line"] for place in found[0]["places"]], [first + 1, first + 2])

    def test_a_mask_of_a_few_kernels_behind_another_is_its_place(self):
        first = self.write(["y = torch.relu(x.to('cuda', non_blocking=True))", "mask = y[:, 0] > 0", "a = y[mask]",
                            "other = mask & (y[:, 1] > 1)", "total += (y[other] * a.sum()).sum()"]) + 1
        (finding,) = [finding for finding in self.found() if finding["rule"] == "ST406"]
        self.assertEqual([place["line"] for place in finding["places"]], [first + 1, first + 3])

    def test_all_waits_that_go_with_one_are_in_its_proof(self):
        kept = [f"kept_{i}" for i in range(12)]
        first = self.write([f"{name} = loss.item()" for name in kept] + ["total = " + " + ".join(kept)])
        (finding,) = [f for f in self.found() if f["severity"] == "warning"]
        waits = [place["line"] for place in finding["proof"]["gain"]["places"] if "the same wait" in place["text"]]
        self.assertEqual(waits, list(range(first + 1, first + 12)))
        self.assertRegex(finding["message"], f"with it line {first + 1}, .*, {first + 8} and 3 more")

    def test_a_line_is_asked_for(self):
        first = self.write(["total += loss.item()", "other += loss.item()"])
        for line in first, first + 1:  # it begins there, or has a place there
            outcome = self.lint("--explain", f"train.py:{line}", form="term")
            self.assertIn("launched only behind the wait", outcome.out)
            self.assertEqual(outcome.code, JUDGED)

    def test_a_line_without_a_finding_says_so(self):
        self.write(["total += loss.item()", "other += 1"])
        outcome = self.lint("--explain", "train.py:1", form="term")
        self.assertIn("No finding begins at train.py:1.", outcome.out)
        self.assertEqual(outcome.code, OK)
        outcome = self.lint("--explain", "other.py:1", form="term")
        self.assertIn("no file that was read has the line 'other.py:1'", outcome.err)
        self.assertEqual(outcome.code, USAGE)

    def test_its_fix_mends_all_of_them(self):
        self.write(["total += loss.item()", "other += loss.item()"])
        (finding,) = self.found()
        self.assertEqual(finding["fix"], "safe")
        self.assertEqual(sum("detach" in edit["text"] for edit in finding["edits"]), 2)
        steptime("fix", "--write", "job", cwd=self.folder)
        self.assertEqual(self.found(), [])

    def test_a_comment_takes_its_place_away(self):
        first = self.write(["total += loss.item()  # noqa: ST401", "other += loss.item()"])
        (finding,) = self.found()
        self.assertEqual((finding["line"], finding["places"]), (first + 1, None))


class Shares(Case):
    """The sum over findings is never more than the trace shows."""

    BLOCKED_NS, SAVING_NS = (10 + 80 - 2) * 1000, (80 + 25) * 1000  # test_lint_trace.py: what one read of its steps costs

    def numbers(self, lines):
        self.write(lines)
        found = self.found("--trace", recorded(os.path.join(self.folder, "a.json"), function="job/train.py(4): train"))
        return [(f["per_step_host_blocked_ns"], f["per_step_saving_ns"]) for f in found if f["tier"] != "static"]

    def test_branches_share_what_is_seen(self):
        alone = self.numbers(["total += loss.item()"])
        self.assertEqual(alone, [(self.BLOCKED_NS, self.SAVING_NS)])
        for branches in 2, 3:
            lines = ["if flag == 0:", "    total += loss.item()"]
            for i in range(1, branches):
                lines += [f"elif flag == {i}:", "    other += loss.item()"]
            told = self.numbers(lines)
            self.assertEqual(len(told), branches)
            self.assertLessEqual(sum(blocked for blocked, _ in told), self.BLOCKED_NS)
            self.assertLessEqual(sum(saving for _, saving in told), self.SAVING_NS)
            self.assertGreater(sum(blocked for blocked, _ in told), 0.99 * self.BLOCKED_NS)


if __name__ == "__main__":
    unittest.main()
