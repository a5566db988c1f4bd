# SPDX-License-Identifier: Apache-2.0
"""Output: the JSON contract of doc/json.md, CSV, files that are whole or untouched, streams that fail."""
import csv
import io
import json
import os
import re
import subprocess
import tempfile
import unittest

from support import INPUT, OK, OUTPUT, PROGRAM, USAGE, span, steptime, trace_commands, training_steps, write_trace

IDS = re.compile(r"[a-z0-9_]+\Z")
UNITS = {None, "ns", "us", "ms", "bytes", "flop", "ratio", "count"}
FINDING = {"id", "rule", "severity", "tier", "message", "file", "cell", "line", "column", "end_line", "end_column",
           "per_step_host_blocked_ns", "per_step_saving_ns", "fix", "places", "edits", "events", "proof"}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.trace = write_trace(os.path.join(self.folder, "trace.json"), training_steps(count=3))


def numbers_stay_apart(text):
    """As the contract wants: a decimal has a point or an exponent, an integer never."""
    return json.loads(text, parse_float=lambda word: ("decimal", word), parse_int=lambda word: ("integer", word))


class Contract(Case):
    def keys(self, value, *names):
        self.assertEqual(set(value), set(names))

    def check_table(self, table):
        self.keys(table, "id", "columns", "rows")
        self.assertRegex(table["id"], IDS)
        names = [column["id"] for column in table["columns"]]
        self.assertEqual(len(names), len(set(names)), f"a column of {table['id']} comes twice")
        for column in table["columns"]:
            self.keys(column, "id", "title", "unit", "definition")
            self.assertRegex(column["id"], IDS)
            self.assertIn(column["unit"], UNITS)
            for word in ("ns", "ms", "us", "bytes"):
                if column["id"].endswith("_" + word):
                    self.assertEqual(column["unit"], word, f"{table['id']}.{column['id']}")
        for row in table["rows"]:
            self.assertEqual(len(row), len(names))
            self.assertTrue(all(cell is None or isinstance(cell, (int, float, str)) for cell in row))

    def check_section(self, section, tables):
        self.keys(section, "id", "title", "values", "tables", "figures")
        self.assertRegex(section["id"], IDS)
        values = [value["id"] for value in section["values"]]
        self.assertEqual(len(values), len(set(values)), f"a value of {section['id']} comes twice")
        for value in section["values"]:
            self.keys(value, "id", "value", "unit")
            self.assertRegex(value["id"], IDS)
            self.assertIn(value["unit"], UNITS)
        for table in section["tables"]:
            self.check_table(table)
        for figure in section["figures"]:
            self.keys(figure, "id", "kind", "table", "x", "y")
            self.assertIn(figure["kind"], {"bar", "stack", "line", "cdf", "lanes"})
            columns = {column["id"] for column in tables[figure["table"]]["columns"]}
            self.assertLessEqual({figure["x"], figure["y"]}, columns)

    def check_finding(self, finding):
        self.keys(finding, *FINDING)
        self.assertIn(finding["severity"], {"error", "warning", "note"})
        self.assertIn(finding["tier"], {None, "confirmed", "function", "static", "trace"})
        self.assertIn(finding["fix"], {None, "safe", "unsafe", "none"})
        if finding["events"] is not None:
            self.assertTrue(all(isinstance(event, int) for event in finding["events"]))
        if finding["proof"] is not None:
            self.keys(finding["proof"], "device", "pace", "gain")
            for link in finding["proof"].values():
                self.keys(link, "holds", "text", "places")
                for place in link["places"]:
                    self.keys(place, "file", "line", "text")

    def check(self, document, command):
        self.keys(document, "steptime", "command", "inputs", "warnings", "sections", "findings")
        self.keys(document["steptime"], "version", "schema")
        self.assertEqual(document["steptime"]["schema"], 1)
        self.assertEqual(document["command"], command)
        for given in document["inputs"]:
            self.keys(given, "path", "format", "events", "bytes", "repaired", "dropped", "step_source", "step_regularity")
            self.keys(given["step_regularity"], "name", "steps", "spread", "variation", "covered")
        for warning in document["warnings"]:
            self.keys(warning, "path", "offset", "message")
        every = [table for section in document["sections"] for table in section["tables"]]
        tables = {table["id"]: table for table in every}
        self.assertEqual(len(tables), len(every), "a table comes twice")
        for section in document["sections"]:
            self.check_section(section, tables)
        for finding in document["findings"]:
            self.check_finding(finding)

    def test_every_command_keeps_it(self):
        commands = trace_commands()
        self.assertIn("info", commands)
        for command in commands:
            with self.subTest(command):
                run = steptime(command, "--format", "json", self.trace)
                self.assertEqual(run.code, OK, run.err)
                self.check(run.json, command)
                self.assertEqual([given["path"] for given in run.json["inputs"]], [self.trace])

    def test_of_several_ranks(self):
        paths = [write_trace(os.path.join(self.folder, f"rank{rank}.json")) for rank in range(3)]
        for command in trace_commands():
            with self.subTest(command):
                run = steptime(command, "--format", "json", *paths)
                self.assertEqual(run.code, OK, run.err)
                self.check(run.json, command)
                self.assertEqual([given["path"] for given in run.json["inputs"]], paths)

    def test_time_is_in_integers_and_ratios_in_decimals(self):
        run = steptime("info", "--format", "json", self.trace)
        for section in numbers_stay_apart(run.out)["sections"]:
            for table in section["tables"]:
                for i, column in enumerate(table["columns"]):
                    kinds = {row[i][0] for row in table["rows"] if isinstance(row[i], tuple)}
                    if column["unit"] in ("ns", "count"):
                        self.assertLessEqual(kinds, {"integer"}, column)
                    if column["unit"] == "ratio":
                        self.assertLessEqual(kinds, {"decimal"}, column)

    def test_one_table_keeps_the_shape(self):
        whole = steptime("info", "--format", "json", self.trace).json
        for section in whole["sections"]:
            for table in section["tables"]:
                run = steptime("info", "--format", "json", "--table", table["id"], self.trace)
                self.check(run.json, "info")
                self.assertEqual([s["tables"] for s in run.json["sections"]], [[table]])

    def test_texts_of_the_trace_come_back_as_they_were(self):
        odd = 'quote " backslash \\ tab \t newline \n bell \x07 del \x7f c1 \x85 é 日本 😀 </script>'
        write_trace(self.trace, [span("op", 0, 5, pid=odd), {"ph": "M", "name": "process_name", "pid": odd, "args": {"name": odd}}])
        run = steptime("info", "--format", "json", "--table", "lanes", self.trace)
        self.assertEqual(run.code, OK, run.err)
        cells = [cell for s in run.json["sections"] for t in s["tables"] for row in t["rows"] for cell in row]
        self.assertIn(odd, cells)
        self.assertFalse(set(run.out) & set(map(chr, [*range(10), *range(11, 32), *range(127, 160)])))

    def test_warnings_name_the_byte(self):
        with open(self.trace, encoding="utf-8") as text:
            whole = text.read()
        with open(self.trace, "w", encoding="utf-8") as out:
            out.write(whole[:len(whole) // 2])
        run = steptime("info", "--format", "json", self.trace)
        self.assertEqual(run.code, OK, run.err)
        self.assertTrue(run.json["warnings"])
        for warning in run.json["warnings"]:
            self.assertEqual(warning["path"], self.trace)
            self.assertTrue(warning["offset"] is None or 0 <= warning["offset"] <= len(whole))


class Csv(Case):
    def test_is_the_table_of_the_json(self):
        for section in steptime("info", "--format=json", self.trace).json["sections"]:
            for table in section["tables"]:
                run = steptime("info", "--format=csv", "--table", table["id"], self.trace)
                self.assertEqual(run.code, OK, run.err)
                rows = list(csv.reader(io.StringIO(run.out)))
                self.assertEqual(rows[0], [column["id"] for column in table["columns"]])
                self.assertEqual(len(rows) - 1, len(table["rows"]))
                for written, row in zip(rows[1:], table["rows"]):
                    self.assertEqual([word or None for word in written],
                                     [None if cell in (None, "") else str(cell) for cell in row])

    def test_several_tables_want_a_name(self):
        run = steptime("info", "--format=csv", self.trace)
        self.assertEqual((run.code, run.out), (USAGE, ""))
        self.assertIn("--table one of files, kinds, steps", run.err)

    def test_an_unknown_table_lists_those_there_are(self):
        for form in ("csv", "json", "term"):
            run = steptime("info", "--format", form, "--table=nonsense", self.trace)
            self.assertEqual((run.code, run.out), (USAGE, ""))
            self.assertIn("no table 'nonsense'; the tables are files, kinds", run.err)


class Files(Case):
    def test_is_written_whole_and_leaves_nothing_else(self):
        out = os.path.join(self.folder, "out.json")
        with open(out, "w", encoding="utf-8") as old:
            old.write("old")
        run = steptime("info", "--format=json", "-o", out, self.trace)
        self.assertEqual((run.code, run.out), (OK, ""), run.err)
        with open(out, encoding="utf-8") as new:
            self.assertEqual(json.load(new)["command"], "info")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.json", "trace.json"])

    def test_is_untouched_when_the_run_fails(self):
        out = os.path.join(self.folder, "out.json")
        with open(out, "w", encoding="utf-8") as old:
            old.write("old")
        for arguments in (["--table=nonsense", self.trace], ["/nonexistent"], ["--format=csv", self.trace]):
            self.assertIn(steptime("info", "-o", out, *arguments).code, (USAGE, INPUT))
            with open(out, encoding="utf-8") as text:
                self.assertEqual(text.read(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.json", "trace.json"])

    def test_cannot_be_made(self):
        run = steptime("info", "-o", os.path.join(self.folder, "no", "such", "place"), self.trace)
        self.assertEqual((run.code, run.out), (OUTPUT, ""))
        self.assertIn("cannot be written", run.err)


class Streams(Case):
    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_full_disk_is_told(self):
        for arguments in (["info", self.trace], ["--help"], ["--version"], ["help", "info"], ["completion", "bash"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                run = steptime(*arguments, stdout=full)
            self.assertEqual(run.code, OUTPUT, arguments)
            self.assertIn("No space left", run.err)

    def test_a_closed_pipe_is_an_output_that_failed(self):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            run = steptime("info", self.trace, stdout=pipe)
        self.assertEqual(run.code, OUTPUT)

    def test_a_closed_standard_output_is_one_too(self):
        run = subprocess.run(["sh", "-c", '"$0" info "$1" >&-', PROGRAM, self.trace], capture_output=True, check=False)
        self.assertEqual(run.returncode, OUTPUT, run.stderr)


if __name__ == "__main__":
    unittest.main()
