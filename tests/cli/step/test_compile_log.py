# SPDX-License-Identifier: Apache-2.0
"""The log of PyTorch's compiler beside the trace of the same run."""
import gzip
import json
import os
import shutil
import tempfile
import unittest

import support
from support import INPUT, OK, rows_of, steptime, values

PAIR = os.path.join(support.SOURCE, "tests", "data", "compiled")
TRACE = os.path.join(PAIR, "trace.json.gz")


class CompileLog(unittest.TestCase):
    def run_with(self, log, *more, trace=TRACE, code=OK, command="summary"):
        done = steptime(command, trace, "--compile-log", log, "--format", "json", *more)
        self.assertEqual(done.code, code, done.err)
        return done.json if done.code == OK else done

    def written(self, edit_log=None, edit_trace=None):
        """The pair, its texts changed, in a folder of its own."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, edit in (("dedicated_log_torch_trace.log.gz", edit_log), ("trace.json.gz", edit_trace)):
            with gzip.open(os.path.join(PAIR, name), "rb") as file:
                data = file.read()
            os.makedirs(os.path.join(folder.name, name[:5]), exist_ok=True)
            with open(os.path.join(folder.name, name[:5], name.removesuffix(".gz")), "wb") as file:
                file.write(edit(data) if edit else data)
        return os.path.join(folder.name, "dedic"), os.path.join(folder.name, "trace", "trace.json")

    def test_every_compilation_is_joined(self):
        document = self.run_with(PAIR)
        self.assertEqual({key: values(document)[key] for key in ("log_files", "log_compilations", "log_recompilations", "log_joined",
                                                                 "log_graph_breaks", "log_version")},
                         {"log_files": 1, "log_compilations": 8, "log_recompilations": 4, "log_joined": 8, "log_graph_breaks": 2,
                          "log_version": "2.13.0+cpu"})
        self.assertEqual(values(document)["log_recompilations"], values(document)["recompilations"])
        rows = {row["compile_id"]: row for row in rows_of(document, "compilations")}
        self.assertEqual({id: row["step"] for id, row in rows.items()},
                         {"0/0": 0, "1/0": 0, "2/0": 0, "3/0": 0, "0/1": 1, "1/1": 1, "0/2": 2, "0/3": 3})
        self.assertEqual({row["joined"] for row in rows.values()}, {"id and time"})
        self.assertEqual((rows["0/1"]["function"], rows["0/1"]["line"], rows["0/1"]["tensor"], rows["0/1"]["dimension"],
                          rows["0/1"]["expected"], rows["0/1"]["actual"]), ("score", 12, "x", 0, 16, 17))
        self.assertEqual((rows["2/0"]["graph_breaks"], rows["2/0"]["restarts"], rows["0/0"]["restarts"]), (1, 1, 0))
        self.assertEqual((rows["0/3"]["runs"], rows["1/1"]["runs"]), (2, 2))
        for row in rows.values():
            self.assertAlmostEqual(row["time_ns"] / row["trace_ns"], 1, delta=0.2)

    def test_the_sizes_that_changed(self):
        document = self.run_with(PAIR)
        rows = {row["function"]: row for row in rows_of(document, "recompilations")}
        self.assertEqual((rows["score"]["times"], rows["score"]["tensor"], rows["score"]["sizes"], rows["score"]["in_steps"]),
                         (3, "x", "16, 17, 18, 19", 3))
        self.assertEqual((rows["normalise"]["times"], rows["normalise"]["sizes"]), (1, "16, 17"))
        again = sum(row["time_ns"] + (row["backward_ns"] or 0) for row in rows_of(document, "compilations")
                    if row["compile_id"] in ("0/1", "0/2", "0/3"))
        self.assertEqual(rows["score"]["time_ns"], again)
        finding = [found for found in document["findings"] if found["rule"] == "CL101"][0]
        self.assertIn("`score` (train.py:12) was compiled again 3 times because size 0 of `x` changed: 16, 17, 18, 19", finding["message"])
        self.assertEqual(finding["per_step_saving_ns"], round(rows["score"]["in_steps_ns"] / 5))

    def test_no_time_is_told_twice(self):
        """What is compiled again is told by CL101, the rest by SM109: together what the steps gain without compilation."""
        alone = {found["rule"]: found["per_step_saving_ns"] for found in steptime("summary", TRACE, "--format", "json").json["findings"]}
        document = self.run_with(PAIR)
        found = document["findings"]
        again = sum(one["per_step_saving_ns"] for one in found if one["rule"] == "CL101")
        rest = [one for one in found if one["rule"] == "SM109"][0]
        self.assertGreater(again, 0)
        self.assertAlmostEqual(again + rest["per_step_saving_ns"], alone["SM109"], delta=2)
        self.assertIn("told by CL101", rest["message"])
        self.assertNotIn("--compile-log", rest["message"])  # it is there
        known = [one["per_step_saving_ns"] for one in found if one["per_step_saving_ns"] is not None]
        self.assertEqual(known, sorted(known, reverse=True))

    def test_what_to_change_first_is_what_is_compiled_again(self):
        """Without the first step, in which all is compiled for the first time; with it that is more."""
        screens = {more: " ".join(steptime("summary", TRACE, "--compile-log", PAIR, *more).out.split())
                   for more in ((), ("--skip-warmup",))}
        self.assertIn("To change first (CL101): `score` (train.py:12) was compiled again 3 times because size 0 of `x` changed: "
                      "16, 17, 18, 19.", screens["--skip-warmup",])
        self.assertIn("To change first (SM109): Compilation", screens[()])

    def test_other_commands_read_it_too(self):
        whole = self.run_with(PAIR)
        for command in ("critical-path", "ranks"):
            document = self.run_with(PAIR, command=command)
            for table in ("compilations", "recompilations", "graph_breaks", "generated_kernels"):
                self.assertEqual(rows_of(document, table), rows_of(whole, table), (command, table))
            self.assertEqual({one["id"]: one["message"] for one in document["findings"] if one["rule"].startswith("CL")},
                             {one["id"]: one["message"] for one in whole["findings"] if one["rule"].startswith("CL")})

    def test_a_value_that_changes(self):
        """A guard on a number: by its name and the line that reads it; one that has no name by that line alone."""
        guard = "self.scale == 16                         # y = y * self.scale  # model.py:16 in forward (HINT: an integer)"
        for subject, words in (("self.scale", "because `self.scale` in `y = y * self.scale` changed, after it was 16, 16, 16."),
                               ("___stack0", "because a number in `y = y * self.scale` changed, after it was 16, 16, 16.")):
            def edit(data):
                for n in (16, 17, 18):
                    data = data.replace(f"tensor 'x' size mismatch at index 0. expected {n}, actual {n + 1}".encode(),
                                        guard.replace("self.scale =", subject + " =").encode())
                return data
            log, trace = self.written(edit_log=edit)
            said = [found["message"] for found in self.run_with(log, trace=trace)["findings"] if found["rule"] == "CL101"]
            self.assertTrue(any(words in one and "`score`" in one for one in said), said)

    def test_graph_breaks_have_lines(self):
        rows = rows_of(self.run_with(PAIR), "graph_breaks")
        self.assertEqual([(row["line"], row["code"]) for row in rows], [(26, 'print("a line")'), (27, "return scaled.item()")])
        self.assertIn("print", rows[0]["explanation"])
        self.assertIn("capture_scalar_outputs", rows[1]["reason"])

    def test_kernels_have_lines(self):
        rows = {row["kernel"]: row for row in rows_of(self.run_with(PAIR), "generated_kernels")}
        found = rows["cpp_fused_add_mul_relu_sum_0"]
        self.assertTrue(found["lines"].endswith("/train.py:15, 14"), found["lines"])
        self.assertEqual((found["compile_ids"], found["runs"], found["lines_from"]), ("0/0, 0/1, 0/2, 0/3", 5, "stacks"))
        self.assertGreater(found["time_ns"], 0)

    def test_only_the_selected_steps_count(self):
        document = self.run_with(PAIR, "--steps", "2..3")
        self.assertEqual([row["step"] for row in rows_of(document, "compilations")], [None] * 6 + [2, 3])
        self.assertEqual({row["function"]: row["in_steps"] for row in rows_of(document, "recompilations")}, {"score": 2, "normalise": 0})

    def test_a_log_of_another_run_is_told(self):
        log, trace = self.written(edit_log=lambda data: data.replace(b'"start_time_us": 1795', b'"start_time_us": 1794'))
        document = self.run_with(log, trace=trace)
        self.assertEqual(values(document)["log_joined"], 0)
        self.assertEqual({row["joined"] for row in rows_of(document, "compilations")}, {None})
        self.assertIn("8 of 8 compilations of the trace are not in the log", " ".join(w["message"] for w in document["warnings"]))

    def test_joined_by_time_alone_and_by_id_alone(self):
        """Traces without ids have times; traces without a clock since 1970 have ids."""
        log, trace = self.written(edit_trace=lambda data: data.replace(b"entire_frame_compile_data", b"entire_frame_compile_x"))
        how = [row["joined"] for row in rows_of(self.run_with(log, trace=trace), "compilations")]
        self.assertGreaterEqual(how.count("time"), 7)  # one began 12 ms after PyTorch had looked at the clock
        log, trace = self.written(edit_trace=lambda data: data.replace(b'"baseTimeNanoseconds":', b'"other":'))
        self.assertEqual({row["joined"] for row in rows_of(self.run_with(log, trace=trace), "compilations")}, {"id"})

    def test_another_process_is_not_joined(self):
        log, trace = self.written(edit_log=lambda data: data.replace(data.split(b" ")[2], b"1"))
        self.assertEqual(values(self.run_with(log, trace=trace))["log_joined"], 0)

    def test_what_was_compiled_before_is_known_by_its_code(self):
        log, trace = self.written(edit_trace=lambda data: data.replace(b"entire_frame_compile_data", b"x").replace(
            b"_compile.compile_inner (dynamo_timed)", b"y"))
        document = self.run_with(log, trace=trace)
        rows = {row["compile_id"]: (row["joined"], row["step"], row["runs"]) for row in rows_of(document, "compilations")}
        self.assertEqual(rows["0/3"], ("region", None, 2))
        self.assertEqual(values(document)["log_joined"], 0)

    def test_broken_logs_give_what_they_hold(self):
        log, trace = self.written(edit_log=lambda data: data[:len(data) // 2] + b"\n\xff\xfe noise\n" + data[len(data) // 2:])
        document = self.run_with(log, trace=trace)
        self.assertGreaterEqual(values(document)["log_compilations"], 7)
        self.assertIn("could not be read", " ".join(w["message"] for w in document["warnings"]))

    def test_no_log(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("holds no log of TORCH_TRACE", self.run_with(folder, code=INPUT).err)
            shutil.copy(TRACE, folder)
            self.assertIn("holds no log of TORCH_TRACE", self.run_with(folder, code=INPUT).err)
        self.assertIn("holds no record", self.run_with(TRACE, code=INPUT).err)
        self.assertIn("No such file", self.run_with("/nowhere/at/all", code=INPUT).err)

    def test_rules_are_known(self):
        for rule in ("CL101", "CL102"):
            done = steptime("rules", "show", rule)
            self.assertEqual(done.code, OK, done.err)

    def test_without_a_log_nothing_is_added(self):
        document = steptime("summary", TRACE, "--format", "json").json
        self.assertNotIn("compile_log", json.dumps([section["id"] for section in document["sections"]]))
