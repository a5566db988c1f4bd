# SPDX-License-Identifier: Apache-2.0
"""steptime lint on public code, against judgements by hand: tests/data/judgements/README.md says which and how.

The code is not part of the project; STEPTIME_PUBLIC_CODE names a folder that holds the repositories.
"""
import importlib.util
import os
import unittest

from support import OK, PROGRAM, SANITIZED, SOURCE, steptime

RECALL, PRECISION, PRECISION_UNSEEN = 0.95, 0.90, 0.85


def evaluation():
    """bench/lint_public.py as a module."""
    path = os.path.join(SOURCE, "bench", "lint_public.py")
    spec = importlib.util.spec_from_file_location("lint_public", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.PROGRAM = PROGRAM
    return module


public = evaluation()
ROWS = {"repositories.csv": ["repo", "commit", "part"],
        "expected.csv": ["item", "repo", "path", "first_line", "last_line", "rules", "words"],
        "silent.csv": ["repo", "path", "first_line", "last_line", "rules", "level", "why"],
        "by_hand.csv": ["repo", "path", "first_line", "last_line", "rules", "need", "why"],
        "findings.csv": ["repo", "path", "line", "rule", "verdict", "why"],
        **{f"{part}.csv": ["repo", "path", "line", "rule", "verdict", "why"] for part in public.ASIDE}}


class Judgements(unittest.TestCase):
    """The files themselves."""

    def test_have_their_columns_and_known_repositories(self):
        known = {row["repo"] for row in public.table("repositories.csv")}
        for name, columns in ROWS.items():
            for row in public.table(name):
                with self.subTest(name, row=row):
                    self.assertEqual(list(row), columns)
                    self.assertIn(row["repo"], known)
                    self.assertTrue(all(value not in (None, "") for value in row.values()))

    def test_aside_is_not_judged(self):
        known = {row["repo"] for row in public.table("repositories.csv")}
        aside = [row["repo"] for row in public.table("aside.csv")]
        self.assertEqual(len(aside), len(set(aside) - known))
        self.assertLessEqual({row["repo"] for row in public.table("aside_by_hand.csv")}, set(aside))

    def test_say_true_false_or_harmless_once_a_place(self):
        for name in ("findings.csv", *(f"{part}.csv" for part in public.ASIDE)):
            rows = public.table(name)
            self.assertLessEqual({row["verdict"] for row in rows}, {"true", "false", "harmless"})
            self.assertEqual(len(rows), len(public.verdicts(name)))

    def test_name_rules_that_exist(self):
        shown = steptime("rules", "--format", "json")
        self.assertEqual(shown.code, OK, shown.err)
        for name, column in (("expected.csv", "rules"), ("by_hand.csv", "rules"), ("findings.csv", "rule")):
            for row in public.table(name):
                for rule in row[column].split("|"):
                    self.assertIn(f'"{rule}"', shown.out)


@unittest.skipIf(SANITIZED, "the same code runs in the plain build")
class PublicCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not public.CODE:
            raise unittest.SkipTest("STEPTIME_PUBLIC_CODE names no folder of public code")
        cls.repos, missing = public.present(public.CODE)
        if missing:
            raise unittest.SkipTest("; ".join(missing))
        cls.findings = [finding for repo in cls.repos for finding in public.lint(public.CODE, repo)]

    def test_listed_places_are_found(self):
        recall = public.recall_listed(self.findings, self.repos)
        self.assertGreaterEqual(recall.value, RECALL, "\n".join(public.expectation(rows[0]) for rows in recall.rest))

    def test_what_is_reported_in_listed_files_is_true(self):
        listed = public.in_listed_files(self.findings)
        self.assertGreater(len(listed), 30)
        precision = public.precision(listed)
        self.assertGreaterEqual(precision.value, PRECISION, "\n".join(map(str, precision.rest)))

    def test_what_is_reported_in_unseen_repositories_is_true(self):
        unseen, _ = public.present(public.CODE, "unseen")
        known = public.judged([f for f in self.findings if f.by_default and f.repo in unseen])
        self.assertGreater(len(known), 30)
        precision = public.precision(known)
        self.assertGreaterEqual(precision.value, PRECISION_UNSEEN, "\n".join(map(str, precision.rest)))

    def test_traps_and_clean_controls_stay_silent(self):
        self.assertEqual([], [f"{finding}  [{why}]" for finding, why in public.breaches(self.findings, self.repos)])


if __name__ == "__main__":
    unittest.main()
