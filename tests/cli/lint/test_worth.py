# SPDX-License-Identifier: Apache-2.0
"""What lint says of how many warnings are worth a change is what people judged."""
import collections
import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest

from support import JUDGED, SOURCE, steptime

# Drawn by chance, looked at once.
SETS = ("ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
        "eighteenth")
JUDGEMENTS = os.path.join(SOURCE, "tests", "data", "judgements")
READ_BACK = """
import torch
net = torch.nn.Linear(8, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
total = 0
for batch in torch.utils.data.DataLoader(range(100), num_workers=2, pin_memory=True):
    loss = net(batch.cuda(non_blocking=True)).mean()
    loss.backward()
    optimizer.step()
    total += loss.item()
"""


def judged():
    counts = collections.defaultdict(lambda: [0, 0])
    for name in SETS:
        with open(os.path.join(JUDGEMENTS, f"{name}.csv"), newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                counts[row["rule"]][0] += 1
                counts[row["rule"]][1] += row["verdict"] == "true"
    return counts


class Worth(unittest.TestCase):
    def lint(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "train.py")
            with open(path, "w", encoding="utf-8") as out:
                out.write(READ_BACK)
            return steptime("lint", *words, path)

    def test_the_table_is_the_sum_of_the_judgements(self):
        with open(os.path.join(SOURCE, "src", "rules", "families", "worth.c"), encoding="utf-8") as text:
            rows = re.findall(r'\{"(ST\d+)", \{(\d+), (\d+)\}\}', text.read())
        self.assertEqual({rule: [int(all_), int(worth)] for rule, all_, worth in rows}, dict(judged()))

    def test_a_warning_says_how_many_such_are_worth_it(self):
        counts = judged()
        share = sum(worth for _, worth in counts.values()) / sum(all_ for all_, _ in counts.values())
        own = counts["ST401"]
        expected = 100 * (own[1] + 10 * share) / (own[0] + 10)
        done = self.lint()
        self.assertEqual(done.code, JUDGED, done.err)
        told = re.search(r"some (\d+) % of such warnings", " ".join(done.out.split()))
        self.assertAlmostEqual(float(told[1]), expected, delta=0.51)
        rows = [dict(zip([c["id"] for c in t["columns"]], row)) for s in self.lint("--format", "json").json["sections"]
                for t in s["tables"] if t["id"] == "rules" for row in t["rows"]]
        self.assertEqual([[row["judged"], row["worth"]] for row in rows if row["rule"] == "ST401"], [own])

    def test_what_the_record_of_a_rule_would_have_told(self):
        done = subprocess.run([sys.executable, os.path.join(SOURCE, "bench", "lint_record.py")], capture_output=True,
                              text=True, check=True)
        told = {line.split()[0]: line for line in done.stdout.splitlines()[1:]}
        self.assertEqual(sorted(told), sorted((*SETS, "findings")))
        for name in SETS:
            with open(os.path.join(JUDGEMENTS, f"{name}.csv"), newline="", encoding="utf-8") as lines:
                rows = [(row["rule"], row["verdict"] == "true") for row in csv.DictReader(lines)]
            poor = set(re.findall(r"ST\d+", told[name]))
            shares = [(int(worth), int(all_)) for worth, all_ in re.findall(r"(\d+) of +(\d+)", told[name])]
            kept = [worth for rule, worth in rows if rule not in poor]
            self.assertEqual(shares[:2], [(sum(w for _, w in rows), len(rows)), (sum(kept), len(kept))])
            self.assertEqual(shares[2], (shares[0][0] - shares[1][0], shares[0][1] - shares[1][1]))
            self.assertIn("ST201", poor)  # 2 of 14, whichever set is left out
            self.assertNotIn("ST409", poor)

    def test_without_a_warning_nothing_is_said_of_them(self):
        self.assertNotIn("such warnings", self.lint("--select", "ST3").out)
