# SPDX-License-Identifier: Apache-2.0
"""Whether traces can be trusted: each fault of a recording and of a folder is told by name, in one line, and the rest answered."""
import gzip
import json
import os

from support import OK, Folder, rows_of, shared_trace, span, steptime, training_steps, values, write_trace

CONCLUDING = (("summary",), ("breakdown",), ("kernels",), ("ops",), ("critical-path",), ("ranks",), ("overheads",), ("info",),
              ("predict",), ("fleet", "features"), ("fleet", "stragglers"))
EPOCH_US = 1_700_000_000_000_000
DAY_US = 86_400_000_000


def moved(events, by_us):
    return [{**event, "ts": event["ts"] + by_us} for event in events]


def steps_from(first, count=3):
    events = [dict(event) for event in training_steps(count)]
    for event in events:
        if event["name"].startswith("ProfilerStep#"):
            event["name"] = f"ProfilerStep#{int(event['name'].partition('#')[2]) + first}"
    return events


def waits(count, late_us):
    """Launches, and a synchronisation behind each that ends with the work; the device's clock is late."""
    events = [span("ProfilerStep#4", 0, 1000 * count, cat="user_annotation")]
    for i in range(count):
        at = 10 + 900 * i
        events += [span("cudaLaunchKernel", at, 10, cat="cuda_runtime", correlation=i + 1),
                   span("cudaStreamSynchronize", at + 20, 200, cat="cuda_runtime", correlation=1000 + i),
                   span("sgemm", at + 20 + late_us, 199, cat="kernel", pid=0, tid=7, correlation=i + 1, device=0, stream=7)]
    return events


class Trust(Folder):
    def trace(self, name, events=None, rank=None, world=None, **more):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if rank is not None:
            more["distributedInfo"] = {"rank": rank, **({"world_size": world} if world else {})}
        return write_trace(path, training_steps(3) if events is None else events, **more)

    def beside(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def result(self, *words):
        outcome = steptime(*words, "--format", "json")
        self.assertEqual(outcome.code, OK, (words, outcome.err))
        return outcome.json

    def doubts(self, *paths, command=("summary",)):
        return {row["doubt"]: row for row in rows_of(self.result(*command, *paths), "doubts")}

    def line(self, *paths, command=("summary",)):
        """As one; the only one."""
        outcome = steptime(*command, *paths, env={"COLUMNS": "1000"})
        self.assertEqual(outcome.code, OK, outcome.err)
        found = outcome.out.split("Trust: ")
        self.assertEqual(len(found), 2, outcome.out)
        return " ".join(found[1].partition("\n\n")[0].split()), " ".join(outcome.out.split())


class One(Trust):
    def test_every_screen_that_concludes_says_it_once(self):
        path = self.trace("a.json")
        for command in CONCLUDING:
            with self.subTest(command=command):
                line, _ = self.line(path, command=command)
                self.assertTrue(line.startswith("3 steps; recorder cost unknown."), line)
                self.assertEqual(self.doubts(path, command=command), {})
                self.assertEqual(values(self.result(*command, path))["trust_steps"], 3)

    def single_faults(self):
        """(doubts, words of the line, path) of one trace that has one fault each."""
        whole = training_steps(3)
        without = lambda category: [event for event in whole if event is not next(e for e in whole if e["cat"] == category)]
        yield {"kernels_missing"}, "11 % of launches (1 of 9) have no device work", self.trace("a.json", without("kernel"))
        yield {"launches_missing"}, "11 % of device work (1 of 9) has no launch", self.trace("b.json", without("cuda_runtime"))
        yield {"one_step"}, "one step only", self.trace("c.json", steps_from(7, 1))
        yield {"one_step", "first_step"}, "one step only, the first of the run", self.trace("d.json", steps_from(0, 1))
        yield {"steps_unmarked"}, "no steps are marked", self.trace("e.json", [e for e in whole if e["cat"] != "user_annotation"])
        yield {"repaired"}, "1 event repaired", self.trace("f.json", whole + [{**span("aten::x", 10, 5), "dur": -1}])
        yield {"dropped"}, "1 event set aside", self.trace("g.json", whole + [{**span("aten::x", 10, 5), "ts": "never"}])
        yield {"clocks", "one_step"}, "clocks of host and device differ", self.trace("h.json", waits(6, 40))
        yield {"ranks_missing"}, "one of the job's 8 ranks alone", self.trace("i.json", rank=3, world=8)
        self.beside("j.steps.json", Recorder.GOOD)
        yield {"recorder_cost"}, "the recorder made a step 1.42 times as long", self.trace("j.json")

    def test_each_doubt_on_every_screen(self):
        for told, words, path in self.single_faults():
            for command in CONCLUDING:
                with self.subTest(command=command, told=told):
                    self.assertEqual(set(self.doubts(path, command=command)), told)
                    self.assertIn(words, self.line(path, command=command)[0])

    def test_each_doubt_beside_findings_of_the_source(self):
        source = self.beside("train.py", "import torch\nfor batch in loader:\n    loss = step(batch)\n    print(loss.item())\n")
        for told, words, path in self.single_faults():
            with self.subTest(told=told):
                line, _ = self.line(source, "--trace", path, command=("lint",))
                self.assertIn(words, line)

    def test_launches_and_no_device_at_all(self):
        """A recording of the host of a run on a device: all of its work is missing, and it is no run of the host alone."""
        path = self.trace("a.json", [event for event in training_steps(3) if event["cat"] != "kernel"])
        for command in set(CONCLUDING) - {("fleet", "stragglers")}:  # which says that there is no work of a device
            with self.subTest(command=command):
                self.assertEqual(self.doubts(path, command=command)["kernels_missing"]["share"], 1)
                self.assertIn("100 % of launches (9 of 9) have no device work", self.line(path, command=command)[0])

    def test_of_lint(self):
        self.trace("a.json", [event for event in training_steps() if event["name"] != "sgemm_128x64" or event["ts"] > 500])
        self.beside("train.py", "import torch\n")
        words = (os.path.join(self.folder, "train.py"), "--trace", os.path.join(self.folder, "a.json"))
        line, whole = self.line(*words, command=("lint",))
        self.assertIn("of launches", line)
        self.assertEqual(whole.count("no device work"), 1)

    def test_csv_has_its_one_table_still(self):
        outcome = steptime("ops", "--format", "csv", self.trace("a.json"))
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertNotIn("doubt", outcome.out)

    def test_kernels_missing(self):
        events = training_steps()
        events.remove(next(event for event in events if event["cat"] == "kernel"))
        path = self.trace("a.json", events)
        row = self.doubts(path)["kernels_missing"]
        self.assertEqual((row["number"], row["share"]), (1, 1 / 6))
        line, whole = self.line(path)
        self.assertIn("17 % of launches (1 of 6) have no device work", line)
        self.assertEqual(whole.count("have no device work"), 1)  # the warning is not said again

    def test_launches_missing(self):
        events = training_steps()
        events.remove(next(event for event in events if event["cat"] == "cuda_runtime"))
        self.assertEqual(self.doubts(self.trace("a.json", events))["launches_missing"]["number"], 1)

    def test_repaired_and_set_aside(self):
        events = training_steps(3) + [{**span("aten::x", 10, 5), "dur": -1}, {**span("aten::y", 10, 5), "ts": "never"}]
        path = self.trace("a.json", events)
        found = self.doubts(path)
        self.assertEqual((found["repaired"]["number"], found["dropped"]["number"]), (1, 1))
        line, whole = self.line(path)
        self.assertIn("1 event repaired; 1 event set aside", line)
        self.assertNotIn("1 repaired", whole)

    def test_one_step_and_the_first(self):
        self.assertEqual(set(self.doubts(self.trace("a.json", steps_from(0, 1)))), {"one_step", "first_step"})
        self.assertEqual(set(self.doubts(self.trace("b.json", steps_from(7, 1)))), {"one_step"})
        path = self.trace("c.json", steps_from(7))
        self.assertEqual(self.doubts(path), {})
        self.assertEqual(set(self.doubts(path, command=("summary", "--steps", "8"))), {"one_step"})

    def test_steps_that_are_not_marked(self):
        path = self.trace("a.json", [event for event in training_steps() if event["cat"] != "user_annotation"])
        self.assertEqual(set(self.doubts(path)), {"steps_unmarked"})
        self.assertTrue(self.line(path)[0].startswith("no steps are marked"))

    def test_a_file_that_breaks_off(self):
        path = self.trace("a.json")
        with open(path, "rb") as file:
            data = file.read()
        for name, cut in ("cut.json", data[:-40]), ("cut.json.gz", gzip.compress(data)[:-40]):
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(cut)
            self.assertIn("cut_short", self.doubts(os.path.join(self.folder, name)))

    def test_a_device_clock_that_is_late(self):
        for late_us, told in ((0, False), (8, False), (40, True), (-60, True)):
            found = self.doubts(self.trace("a.json", waits(6, late_us)))
            self.assertEqual("clocks" in found, told, (late_us, found))

    def test_a_recorded_device_clock_that_is_early(self):
        """Of two GPUs of one host; on one of them nearly all kernels begin 30 us before they are launched."""
        found = self.doubts(shared_trace("multirank/torchrec_log_resnet18_w2"))["clocks"]
        self.assertEqual((found["number"], found["share"]), (1, 0.5))
        self.assertIn("device work begins before its launch, up to 31 us early", found["what"])

    def test_a_wait_for_another_stream_is_no_contradiction(self):
        events = waits(6, 0)
        events[3]["dur"] += 300
        self.assertEqual(set(self.doubts(self.trace("a.json", events))), {"one_step"})


class Recorder(Trust):
    """1.42 times as long: bare steps of 1000, recorded ones of 1420; the median, whatever single ones take."""

    GOOD = {"version": 1, "clock": "monotonic", "bare_step_end_ns": [0, 1000, 2000, 9000],
            "recorded_step_end_ns": [10000, 11420, 12840, 99999], "recorder": {"record_shapes": True}}

    def test_what_it_cost(self):
        for name in "a.json", "b.json.gz", "c":
            path = self.trace(name)
            self.beside(name.partition(".")[0] + ".steps.json", self.GOOD)
            self.assertAlmostEqual(values(self.result("summary", path))["trust_recorder"], 1.42)
            row = self.doubts(path)["recorder_cost"]
            self.assertAlmostEqual(row["share"], 0.42 / 1.42)
            line, _ = self.line(path)
            self.assertEqual(line.count("the recorder made a step 1.42 times as long"), 1)

    def test_a_little_is_told_and_no_doubt(self):
        path = self.trace("a.json")
        self.beside("a.steps.json", {**self.GOOD, "recorded_step_end_ns": [10000, 11200]})
        self.assertEqual(self.doubts(path), {})
        self.assertIn("the recorder made a step 1.20 times as long", self.line(path)[0])

    def test_in_a_folder_it_is_no_input(self):
        for rank in range(2):
            self.trace(f"job/rank{rank}.json.gz", rank=rank, world=2)
            self.beside(f"job/rank{rank}.steps.json", self.GOOD)
        document = self.result("summary", os.path.join(self.folder, "job"))
        self.assertEqual((document["warnings"], len(document["inputs"])), ([], 2))
        self.assertAlmostEqual(values(document)["trust_recorder"], 1.42)

    def test_what_is_not_used_is_told_by_name(self):
        path = self.trace("a.json")
        good = self.GOOD
        for text, why in (("{", "no JSON"), ("", "no JSON"), ("[1]", "no JSON"), ({"a": 1}, "names no version"),
                          ({**good, "version": 2}, "has version 2 of step times, and version 1 is understood"),
                          ({**good, "bare_step_end_ns": [1]}, "two ends"), ({**good, "bare_step_end_ns": [3, 2]}, "rising"),
                          ({**good, "bare_step_end_ns": "x"}, "no JSON"), ({**good, "recorded_step_end_ns": None}, "no JSON"),
                          ({**good, "bare_step_end_ns": [1 - 2**63, 2**63 - 1]}, "rising"),
                          ({**good, "bare_step_end_ns": [1, 2**70]}, "no JSON")):
            with self.subTest(text=text):
                self.beside("a.steps.json", text)
                document = self.result("summary", path)
                said = " ".join(warning["message"] for warning in document["warnings"])
                self.assertIn("a.steps.json", said)
                self.assertIn(why, said)
                self.assertIsNone(values(document)["trust_recorder"])
                self.assertIn("recorder cost unknown", self.line(path)[0])

    def test_one_that_belongs_to_no_trace_is_told(self):
        self.trace("job/a.json")
        self.beside("job/b.steps.json", self.GOOD)
        said = [warning["path"] for warning in self.result("summary", os.path.join(self.folder, "job"))["warnings"]]
        self.assertIn("b.steps.json", [os.path.basename(path) for path in said])


class Job(Trust):
    def job(self):
        return os.path.join(self.folder, "job")

    def check(self, told, words, but=()):
        """By every command that reads a folder; the rest is answered."""
        for command in set(CONCLUDING) - {but}:
            with self.subTest(command=command):
                found = self.doubts(self.job(), command=command)
                self.assertEqual(set(found), told)
                line, whole = self.line(self.job(), command=command)
                self.assertIn(words, line)
                self.assertEqual(whole.count(words), 1)

    def test_a_rank_is_missing(self):
        for rank in 0, 1, 3:
            self.trace(f"job/rank{rank}.json", rank=rank, world=4)
        self.check({"ranks_missing"}, "of the job's 4 ranks 1 is missing: 2")

    def test_a_rank_alone(self):
        self.trace("job/rank0.json", rank=0, world=4)
        self.check({"ranks_missing"}, "one of the job's 4 ranks alone")

    def test_a_rank_is_doubled(self):
        for name, rank in ("a", 0), ("b", 1), ("c", 1):
            self.trace(f"job/{name}.json", rank=rank, world=3)
        self.check({"ranks_doubled"}, "these 3 files are not ranks of one job: b.json and c.json both record rank 1")

    def test_of_copies_one_is_taken(self):
        events = moved(steps_from(5), EPOCH_US)
        for name, rank in ("a", 0), ("b", 1), ("c", 1):
            self.trace(f"job/{name}.json", events, rank=rank, world=2)
        line, whole = self.line(self.job())
        self.assertIn("records rank 1, as", line)
        self.assertIn("left out", line)
        said = self.result("ranks", self.job())
        self.assertEqual(values(said)["ranks"], 2)

    def test_a_rank_is_cut_short(self):
        for rank, count in enumerate((4, 4, 2)):
            self.trace(f"job/rank{rank}.json", steps_from(5, count), rank=rank, world=3)
        self.check({"cut_short"}, "1 rank without some steps of 5 to 8: 5 to 6 (rank2.json)")

    def test_ranks_at_other_times(self):
        for rank, first in enumerate((0, 10)):
            self.trace(f"job/rank{rank}.json", steps_from(first), rank=rank, world=2)
        self.check({"other_times"}, "ranks recorded at other times, steps 0 to 2 (rank0.json) and 10 to 12 (rank1.json)")

    def test_versions(self):
        for rank, version in enumerate(("2.1.0", "2.6.0")):
            self.trace(f"job/rank{rank}.json", rank=rank, world=2, pytorch_version=version)
        self.check({"ranks_differ"}, "they record different versions of PyTorch, 2.1.0 (rank0.json) and 2.6.0 (rank1.json)")

    def test_versions_and_a_rank_is_missing(self):
        for rank, version in enumerate(("2.1.0", "2.6.0")):
            self.trace(f"job/rank{rank}.json", rank=rank, world=3, pytorch_version=version)
        self.check({"ranks_differ", "ranks_missing"}, "of the job's 3 ranks 1 is missing: 2")

    def test_vendors(self):
        for rank, name in enumerate(("NVIDIA A100-SXM4-40GB", "AMD Instinct MI300X")):
            self.trace(f"job/rank{rank}.json", rank=rank, world=2, deviceProperties=[{"id": 0, "name": name}])
        self.check({"ranks_differ"}, "they record different devices, NVIDIA A100-SXM4-40GB (rank0.json)")

    def test_several_models(self):
        for rank, world in enumerate((2, 4)):
            self.trace(f"job/rank{rank}.json", rank=rank, world=world)
        self.check({"several_models"}, "they record different world sizes, 2 (rank0.json) and 4 (rank1.json)")

    def apart(self, by_us, **hosts):
        for rank in range(2):
            self.trace(f"job/rank{rank}.json", moved(training_steps(3), EPOCH_US + by_us * rank), rank=rank, world=2,
                       **({"host_name": f"node{rank if hosts.get('other') else 0}"}))

    def test_a_clock_that_is_wrong_by_years(self):
        self.apart(1000 * DAY_US, other=True)
        self.check({"clocks"}, "rank0.json began 1000 days before rank1.json, or the clock of a host is wrong")

    def test_a_clock_that_is_wrong_by_seconds(self):
        self.apart(1_000_000, other=True)
        self.check({"clocks"}, "no step of rank0.json is at the time of the same step of rank1.json (999.000 ms")

    def test_other_runs_on_one_host(self):
        self.apart(1_000_000)
        self.check({"other_times"}, "they are of several runs")

    def test_clocks_that_differ_by_less_than_a_step_are_left_to_ranks(self):
        self.apart(300, other=True)
        for command in ("summary",), ("ranks",):
            self.assertEqual(self.doubts(self.job(), command=command), {})

    def test_collectives_of_unknown_kinds(self):
        """Told by their name, and matched all the same: rank 1 comes 100 us before rank 0."""
        for rank in range(2):
            events = training_steps(3)
            for step in range(3):
                at, correlation = 1000 * step + 700 - 100 * rank, 100 + step
                events += [span("cudaLaunchKernel", at, 10, cat="cuda_runtime", correlation=correlation),
                           span("ncclDevKernel_Rotate_f32_RING_LL(ncclDevKernelArgs)", at + 20, 180 + 100 * rank, cat="kernel",
                                pid=0, tid=20, correlation=correlation, device=0, stream=20)]
            self.trace(f"job/rank{rank}.json", events, rank=rank, world=2)
        document = self.result("ranks", self.job())
        said = [warning["message"] for warning in document["warnings"]]
        self.assertEqual(said, ["3 of its collectives are of no known kind, as 'ncclDevKernel_Rotate_f32_RING_LL("
                                "ncclDevKernelArgs)': told as 'other'"] * 2)
        self.assertEqual(values(document)["collectives"], 3)
