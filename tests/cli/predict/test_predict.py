# SPDX-License-Identifier: Apache-2.0
"""steptime predict and overheads: planted steps, real traces, tables saved and read, what cannot be used."""
import csv
import io
import json
import math
import os
import re
import statistics
import tempfile
import unittest

from plant import NCCL, Plant
from support import INPUT, OK, SOURCE, USAGE, own_sections, shared_fault, shared_trace, span, steptime, write_trace

STEPS, STEP_US = 5, 1000
TORCHBENCH = "kineto/torchbench_copies_pageable.json.gz"
UNLIKE = "kineto/kineto_resnet50_train_workers4_torch19.json.gz"


def values(*arguments):
    outcome = steptime(*arguments, "--format", "json")
    assert outcome.code == OK, outcome.err
    return {value["id"]: value["value"] for section in outcome.json["sections"] for value in section.get("values", [])}


def table(name, *arguments):
    outcome = steptime(*arguments, "--format", "csv", "--table", name)
    assert outcome.code == OK, outcome.err
    return list(csv.DictReader(io.StringIO(outcome.out)))


def planted(folder, rank=0, world=1, slow=1):
    """Equal steps: two operators, one with work, and a wait for it."""
    plant = Plant(rank=rank, world=world)
    for number in range(STEPS):
        at = number * STEP_US
        plant.step(number, at, STEP_US)
        plant.host("aten::mul", at + 100, 200 * slow)
        plant.work(launch=at + 150, at=at + 160, dur=400)
        plant.host("aten::item", at + 320 * slow, 300)
        plant.call("cudaStreamSynchronize", at + 320 * slow, 565 - 320 * slow)
    return plant.write(os.path.join(folder, f"rank{rank}.json"))


class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext") else None
        if self.folder is None:
            holder = tempfile.TemporaryDirectory()
            self.addCleanup(holder.cleanup)
            self.folder = holder.name

    def trace(self, **how):
        planted(self.folder, **how)
        return os.path.join(self.folder, f"rank{how.get('rank', 0)}.json")

    def test_equal_steps_predict_each_other(self):
        found = values("predict", self.trace())
        self.assertAlmostEqual(found["step_ns"], STEP_US * 1000, delta=2000)
        self.assertEqual(found["measured_step_ns"], STEP_US * 1000)
        self.assertLess(found["error"], 0.01)
        self.assertEqual(found["active_ns"], 400_000)
        self.assertEqual(found["recorded_share"], 1)

    def test_overheads_are_what_was_planted(self):
        rows = {(row["type"], row["op_or_call"]): row for row in table("overheads", "overheads", self.trace())}
        self.assertEqual(float(rows["t2", "aten::mul"]["mean_us"]), 50)
        self.assertEqual(float(rows["t3", "aten::mul"]["mean_us"]), 145)
        self.assertEqual(float(rows["t4", "cudaLaunchKernel"]["mean_us"]), 5)
        self.assertEqual(float(rows["return", "wait"]["mean_us"]), 5)
        self.assertEqual(int(rows["t2", "aten::mul"]["count"]), STEPS)

    def test_steps_of_several_kinds_have_no_interval(self):
        """One step in four a hundred times as long: what is off by more than a half says nothing of the next."""
        events, at = [], 0
        for step, us in enumerate((1000, 1000, 100000, 1000)):
            events += [span(f"ProfilerStep#{step}", at, us, cat="user_annotation"), span("aten::mm", at + 10, us - 20)]
            at += us
        with tempfile.TemporaryDirectory() as folder:
            done = steptime("predict", write_trace(os.path.join(folder, "t.json"), events), "--format", "json")
            screen = steptime("predict", os.path.join(folder, "t.json")).out
        values = {value["id"]: value["value"] for section in done.json["sections"] for value in section["values"]}
        self.assertIsNone(values["step_low_ns"])
        self.assertIsNone(values["step_high_ns"])
        self.assertIn("too unlike for an error bar or an interval", " ".join(screen.split()))

    def test_a_saved_table_predicts_as_the_trace_does(self):
        trace, saved = self.trace(), os.path.join(self.folder, "saved.csv")
        self.assertEqual(steptime("overheads", trace, "--table", "overheads", "--format", "csv", "-o", saved).code, OK)
        ours = values("predict", trace)["step_ns"]
        self.assertAlmostEqual(values("predict", trace, "--overheads", saved)["step_ns"], ours, delta=2)

    def test_a_rank_is_predicted_from_the_others(self):
        self.trace(rank=0, world=2)
        self.trace(rank=1, world=2)
        for row in table("ranks", "predict", self.folder):
            self.assertLess(abs(float(row["rank_error"])), 0.01)

    def test_a_file_that_is_none_is_a_warning_among_others(self):
        other = os.path.join(self.folder, "other.json")
        with open(other, "w") as file:
            file.write("no trace")
        outcome = steptime("predict", self.trace(), other, "--format", "json")
        self.assertEqual(outcome.code, INPUT)
        self.assertIn("other.json", outcome.out)
        self.assertEqual(steptime("predict", other).code, INPUT)

    def test_a_table_that_is_none_is_refused(self):
        bad = os.path.join(self.folder, "bad.csv")
        with open(bad, "w") as file:
            file.write("type,op_or_call,mean_us\nt2,aten::mul,much\n")
        outcome = steptime("predict", self.trace(), "--overheads", bad)
        self.assertEqual(outcome.code, INPUT)
        self.assertIn("line 2", outcome.err)


def planted_job(folder, rank, works_us, reduces=1, world=2):
    """Two ranks: work of its own, then an all-reduce that ends on both at 700 us, which the host waits for."""
    plant = Plant(rank=rank, world=world)
    for number in range(STEPS):
        at = number * STEP_US
        plant.step(number, at, STEP_US)
        plant.host("aten::mul", at + 50, 20)
        plant.work(launch=at + 55, at=at + 60, dur=works_us)
        for i in range(reduces):
            plant.host("c10d::allreduce_", at + 80 + 20 * i, 15)
            begin, end = (at + 60 + works_us, at + 700) if i == 0 else (at + 700 + 10 * i, at + 705 + 10 * i)
            plant.work(launch=at + 85 + 20 * i, at=begin, dur=end - begin, name=NCCL)
        plant.host("aten::item", at + 150, 600)
        plant.call("cudaStreamSynchronize", at + 155, 590)
    return plant.write(os.path.join(folder, f"rank{rank}.json"))


class Job(unittest.TestCase):
    """Rank 0 works 100 us and waits 500 in the collective; rank 1 works 600. The transfer takes 40."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def predict(self, *arguments):
        outcome = steptime("predict", self.folder, *arguments, "--format", "json")
        self.assertEqual(outcome.code, OK, outcome.err)
        return outcome

    def test_ranks_wait_for_each_other(self):
        planted_job(self.folder, 0, 100)
        planted_job(self.folder, 1, 600)
        self.assertNotIn("walked alone", self.predict().out)
        for row in table("ranks", "predict", self.folder):
            self.assertAlmostEqual(int(row["step_ns"]), STEP_US * 1000, delta=10_000)
            self.assertAlmostEqual(int(row["alone_ns"]), STEP_US * 1000, delta=10_000)
            self.assertAlmostEqual(int(row["active_ns"]), 640_000, delta=10_000)
            self.assertLess(float(row["error"]), 0.02)

    def test_the_transfer_is_the_least_recorded(self):
        planted_job(self.folder, 0, 100)
        planted_job(self.folder, 1, 200)
        rows = table("ranks", "predict", self.folder)
        for row in rows:
            self.assertAlmostEqual(int(row["active_ns"]), 640_000, delta=10_000)

    def test_one_rank_waits_for_nobody(self):
        planted_job(self.folder, 0, 100)
        (alone,) = table("ranks", "predict", self.folder)
        self.assertEqual(alone["alone_ns"], "")
        self.assertNotIn("walked alone", self.predict().out)

    def test_collectives_that_not_all_ranks_have_are_a_warning_and_keep_their_time(self):
        planted_job(self.folder, 0, 100)
        planted_job(self.folder, 1, 600, reduces=2)
        self.assertIn("5 collectives are not found on all ranks of their group", self.predict().out)
        for row in table("ranks", "predict", self.folder):
            self.assertAlmostEqual(int(row["step_ns"]), int(row["measured_step_ns"]), delta=10_000)

    def test_a_missing_rank_is_a_warning(self):
        planted_job(self.folder, 0, 100, world=3)
        planted_job(self.folder, 1, 600, world=3)
        self.assertIn("are missing", self.predict().out)
        for row in table("ranks", "predict", self.folder):
            self.assertEqual(row["alone_ns"], "")

    def test_a_lone_step_is_a_warning(self):
        planted_job(self.folder, 0, 100)
        planted_job(self.folder, 1, 600)
        self.assertIn("one recorded step", self.predict("--steps", "2").out)

    def test_a_question_is_put_to_all_together(self):
        planted_job(self.folder, 0, 100)
        planted_job(self.folder, 1, 600)
        for row in table("ranks", "predict", self.folder, "--cpu-speed", "2"):
            self.assertNotEqual(row["alone_ns"], "")

    def test_the_late_rank_is_late_for_both(self):
        """Its work halved, rank 1 comes 300 us earlier, and rank 0 waits so much less."""
        planted_job(self.folder, 0, 100)
        planted_job(self.folder, 1, 600)
        before = {row["rank"]: row for row in table("ranks", "predict", self.folder)}
        for row in table("ranks", "predict", self.folder, "--scale", "aten::mul=0.5"):
            self.assertAlmostEqual(int(before[row["rank"]]["active_ns"]) - int(row["active_ns"]), 300_000, delta=10_000)


class Configurations(unittest.TestCase):
    def test_a_model_on_a_device(self):
        small = values("predict", "dlrm:default@512", "--hw", "V100-SXM2-16GB")
        large = values("predict", "dlrm:default@4096", "--hw", "V100-SXM2-16GB")
        self.assertGreater(large["active_ns"], 4 * small["active_ns"])
        self.assertGreaterEqual(large["step_ns"], large["active_ns"])
        self.assertEqual(large["recorded_share"], 0)

    def test_says_what_is_missing(self):
        self.assertEqual(steptime("predict", "dlrm:default").code, USAGE)
        self.assertEqual(steptime("predict", "dlrm:default@many", "--hw", "H100").code, USAGE)
        self.assertEqual(steptime("predict", "dlrm:default@0", "--hw", "H100").code, INPUT)
        self.assertEqual(steptime("predict", "dlrm:none", "--hw", "H100").code, INPUT)
        self.assertEqual(steptime("predict", "dlrm:default", "--hw", "Z80").code, USAGE)


class Lists(unittest.TestCase):
    """A table of two steps; the second does the product twice."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.path = os.path.join(holder.name, "steps.csv")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("model,mode,seq,batch,node,name,phase,op,dims,repeat\n"
                       "gpt,inf,8,2,1,q,fwd,linear,4096x1024x1024,1\n"
                       "gpt,inf,8,4,1,q,fwd,linear,4096x1024x1024,2\n")

    def predict(self, choice=""):
        return values("predict", f"list:{self.path}{choice}", "--hw", "V100-SXM2-16GB")

    def test_a_step_of_a_table(self):
        one, two = self.predict(), self.predict("@gpt,inf,8,4")
        self.assertEqual((one["source"], one["operators"], two["operators"]), ("list of operators", 1, 2))
        self.assertAlmostEqual(two["active_ns"], 2 * one["active_ns"], delta=10)
        self.assertGreater(one["step_ns"], one["active_ns"])

    def test_is_what_the_table_adds_up_to(self):
        done = steptime("predict", "graph", "--input", self.path, "--hw", "V100-SXM2-16GB")
        first = next(csv.DictReader(io.StringIO(done.out)))
        self.assertAlmostEqual(float(first["predicted_ms"]) * 1e6, self.predict()["active_ns"], delta=10)

    def test_says_what_is_missing(self):
        self.assertEqual(steptime("predict", f"list:{self.path}").code, USAGE)
        self.assertIn("no such step", steptime("predict", f"list:{self.path}@t5", "--hw", "H100").err)
        self.assertEqual(steptime("predict", f"list:{self.path}.none", "--hw", "H100").code, INPUT)


class JobReplayed(unittest.TestCase):
    """Of the same job the recording is replayed, all ranks at once."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        planted_job(self.folder, 0, 100)
        planted_job(self.folder, 1, 600)

    def after(self, *question):
        rows = table("what_if_ranks", "predict", self.folder, *question)
        return [int(row["before_ns"]) - int(row["after_ns"]) for row in rows]

    def test_the_late_rank_holds_both(self):
        self.assertEqual(self.after("--scale", "aten::mul=0.5"), [300_000, 300_000])

    def test_nothing_changes_nothing(self):
        self.assertEqual(self.after("--scale", "aten::mul=1"), [0, 0])

    def test_the_transfer_is_what_shrinks(self):
        """Of 600 us that rank 0 was in the collective 560 were waiting for rank 1: half of 40 is saved, not half of 600."""
        self.assertEqual(self.after("--overlap", "0.5"), [20_000, 20_000])

    def test_a_rank_alone_keeps_its_waiting(self):
        (alone,) = table("what_if_ranks", "predict", os.path.join(self.folder, "rank0.json"), "--overlap", "0.5")
        self.assertEqual(int(alone["before_ns"]) - int(alone["after_ns"]), 270_000)

    def test_says_so(self):
        self.assertIn("ranks together", steptime("predict", self.folder, "--cpu-speed", "2").out)


def explained(path, number, *arguments):
    outcome = steptime("predict", path, "--explain", number, *arguments, "--format", "json")
    assert outcome.code == OK, outcome.err
    section = next(section for section in outcome.json["sections"] if section["id"] == "explain")
    tables = {one["id"]: [dict(zip((column["id"] for column in one["columns"]), row)) for row in one["rows"]]
              for one in section["tables"]}
    return {value["id"]: value["value"] for value in section.get("values", [])}, tables


class Explain(unittest.TestCase):
    """Every number has a formula; the events behind it add up to it."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.trace = os.path.join(holder.name, "rank0.json")
        planted(holder.name)

    def test_every_number_is_told(self):
        outcome = steptime("predict", self.trace, "--format", "json")
        shown = {value["id"] for section in outcome.json["sections"] if section["id"] == "prediction"
                 for value in section["values"]}
        _, tables = explained(self.trace, "list")
        self.assertEqual({row["number"] for row in tables["formulas"]}, shown)
        with open(os.path.join(SOURCE, "doc", "numbers", "prediction.md")) as file:
            manual = file.read()
        for number in sorted(shown):
            self.assertIn(f"`{number}`", manual)
            explained(self.trace, number)

    def test_events_add_up(self):
        for number in ("active_ns", "host_ns", "wait_ns"):
            values_of, tables = explained(self.trace, number)
            (whole,) = tables["explained"]
            self.assertAlmostEqual(whole["sum"], values_of[number], delta=10, msg=number)
            self.assertAlmostEqual(sum(row["counted"] for row in tables["events"]), whole["sum"], delta=10)
        self.assertEqual({row["operator"] for row in tables["events"]}, {"aten::item"})
        self.assertEqual(len(tables["events"]), STEPS)

    def test_events_bear_their_row(self):
        _, tables = explained(self.trace, "active_ns")
        with open(self.trace) as file:
            recorded = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
        for row in tables["events"]:
            self.assertEqual(recorded[row["event"]]["cat"], "kernel")

    def test_a_name_without_its_unit(self):
        self.assertEqual(explained(self.trace, "active")[0], explained(self.trace, "active_ns")[0])
        self.assertEqual(steptime("predict", self.trace, "--explain", "nothing").code, USAGE)

    def test_steps_are_told_where_steps_are_behind(self):
        _, tables = explained(self.trace, "measured_step_ns")
        self.assertEqual([row["counted_ns"] for row in tables["explained_steps"]], [STEP_US * 1000] * STEPS)


class LoneStep(unittest.TestCase):
    def test_what_it_is_off_is_in_its_interval(self):
        """Of a step that nothing tests the walk itself shows what it is off: the measured time lies within."""
        done = steptime("predict", shared_trace("kineto/hta_mtia_inference.json.gz"), "--format", "json")
        (section,) = [section for section in done.json["sections"] if section["id"] == "prediction"]
        of = {value["id"]: value["value"] for value in section["values"]}
        self.assertIsNone(of["error"])
        self.assertTrue(of["step_low_ns"] < of["measured_step_ns"] < of["step_high_ns"], of)


class Unknown(unittest.TestCase):
    """What cannot be known is left out of the screen, and stays null in the JSON."""

    def test_a_configuration_has_no_dashes(self):
        outcome = steptime("predict", "dlrm:default", "--hw", "V100")
        head = outcome.out[:outcome.out.index("Operators that contribute")]
        self.assertNotRegex(head, r"  -$")
        self.assertNotIn("measured  ", head)
        self.assertIn("Nothing was measured", head)
        self.assertIsNone(values("predict", "dlrm:default", "--hw", "V100")["measured_step_ns"])


class Intervals(unittest.TestCase):
    """Doubt of what is modelled, and none of what was recorded."""

    def test_a_step_of_models_lies_within_an_interval(self):
        found = values("predict", "dlrm:default", "--hw", "V100")
        self.assertLess(found["step_low_ns"], found["step_ns"])
        self.assertLess(found["step_ns"], found["step_high_ns"])
        self.assertEqual(found["level"], 0.9)
        self.assertGreater(found["unmeasured_share"], 0.3)

    def test_a_higher_level_is_wider(self):
        narrow, wide = (values("predict", "dlrm:default", "--hw", "V100", "--level", level) for level in ("0.5", "0.95"))
        self.assertLess(wide["step_low_ns"], narrow["step_low_ns"])
        self.assertLess(narrow["step_high_ns"], wide["step_high_ns"])

    def test_operators_say_how_sure_they_are_and_whose_measurements_that_comes_from(self):
        rows = table("operators", "predict", "dlrm:default", "--hw", "H100")
        self.assertTrue(all(int(row["device_low_ns"]) <= int(row["device_ns"]) <= int(row["device_high_ns"]) for row in rows))
        self.assertTrue(all(int(row["device_low_ns"]) < int(row["device_high_ns"]) for row in rows if int(row["device_ns"])))
        self.assertLessEqual({row["basis"] for row in rows}, {"measured", "carried", "analytic", "bytes", ""})
        self.assertTrue(all(row["from"] for row in rows if row["basis"] == "carried"))

    def test_what_to_measure_is_a_table_that_is_read(self):
        head = values("predict", "dlrm:default", "--hw", "V100")["measure_columns"]
        rows = table("measure", "predict", "dlrm:default", "--hw", "V100")
        self.assertEqual(len(rows), 10)
        text = "\n".join([head] + [row["row"] + "100" for row in rows]) + "\n"
        done = steptime("predict", "kernel", "--input", "-", stdin=text.encode())
        self.assertEqual((done.code, done.err), (OK, ""))

    def test_where_steps_differ_the_interval_says_so_and_no_kernel_is_to_be_measured(self):
        done = steptime("predict", shared_trace(UNLIKE))
        said = " ".join(done.out.split())
        self.assertRegex(said, r"wide because the recorded steps differ: predicted from the step beside them they are \d+ % off\.")
        self.assertNotIn("What to measure", done.out)

    def test_a_replay_has_the_doubt_of_the_mean_of_its_steps_not_that_of_a_step_from_the_one_beside_it(self):
        walked, replayed = (values("predict", shared_trace(UNLIKE), "--hw", "A100", *mode) for mode in (("--mode", "model"), ()))
        steps = [int(row["step_ns"]) for row in table("steps", "predict", shared_trace(UNLIKE), "--hw", "A100") if row["step_ns"]]
        doubt = statistics.stdev(steps) / math.sqrt(len(steps)) / statistics.mean(steps)
        width = math.log(replayed["step_high_ns"] / replayed["step_ns"])
        self.assertGreater(width, 1.5 * doubt)
        self.assertLess(width, 1.6 * doubt)
        self.assertLess(width, 0.5 * math.log(walked["step_high_ns"] / walked["step_ns"]))

    def test_what_was_recorded_has_no_doubt_of_models(self):
        found = values("predict", shared_trace(TORCHBENCH))
        self.assertEqual((found["shared_doubt"], found["own_doubt"], found["host_doubt"]), (0, 0, 0))

    def test_a_lone_step_is_not_sure_either(self):
        found = values("predict", shared_trace("kineto/tl_h100_bert_small.json.gz"), "--mode", "model")
        self.assertLess(found["step_low_ns"], 0.95 * found["step_ns"])
        self.assertLess(found["step_low_ns"], found["finished_ns"])
        self.assertLess(found["finished_ns"], found["step_high_ns"])


class Real(unittest.TestCase):
    def check_near(self, name, within):
        found = values("predict", shared_trace(name))
        self.assertLess(abs(found["step_ns"] / found["measured_step_ns"] - 1), within, name)
        self.assertLess(abs(found["active_ns"] / found["measured_active_ns"] - 1), within, name)

    def test_bound_by_copies(self):
        self.check_near(TORCHBENCH, 0.02)

    def test_bound_by_the_host(self):
        self.check_near("kineto/hta_nccl_data_w2r0.json.gz", 0.02)

    def test_bound_by_the_device(self):
        self.check_near("kineto/hta_ns_resolution.json.gz", 0.02)

    def test_a_step_from_the_step_beside_it(self):
        self.assertLess(values("predict", shared_trace(TORCHBENCH))["error"], 0.03)

    def test_the_host_alone(self):
        found = values("predict", shared_trace("kineto/hta_rank_non_gpu.json.gz"))
        self.assertEqual(found["launches"], 0)
        self.assertGreater(found["step_ns"], 0)


class Manual(unittest.TestCase):
    def check(self, page, *arguments):
        with open(os.path.join(SOURCE, "doc", "numbers", page)) as file:
            told = set(re.findall(r"`([a-z0-9_]+)`", file.read()))
        outcome = steptime(*arguments, "--format", "json")
        for section in own_sections(outcome.json):
            self.assertLessEqual({value["id"] for value in section.get("values", [])}, told)
            for one in section.get("tables", []):
                self.assertLessEqual({column["id"] for column in one["columns"]} | {one["id"]}, told)

    def test_tells_every_number(self):
        self.check("prediction.md", "predict", shared_trace(TORCHBENCH))
        self.check("overheads.md", "overheads", shared_trace(TORCHBENCH))


class Convolutions(unittest.TestCase):
    """Of equal work: what a window reaches over, and along which axis, costs nothing by itself."""

    def active_ns(self, name):
        run = steptime("predict", "--mode", "model", "--hw", "V100-SXM2-16GB", "--format", "json", shared_fault(name))
        self.assertEqual(run.code, OK, run.err)
        return next(v["value"] for s in run.json["sections"] for v in s.get("values", []) if v["id"] == "active_ns")

    def flops(self, name):
        run = steptime("ops", "--format", "json", shared_fault(name))
        self.assertEqual(run.code, OK, run.err)
        return next(v["value"] for s in run.json["sections"] for v in s.get("values", []) if v["id"] == "flops")

    def test_dilation_is_no_work(self):
        plain = self.active_ns("d1.json")
        for name in ("d12.json", "d36.json"):
            self.assertLess(abs(self.active_ns(name) / plain - 1), 0.02)
            self.assertEqual(self.flops(name), self.flops("d1.json"))

    def test_an_axis_is_as_good_as_another(self):
        self.assertEqual(self.active_ns("k17.json"), self.active_ns("k71.json"))
        self.assertEqual(self.flops("k17.json"), self.flops("k71.json"))


if __name__ == "__main__":
    unittest.main()
