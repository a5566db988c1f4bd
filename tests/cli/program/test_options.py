# SPDX-License-Identifier: Apache-2.0
"""The command line: spelling of options, mistakes and what is said about them, what options select."""
import json
import os
import tempfile
import unittest

from support import INPUT, OK, USAGE, rows_of, span, steptime, training_steps, write_trace


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.trace = write_trace(os.path.join(self.folder, "trace.json"), training_steps(count=4))

    def refused(self, *arguments, says):
        run = steptime(*arguments)
        self.assertEqual((run.code, run.out), (USAGE, ""), run.err)
        self.assertIn(says, run.err)

    def rows(self, *arguments, table="steps"):
        run = steptime("info", "--format", "json", "--table", table, *arguments)
        self.assertEqual(run.code, OK, run.err)
        (section,) = run.json["sections"]
        (found,) = section["tables"]
        names = [column["id"] for column in found["columns"]]
        return [dict(zip(names, row)) for row in found["rows"]]


class Spelling(Case):
    def test_all_ways_to_give_a_value(self):
        expected = steptime("info", self.trace, "--format", "json").out
        self.assertEqual(steptime("info", "--format=json", self.trace).out, expected)
        self.assertEqual(steptime("info", "--format", "csv", "--format=json", self.trace).out, expected)
        self.assertEqual(steptime("info", "--format=json", "--", self.trace).out, expected)
        for words in (["-o", "out"], ["-oout"], ["--output", "out"], ["--output=out"], ["--output", "-"]):
            run = steptime("info", "--format=json", self.trace, *words, cwd=self.folder)
            self.assertEqual(run.code, OK, run.err)
            out = os.path.join(self.folder, "out")
            if "-" not in words:
                self.assertEqual(run.out, "")
                with open(out, encoding="utf-8") as text:
                    self.assertEqual(text.read(), expected)
                os.unlink(out)
            else:
                self.assertEqual(run.out, expected)

    def test_a_file_may_begin_with_a_dash(self):
        write_trace(os.path.join(self.folder, "-odd.json"))
        self.assertEqual(steptime("info", "--", "-odd.json", cwd=self.folder).code, OK)

    def test_unknown_options_name_the_closest(self):
        self.refused("info", "--formt", "json", self.trace, says="did you mean --format?")
        self.refused("info", "--colour=always", self.trace, says="did you mean --color?")
        self.refused("info", "--skip", self.trace, says="did you mean --skip-warmup?")
        self.refused("info", "-format", self.trace, says="did you mean --format?")
        run = steptime("info", "--xyzzy", self.trace)
        self.assertIn("no option --xyzzy", run.err)
        self.assertNotIn("did you mean", run.err)
        self.refused("info", "-x", self.trace, says="no option -x")

    def test_unknown_commands_name_the_closest(self):
        self.refused("imfo", self.trace, says="did you mean 'info'?")
        self.refused("frobnicate", says="there is no command or file 'frobnicate'")
        self.refused("help", "completon", says="did you mean 'completion'?")
        self.refused("--frob", says="no option '--frob'")

    def test_values(self):
        self.refused("info", self.trace, "--format", says="--format needs a value")
        self.refused("info", self.trace, "--format=xml", says="--format is term, json, csv, html, markdown, sarif or github, not 'xml'")
        self.refused("info", self.trace, "--skip-warmup=yes", says="--skip-warmup takes no value")
        self.refused("info", self.trace, "--rows", "many", says="--rows is a number")
        self.refused("info", self.trace, "--threads", "0", says="--threads is a number from 1")
        self.refused("info", self.trace, "--threads", "99999999999999999999", says="--threads is a number")
        self.refused("info", self.trace, "--rank", "x", says="--rank is a list like")
        self.refused("info", says="which trace?")
        self.refused("completion", says="bash, zsh or fish")
        self.refused("completion", "tcsh", says="bash, zsh or fish")

    def test_a_list_of_numbers_without_an_input(self):
        whole, bare = steptime("breakdown", "--explain", "list", self.trace), steptime("breakdown", "--explain", "list")
        self.assertEqual((bare.code, bare.err), (OK, ""))
        self.assertIn("  parts.mean_ns (ns): ", bare.out)
        self.assertTrue(whole.out.endswith(bare.out.partition("\n\n")[2]))
        for command, told in (("summary", "step_parts.share (ratio)"), ("lint", "findings.rule"), ("diff", "operators.change_ns (ns)"),
                              ("verify", "losses.seed"), ("tune", "trials.rule"), ("price", "devices.step_us (us)"),
                              ("price", "branches"), ("predict", "step_ns"), ("memory", "memory_lines.share (ratio)")):
            listed = steptime(command, "--explain", "list")
            self.assertEqual((listed.code, listed.err), (OK, ""), command)
            self.assertIn(f"  {told}: ", listed.out)
        self.assertIn("  mix.job", steptime("fleet", "breakdown", "--explain", "list").out)
        self.assertIn("definitions", [table["id"] for table in steptime("ops", "--explain", "list", "--format", "json").json["sections"][0]["tables"]])
        self.refused("fleet", "--explain", "list", says="fleet breakdown")
        self.assertEqual(steptime("summary", "--explain", "list", "/nowhere.json").code, INPUT)

    def test_the_list_of_an_input_is_within_the_list_of_none(self):
        """By columns: a trace has not all tables of the command, and the page of columns is written from several inputs."""
        for command in ("summary", "kernels", "ops", "info", "critical-path"):
            lists = [steptime(command, "--explain", "list", "--format", "json", *inputs).json for inputs in ((self.trace,), ())]
            some, every = ({(row["number"], row["definition"]) for row in rows_of(document, "definitions")} for document in lists)
            self.assertFalse(some - every)

    def test_control_characters_of_arguments_stay_out_of_the_terminal(self):
        run = steptime("info", "--\x1b[2J")
        self.assertEqual(run.code, USAGE)
        self.assertNotIn("\x1b", run.err)

    def test_no_command_explains_the_program_and_is_a_mistake(self):
        run = steptime()
        self.assertEqual((run.code, run.out), (USAGE, ""))
        self.assertIn("Commands:", run.err)


class Steps(Case):
    def test_ranges(self):
        for text, expected in {"1..2": [1, 2], "2..": [2, 3], "..1": [0, 1], "3": [3], "0..99": [0, 1, 2, 3]}.items():
            self.assertEqual([row["step"] for row in self.rows("--steps", text, self.trace)], expected, text)

    def test_warmup(self):
        self.assertEqual([row["step"] for row in self.rows("--skip-warmup", self.trace)], [1, 2, 3])
        self.assertEqual([row["step"] for row in self.rows("--skip-warmup", "--steps=..1", self.trace)], [1])

    def test_a_last_step_that_ends_with_its_device_work_says_so(self):
        told = "Step 3 has none behind it: it ends with the last device work that it launched, 0.470 ms after its end on the host."
        long = training_steps(count=4)
        long[-1]["dur"] = 1000
        late = write_trace(os.path.join(self.folder, "late.json"), long)
        for path, words, is_told in ((late, (), True), (self.trace, (), False), (late, ("--steps", "1..2"), False)):
            with self.subTest(path=path, words=words):
                run = steptime("info", *words, path)
                self.assertEqual(told in " ".join(run.out.split()), is_told, run.out)

    def test_no_such_range(self):
        for text in ("a", "2..1", "..", "1.5", "-1", "1...2", ""):
            self.refused("info", "--steps", text, self.trace, says="--steps is a range like")

    def test_a_range_beyond_the_trace_tells_what_there_is(self):
        run = steptime("info", "--steps", "7..9", self.trace)
        self.assertEqual(run.code, INPUT)
        self.assertIn("the trace has 0..3", run.err)


class Ranks(Case):
    def files(self):
        return {row["rank"]: os.path.basename(row["file"]) for row in self.rows(self.folder, table="files")}

    def setUp(self):
        super().setUp()
        os.unlink(self.trace)

    def write(self, name, rank=None):
        more = {} if rank is None else {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 16}}
        return write_trace(os.path.join(self.folder, name), **more)

    def test_recorded_rank_before_name(self):
        self.write("rank0.json", rank=5)
        self.write("rank1.json", rank=3)
        self.assertEqual(self.files(), {3: "rank1.json", 5: "rank0.json"})

    def test_rank_of_the_name_before_order(self):
        for rank in (10, 9, 2):
            self.write(f"job_rank{rank}.json")
        self.assertEqual(list(self.files()), [2, 9, 10])

    def test_order_where_nothing_is_known(self):
        for name in ("t10.json", "t9.json", "t1.json"):
            self.write(name)
        self.assertEqual(self.files(), {0: "t1.json", 1: "t9.json", 2: "t10.json"})
        run = steptime("info", "--format=json", self.folder)
        self.assertIn("names no rank; taken as rank 2 by order", [w["message"] for w in run.json["warnings"]])

    def test_an_execution_trace_beside_a_lone_trace_is_no_rank_of_its_own(self):
        self.write("t1.json")
        with open(os.path.join(self.folder, "t1.et.json"), "w", encoding="utf-8") as out:
            json.dump({"schema": "1.0.1", "pid": 1, "nodes": [{"id": 1, "name": "aten::mm", "parent": 1, "tid": 1}]}, out)

        def said():
            run = steptime("info", "--format=json", self.folder)
            self.assertEqual(sorted(os.path.basename(entry["path"]) for entry in run.json["inputs"])[0], "t1.et.json", run.err)
            return [w["message"] for w in run.json["warnings"] if "names no rank" in w["message"]]
        self.assertEqual(said(), [])
        self.write("t2.json")
        self.assertEqual(len(said()), 2)

    def test_two_of_one_rank_are_kept_apart_and_told(self):
        self.write("a.json", rank=0)
        self.write("b.json", rank=0)
        self.write("c.json", rank=1)
        self.assertEqual(self.files(), {0: "a.json", 1: "c.json", 16: "b.json"})
        warnings = steptime("info", "--format=json", self.folder).json["warnings"]
        self.assertIn("a.json and", warnings[0]["message"])
        self.assertIn("both record rank 0", warnings[0]["message"])
        self.assertIn("records rank 0", warnings[1]["message"])
        self.assertIn("taken as rank 16", warnings[1]["message"])

    def test_a_rank_that_is_taken_becomes_one_that_nobody_records(self):
        highest = 2**63 - 1
        for name, rank in zip("abcdefghi", (2, 2, 3, 2, 7, 3, 0, highest, highest)):
            self.write(name + ".json", rank=rank)
        ranks = {0: "g", 2: "a", 3: "c", 7: "e", 16: "b", 17: "d", 18: "f", 19: "i", highest: "h"}
        self.assertEqual(self.files(), {rank: name + ".json" for rank, name in ranks.items()})

    def test_ranks_do_not_depend_on_threads(self):
        for i in range(12):
            self.write(f"t{i}.json", rank=0 if i % 2 else None)
        one = steptime("info", "--format=json", "--threads", "1", self.folder).out
        for _ in range(5):
            self.assertEqual(steptime("info", "--format=json", "--threads", "8", self.folder).out, one)

    def test_selection(self):
        for rank in range(6):
            self.write(f"rank{rank}.json")
        for text, expected in {"3": [3], "0,4": [0, 4], "1..2,5": [1, 2, 5], "4..": [4, 5]}.items():
            rows = self.rows("--rank", text, self.folder, table="files")
            self.assertEqual([row["rank"] for row in rows], expected, text)
        run = steptime("info", "--rank", "77", self.folder)
        self.assertEqual(run.code, INPUT)
        self.assertIn("no trace is of rank 77", run.err)


class Directories(Case):
    def test_only_traces_count(self):
        for name, text in {"notes.txt": "hello", "config.json": '{"a": 1}', ".hidden.json": "[]", "empty.json": ""}.items():
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as out:
                out.write(text)
        write_trace(os.path.join(self.folder, "packed.json.gz"))
        os.mkdir(os.path.join(self.folder, "below"))
        write_trace(os.path.join(self.folder, "below", "trace.json"))
        run = steptime("info", "--format=json", self.folder)
        self.assertEqual(run.code, OK, run.err)
        self.assertEqual([os.path.basename(i["path"]) for i in run.json["inputs"]], ["packed.json.gz", "trace.json"])

    def test_one_without_traces_is_named_and_the_others_are_answered(self):
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        run = steptime("info", "--format=json", self.trace, empty)
        self.assertEqual(run.code, INPUT)
        self.assertIn(empty + ": there is no trace in this directory", run.err)
        self.assertEqual([i["path"] for i in run.json["inputs"]], [self.trace])
        self.assertIn({"path": empty, "offset": None, "message": "there is no trace in this directory"},
                      run.json["warnings"])

    def test_a_named_file_that_cannot_be_used_ends_with_3_and_the_others_are_answered(self):
        bad = os.path.join(self.folder, "missing.json")
        run = steptime("info", "--format=json", self.trace, bad)
        self.assertEqual(run.code, INPUT, run.err)
        self.assertEqual([i["path"] for i in run.json["inputs"]], [self.trace])
        self.assertIn(bad, [w["path"] for w in run.json["warnings"]])
        run = steptime("info", "--format=csv", "--table=files", self.trace, bad)
        self.assertEqual(run.code, INPUT)
        self.assertIn(self.trace, run.out)
        self.assertIn(bad, run.err)

    def test_when_none_can_be_used_each_is_named(self):
        names = [os.path.join(self.folder, f"missing{i}.json") for i in range(3)]
        run = steptime("info", *names)
        self.assertEqual((run.code, run.out), (INPUT, ""))
        self.assertEqual([line.split(": ")[1] for line in run.err.splitlines()], names)

    def test_standard_input(self):
        with open(self.trace, "rb") as text:
            run = steptime("info", "--format=json", "-", stdin=text.read())
        self.assertEqual(run.code, OK, run.err)
        self.assertEqual(run.json["inputs"][0]["path"], "-")
        self.assertGreater(run.json["inputs"][0]["events"], 0)

    def test_names_of_events_are_data(self):
        write_trace(self.trace, [span("a\x1b[31m\u0085\n", 0, 5)])
        run = steptime("info", self.trace)
        self.assertEqual(run.code, OK, run.err)
        self.assertNotIn("\x1b", run.out)


if __name__ == "__main__":
    unittest.main()
