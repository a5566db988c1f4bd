# SPDX-License-Identifier: Apache-2.0
"""Screen by screen, at 80 and 120 columns, on a terminal and in a pipe: nothing is wider than the screen, the columns that
a table is read for stay, a name keeps its file and line, and small rows are one."""
import os
import re
import unittest

from support import OK, SOURCE, USAGE, rows_of, steptime
from test_terminal import on_terminal, plain

MEASURED = os.path.join(SOURCE, "bench", "gpu", "measured", "h200")
RECORDED = os.path.join(SOURCE, "tests", "data", "recorded")
NAIVE, FIXED = os.path.join(MEASURED, "naive.json.gz"), os.path.join(MEASURED, "fixed.json.gz")
RANKS = [os.path.join(RECORDED, f"ddp-gloo-rank{rank}.json.gz") for rank in (0, 1)]
HOST = os.path.join(RECORDED, "session-gnn-cpu-stack.json.gz")
SESSION = os.path.join(SOURCE, "examples", "antipatterns", "session_gnn")
SNAPSHOT = os.path.join(SOURCE, "tests", "fuzz", "corpus", "snapshot", "steps")
JOBS = os.path.join(SOURCE, "examples", "fleet", "case_studies.csv")
# By command what its tables are read for.
LONGEST = ("query", NAIVE, "SELECT name, kind, dur_ns FROM events ORDER BY dur_ns DESC LIMIT 40")
SCREENS = {
    ("summary", NAIVE): ("a step saves", "most in", "a step is shorter by", "share", "of busy"),
    ("summary", HOST): ("a step saves", "most in", "a step is shorter by", "share"),
    ("breakdown", NAIVE): ("a step", "called from", "share"),
    ("kernels", NAIVE): ("share", "total"),
    ("kernels", "--by", "python", NAIVE): ("share", "total"),
    ("ops", NAIVE): ("share", "host self"),
    ("ops", HOST): ("share", "host self"),
    ("critical-path", NAIVE): ("a step", "share", "most in"),
    ("ranks", *RANKS): ("rank", "of all waiting", "others waited", "the job saves", "most in"),
    ("diff", NAIVE, FIXED): ("change", "p"),
    ("memory", SNAPSHOT): ("bytes", "share", "a step"),
    LONGEST: ("dur_ns",),
    ("overheads", NAIVE): ("operator or call", "mean"),
    ("predict", NAIVE): ("a step is shorter without",),
    ("info", NAIVE): ("events", "share"),
    ("hw",): ("name",),
    ("hw", "H200"): ("figure", "source"),
    ("model", "show"): ("group",),
    ("lint", "--trace", NAIVE, SESSION): ("saving", "file", "line"),
    ("rules",): ("what",),
    ("fleet", "breakdown", JOBS, "--hw", "paper"): ("of the jobs", "of the GPUs", "of GPU-time"),
    ("fleet", "project", JOBS, "--hw", "paper", "--to", "allreduce-local"): ("of all", "speed-up"),
}
if steptime(*LONGEST).code == USAGE:
    del SCREENS[LONGEST]  # built without SQLite
# Tables whose rows are parts of a whole, with the columns that tell how large each is.
PARTS = {("kernels", NAIVE): (("classes", ("share",)), ("kernels", ("share",))), ("ops", HOST): (("operators", ("share", "host_self_ns")),),
         ("info", NAIVE): (("kinds", ("share",)),), ("breakdown", NAIVE): (("parts", ("share",)), ("idle", ("share",))),
         ("critical-path", HOST): (("classes", ("share",)), ("top", ("share",)))}
PLACE = re.compile(r"[\w.]+\.py(?::\d+|\(\d+\))")
OTHERS = re.compile(r"(\d+) others below 0\.1 %")


def piped(command, columns, *more):
    run = steptime(*command, *more, env={"COLUMNS": str(columns)})
    return run.out


def without_findings(screen):
    """lint's are lines that editors read."""
    return screen.split("-- Findings")[0]


def small_rows(rows, columns):
    """How many are below 0.1 % by each of the columns: of a ratio of 1, of anything else of its sum."""
    wholes = [1 if "share" in column else sum(row[column] or 0 for row in rows) for column in columns]

    def is_small(row):
        known = [abs(row[column]) < 0.001 * whole for column, whole in zip(columns, wholes) if row[column] is not None]
        return bool(known) and all(known)

    return sum(map(is_small, rows))


class Screens(unittest.TestCase):
    maxDiff = None

    @staticmethod
    def each():
        for command, answers in SCREENS.items():
            for columns in (80, 120):
                yield command, answers, columns

    def test_none_is_wider_than_a_pipe_was_told(self):
        for command, _, columns in self.each():
            screen = without_findings(piped(command, columns))
            self.assertIn("steptime " + command[0], screen, command)
            for line in screen.splitlines():
                self.assertLessEqual(len(line), columns, (command, line))

    def test_nor_than_a_terminal(self):
        for command in [("summary", NAIVE), ("ranks", *RANKS), ("diff", NAIVE, FIXED), ("hw", "H200"), ("memory", SNAPSHOT)]:
            for columns in (80, 120):
                code, screen = on_terminal(*command, columns=columns)
                self.assertEqual(code, OK)
                for line in plain(screen).split("── Findings")[0].splitlines():
                    self.assertLessEqual(len(line), columns, (command, line))

    def test_what_a_table_is_read_for_stays(self):
        for command, answers, columns in self.each():
            text = " ".join(piped(command, columns).split())
            gone = {name.strip() for names in re.findall(r"too narrow for: (.*?)(?= --|  |$| [A-Z])", text) for name in names.split(",")}
            self.assertFalse(gone & set(answers), (command, columns))

    def test_and_is_there(self):
        for command, answers, _ in self.each():
            words = set(re.findall(r"[\w-]+", piped(command, 0)))
            for answer in answers:
                self.assertLessEqual(set(re.findall(r"[\w-]+", answer)), words, (command, answer))

    def test_names_keep_their_file_and_line(self):
        for command, table, column in ((("kernels", "--by", "python", NAIVE), "kernels", "title"),
                                       (("ops", "--by", "python", HOST), "operators", "title"), (("memory", SNAPSHOT), "memory_lines", "where")):
            rows = rows_of(steptime(*command, "--format", "json").json, table)[:8]
            places = {place for row in rows for place in PLACE.findall(row[column] or "")}
            self.assertGreater(len(places), 1)
            for columns in (80, 120):
                screen = piped(command, columns, "--rows", "0")
                for place in places:
                    self.assertIn(place, screen)

    def test_small_rows_are_one(self):
        folded = 0
        for command, tables in PARTS.items():
            document = steptime(*command, "--format", "json").json
            small = [small_rows(rows_of(document, table), columns) for table, columns in tables]
            for columns in (80, 120, 0):
                told = [int(count) for count in OTHERS.findall(piped(command, columns, "--rows", "500"))]
                folded += len(told)
                for count in told:
                    self.assertGreater(count, 1)
                if any(count > 3 for count in small):  # up to some that the report speaks of
                    self.assertTrue(told, (command, small))
            self.assertFalse(OTHERS.findall(piped(command, 80, "--rows", "0")))
        self.assertGreater(folded, 8)

    def test_no_column_of_dashes(self):
        for command, _, columns in self.each():
            for block in without_findings(piped(command, columns)).split("\n\n"):
                lines = block.splitlines()
                rules = [i for i, line in enumerate(lines) if re.fullmatch(r"  -{8,}", line)]
                for rule in rules:
                    below = [line for line in lines[rule + 1:] if not line.startswith("  too narrow")]
                    for at in {match.start() for line in below[:1] for match in re.finditer(r"(?<= )-(?= |$)", line)}:
                        self.assertTrue(any(line[at:at + 1] not in ("-", "") for line in below), block)


if __name__ == "__main__":
    unittest.main()
