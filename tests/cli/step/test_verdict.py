# SPDX-License-Identifier: Apache-2.0
"""What bounds a step: planted loops whose answer is known, and what must hold of the experiments on every trace."""
import gzip
import json
import os
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import plant
import support
from support import OK, steptime

TIMES = {"device": "GPU-bound", "host": "host-bound", "communication": "communication-bound", "data": "input-bound",
         "copies": "copy-bound"}


def tables_of(document):
    return {table["id"]: [dict(zip([c["id"] for c in table["columns"]], row)) for row in table["rows"]]
            for section in document["sections"] for table in section["tables"]}


def values_of(document):
    return {value["id"]: value["value"] for section in document["sections"] for value in section["values"]}


class Verdict:
    """What a command says of a trace; None where it has no experiments."""

    def __init__(self, command, path, *options):
        self.outcome = steptime(command, path, *options, "--format", "json", limit_s=300)
        self.document = self.outcome.json if self.outcome.code == OK else None
        self.rows = tables_of(self.document).get("experiments") if self.document else None
        self.of = {row["resource"]: row for row in self.rows or []}
        self.values = values_of(self.document) if self.document else {}
        self.text = self.values.get("verdict", "")


def loop(body, steps=8):
    """Steps of a training loop. body(scene, start) plants one and returns its end; times are in microseconds."""
    scene, at = plant.Plant(), 0
    for number in range(1, steps + 1):
        end = body(scene, at)
        scene.step(number, at, end - at)
        at = end
    return scene


def operators(scene, at, count, each, kernel, sync=True):
    """Operators of `each` us one after another, a kernel of `kernel` us each, started in turn; then a synchronisation."""
    free = at
    for i in range(count):
        begin = at + i * each
        scene.host("aten::mm", begin, each - 1)
        launch = begin + 1
        start = max(free, launch + 5)
        scene.work(start, kernel, launch=launch, launch_dur=3)
        free = start + kernel
    end = at + count * each
    if sync:
        done = max(end + 2, free)
        scene.call("cudaDeviceSynchronize", end, done - end)
        end = done
    return end


def device_bound(scene, at):
    return operators(scene, at, 10, 20, 500)


def host_bound(scene, at):
    return operators(scene, at, 10, 500, 20)


def input_bound(scene, at):
    scene.annotation(plant.LOADER, at, 5000)
    return operators(scene, at + 5000, 10, 100, 90)


def copy_bound(scene, at):
    for i in range(5):
        begin = at + i * 1000
        scene.copy(begin + 5, 990, memory="Pageable", launch=begin, launch_dur=998)
    return operators(scene, at + 5000, 5, 100, 50)


def communication_bound(scene, at):
    end = operators(scene, at, 10, 100, 90, sync=False)
    scene.work(end, 5000, launch=end - 20, launch_dur=5, name=plant.NCCL)
    scene.call("cudaDeviceSynchronize", end + 1, 4999)
    return end + 5000


def balanced(scene, at):
    """Host and device of one length beside each other: neither alone saves anything."""
    operators(scene, at, 10, 100, 10, sync=False)
    scene.work(at + 5, 990, launch=at, launch_dur=2, stream=9)
    scene.call("cudaDeviceSynchronize", at + 1000, 2)
    return at + 1002


LOOPS = {"device": device_bound, "host": host_bound, "data": input_bound, "copies": copy_bound,
         "communication": communication_bound}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "trace.json")

    def verdict(self, scene, command="summary"):
        return Verdict(command, scene.write(self.path))


class Planted(Case):
    def test_each_resource_is_named_where_it_is_what_the_step_waits_for(self):
        for resource, body in LOOPS.items():
            for command in ("summary", "critical-path"):
                with self.subTest(resource=resource, command=command):
                    found = self.verdict(loop(body), command)
                    self.assertEqual(found.values["bound"], TIMES[resource], found.text)
                    self.assertEqual(max(found.rows, key=lambda row: row["removed"])["resource"], resource)
                    self.assertTrue(found.text.startswith(TIMES[resource]), found.text)

    def test_what_is_saved_is_what_was_planted(self):
        of = self.verdict(loop(device_bound)).of
        self.assertAlmostEqual(of["device"]["saved_ns"], 2_500_000, delta=25_000)
        self.assertAlmostEqual(of["device"]["removed_ns"], 4_800_000, delta=25_000)
        of = self.verdict(loop(input_bound)).of
        self.assertEqual(of["data"]["saved_ns"], 5_000_000)
        self.assertEqual(of["data"]["removed_ns"], 5_000_000)
        of = self.verdict(loop(communication_bound)).of
        self.assertAlmostEqual(of["communication"]["saved_ns"], 5_000_000, delta=50_000)

    def test_a_busy_device_is_no_bound_where_the_host_never_waits_for_it(self):
        def body(scene, at):
            return operators(scene, at, 10, 500, 350, sync=False)
        found = self.verdict(loop(body))
        self.assertGreater(found.values["gpu_busy"], 0.65)
        self.assertEqual(found.values["bound"], "host-bound")

    def test_where_nothing_alone_helps_the_best_pair_is_named(self):
        found = self.verdict(loop(balanced))
        self.assertEqual(found.values["bound"], "balanced")
        self.assertIn("best together: device and host", found.text)

    def test_of_several_ranks_the_pair_is_of_one_and_which_is_said(self):
        alone = self.verdict(loop(balanced)).values["verdict_pair_saved"]
        others = []
        for rank in range(3):
            scene = loop(balanced)
            scene.rank, scene.world = rank, 3
            others.append(scene.write(os.path.join(os.path.dirname(self.path), f"rank{rank}.json")))
        found = Verdict("summary", others[0], *others[1:])
        self.assertIn(f"best together on rank 0, by itself: device and host, -{100 * alone:.0f} % without both", found.text)
        self.assertEqual((found.values["verdict_pair"], found.values["verdict_pair_rank"]), ("device, host", 0))
        self.assertAlmostEqual(found.values["verdict_pair_saved"], alone)

    def test_one_rank_alone_cannot_tell_a_network_from_a_late_rank(self):
        self.assertIn("communication or a late rank", self.verdict(loop(communication_bound)).text)

    def test_a_selected_step_is_judged_alone(self):
        path = loop(host_bound).write(self.path)
        document = steptime("summary", path, "--steps", "3", "--format", "json").json
        self.assertEqual(values_of(document)["verdict_steps"], 1)
        self.assertEqual(values_of(steptime("summary", path, "--format", "json").json)["verdict_steps"], 6)

    def test_which_steps_it_is_of_is_said_where_the_first_and_the_last_are_otherwise(self):
        def body(scene, at):
            return operators(scene, at, 8 if at == 0 else 10, 500, 20)
        self.assertNotIn("without the first", self.verdict(loop(body)).text)  # 5 ms beside a mean of 4.9
        found = self.verdict(loop(body, 4))  # beside 4.75
        self.assertIn("2 of 4 steps, without the first and the last, in which a step takes 5.00 ms", found.text)
        self.assertNotIn("without the first", Verdict("summary", self.path, "--steps", "2..3").text)


class Doubts(Case):
    def doubt(self, scene, words):
        found = self.verdict(scene)
        self.assertEqual(found.values["bound"], "unknown", found.text)
        self.assertIn("cannot be told", found.text)
        self.assertIn(words, found.text)

    def test_little_device_work(self):
        self.doubt(loop(lambda scene, at: operators(scene, at, 2, 500, 20)), "only 16 pieces of device work")

    def test_short_steps(self):
        self.doubt(loop(lambda scene, at: operators(scene, at, 4, 20, 5)), "shorter than 100 us")

    def test_the_first_step_of_a_run_alone(self):
        scene = plant.Plant()
        scene.step(0, 0, operators(scene, 0, 30, 500, 20))
        self.doubt(scene, "the first of the run")

    def test_device_work_without_launches(self):
        def body(scene, at):
            for i in range(4):
                scene.row("sgemm", at + 100 + 10 * i, 5)
            return operators(scene, at + 500, 10, 500, 20)
        self.doubt(loop(body), "has no launch in the recording")

    def test_launched_work_that_waits_for_nothing_recorded(self):
        def body(scene, at):
            scene.work(at + 2000, 100, launch=at + 10)
            end = operators(scene, at + 2100, 10, 100, 80)
            return end
        self.doubt(loop(body), "waits for something that was not recorded")

    def test_several_ranks_are_judged_as_one_mean_step(self):
        with tempfile.TemporaryDirectory() as folder:
            for rank in range(3):
                scene = loop(host_bound)
                scene.rank, scene.world = rank, 3
                scene.write(os.path.join(folder, f"rank{rank}.json"))
            found = Verdict("summary", folder)
            self.assertEqual((found.values["bound"], found.values["verdict_steps"]), ("host-bound", 18))


HALVED = ("device", "host", "operators", "forward", "backward", "optimizer", "beside")
OF_HOST_ALONE = {"operators": "compute-bound", "beside": "host-bound"}


def ranks_of(summary):
    """What may be the bound, by resource: of a host alone what it is made of."""
    if "device" in summary.of:
        return TIMES
    return {**OF_HOST_ALONE, **{name: TIMES[name] for name in ("communication", "data", "copies")}, "stalls": "stalled",
            "start_up": "start-up"}


def wrong_in(path):
    """Lines on what does not hold of the verdicts on a trace."""
    summary, along = Verdict("summary", path), Verdict("critical-path", path)
    name = os.path.basename(path)
    if not summary.rows:
        return []
    wrong = []
    if not along.rows or summary.rows != along.rows or summary.values["bound"] != along.values.get("bound"):
        wrong.append(f"{name}: summary and critical-path differ")
    slack = 1000  # a nanosecond a node that a division rounds, a step
    for row in summary.rows:
        if not 0 <= row["saved_ns"] <= row["removed_ns"] + slack:
            wrong.append(f"{name}: {row['resource']}: 0 <= saved <= removed")
        if row["resource"] in HALVED and row["removed_ns"] > 2 * row["saved_ns"] + slack:
            wrong.append(f"{name}: {row['resource']}: removed <= 2 saved")
        if row["removed_ns"] > row["time_ns"] + slack:
            wrong.append(f"{name}: {row['resource']}: more is saved than it takes")
    bound, ranked = summary.values["bound"], ranks_of(summary)
    if bound in ranked.values():
        best = max((row for row in summary.rows if row["resource"] in ranked), key=lambda row: row["removed_ns"])
        if ranked[best["resource"]] != bound:
            wrong.append(f"{name}: {bound}, yet most is saved without {best['resource']}")
    return wrong + disagreement(path, name) + beyond(path, summary, name)


COMPUTE = ("kernel", "Kernel", "gpu_memset", "Memset")


def of_compute(row):
    """No communication, and of copies those within the device."""
    return row["cat"] in COMPUTE and "nccl" not in row["name"].lower() or "Device -> Device" in row["name"]


def union(spans):
    total, until = 0, float("-inf")
    for start, end in sorted(spans):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total


def rows_of(path):
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        document = json.load(file)
    events = document["traceEvents"] if isinstance(document, dict) else document
    return [event for event in events if event.get("ph") == "X" and "dur" in event]


def window(path, summary, first_us):
    """Of the steps that were replayed: times of the trace in us. Columns are relative to its first event."""
    steps = tables_of(steptime("breakdown", path, "--format", "json", limit_s=300).json)["steps"]
    if len({(row["rank"], row["device"]) for row in steps}) != 1:
        return None
    judged = steps[1:-1] if len(steps) >= 4 else steps
    if len(judged) != summary.values["verdict_steps"]:
        return None
    start = first_us + judged[0]["start_ns"] / 1000
    return start, start + summary.values["verdict_step_ns"] * len(judged) / 1000


def beyond(path, summary, name):
    """What no experiment may save, by the rows alone: compute that is not there, and time in which a stream is busy."""
    if not path.endswith(".json.gz") or summary.values["bound"] == "unknown":
        return []
    rows = rows_of(path)
    within = window(path, summary, min(row["ts"] for row in rows))
    rows = [row for row in rows if row.get("cat") in COMPUTE + ("gpu_memcpy", "Memcpy")]
    if not within:
        return []
    start, end = within
    cut = lambda row: (max(row["ts"], start), min(row["ts"] + row["dur"], end))
    inside = [row for row in rows if row["ts"] < end and row["ts"] + row["dur"] > start]
    streams = {}
    for row in inside:
        streams.setdefault((row["pid"], row["tid"]), []).append(cut(row))
    busiest = max((union(spans) for spans in streams.values()), default=0)
    computed = union(cut(row) for row in inside if of_compute(row))
    steps, slack = summary.values["verdict_steps"], 0.005 * (end - start)
    found = []
    for row in summary.rows:
        saved = row["removed_ns"] * steps / 1000
        most = {"device": computed}.get(row["resource"], end - start - busiest if row["resource"] in
                                        ("host", "data", "stalls", "start_up") else saved)
        if saved > most + slack:
            found.append(f"{name}: {row['resource']} saves {saved / 1000:.2f} ms, {most / 1000:.2f} are there")
    return found


def disagreement(path, name):
    """The headline of `predict --cpu-speed 2` is what the experiment on the host says: the same replay of the same steps."""
    asked = steptime("predict", path, "--cpu-speed", 2, "--format", "json", limit_s=300)
    summary = Verdict("summary", path)
    if asked.code != OK or summary.values["bound"] == "unknown":
        return []
    found = {value["id"]: value["value"] for section in asked.json["sections"] if section["id"] == "prediction" for value in section["values"]}
    share, said = 1 - found["step_ns"] / found["measured_step_ns"], summary.of["host"]["saved"]
    return [] if abs(share - said) < 0.001 else [f"{name}: predict says -{share:.2%} with a fast host, summary -{said:.2%}"]


def late_in(folder):
    """Lines on where commands differ about the ranks of a job."""
    summary, along = Verdict("summary", folder), Verdict("critical-path", folder)
    ranks = steptime("ranks", folder, "--format", "json", limit_s=300)
    wrong = []
    if not summary.rows or summary.rows != along.rows or summary.values["bound"] != along.values["bound"]:
        wrong.append(f"{folder}: summary and critical-path differ")
    if ranks.code == OK and values_of(ranks.json)["late_rank"] != summary.values["late_rank"]:
        wrong.append(f"{folder}: ranks and summary name other ranks")
    return wrong


class EveryTrace(unittest.TestCase):
    def test_commands_agree_and_experiments_are_sound(self):
        folder = os.path.join(support.SHARED, "data", "traces")
        if not os.path.isdir(folder):
            self.skipTest("the shared traces are not here")
        paths = [os.path.join(at, name) for part in ("kineto", "et", "nsys", "multirank", "other", "producers", "legacy")
                 for at, _, names in os.walk(os.path.join(folder, part)) for name in sorted(names)
                 if name.endswith((".json", ".gz", ".sqlite"))]
        self.assertGreater(len(paths), 50)
        with ThreadPoolExecutor(max_workers=2) as pool:
            wrong = [line for lines in pool.map(wrong_in, paths) for line in lines]
        self.assertEqual(wrong, [])

    def test_so_do_they_on_recordings_of_a_host_alone(self):
        wrong = []
        for at, _, names in os.walk(os.path.join(support.SOURCE, "tests", "data")):
            traces = [os.path.join(at, name) for name in sorted(names) if name.endswith(".json.gz")]
            if os.path.basename(at) in ("recorded", "compiled"):
                wrong += [line for path in traces for line in wrong_in(path)]
            elif os.path.dirname(at).endswith("planted"):
                wrong += late_in(at) + wrong_in(traces[1])
        self.assertEqual(wrong, [])

    def test_true_bounds_of_traces(self):
        """Independent judgements of recorded traces (read from their rows)."""
        truth = {"kineto_resnet50_train_workers4_torch19": "host-bound", "tl_h100_bert_small": "host-bound",
                 "hta_gpu_user_annotation": "host-bound", "hta_nccl_data_w2r0": "host-bound",
                 "tl_b200_w8_eager_pyfunc": "host-bound", "torchbench_copies_pinned": "copy-bound",
                 "torchbench_copies_pageable": "copy-bound", "tl_h100_owlv2_pyfunc": "input-bound",
                 "hta_ns_resolution": "GPU-bound", "saf_sam_eager_a100": "GPU-bound"}
        for name, bound in truth.items():
            with self.subTest(name):
                found = Verdict("summary", support.shared_trace(f"kineto/{name}.json.gz"))
                self.assertEqual(found.values["bound"], bound, found.text)


if __name__ == "__main__":
    unittest.main()
