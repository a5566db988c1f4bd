# SPDX-License-Identifier: Apache-2.0
"""--explain of any command: each column has a definition, and the numbers shown are those of the tables."""
import os
import tempfile
import unittest

from support import OK, USAGE, recorded, steptime

ONE = "dlrm-cpu.json.gz"
# breakdown and predict show events, too: test_breakdown.py, test_predict.py
COMMANDS = ["summary", "kernels", "ops", "critical-path", "ranks", "info", "overheads"]


def tables(outcome):
    return {table["id"]: table for section in outcome.json["sections"] for table in section["tables"]}


def rows(table):
    ids = [column["id"] for column in table["columns"]]
    return [dict(zip(ids, row)) for row in table["rows"]]


class EveryCommand(unittest.TestCase):
    def report(self, command, *arguments):
        outcome = steptime(command, "--format", "json", recorded(ONE), *arguments)
        self.assertEqual(outcome.code, OK, outcome.err)
        return tables(outcome)

    def test_every_column_has_a_definition_that_the_list_repeats(self):
        for command in COMMANDS:
            with self.subTest(command):
                wanted = {f"{table['id']}.{column['id']}": column["definition"]
                          for table in self.report(command).values() for column in table["columns"]}
                listed = rows(self.report(command, "--explain", "list")["definitions"])
                self.assertEqual({row["number"]: row["definition"] for row in listed}, wanted)
                self.assertTrue(all(wanted.values()))

    def test_the_numbers_are_those_of_the_table(self):
        for command, number in [("ops", "operators.host_self_ns"), ("critical-path", "steps.wall_ns"), ("info", "lanes.events")]:
            with self.subTest(command):
                table, column = number.split(".")
                wanted = [row[column] for row in rows(self.report(command)[table])]
                explained = rows(self.report(command, "--explain", number)["numbers"])
                self.assertEqual([row["value"] for row in explained], wanted)
                self.assertTrue(wanted)

    def test_a_column_goes_by_its_name_without_the_unit(self):
        for word in ("operators.host_self_ns", "host_self_ns", "host_self"):
            explained = rows(self.report("ops", "--explain", word)["definitions"])
            self.assertEqual([row["number"] for row in explained], ["operators.host_self_ns"])

    def test_a_name_that_no_column_has_is_refused(self):
        outcome = steptime("kernels", "--explain", "nonsense", recorded(ONE))
        self.assertEqual(outcome.code, USAGE)
        self.assertIn("--explain list", outcome.err)

    def test_shard_lists_its_columns_with_and_without_an_input(self):
        alone = steptime("shard", "--explain", "list", "--format", "json")
        self.assertEqual(alone.code, OK, alone.err)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tables.csv")
            with open(path, "w", encoding="ascii") as out:
                out.write("rows,width\n1000,64\n5000,32\n")
            given = steptime("shard", path, "--gpus", "2", "--hw", "H100", "--per-hour", "2", "--explain", "list", "--format", "json")
        self.assertEqual(given.code, OK, given.err)
        self.assertEqual(rows(tables(alone)["definitions"]), rows(tables(given)["definitions"]))
        self.assertGreater(len(rows(tables(alone)["definitions"])), 15)


if __name__ == "__main__":
    unittest.main()
