# SPDX-License-Identifier: Apache-2.0
"""Large tables with faults in them: each is told with its line, none takes memory or time with it."""
import itertools
import json
import os
import tempfile
import unittest

from support import INPUT, OK, SANITIZED, steptime, values

HEADER = "job,architecture,cnodes,batch,input_bytes,flops,memory_bytes,weight_bytes"
GOOD = "1w1g,1,1,0,1e12,0,0"
ROWS = 200_000


def said(report):
    return " ".join(warning["message"] for warning in report["warnings"])


def breakdown(table, *options, code=OK):
    stdin = table.encode() if isinstance(table, str) else table
    done = steptime("fleet", "breakdown", "-", *options, "--format", "json", stdin=stdin)
    assert done.code == code, (done.code, done.err)
    return done


class LongTables(unittest.TestCase):
    """The fault stands on one line near the end, blocks of other cores on either side."""
    LINE = ROWS - 3

    @classmethod
    def setUpClass(cls):
        cls.good = [f"j{i},{GOOD}\n" for i in range(2, ROWS + 2)]

    def table(self, broken):
        at = self.LINE - 2
        return HEADER + "\n" + "".join(itertools.chain(self.good[:at], [broken + "\n"], self.good[at + 1:]))

    def check(self, broken, *why):
        report = breakdown(self.table(broken), "--hw", "paper").json
        self.assertEqual((values(report)["jobs"], values(report)["dropped"]), (ROWS - 1, 1))
        for words in (f"line {self.LINE}:", *why):
            self.assertIn(words, said(report))

    def test_too_few_fields(self):
        self.check("x,1w1g,1,1")

    def test_too_many_fields(self):
        self.check(f"x,{GOOD},1")

    def test_a_word_where_a_number_belongs(self):
        self.check("x,1w1g,1,1,0,many,0,0", "flops", "many")

    def test_no_architecture(self):
        self.check("x,ring,1,1,0,1e12,0,0", "ring")

    def test_an_open_quote(self):
        self.check(f'"x,{GOOD}')

    def test_bytes_that_are_no_text(self):
        broken = self.table(f"{{}},{GOOD}").encode().replace(b"{}", b"x\0y\xff")
        report = breakdown(broken, "--hw", "paper").json
        self.assertEqual(values(report)["jobs"] + values(report)["dropped"], ROWS)

    def test_strict_ends_at_that_line_however_many_cores_read(self):
        table = self.table("x,1w1g,0,1,0,1e12,0,0")
        for threads in ("1", "4"):
            done = breakdown(table, "--hw", "paper", "--strict", "--threads", threads, code=INPUT)
            self.assertIn(f"line {self.LINE}:", done.err)

    def test_the_first_of_many_are_told_in_order_and_all_are_counted(self):
        bad = 1000
        table = HEADER + "\n" + "".join(self.good[:50_000]) + "x,1w1g,1\n" * bad + "".join(self.good[50_000:110_000])
        runs = [breakdown(table, "--hw", "paper", "--threads", threads).json for threads in ("1", "4")]
        self.assertEqual([values(run)["dropped"] for run in runs], [bad, bad])
        self.assertEqual(said(runs[0]), said(runs[1]))
        places = [said(runs[0]).index(f"line {50_002 + i}:") for i in range(20)]
        self.assertEqual(places, sorted(places))

    def test_lines_that_end_as_on_other_systems(self):
        text = self.table("x,1w1g,1,1").replace("\n", "\r\n")
        report = breakdown(text, "--hw", "paper").json
        self.assertEqual(values(report)["jobs"], ROWS - 1)
        self.assertIn(f"line {self.LINE}:", said(report))


class OtherTables(unittest.TestCase):
    """Tables that are nearly in the form: taken, or refused with the words that say what to change."""
    TABLE = HEADER + f"\nj1,{GOOD}\nj2,{GOOD}\n"

    def test_a_capitalised_header(self):
        for header in (HEADER.upper(), HEADER.title()):
            report = breakdown(self.TABLE.replace(HEADER, header), "--hw", "paper").json
            self.assertEqual(values(report)["jobs"], 2, header)

    def test_other_separators(self):
        for mark, word in ((";", "semicolons"), ("\t", "tabs"), ("|", "|")):
            done = breakdown(self.TABLE.replace(",", mark), "--hw", "paper", code=INPUT)
            self.assertIn(f"its columns are separated by {word}: write them with commas", done.err)

    def test_lines_that_end_in_cr_alone(self):
        done = breakdown(self.TABLE.replace("\n", "\r"), "--hw", "paper", code=INPUT)
        self.assertIn("its lines end in CR alone", done.err)


class PaiTables(unittest.TestCase):
    """Rows go through files by the hash of their job's name, and are still told by the line on which they stood."""
    TASKS = 60_000

    def breakdown(self, *broken):
        tasks = [f"job{i // 2},worker,2,Terminated,10,{20 + i},600,29,50,T4\n" for i in range(self.TASKS)]
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "pai_task_table.csv"), "w", encoding="ascii") as out:
                out.write("".join(tasks[:-10]) + "".join(line + "\n" for line in broken) + "".join(tasks[-10:]))
            done = steptime("fleet", "breakdown", folder, "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual((values(done.json)["jobs"], values(done.json)["dropped"]), (self.TASKS // 2, len(broken)))
        return said(done.json)

    def test_each_is_told_by_its_line(self):
        told = self.breakdown("x,worker,many,Terminated,10,20,600,29,50,T4", "y,worker,1,Terminated,10,20,600,29,half,T4",
                              '"z,worker,1,Terminated,10,20,600,29,50,T4', "v,worker,-3,Terminated,10,20,600,29,50,T4")
        for i in range(4):
            self.assertIn(f"line {self.TASKS - 10 + 1 + i}:", told)
        self.assertIn("pai_task_table.csv", told)


class Units(unittest.TestCase):
    """Columns have one unit; a cell that names another is no number to guess at."""

    def check(self, cells, *words):
        table = f"{HEADER}\na,{GOOD}\nb,{cells}\nc,{GOOD}\n"
        report = breakdown(table, "--hw", "paper").json
        self.assertEqual((values(report)["jobs"], values(report)["dropped"]), (2, 1))
        for word in ("line 3:", *words):
            self.assertIn(word, said(report))

    def test_bytes(self):
        self.check("1w1g,1,1,38MB,1e12,0,0", "input_bytes", "38MB")

    def test_arithmetic(self):
        self.check("1w1g,1,1,0,1.56TFLOPs,0,0", "flops", "1.56TFLOPs")

    def test_a_share(self):
        self.check("1w1g,1,1,0,1e12,50%,0", "memory_bytes", "50%")

    def test_a_comma_for_a_point(self):
        self.check('1w1g,1,1,"0,5",1e12,0,0', "input_bytes", "0,5")

    def test_in_lines_of_json(self):
        row = dict(zip(HEADER.split(","), ["a", "1w1g", 1, 1, 0, 1e12, 0, 0]))
        lines = "".join(json.dumps(row | more) + "\n" for more in ({}, {"input_bytes": "38MB"}, {}))
        report = breakdown(lines, "--hw", "paper").json
        self.assertEqual((values(report)["jobs"], values(report)["dropped"]), (2, 1))
        for word in ("line 2:", "input_bytes", "38MB"):
            self.assertIn(word, said(report))


class Hostile(unittest.TestCase):
    def test_thousands_of_gpu_names_that_nobody_knows(self):
        table = f"{HEADER},gpu\na,{GOOD},V100\n" + "".join(f"j{i},{GOOD},Q{i}\n" for i in range(6000))
        done = breakdown(table)
        self.assertEqual((values(done.json)["jobs"], values(done.json)["dropped"]), (1, 6000))
        if not SANITIZED:
            self.assertLess(done.seconds, 2)
            self.assertLess(done.peak_bytes, 300e6)

    def wide(self, rows, keys):
        """Lines of JSON with many members that no column is called after, other ones than those of the first line."""
        job = dict(zip(HEADER.split(","), ["a", "1w1g", 1, 1, 0, 1e12, 0, 0]))
        first = json.dumps(job | {f"first{i}": i for i in range(keys)})
        other = json.dumps({f"other{i}": i for i in range(keys)} | job)
        return "\n".join([first] + [other] * (rows - 1)) + "\n"

    def test_many_other_keys_a_line_take_time_by_their_number(self):
        seconds = []
        for keys in (1000, 4000):
            runs = [breakdown(self.wide(150, keys), "--hw", "paper", "--threads", "1") for _ in range(2)]
            self.assertEqual(values(runs[0].json)["jobs"], 150)
            seconds.append(min(run.seconds for run in runs))
        self.assertLess(seconds[1], 10 * seconds[0] + 0.2)

    def test_a_line_without_end(self):
        for line in ("x" * 3_000_000, "," * 3_000_000 + f"\nb,{GOOD}\n"):
            report = breakdown(f"{HEADER}\na,{GOOD}\n{line}", "--hw", "paper").json
            self.assertEqual(values(report)["dropped"], 1)
            self.assertIn("line 3:", said(report))

    def test_a_value_nested_deep(self):
        job = json.dumps(dict(zip(HEADER.split(","), ["a", "1w1g", 1, 1, 0, 1e12, 0, 0])))
        deep = job[:-1] + ', "more": ' + "[" * 100_000 + "]" * 100_000 + "}"
        report = breakdown(f"{job}\n{deep}\n{job}\n", "--hw", "paper").json
        self.assertEqual(values(report)["jobs"] + values(report)["dropped"], 3)

    def test_as_many_groups_as_rows(self):
        table = f"{HEADER},user\n" + "".join(f"j{i},{GOOD},u{i}\n" for i in range(110_000))
        done = breakdown(table, "--hw", "paper", "--group-by", "user")
        tables = {table["id"]: table for section in done.json["sections"] for table in section["tables"]}
        self.assertLessEqual(len(tables["group_jobs"]["rows"]), 258)
        self.assertEqual(values(done.json)["jobs"], 110_000)
        if not SANITIZED:
            self.assertLess(done.peak_bytes, 300e6)


if __name__ == "__main__":
    unittest.main()
