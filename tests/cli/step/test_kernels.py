# SPDX-License-Identifier: Apache-2.0
"""steptime kernels: planted answers, an independent count on real traces, ranks merged, what is said without a device."""
import gzip
import json
import os
import re
import unittest
from decimal import Decimal

from support import OK, SOURCE, USAGE, Folder, own_sections, recorded, shared_trace, span, steptime, training_steps, write_trace

DEVICE = {"kernel": "kernel", "Kernel": "kernel", "mtia_ccp_events": "kernel", "gpu_memcpy": "copy", "Memcpy": "copy",
          "gpu_memset": "memset", "Memset": "memset"}
RUNTIME = {"cuda_runtime", "cuda_driver", "Runtime", "mtia_runtime"}


def tables(outcome):
    assert outcome.code == OK, outcome.err
    found = {}
    for section in outcome.json["sections"]:
        for table in section["tables"]:
            columns = [column["id"] for column in table["columns"]]
            found[table["id"]] = [dict(zip(columns, row)) for row in table["rows"]]
        for value in section["values"]:
            found[section["id"] + "." + value["id"]] = value["value"]
    return found


def kernels(*arguments):
    return tables(steptime("kernels", "--format", "json", *arguments))


# ---- the slow way, sharing nothing with the program ----

def events_of(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        data = json.loads(file.read().decode("utf-8", "replace"), parse_float=Decimal, strict=False)
    events = data["traceEvents"] if isinstance(data, dict) else data
    return [e for e in events if isinstance(e, dict) and e.get("ph") == "X" and "dur" in e and "ts" in e]


def ns(microseconds):
    return int(Decimal(str(microseconds)) * 1000)


def percentile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def union(spans):
    total, end = 0, None
    for a, b in sorted(spans):
        if end is None or a > end:
            total, end = total + b - a, b
        elif b > end:
            total, end = total + b - end, b
    return total


def device_of(event):
    return str((event.get("args") or {}).get("device", event.get("pid")))


def slow_kernels(path):
    """Durations a name, the busy time, and launch delays of names all of whose launches are found."""
    durations, delays, spans, calls = {}, {}, {}, {}
    events = events_of(path)
    for event in events:
        correlation = (event.get("args") or {}).get("correlation")
        if event.get("cat") in RUNTIME and correlation:
            calls.setdefault(correlation, []).append(event)
    for event in events:
        if event.get("cat") not in DEVICE:
            continue
        start, length = ns(event["ts"]), ns(event["dur"])
        durations.setdefault(event["name"], []).append(length)
        spans.setdefault(device_of(event), []).append((start, start + length))
        launch = calls.get((event.get("args") or {}).get("correlation"), [])
        late = max(0, start - ns(launch[0]["ts"]) - ns(launch[0]["dur"])) if len(launch) == 1 else None
        delays.setdefault(event["name"], []).append(late)
    return durations, sum(map(union, spans.values())), delays


class Real(unittest.TestCase):
    def check(self, path):
        durations, busy, delays = slow_kernels(path)
        shown = kernels(path)
        self.assertEqual({row["name"] for row in shown["kernels"]}, set(durations))
        self.assertEqual(shown["device.busy_ns"], busy)
        for row in shown["kernels"]:
            values = durations[row["name"]]
            self.assertEqual((row["count"], row["total_ns"], row["min_ns"], row["max_ns"]),
                             (len(values), sum(values), min(values), max(values)), row["name"])
            self.assertAlmostEqual(row["mean_ns"], sum(values) / len(values), 3)
            self.assertAlmostEqual(row["p50_ns"], percentile(values, 0.5), 3)
            self.assertAlmostEqual(row["p95_ns"], percentile(values, 0.95), 3)
            self.assertAlmostEqual(row["share"], sum(values) / busy, 9)
            late = delays[row["name"]]
            if None not in late:
                self.assertAlmostEqual(row["launch_delay_mean_ns"], sum(late) / len(late), 3, row["name"])
                self.assertAlmostEqual(row["launch_delay_p95_ns"], percentile(late, 0.95), 3, row["name"])
        totals = [row["total_ns"] for row in shown["kernels"]]
        self.assertEqual(totals, sorted(totals, reverse=True))
        self.assertEqual(sum(row["total_ns"] for row in shown["classes"]), sum(totals))

    def shared(self, name):
        self.check(shared_trace(name))

    def test_nvidia_with_shapes(self):
        self.shared("kineto/tl_h100_bert_small.json.gz")

    def test_categories_of_2020(self):
        self.shared("kineto/hta_old_Kernel_categories_r1.json.gz")

    def test_amd(self):
        self.shared("kineto/tl_mi300_qwen15.json.gz")

    def test_amd_graphs(self):
        self.shared("kineto/tl_mi300_vllm_decode_hipgraph.json.gz")

    def test_mtia(self):
        self.shared("kineto/hta_mtia_inference.json.gz")

    def test_cuda_graphs(self):
        self.shared("kineto/ao_vit_bf16_inductor_cudagraph.json.gz")

    def test_collectives(self):
        self.shared("kineto/hta_nccl_data_w2r0.json.gz")

    def test_nanoseconds(self):
        self.shared("kineto/hta_ns_resolution.json.gz")

    def test_communication_by_name_is_what_an_independent_rule_says(self):
        path = shared_trace("kineto/hta_nccl_data_w2r0.json.gz")
        rule = re.compile(r"nccl|rccl|msccl|cross_device_reduce|nvshmem|deep_?ep", re.I)
        for row in kernels(path)["kernels"]:
            if row["class"] and not row["class"].startswith(("copy", "memset")):
                self.assertEqual(row["class"] == "communication", bool(rule.search(row["name"])), row["name"])

    def test_runtime_calls(self):
        path = shared_trace("kineto/hta_nccl_data_w2r0.json.gz")
        calls = {}
        for event in events_of(path):
            if event.get("cat") in RUNTIME:
                calls.setdefault(event["name"], []).append(ns(event["dur"]))
        shown = kernels(path)["launches"]
        self.assertEqual({row["name"]: (row["count"], row["total_ns"]) for row in shown},
                         {name: (len(values), sum(values)) for name, values in calls.items()})


class Planted(Folder):
    def trace(self, events, name="trace.json", **more):
        return write_trace(os.path.join(self.folder, name), events, **more)

    def test_steps_of_a_training_loop(self):
        shown = kernels(self.trace(training_steps(count=3, kernels=3)))
        row, = shown["kernels"]
        self.assertEqual((row["count"], row["total_ns"], row["class"]), (9, 900_000, "gemm"))
        self.assertEqual(row["launch_delay_mean_ns"], 40_000)
        self.assertEqual(shown["device.busy_ns"], 900_000)

    def test_a_selection_of_steps(self):
        path = self.trace(training_steps(count=4, kernels=3))
        self.assertEqual(kernels("--steps", "1..2", path)["kernels"][0]["count"], 6)
        self.assertEqual(kernels("--skip-warmup", path)["kernels"][0]["count"], 9)

    def test_ranks_are_merged_with_exact_percentiles(self):
        for rank, lengths in enumerate([(1, 2, 3), (10, 20, 30, 40)]):
            events = [span("k", 100 * i, length, cat="kernel", pid=0, tid=7, device=0, stream=7)
                      for i, length in enumerate(lengths)]
            self.trace(events, f"rank{rank}.json", distributedInfo={"rank": rank, "world_size": 2})
        row, = kernels(self.folder)["kernels"]
        self.assertEqual((row["count"], row["ranks"], row["total_ns"], row["p50_ns"]), (7, 2, 106_000, 10_000))
        self.assertAlmostEqual(row["p95_ns"], 37_000)

    def test_achieved_rates_beside_the_peak_of_the_device(self):
        events = [span("aten::mm", 0, 50, **{"Input Dims": [[1024, 1024], [1024, 1024]],
                                            "Input type": ["c10::BFloat16", "c10::BFloat16"]}),
                  span("cudaLaunchKernel", 10, 10, cat="cuda_runtime", correlation=1),
                  span("gemm", 60, 100, cat="kernel", pid=0, tid=7, correlation=1, device=0, stream=7)]
        row, = kernels(self.trace(events, deviceProperties=[{"id": 0, "name": "NVIDIA H100 80GB HBM3"}]))["kernels"]
        self.assertEqual(row["flops"], 2 * 1024**3)
        self.assertAlmostEqual(row["flop_per_s"] / (2 * 1024**3 / 100e-6), 1, 9)
        self.assertAlmostEqual(row["flop_share"] / (2 * 1024**3 / 100e-6 / 989e12), 1, 9)
        self.assertAlmostEqual(row["bytes_share"] / (6 * 1024**2 / 100e-6 / 3350e9), 1, 9)

    def test_a_device_that_is_not_known_has_no_peak_and_its_neighbours_are_named(self):
        path = self.trace(training_steps(), deviceProperties=[{"id": 0, "name": "NVIDIA A100"}])
        row, = kernels(path)["kernels"]
        self.assertIsNotNone(row["flop_per_s"])
        self.assertIsNone(row["flop_share"])
        self.assertIn("A100-SXM4-40GB", steptime("kernels", path).out)

    def test_a_device_may_be_named(self):
        path = self.trace(training_steps())
        self.assertEqual(kernels("--device", "h100", path)["device.device"], "NVIDIA H100 SXM 80GB")
        wrong = steptime("kernels", "--device", "H1000", path)
        self.assertEqual(wrong.code, USAGE)
        self.assertIn("H100", wrong.err)

    def test_what_the_device_recorded(self):
        events = [span("k", 0, 10, cat="kernel", pid=0, tid=7, device=0, stream=7, grid=[80, 1, 1], block=[128, 1, 1],
                       **{"registers per thread": 32, "shared memory": 1024, "blocks per SM": 1.5, "warps per SM": 6,
                          "est. achieved occupancy %": 40}),
                  span("k", 20, 30, cat="kernel", pid=0, tid=7, device=0, stream=7, grid=[40, 1, 1], block=[128, 1, 1],
                       **{"registers per thread": 64, "shared memory": 0, "blocks per SM": 0.5, "warps per SM": 2,
                          "est. achieved occupancy %": 20})]
        row, = kernels(self.trace(events))["kernels"]
        self.assertAlmostEqual(row["occupancy"], (0.4 * 10 + 0.2 * 30) / 40)
        self.assertAlmostEqual(row["blocks_per_sm"], 0.75)
        self.assertEqual((row["registers"], row["shared_memory_bytes"], row["grid"]), (64, 1024, None))
        self.assertEqual(json.loads(row["block"]), [128, 1, 1])

    def test_without_a_device_it_says_so(self):
        path = self.trace([span("aten::mm", 0, 10)])
        shown = kernels(path)
        self.assertEqual(shown["kernels"], [])
        self.assertIsNone(shown["device.busy_ns"])
        self.assertIn("No device activity was recorded", steptime("kernels", path).out)

    def test_every_grouping_has_all_the_work(self):
        path = self.trace(training_steps())
        for key in ("name", "class", "shape", "module", "python", "operator", "stream"):
            with self.subTest(key):
                rows = kernels("--by", key, path)["kernels"]
                self.assertEqual(sum(row["count"] for row in rows), 6)
        self.assertEqual(kernels("--by", "operator", path)["kernels"][0]["name"], "aten::mm")
        self.assertEqual(kernels("--by", "stream", path)["kernels"][0]["name"], "device 0 stream 7")

    def test_recorded_by_this_project(self):
        folder = recorded("")
        for name in sorted(os.listdir(folder)):
            if ".json" in name:
                with self.subTest(name):
                    self.assertEqual(steptime("kernels", "--format", "json", os.path.join(folder, name)).code, OK)


class Manual(unittest.TestCase):
    def test_every_column_is_defined_as_in_the_program(self):
        check_manual(self, "kernels", ("kernels", "classes", "launches"))


def check_manual(case, page, ids):
    """doc/numbers/PAGE.md has a row `column` | meaning | unit for each column of the tables, with the program's words."""
    with open(os.path.join(SOURCE, "doc", "numbers", page + ".md"), encoding="utf-8") as file:
        text = file.read()
    outcome = steptime(page, "--format", "json", recorded("dlrm-cpu.json.gz"))
    for section in own_sections(outcome.json):
        for table in section["tables"]:
            case.assertIn(table["id"], ids)
            manual = text.split(f"\n## `{table['id']}`", 1)[1].split("\n## ", 1)[0]
            for column in table["columns"]:
                case.assertIn(f"| `{column['id']}` | {column['definition']} |", manual, f"{table['id']}.{column['id']}")


if __name__ == "__main__":
    unittest.main()
