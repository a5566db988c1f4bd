# SPDX-License-Identifier: Apache-2.0
"""The table of rules, and what is told of each."""
import ast
import os
import re
import unittest

from support import OK, SOURCE, USAGE, recorded, steptime

# Rule and entry of the catalogue: stable for ever.
ENTRIES = {
    "ST101": "A6", "ST102": "E1", "ST103": "E2", "ST104": "E3", "ST201": "B1", "ST202": "B8", "ST203": "B9",
    "ST301": "C1", "ST302": "C2", "ST303": "C3", "ST304": "C4",
    "ST401": "A1", "ST402": "A2", "ST403": "A3", "ST404": "A4", "ST405": "A5",
    "ST406": "A7", "ST407": "A8", "ST408": "A9", "ST409": "D4", "ST410": "D5",
    "ST501": "B3", "ST502": "B4", "ST503": "B6",
    "ST601": "B2", "ST602": "B5", "ST603": "B7", "ST604": "D1", "ST605": "D2", "ST606": "D3",
}


def table():
    run = steptime("rules", "--format", "json")
    (found,) = run.json["sections"][0]["tables"]
    names = [column["id"] for column in found["columns"]]
    return [dict(zip(names, row)) for row in found["rows"]]


class Table(unittest.TestCase):
    def test_every_entry_of_the_catalogue_has_its_rule(self):
        self.assertEqual({row["rule"]: row["entry"] for row in table()}, ENTRIES)

    def test_names_are_words_and_unique(self):
        names = [row["name"] for row in table()]
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            self.assertRegex(name, r"^[a-z]+(-[a-z]+)*$")

    def test_a_terminal_shows_all(self):
        shown = steptime("rules", "--rows", "0").out
        for rule in ENTRIES:
            self.assertIn(rule, shown)


class Show(unittest.TestCase):
    def test_each_rule_says_everything(self):
        for row in table():
            with self.subTest(row["rule"]):
                run = steptime("rules", "show", row["rule"])
                self.assertEqual((run.code, run.err), (OK, ""))
                self.assertTrue(run.out.startswith(f"## {row['rule']} {row['name']}\n"))
                for part in ("Instead of", "write", "**Not where:**", "**Fix:**", "**Silence it:**", "**Source:**"):
                    self.assertIn(part, run.out)
                self.assertEqual(steptime("rules", "show", row["name"]).out, run.out)

    def test_examples_are_python(self):
        for code in re.findall(r"```python\n(.*?)```", steptime("rules", "show", "ALL").out, re.S):
            ast.parse(code)

    def test_a_beginning_stands_for_a_family(self):
        shown = steptime("rules", "show", "ST5").out
        self.assertEqual(re.findall(r"^## (ST\d+)", shown, re.M), ["ST501", "ST502", "ST503"])

    def test_mistakes(self):
        for words, says in ((["show"], "which rule?"), (["show", "ST999"], "there is no rule 'ST999'"),
                            (["show", "element-acess"], "did you mean 'element-access'?"),
                            (["ST401"], "did you mean 'steptime rules show ST401'?")):
            run = steptime("rules", *words)
            self.assertEqual((run.code, run.out), (USAGE, ""))
            self.assertIn(says, run.err)

    def test_the_manual_says_the_same(self):
        with open(f"{SOURCE}/doc/rules.md", encoding="utf-8") as file:
            self.assertTrue(file.read().endswith(steptime("rules", "show", "ALL").out),
                            "doc/rules.md: put the output of 'steptime rules show ALL' behind its first part again")


class EveryId(unittest.TestCase):
    """What a screen calls a finding, `rules show` explains."""

    def shows(self, name):
        run = steptime("rules", "show", name)
        self.assertEqual((run.code, run.err), (OK, ""), name)
        self.assertRegex(run.out, rf"^## {name.partition('-')[0]} [a-z-]+\n")

    def test_that_the_source_knows(self):
        known = set()
        for at, _, names in os.walk(os.path.join(SOURCE, "src")):
            for name in names:
                if name.endswith(".c"):
                    with open(os.path.join(at, name), encoding="utf-8") as file:
                        known |= set(re.findall(r'"([A-Z]{2}\d{3})"', file.read()))
        self.assertLessEqual({"SM101", "SM403", "VF101", "VF201", "ST401"}, known)
        for name in sorted(known):
            self.shows(name)

    def test_that_a_report_prints(self):
        printed = set()
        for words in (["summary", recorded("dlrm-cpu.json.gz")], ["summary", recorded("")],
                      ["lint", os.path.join(SOURCE, "examples")]):
            for found in steptime(*words, "--format", "json").json["findings"]:
                printed |= {found["id"], found["rule"]}
        self.assertGreater(len(printed), 5)
        for name in sorted(printed):
            self.shows(name)

    def test_that_a_screen_prints(self):
        for words in (["summary", recorded("")], ["lint", os.path.join(SOURCE, "examples")]):
            for name in sorted(set(re.findall(r"\b[A-Z]{2}\d{3}(?:-[0-9a-f]{12})?\b", steptime(*words).out))):
                self.shows(name)

    def test_each_says_what_to_do(self):
        for name in ("SM101", "data-loading", "VF201"):
            shown = steptime("rules", "show", name).out
            for part in ("**Said where:**", "**What to do:**"):
                self.assertIn(part, shown)


if __name__ == "__main__":
    unittest.main()
