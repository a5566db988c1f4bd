# SPDX-License-Identifier: Apache-2.0
"""Questions of `predict` from outside: flags compose, names and numbers are checked, recorded steps stay recorded."""
import csv
import io
import json
import os
import random
import tempfile
import unittest

from plant import Plant
from support import INPUT, OK, SOURCE, USAGE, shared_trace, steptime, training_steps, write_trace

MODEL = "dlrm:default@2048"  # no width of it is the batch


def values(document, section):
    return {value["id"]: value["value"] for part in document["sections"] if part["id"] == section
            for value in part["values"]}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.trace = write_trace(os.path.join(self.folder, "trace.json"), training_steps(count=4))

    def ask(self, *arguments):
        run = steptime("predict", *arguments, "--format", "json")
        self.assertEqual(run.code, OK, run.err)
        return run.json

    def what_if(self, *arguments):
        return values(self.ask(*arguments), "what_if")

    def refused(self, code, says, *arguments):
        run = steptime("predict", *arguments)
        self.assertEqual(run.code, code)
        self.assertIn(says, run.err)


class Findings(Case):
    """A finding stands for the events that its report tells."""

    def setUp(self):
        super().setUp()
        plant = Plant()
        for step in range(4):
            at = 1000 * step
            plant.step(step, at, 1000)
            plant.work(at=at + 15, dur=400, launch=at, launch_dur=10)
            plant.host("aten::item", at + 22, 425)
            plant.copy(at + 416, 2, "DtoH", bytes=4, launch=at + 25, launch_dur=10)
            plant.call("cudaStreamSynchronize", at + 40, 400, correlation=1000 + step)
        self.trace = plant.write(os.path.join(self.folder, "reads.json"))
        with open(self.trace, encoding="utf-8") as file:
            events = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
        self.rows = [row for row, event in enumerate(events) if event["name"] == "cudaMemcpyAsync"]
        self.report([{"id": "ST401-0123", "rule": "ST401", "events": self.rows},
                     {"id": "ST402-4567", "rule": "ST402", "events": None}])

    def report(self, findings):
        self.path = os.path.join(self.folder, "findings.json")
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"steptime": "0", "command": "lint", "sections": [], "findings": findings}, file)

    def test_a_finding_is_its_events(self):
        events = self.what_if("--without", ",".join(map(str, self.rows)), self.trace)
        self.assertGreater(events["saving_ns"], 300_000)
        for name in ("ST401-0123", "ST401"):
            self.assertEqual(self.what_if("--findings", self.path, "--without", name, self.trace), events)

    def test_what_names_nothing_is_refused(self):
        for name in ("ST402-4567", "ST499"):
            self.refused(USAGE, "no finding of", "--findings", self.path, "--without", name, self.trace)
        self.refused(USAGE, "--findings FILE names the report", "--without", "ST401", self.trace)

    def test_what_is_no_report_is_refused(self):
        for text in ("", "[]", "{}", '{"findings": 3}', '{"findings": [{"id": ', '{"findings": [{"events": [1, "x"]}]}'):
            with self.subTest(text=text):
                with open(self.path, "w", encoding="utf-8") as file:
                    file.write(text)
                self.refused(INPUT, "findings.json", "--findings", self.path, "--without", "ST401", self.trace)

    def test_a_wait_is_taken_out_by_its_call(self):
        self.assertGreater(self.what_if("--without", ",".join(str(row + 2) for row in self.rows), self.trace)["saving_ns"], 0)

    def test_waits_outside_operators_are_waits(self):
        plant = Plant()
        for step in range(4):
            plant.step(step, 1000 * step, 1000)
            plant.work(at=1000 * step + 15, dur=400, launch=1000 * step, launch_dur=10)
            plant.call("cudaStreamSynchronize", 1000 * step + 40, 380, correlation=1000 + step)
        path = plant.write(os.path.join(self.folder, "outside.json"))
        self.assertGreater(self.what_if("--no-sync", path)["saving_ns"], 300_000)


class Recorded(Case):
    def test_without_a_question_there_is_no_answer(self):
        self.assertEqual(self.what_if(self.trace), {})

    def test_scaling_by_one_gives_the_recorded_step_to_the_nanosecond(self):
        answer = self.what_if("--scale", "*=1", self.trace)
        self.assertEqual(answer["before_ns"], 1000 * 1000)
        self.assertEqual(answer["after_ns"], answer["before_ns"])
        self.assertEqual(answer["basis"], "replay of the recording")

    def test_a_replay_has_no_interval_of_the_walk(self):
        """How far the walk is off is no doubt of the replay, and its nothing no certainty; what models change has one."""
        found = values(self.ask("--cpu-speed", "2", self.trace), "prediction")
        self.assertEqual([found[name] for name in ("step_low_ns", "step_high_ns", "level", "error")], [None] * 4)
        moved = values(self.ask("--hw", "H100", shared_trace("kineto/tl_h100_bert_small.json.gz"), "--set", "memory=50%"), "prediction")
        self.assertLess(moved["step_low_ns"], moved["step_high_ns"])

    def test_real_traces_come_back_as_recorded(self):
        for name in ("kineto/hta_alexnet_critical_path.json.gz", "kineto/kineto_resnet50_train_workers4_torch19.json.gz",
                     "kineto/tl_h100_bert_small.json.gz"):
            with self.subTest(trace=name):
                document = self.ask("--cpu-speed", "1", "--scale", "*=1", shared_trace(name))
                answer = values(document, "what_if")
                self.assertEqual(answer["saving_ns"], 0)
                measured = values(document, "prediction")["measured_step_ns"]
                self.assertAlmostEqual(answer["before_ns"] / measured, 1, delta=0.02)

    def test_taking_away_never_lengthens_a_real_step(self):
        trace = shared_trace("kineto/kineto_resnet50_train_workers4_torch19.json.gz")
        for flags in (["--no-sync"], ["--pinned"], ["--cuda-graph"], ["--cpu-speed", "3"], ["--scale", "*=0.5"],
                      ["--remove", "aten::*"], ["--fuse", "elementwise"], ["--no-sync", "--cpu-speed", "3"]):
            with self.subTest(flags=flags):
                self.assertGreaterEqual(self.what_if(*flags, trace)["saving_ns"], 0)

    def test_the_order_of_flags_does_not_matter(self):
        trace = shared_trace("kineto/tl_h100_bert_small.json.gz")
        one = self.what_if("--cpu-speed", "2", "--no-sync", "--scale", "*gemm*=0.5", trace)
        other = self.what_if("--scale", "*gemm*=0.5", "--no-sync", "--cpu-speed", "2", trace)
        self.assertEqual(one, other)

    def test_events_are_taken_out_by_their_ids(self):
        answer = self.what_if("--without", "1,4", self.trace)
        self.assertGreaterEqual(answer["saving_ns"], 0)
        self.refused(USAGE, "is no id of an event", "--without", "1,x", self.trace)
        self.refused(USAGE, "--findings FILE names the report", "--without", "SM106", self.trace)
        self.refused(USAGE, "--without: nothing has the id 99999", "--without", "1,99999", self.trace)
        self.refused(USAGE, "--threads is a number", "--threads", "abc", "--cpu-speed", "2", self.trace)

    def test_names_that_fit_nothing_are_refused(self):
        self.refused(USAGE, "--remove: nothing in the step is 'aten::nothing'", "--remove", "aten::nothing", self.trace)
        self.refused(USAGE, "--scale: nothing in the step is 'x'", "--scale", "x=2", self.trace)
        self.refused(USAGE, "--fuse: nothing in the step is 'embeddings'", "--fuse", "embeddings", self.trace)

    def test_numbers_are_checked(self):
        self.refused(USAGE, "--batch is a number", "--batch", "0", self.trace)
        self.refused(USAGE, "--cpu-speed is a number", "--cpu-speed", "-1", self.trace)
        self.refused(USAGE, "--overlap is a number from 0 to 1", "--overlap", "2", self.trace)
        self.refused(USAGE, "--scale is OPERATOR=FACTOR", "--scale", "aten::mm", self.trace)
        self.refused(USAGE, "--sweep is like", "--sweep", "batch=8..2", self.trace)
        for values in ("batch=" + ",".join(map(str, range(1, 258))), "hw=" + ",".join(["A100"] * 257)):
            self.refused(USAGE, "--sweep: more than 256 values", "--sweep", values, self.trace)

    def test_what_the_trace_does_not_tell_is_said(self):
        self.refused(USAGE, "no collectives", "--ranks", "8", self.trace)
        self.refused(USAGE, "what depends on what", "--reorder", self.trace)
        self.refused(USAGE, "--mode model", "--hw", "H100", self.trace)
        bare = training_steps(count=2)
        for event in bare:
            event["args"].pop("Input Dims", None)
        path = write_trace(os.path.join(self.folder, "bare.json"), bare)
        self.refused(INPUT, "no batch is to be seen", "--batch", "8", path)

    def test_the_batch_of_a_recorded_step_is_recognised(self):
        for name, batch in (("tl_h100_qwen15_pyfunc", 16), ("tl_h100_nsfw_vit", 4), ("kineto_resnet50_train_workers4_torch19", 32),
                            ("tl_mi300_torch_compile_triton", 8), ("hta_trace_diff_control_w8r3", 1024)):
            run = steptime("predict", "--batch", "2", shared_trace(f"kineto/{name}.json.gz"))
            self.assertEqual(run.code, OK, run.err)
            self.assertIn(f"--batch: 2 instead of {batch},", run.out, name)

    def test_a_batch_that_sizes_do_not_tell_is_refused(self):
        for name, why in (("tl_mi300_sglang_qwen3_prefilldecode", "tokens of sequences put together"),
                          ("tl_b200_w8_eager_pyfunc", "tokens of sequences put together"),
                          ("saf_sam_eager_a100", "64 is the first dimension of 3376 of 6225 forward operators, and 1"),
                          ("ao_vit_bf16_inductor_cudagraph", "of the device's time no sizes are known")):
            self.refused(INPUT, why, "--batch", "8", shared_trace(f"kineto/{name}.json.gz"))


class Faster(Case):
    """What gets faster never makes a step longer, nor shorter than nothing; what changes nothing gives back the recording."""

    FASTER = (["--cpu-speed", "2"], ["--scale", "*=0.5"], ["--scale", "*=0"], ["--no-sync"], ["--pinned"],
              ["--cuda-graph"], ["--remove", "*"], ["--overlap", "0.5"], ["--no-sync", "--cpu-speed", "3"])

    def before_and_after(self, *arguments):
        """None where the trace has nothing that is asked of, or no steps."""
        run = steptime("predict", *arguments, "--format", "json")
        if run.code != OK:
            self.assertIn(run.code, (USAGE, INPUT), run.err)
            self.assertNotIn("circle", run.err)
            return None
        answer = values(run.json, "what_if")
        return (answer["before_ns"], answer["after_ns"]) if answer else None

    def check(self, *trace):
        one = self.before_and_after("--scale", "*=1", *trace)
        if one:
            self.assertEqual(*one)
        for flags in self.FASTER:
            with self.subTest(flags=flags):
                before, after = self.before_and_after(*flags, *trace) or (0, 0)
                self.assertLessEqual(after, before)
                self.assertGreaterEqual(after, 0)


class Sound(Faster):
    def test_on_real_traces(self):
        folder = os.path.dirname(shared_trace("kineto/tl_h100_bert_small.json.gz"))
        small = [name for name in sorted(os.listdir(folder)) if os.path.getsize(os.path.join(folder, name)) < 200_000]
        for name in small:
            with self.subTest(trace=name):
                self.check(os.path.join(folder, name))

    def test_on_recorded_ones(self):
        folder = os.path.join(SOURCE, "tests", "data", "recorded")
        for name in sorted(os.listdir(folder)):
            if name.endswith(".json.gz"):
                with self.subTest(trace=name):
                    self.check(os.path.join(folder, name))

    def test_on_ranks_together(self):
        self.check(os.path.dirname(shared_trace("multirank/torchrec_log_resnet18_w2/kineto_rank0.json.gz")))

    def test_what_came_before_the_first_step_is_not_asked(self):
        plant = Plant()
        plant.host("aten::randn", 0, 50_000)
        for step in range(2):
            plant.step(step, 50_000 + 1000 * step, 1000)
            plant.host("aten::mm", 50_100 + 1000 * step, 600)
            plant.work(launch=50_200 + 1000 * step, at=50_300 + 1000 * step, dur=300)
        path = plant.write(os.path.join(self.folder, "warm.json"))
        self.check(path)
        self.assertEqual(self.before_and_after("--cpu-speed", "2", path), (1_000_000, 500_000))

    def test_a_last_step_without_a_call_is_a_step(self):
        plant = Plant()
        plant.step(0, 0, 1000)
        plant.host("aten::mm", 100, 600)
        plant.work(launch=200, at=300, dur=300)
        plant.step(1, 1000, 50)
        plant.call("cudaDeviceSynchronize", 1200, 10)
        path = plant.write(os.path.join(self.folder, "empty.json"))
        self.check(path)
        self.assertEqual(self.before_and_after("--cpu-speed", "2", path), (525_000, 262_500))

    def test_work_begun_while_its_launch_ran_stays_behind_its_beginning(self):
        plant = Plant()
        for step in range(2):
            plant.step(step, 10_000 * step, 10_000)
            plant.work(launch=10_000 * step + 100, launch_dur=9_000, at=10_000 * step + 8_100, dur=1_000)
        path = plant.write(os.path.join(self.folder, "held.json"))
        self.check(path)
        # The last call runs from 5050 on, its kernel begins at eight ninths of 4500 us and takes 1000 as before.
        self.assertEqual(self.before_and_after("--cpu-speed", "2", path), (10_000_000, (5050 + 4000 + 1000) * 1000 / 2))


class Contradictions(Faster):
    """A trace may say of its streams what cannot be: what waits in a circle is left out, and told."""

    def wait(self, plant, at, stream, on, recorded):
        """What stream is given after `at` waits for what `on` was given before `recorded`."""
        plant.correlation += 2
        record, wait = plant.correlation - 1, plant.correlation
        plant.call("cudaEventRecord", recorded, 1, correlation=record)
        plant.call("cudaStreamWaitEvent", at, 1, correlation=wait)
        plant.row("Stream Wait Event", at, 1, stream=stream, cat="cuda_sync", correlation=wait,
                  cuda_sync_kind="Stream Wait Event", wait_on_stream=on, wait_on_cuda_event_record_corr_id=record)

    def circle(self):
        """
        A long call on one thread gives two streams work at its end; what it waits for was called meanwhile on another
        thread, in a call that began later.
        """
        plant = Plant()
        plant.step(0, 0, 1000)
        plant.host("CompiledFunctionBackward", 10, 950)
        plant.host("aten::mm", 300, 100, tid=2)
        plant.work(launch=310, at=320, dur=50, tid=2, stream=7, name="forward_gemm")
        self.wait(plant, 890, 20, 7, 400)
        plant.work(launch=900, at=910, dur=20, stream=20, name="compiled_kernel")
        self.wait(plant, 935, 7, 20, 934)
        plant.work(launch=940, at=950, dur=20, stream=7, name="compiled_tail")
        plant.step(1, 1000, 100)
        plant.host("aten::relu", 1010, 10)
        return plant.write(os.path.join(self.folder, "circle.json"))

    def test_a_circle_of_streams_is_left_out_and_told(self):
        trace = self.circle()
        for question in ([], ["--cpu-speed", "2"], ["--mode", "model", "--hw", "A100-SXM4-80GB"]):
            with self.subTest(question=question):
                run = steptime("predict", *question, "--format", "json", trace)
                self.assertEqual(run.code, OK, run.err)
                if "--mode" not in question:
                    self.assertIn("cannot be and are left out", json.dumps(run.json["warnings"]))
        self.check(trace)

    def test_streams_events_and_threads_at_random(self):
        for seed in range(8):
            chance = random.Random(seed)
            plant = Plant()
            for step in range(2):
                plant.step(step, 2000 * step, 2000)
                for tid in (1, 2, 3):
                    at = 2000 * step + chance.randrange(100)
                    while at < 2000 * step + 1700:
                        dur = chance.randrange(20, 300)
                        plant.host(chance.choice(["aten::mm", "CompiledFunction", "aten::add"]), at, dur, tid=tid)
                        for _ in range(chance.randrange(4)):
                            launch = at + chance.randrange(dur)
                            plant.work(launch=launch, launch_dur=2, at=launch + chance.randrange(-5, 400), tid=tid,
                                       dur=chance.randrange(1, 200), stream=chance.choice([7, 20, 21]))
                        if chance.random() < .5:
                            self.wait(plant, at + chance.randrange(dur), chance.choice([7, 20, 21]),
                                      chance.choice([7, 20, 21]), at + chance.randrange(-200, dur))
                        if chance.random() < .2:
                            plant.call("cudaDeviceSynchronize", at + dur - 5, 5, tid=tid, correlation=10**6 + at)
                        at += dur + chance.randrange(50)
            with self.subTest(seed=seed):
                trace = plant.write(os.path.join(self.folder, f"random{seed}.json"))
                run = steptime("predict", "--format", "json", trace)
                self.assertEqual(run.code, OK, run.err)
                self.check(trace)


class Devices(Case):
    """Which device a trace ran on, where its list of devices has other numbers than its kernels."""

    def plant(self, *devices):
        events = training_steps(count=2)
        listed = [{"id": number, "name": name} for number, name in devices]
        return write_trace(os.path.join(self.folder, "devices.json"), events, deviceProperties=listed)

    def test_one_name_is_the_name_of_all(self):
        for devices in ([(3, "NVIDIA H100 80GB HBM3")], [(4, "NVIDIA H100 80GB HBM3"), (5, "NVIDIA H100 80GB HBM3")]):
            found = values(self.ask(self.plant(*devices)), "prediction")
            self.assertEqual(found["device"], "NVIDIA H100 80GB HBM3")

    def test_of_several_names_none_is_taken(self):
        trace = self.plant((3, "NVIDIA H100 80GB HBM3"), (4, "NVIDIA A100-SXM4-80GB"))
        self.assertIsNone(values(self.ask(trace), "prediction")["device"])


class Modelled(Case):
    def test_a_batch_asked_for_is_the_model_of_that_batch(self):
        for batch in (256, 1024, 3000):
            made = values(self.ask(f"dlrm:default@{batch}", "--hw", "V100"), "prediction")["step_ns"]
            asked = self.what_if(MODEL, "--hw", "V100", "--batch", str(batch))
            self.assertEqual(asked["after_ns"], made)
            self.assertEqual(asked["basis"], "the walk")

    def test_widths_that_equal_the_batch_mislead_by_little(self):
        made = values(self.ask("dlrm:mlperf@4096", "--hw", "V100"), "prediction")["step_ns"]
        for batch in (512, 1024):
            asked = self.what_if(f"dlrm:mlperf@{batch}", "--hw", "V100", "--batch", "4096")["after_ns"]
            self.assertAlmostEqual(asked / made, 1, delta=0.01)

    def test_any_number_of_lookups_becomes_one(self):
        saved = []
        for tables in (500, 700):
            path = os.path.join(self.folder, f"{tables}.toml")
            with open(path, "w", encoding="ascii") as file:
                file.write(f'bottom = "8-64"\ntop = "64-1"\ntables = "{tables} x 1000"\nwidth = 64\ninteraction = "cat"\n')
            saved.append(self.what_if("dlrm:" + path, "--hw", "V100", "--fuse", "embeddings")["saving_ns"])
        self.assertGreater(saved[1], 1.35 * saved[0])

    def test_a_sweep_is_the_questions_one_by_one(self):
        run = steptime("predict", MODEL, "--hw", "V100", "--sweep", "batch=256..1024", "--format", "csv", "--table", "sweep")
        self.assertEqual(run.code, OK, run.err)
        rows = list(csv.DictReader(io.StringIO(run.out)))
        self.assertEqual([row["value"] for row in rows], ["256", "512", "1024"])
        for row in rows:
            answer = values(self.ask(f"dlrm:default@{row['value']}", "--hw", "V100"), "prediction")["step_ns"]
            self.assertAlmostEqual(float(row["step_us"]) * 1e3, answer, delta=1)
        steps = [float(row["step_us"]) for row in rows]
        self.assertEqual(steps, sorted(steps))

    def test_devices_and_figures_are_swept(self):
        run = steptime("predict", MODEL, "--hw", "V100", "--sweep", "memory=400..1600GB/s", "--format", "csv", "--table", "sweep")
        self.assertEqual(run.code, OK, run.err)
        active = [float(row["active_us"]) for row in csv.DictReader(io.StringIO(run.out))]
        self.assertEqual(active, sorted(active, reverse=True))
        self.refused(USAGE, "none of batch", MODEL, "--hw", "V100", "--sweep", "speed=1..2")

    def test_the_page_has_the_curve(self):
        run = steptime("predict", MODEL, "--hw", "V100", "--sweep", "batch=256..1024", "--format", "html")
        self.assertEqual(run.code, OK, run.err)
        self.assertIn('class="plot lines"', run.out)

    def test_half_precision_and_a_faster_memory_shorten_the_step(self):
        for flags in (["--amp", "bf16"], ["--set", "memory=200%"], ["--cuda-graph"], ["--cpu-speed", "2"]):
            with self.subTest(flags=flags):
                self.assertGreater(self.what_if("dlrm:default@4096", "--hw", "A100-SXM4-80GB", *flags)["saving_ns"], 0)


class Collectives(Case):
    def test_fewer_ranks_and_more_overlap_shorten_a_real_step(self):
        trace = shared_trace("kineto/hta_nccl_data_w2r0.json.gz")
        self.assertGreaterEqual(self.what_if("--overlap", "0.5", trace)["saving_ns"], 0)
        one = self.what_if("--ranks", "1", trace)["saving_ns"]
        self.assertGreaterEqual(one, 0)
        self.assertLessEqual(self.what_if("--ranks", "64", trace)["saving_ns"], one)

    def test_a_server_that_is_assumed_is_told(self):
        asked = ("predict", "--ranks", "64", shared_trace("kineto/hta_nccl_data_w2r0.json.gz"), "--hw", "T4")
        self.assertIn("8 are assumed", " ".join(steptime(*asked).out.split()))
        self.assertNotIn("are assumed", steptime(*asked, "--set", "gpus_per_server=4").out)


class Shard(Case):
    TABLES = "name,rows,width,lookups\na,1000000,64,20\nb,20000,128,1\nc,5000000,64,40\nd,300,32,5\n"

    def table(self, text=TABLES):
        path = os.path.join(self.folder, "tables.csv")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def tables(self, *arguments):
        run = steptime("shard", *arguments, "--format", "json")
        self.assertEqual(run.code, OK, run.err)
        return {table["id"]: [dict(zip([column["id"] for column in table["columns"]], row)) for row in table["rows"]]
                for section in run.json["sections"] for table in section["tables"]}

    def test_exchanges_that_are_not_tried_to_the_end_are_told(self):
        rows = "".join(f"{1000 + i * 7919 % 1000003},{16 << i % 4},{1 + i % 20}\n" for i in range(40000))
        outcome = steptime("shard", self.table("rows,width,lookups\n" + rows), "--gpus", "4", "--hw", "A100-SXM4-80GB",
                           "--method", "time-local")
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertIn("Exchanges of tables were not tried to the end", " ".join(outcome.out.split()))

    def test_every_choice_and_the_best_placement(self):
        tables = self.tables(self.table(), "--gpus", "2", "--hw", "A100-SXM4-80GB")
        choices = {row["method"]: row for row in tables["choices"]}
        self.assertEqual(len(choices), 7)
        self.assertLessEqual(choices["time-local"]["largest_us"], choices["time-greedy"]["largest_us"])
        best = min(row["step_us"] for row in choices.values())
        shown = max(row["lookup_us"] for row in tables["devices"])
        self.assertTrue(any(abs(row["largest_us"] - shown) < 1e-6 and row["step_us"] == best for row in choices.values()))
        self.assertEqual({row["name"] for row in tables["placement"]}, {"a", "b", "c", "d"})

    def test_a_table_too_large_is_cut(self):
        tables = self.tables(self.table(), "--gpus", "4", "--hw", "V100", "--memory", "500MiB")
        self.assertEqual(sum(row["name"].startswith("c, part") for row in tables["placement"]), 4)

    def test_what_is_wrong_is_named(self):
        for arguments, code, says in (
                (["--hw", "V100"], USAGE, "--gpus N"),
                (["--gpus", "2"], USAGE, "--hw NAME"),
                (["--gpus", "0", "--hw", "V100"], USAGE, "--gpus is a number"),
                (["--gpus", "2", "--hw", "V100", "--memory", "lots"], USAGE, "--memory"),
        ):
            run = steptime("shard", self.table(), *arguments)
            self.assertEqual((run.code, says in run.err), (code, True), run.err)
        for text, says in (("rows,lookups\n1,2\n", "no column 'width'"), ("rows,width\n5,0\n", "line 2: 'width'"),
                           ("rows,width\n", "no table in it"), ("rows,width\nnan,4\n", "'rows' is no number")):
            run = steptime("shard", self.table(text), "--gpus", "2", "--hw", "A100-SXM4-80GB")
            self.assertEqual((run.code, says in run.err), (INPUT, True), run.err)


if __name__ == "__main__":
    unittest.main()
