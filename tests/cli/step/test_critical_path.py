# SPDX-License-Identifier: Apache-2.0
"""The critical path: planted chains come back exactly, repeated traces keep their answer, overlays are whole."""
import collections
import copy
import glob
import gzip
import json
import os
import unittest

from support import INPUT, OK, OUTPUT, SHARED, USAGE, Folder, recorded, shared_trace, span, steptime, write_trace

NVIDIA_ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"


class Case(Folder):
    def file(self, name):
        return os.path.join(self.folder, name)


class Path:
    """What the command says, by table."""

    def __init__(self, *arguments):
        self.run = steptime("critical-path", "--format", "json", *arguments)
        assert self.run.code == OK, self.run.err
        self.values, self.tables = {}, {}
        for section in self.run.json["sections"]:
            self.values.update({value["id"]: value["value"] for value in section["values"]})
            for table in section["tables"]:
                names = [column["id"] for column in table["columns"]]
                self.tables[table["id"]] = [dict(zip(names, row)) for row in table["rows"]]

    def classes(self):
        return {row["class"]: row["time_ns"] for row in self.tables["classes"]}

    def us(self):
        return {name: ns / 1000 for name, ns in self.classes().items()}


def classes_of(row):
    """The columns of a step or rank that are parts of its time."""
    return {name: ns for name, ns in row.items() if name.endswith("_ns") and name not in ("start_ns", "wall_ns")}


# ---- planted ----

def call(name, ts, dur, correlation):
    return span(name, ts, dur, cat="cuda_runtime", correlation=correlation)


def work(name, ts, dur, correlation, stream=7, cat="kernel"):
    return span(name, ts, dur, cat=cat, pid=0, tid=stream, correlation=correlation, device=0, stream=stream)


def waiting_steps(count, name, length, cat="kernel"):
    """Steps of 2000 us: an operator launches work that takes `length`, and the host waits for it at 100 us."""
    events = []
    for step in range(count):
        at, correlation = 2000 * step, 10 * step + 1
        events += [span(f"ProfilerStep#{step}", at, 2000, cat="user_annotation"),
                   span("aten::mm", at + 10, 50), call("cudaLaunchKernel", at + 20, 10, correlation),
                   work(name, at + 40, length, correlation, cat=cat)]
        returned = max(at + 40 + length, at + 100) + 10
        events.append(call("cudaDeviceSynchronize", at + 100, returned - at - 100, correlation + 1))
    return events


class Planted(Case):
    def path(self, events, *arguments):
        return Path(write_trace(self.file("trace.json"), events), *arguments)

    def test_a_step_that_waits_for_its_kernel(self):
        path = self.path(waiting_steps(3, "sgemm", 1500))
        self.assertEqual(path.us(), {"operators_forward": 30, "launches": 30, "launch_latency": 30, "compute": 4500,
                                     "synchronisation": 30, "python": 1380})
        self.assertEqual((path.values["steps"], path.values["wall_ns"]), (3, 6000000))
        self.assertEqual((path.values["largest"], path.values["largest_share"]), ("compute kernels", 0.75))

    def test_a_step_whose_kernel_is_done_before_the_host_waits(self):
        path = self.path(waiting_steps(3, "sgemm", 20))
        self.assertEqual(path.us(), {"operators_forward": 120, "launches": 30, "synchronisation": 30, "python": 5820})
        self.assertEqual(path.values["largest"], "what was not recorded")  # in no operator, no frame for 1.9 ms: nobody knows
        self.assertIn("Most of the path is what was not recorded (95 %).", " ".join(steptime("critical-path", self.file("trace.json")).out.split()))

    def test_what_the_path_is_most_made_of_has_a_word(self):
        for name, cat, largest in (("sgemm", "kernel", "compute kernels"),
                                   (NVIDIA_ALL_REDUCE, "kernel", "communication kernels"),
                                   ("Memcpy DtoH (Device -> Pinned)", "gpu_memcpy", "copies")):
            with self.subTest(largest):
                path = self.path(waiting_steps(3, name, 1500, cat))
                self.assertEqual((path.values["largest"], path.values["largest_share"]), (largest, 0.75))

    def test_waiting_for_the_next_batch(self):
        events = waiting_steps(3, "sgemm", 20)
        events += [span("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 2000 * i + 300, 1500,
                        cat="user_annotation") for i in range(3)]
        path = self.path(events)
        self.assertEqual((path.values["largest"], path.us()["data_loading"]), ("data loading", 4500))

    def test_a_class_that_is_one_cause_is_told_by_it(self):
        events = waiting_steps(3, "sgemm", 20)
        events += [span("<built-in function sleep>", 2000 * i + 300, 1500, cat="python_function") for i in range(3)]
        path = self.path(events)
        self.assertEqual((path.values["largest"], path.values["largest_share"]), ("sleep", 0.75))
        self.assertIn("Most of the path, as far as it was recorded, is sleep (75 %).", " ".join(steptime("critical-path", self.file("trace.json")).out.split()))

    def test_a_host_that_runs_ahead_is_not_the_bottleneck(self):
        """Nothing waits: the host is done with three steps in 300 us, the device takes 3000."""
        events = []
        for i in range(3):
            at = 100 * i
            events += [span(f"ProfilerStep#{i}", at, 100, cat="user_annotation"), span("aten::mm", at + 10, 50),
                       call("cudaLaunchKernel", at + 20, 10, i + 1), work("sgemm", 30 + 1000 * i, 1000, i + 1)]
        path = self.path(events)
        self.assertEqual(path.us(), {"python": 10, "operators_forward": 10, "launches": 10, "compute": 3000})
        self.assertEqual([row["wall_ns"] for row in path.tables["steps"]], [100000, 100000, 2830000])
        self.assertEqual([row["compute_ns"] for row in path.tables["steps"]], [70000, 100000, 2830000])

    def test_a_copy_to_pageable_memory_stops_the_host(self):
        """Without a synchronisation row or call: the copy call itself waits for the kernel before it."""
        events = []
        for i in range(3):
            at = 2000 * i
            events += [span(f"ProfilerStep#{i}", at, 2000, cat="user_annotation"),
                       call("cudaLaunchKernel", at + 20, 10, 2 * i + 1), work("sgemm", at + 40, 1500, 2 * i + 1),
                       call("cudaMemcpyAsync", at + 50, 1600, 2 * i + 2),
                       work("Memcpy DtoH (Device -> Pageable)", at + 1542, 100, 2 * i + 2, cat="gpu_memcpy")]
        path = self.path(events)
        self.assertEqual((path.us()["compute"], path.us()["copies"]), (4500, 300))

    def test_a_stream_that_waits_for_another(self):
        events = [span("ProfilerStep#0", 0, 100, cat="user_annotation"),
                  call("cudaLaunchKernel", 0, 10, 1), work("sgemm", 12, 400, 1),
                  call("cudaStreamWaitEvent", 20, 2, 2),
                  call("cudaLaunchKernel", 30, 10, 3), work(NVIDIA_ALL_REDUCE, 415, 800, 3, stream=20)]
        path = self.path(events)
        self.assertEqual(path.us(), {"launches": 10, "launch_latency": 2, "compute": 400, "dependency": 3, "communication": 800})

    def test_the_backward_pass_on_its_own_thread(self):
        events = [span("ProfilerStep#0", 0, 1000, cat="user_annotation"), span("aten::linear", 0, 100),
                  span("autograd::engine::evaluate_function: AddmmBackward0", 120, 700, tid=2),
                  span("aten::add_", 850, 100)]
        path = self.path(events)
        self.assertEqual(path.us(), {"operators_forward": 200, "operators_backward": 700, "python": 100})

    def test_names_contribute_what_they_took(self):
        path = self.path(waiting_steps(3, "sgemm", 1500))
        self.assertEqual({key: path.tables["top"][0][key] for key in ("class", "name", "operator", "count", "time_ns")},
                         {"class": "compute", "name": "sgemm", "operator": "aten::mm", "count": 3, "time_ns": 4500000})

    def test_chosen_steps_are_looked_at_alone(self):
        path = self.path(waiting_steps(3, "sgemm", 1500), "--steps", "1")
        self.assertEqual([row["step"] for row in path.tables["steps"]], [1])
        self.assertEqual(path.values["wall_ns"], 2000000)
        self.assertEqual(path.us()["compute"], 1500)

    def test_several_ranks_have_a_row_each(self):
        paths = [write_trace(self.file(f"rank{i}.json"), waiting_steps(2, "sgemm", length)) for i, length in enumerate((20, 1500))]
        rows = Path(*paths).tables["ranks"]
        self.assertEqual([(row["rank"], row["largest"]) for row in rows],
                         [(0, "Python between operators"), (1, "compute kernels")])


# ---- what holds of every trace ----

class EveryTrace(Case):
    def check(self, file):
        path = Path(file)
        for row in path.tables["steps"] + path.tables["ranks"]:
            self.assertEqual(sum(classes_of(row).values()), row["wall_ns"])
        self.assertEqual(sum(path.classes().values()), path.values["wall_ns"])
        rank = path.tables["ranks"][0]
        end = None
        for row in path.tables["path"]:
            self.assertGreater(row["time_ns"], 0)
            self.assertTrue(end is None or row["start_ns"] >= end)
            end = row["start_ns"] + row["time_ns"]
        if len(path.tables["path"]) == rank["stretches"]:
            self.assertEqual(sum(row["time_ns"] for row in path.tables["path"]), path.values["wall_ns"])

    def test_recorded_here(self):
        files = glob.glob(recorded("*.json.gz"))
        self.assertTrue(files)
        for file in files:
            with self.subTest(os.path.basename(file)):
                self.check(file)

    def test_of_other_people(self):
        shared_trace("kineto")
        for file in sorted(glob.glob(os.path.join(SHARED, "data", "traces", "kineto", "*.json.gz"))):
            with self.subTest(os.path.basename(file)):
                self.check(file)


# ---- repeated traces ----

def repeated(events, times):
    """The trace several times in time; ids stay distinct."""
    timed = [event for event in events if event.get("ph") == "X"]
    period = max(e["ts"] + e["dur"] for e in timed) - min(e["ts"] for e in timed) + 1000
    top = 1 + max(e.get("args", {}).get("correlation", 0) for e in timed)
    more = []
    for k in range(times):
        for event in timed:
            event = copy.deepcopy(event)
            event["ts"] += k * period
            if "correlation" in event.get("args", {}):
                event["args"]["correlation"] += k * top
            if event["name"].startswith("ProfilerStep#"):
                event["name"] = f"ProfilerStep#{int(event['name'][13:]) + 1000 * k}"
            more.append(event)
    return more


class Repeated(Case):
    """Where waits are not tied to the device, the path of a longer trace leaves the device altogether."""

    def device_share(self, events):
        path = Path(write_trace(self.file("trace.json"), events))
        device = sum(path.classes().get(name, 0) for name in ("compute", "communication", "copies", "memset"))
        return device / path.values["wall_ns"]

    def test_a_planted_trace(self):
        events = waiting_steps(1, "sgemm", 1500)
        once = self.device_share(events)
        self.assertEqual(once, 0.75)
        for times in (2, 10):
            self.assertAlmostEqual(self.device_share(repeated(events, times)), once, delta=0.001)

    def test_a_real_trace_without_synchronisation_rows(self):
        with gzip.open(shared_trace("kineto/hta_trace_diff_control_w8r3.json.gz")) as text:
            events = json.load(text)["traceEvents"]
        self.assertFalse(any(event.get("cat") == "cuda_sync" for event in events))
        once = self.device_share(repeated(events, 1))
        self.assertGreater(once, 0.25)
        self.assertAlmostEqual(self.device_share(repeated(events, 4)), once, delta=0.02)


# ---- beside HTA ----

def key(event):
    return event["cat"], event["name"], event["ts"], event["dur"]


class BesideHta(Case):
    def ours(self, file):
        """The events on our path, as HTA would name them."""
        with gzip.open(file) as text:
            events = [event for event in json.load(text)["traceEvents"] if event.get("ph") == "X"]
        rows = [row for row in Path(file).tables["path"] if row["event"] is not None and row["class"] not in
                ("launch_latency", "stream_gaps", "dependency", "held", "unknown")]
        return {key(events[row["event"]]) for row in rows}

    def test_its_own_expected_answer(self):
        """All of its path is on ours but for kernels whose end nothing waited for (doc/numbers/critical-path.md)."""
        with gzip.open(shared_trace("kineto/hta_simple_add_critical_path_overlay.json.gz")) as text:
            theirs = {key(event) for event in json.load(text)["traceEvents"]
                      if event.get("ph") == "X" and event.get("args", {}).get("critical")}
        ours = self.ours(shared_trace("kineto/hta_simple_add.json.gz"))
        missing = theirs - ours
        self.assertEqual(len(theirs), 624)
        self.assertEqual(collections.Counter(event[0] for event in missing), {"kernel": 5, "gpu_memset": 1})
        awaited = min(event[2] for event in ours if event[1] == "cudaDeviceSynchronize" and event[2] > min(e[2] for e in missing))
        self.assertLess(max(event[2] + event[3] for event in missing), awaited)

    def test_an_event_ties_the_kernel_that_was_awaited(self):
        names = {event[1][:30] for event in self.ours(shared_trace("kineto/hta_event_sync.json.gz")) if event[0] == "kernel"}
        self.assertEqual(names, {"at::cuda::(anonymous namespace)::spin_kernel"[:30]})


# ---- overlay ----

class Sentence(Case):
    def test_the_side_of_the_bound_comes_before_a_larger_part_of_another(self):
        """Data loading is the largest class, and yet the host bounds: its own work is of many classes."""
        trace = shared_trace("kineto/kineto_resnet50_train_workers0_torch19.json.gz")
        run = steptime("critical-path", trace)
        self.assertIn("host-bound: ", run.out)
        self.assertIn("The host's own work is 63 % of the path, first operators, forward (21 %); beside it the largest part is "
                      "data loading (29 %).", " ".join(run.out.split()))
        self.assertEqual(Path(trace).values["largest"], "data loading")


class Overlay(Case):
    def setUp(self):
        super().setUp()
        self.trace = self.file("trace.json")
        self.marked = self.file("marked.json")

    def overlay(self, trace=None, *arguments):
        return steptime("critical-path", "--format", "json", "--overlay", self.marked, trace or self.trace, *arguments)

    def load(self, trace=None):
        """The events of the file as they were, and the marks."""
        run = self.overlay(trace)
        self.assertEqual(run.code, OK, run.err)
        with open(self.marked, encoding="utf-8") as text:
            document = json.load(text)
        events = document if isinstance(document, list) else document["traceEvents"]
        marks = [event for event in events if event.get("cat") == "critical_path"]
        return [event for event in events if event.get("cat") != "critical_path"], marks

    def check_marks(self, marks, wall_us):
        slices = sorted((event for event in marks if event["ph"] == "X"), key=lambda event: event["ts"])
        self.assertAlmostEqual(sum(event["dur"] for event in slices), wall_us, places=3)
        for a, b in zip(slices, slices[1:]):
            self.assertLessEqual(a["ts"] + a["dur"], b["ts"] + 0.0005, "slices of one track overlap")
        for event in slices:
            self.assertEqual((event["pid"], event["tid"]), ("critical path", 0))
            self.assertTrue(event["dur"] > 0 and event["name"] and event["args"]["critical"])
        begun = {event["id"]: event for event in marks if event["ph"] == "s"}
        ended = {event["id"]: event for event in marks if event["ph"] == "f"}
        self.assertEqual(set(begun), set(ended))
        for id_, event in begun.items():
            self.assertLessEqual(event["ts"], ended[id_]["ts"])
            self.assertEqual(ended[id_]["bp"], "e")

    def test_holds_the_trace_and_the_path(self):
        events = waiting_steps(3, "sgemm", 1500)
        write_trace(self.trace, events, deviceProperties=[{"id": 0, "name": "a [bracket]"}], traceName="after")
        kept, marks = self.load()
        self.assertEqual(kept, events)
        self.check_marks(marks, 6000)
        arrows = [(event["pid"], event["tid"]) for event in marks if event["ph"] == "f"]
        self.assertEqual(arrows, [(0, 7), (1, 1)] * 3)

    def test_is_a_trace_again(self):
        write_trace(self.trace, waiting_steps(3, "sgemm", 1500))
        before = Path(self.trace)
        _, marks = self.load()
        after = Path(self.marked)
        slices = sum(event["ph"] == "X" for event in marks)
        self.assertEqual(after.run.json["inputs"][0]["events"], before.run.json["inputs"][0]["events"] + slices)
        self.assertEqual((after.run.json["warnings"], after.classes()), ([], before.classes()))

    def test_of_a_packed_trace_a_list_and_an_empty_list(self):
        events = waiting_steps(2, "sgemm", 1500)
        packed = write_trace(self.file("packed.json.gz"), events)
        self.assertEqual(self.load(packed)[0], events)
        with open(self.trace, "w", encoding="utf-8") as out:
            json.dump(events, out)
        kept, marks = self.load()
        self.assertEqual(kept, events)
        self.check_marks(marks, 4000)

    def test_of_a_trace_that_broke_off_keeps_its_bytes(self):
        text = json.dumps({"traceEvents": waiting_steps(3, "sgemm", 1500)})
        with open(self.trace, "w", encoding="utf-8") as out:
            out.write(text[:-200])
        self.assertEqual(self.overlay().code, OK)
        with open(self.marked, encoding="utf-8") as marked:
            self.assertTrue(marked.read().endswith(text[-400:-200]))

    def test_of_every_recorded_trace(self):
        for file in glob.glob(recorded("*.json.gz")):
            with self.subTest(os.path.basename(file)):
                kept, marks = self.load(file)
                with gzip.open(file) as text:
                    document = json.load(text)
                self.assertEqual(kept, document if isinstance(document, list) else document["traceEvents"])
                self.check_marks(marks, Path(file).values["wall_ns"] / 1000)

    def test_wants_one_file_and_a_plain_name(self):
        write_trace(self.trace)
        other = write_trace(self.file("other.json"))
        for arguments in ([self.trace, other], ["-"]):
            run = steptime("critical-path", "--overlay", self.marked, *arguments)
            self.assertEqual((run.code, run.out), (USAGE, ""), run.err)
        run = steptime("critical-path", "--overlay", self.file("marked.json.gz"), self.trace)
        self.assertEqual(run.code, USAGE, run.err)
        run = steptime("critical-path", "--overlay", self.file("marked.pftrace"), self.trace)
        self.assertEqual(run.code, USAGE, run.err)
        self.assertIn("steptime export -o", run.err)
        folder = self.file("ranks")
        os.mkdir(folder)
        for rank in range(2):
            write_trace(os.path.join(folder, f"rank{rank}.json"))
        self.assertEqual(steptime("critical-path", "--overlay", self.marked, folder).code, USAGE)
        self.assertFalse(os.path.exists(self.marked))

    def test_is_whole_or_untouched(self):
        write_trace(self.trace)
        self.assertEqual(steptime("critical-path", "--overlay", self.file("none/marked.json"), self.trace).code, OUTPUT)
        with open(self.marked, "w", encoding="utf-8") as old:
            old.write("old")
        self.assertEqual(self.overlay(self.file("missing.json")).code, INPUT)
        with open(self.marked, encoding="utf-8") as old:
            self.assertEqual(old.read(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["marked.json", "trace.json"])


if __name__ == "__main__":
    unittest.main()
