# SPDX-License-Identifier: Apache-2.0
"""steptime breakdown: planted answers, the sums that must hold on every trace, an independent count, explanations."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import plant
from support import OK, SANITIZED, SHARED, SOURCE, USAGE, own_sections, recorded, shared_trace, steptime

MS = 1_000_000
KEYS = {"rank", "device", "step", "start_ns", "wall_ns", "launched_compute_ns"}


def tables(outcome):
    assert outcome.code == OK, outcome.err
    found = {}
    for section in own_sections(outcome.json):
        for table in section["tables"]:
            columns = [column["id"] for column in table["columns"]]
            found[table["id"]] = [dict(zip(columns, row)) for row in table["rows"]]
    return found


def breakdown(*arguments):
    return tables(steptime("breakdown", "--format", "json", *arguments))


def parts_of(step):
    return {name[: -len("_ns")]: ns for name, ns in step.items() if name not in KEYS and ns}


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "trace.json")

    def planted(self, scene, *arguments):
        return breakdown(*arguments, scene.write(self.path))

    def test_a_gap_of_3_ms_of_each_cause(self):
        self.assertEqual(len(plant.GAPS), 9)
        for cause, scene in plant.GAPS.items():
            with self.subTest(cause):
                found = self.planted(scene())
                self.assertEqual(parts_of(found["steps"][0]), {"compute": 2 * MS, cause: 3 * MS})
                self.assertEqual([(row["cause"], row["stretches"], row["total_ns"], row["longest_ns"])
                                  for row in found["idle"]], [(cause, 1, 3 * MS, 3 * MS)])

    def test_a_gap_is_cut_where_the_host_goes_on(self):
        scene = plant.gap()
        scene.annotation(plant.LOADER, 1000, 2000)
        scene.call("cudaStreamSynchronize", 3000, 1000)
        parts = parts_of(self.planted(scene)["steps"][0])
        self.assertEqual(parts, {"compute": 2 * MS, "data_loading": 2 * MS, "blocked": 1 * MS})

    def test_an_overlap_of_exactly_40_percent(self):
        found = self.planted(plant.overlap_40_percent())
        row = found["overlap"][0]
        self.assertEqual((row["work"], row["under"]), ("communication", "compute"))
        self.assertEqual((row["total_ns"], row["overlapped_ns"], row["ratio"]), (500_000, 200_000, 0.4))
        self.assertEqual(found["ranks"][0]["exposed_communication_ns"], 300_000)

    def test_times_of_nanoseconds_stay_exact(self):
        scene = plant.Plant()
        scene.step(0, 0, 1)
        scene.work(0.001, 0.007, launch=0, launch_dur=0)
        step = self.planted(scene)["steps"][0]
        self.assertEqual((step["wall_ns"], step["compute_ns"]), (1000, 7))

    def test_copies_by_direction_and_memory(self):
        scene = plant.Plant()
        scene.copy(0, 10, "HtoD", "Pinned", bytes=1000)
        scene.copy(20, 10, "DtoH", "Pageable", bytes=3000)
        scene.copy(40, 10, "DtoH", "Pageable", bytes=5000)
        rows = {(r["direction"], r["memory"]): r for r in self.planted(scene)["copies"]}
        self.assertEqual({k: (r["count"], r["bytes"], r["time_ns"]) for k, r in rows.items()},
                         {("H2D", "pinned"): (1, 1000, 10_000), ("D2H", "pageable"): (2, 8000, 20_000)})
        self.assertEqual(rows["D2H", "pageable"]["bytes_per_s"], 4e8)

    def test_a_copy_without_bytes_has_no_part_in_the_bandwidth(self):
        scene = plant.Plant()
        scene.copy(0, 10, "DtoD", bytes=4000)
        scene.work(20, 30, name="Memcpy DtoD (Device -> Device)", cat="gpu_memcpy")
        row, = self.planted(scene)["copies"]
        self.assertEqual((row["count"], row["bytes"], row["time_ns"]), (2, 4000, 40_000))
        self.assertEqual((row["measured_ns"], row["bytes_per_s"]), (10_000, 4e8))

    def test_ranks_share_one_report(self):
        folder = os.path.dirname(self.path)
        for rank in range(3):
            scene = plant.Plant(rank=rank, world=3)
            scene.step(7, 0, 1000)
            scene.work(0, 100 * (rank + 1), launch_dur=0)
            scene.write(os.path.join(folder, f"rank{rank}.json.gz"))
        found = breakdown(folder)
        self.assertEqual([row["rank"] for row in found["ranks"]], [0, 1, 2])
        self.assertEqual([row["compute_ns"] for row in found["steps"]], [100_000, 200_000, 300_000])
        mean = {row["part"]: row["mean_ns"] for row in found["parts"]}
        self.assertEqual(mean["compute"], 200_000)
        self.assertEqual([r["rank"] for r in breakdown("--rank", "1", folder)["ranks"]], [1])

    def test_steps_are_selected(self):
        scene = plant.Plant()
        for i in range(4):
            scene.step(10 + i, 1000 * i, 1000)
            scene.work(1000 * i, 100 + i, launch_dur=0)
        self.assertEqual([s["step"] for s in self.planted(scene, "--steps", "11..12")["steps"]], [11, 12])
        self.assertEqual([s["step"] for s in self.planted(scene, "--skip-warmup")["steps"]], [11, 12, 13])
        self.assertEqual(self.planted(scene, "--steps", "13")["ranks"][0]["compute_ns"], 103_000)


def sample():
    """Recorded traces of our own, always there."""
    return sorted(glob.glob(recorded("*.json*")))


def shared():
    """All traces of other people that a bare run reads in reasonable time."""
    shared_trace("kineto")
    folder = os.path.join(SHARED, "data", "traces")
    found = [path for kind in ("kineto", "multirank/*", "producers", "legacy", "quirks")
             for path in sorted(glob.glob(os.path.join(folder, kind, "*.json*"))) if not re.search("et_rank|-eg.json", path)]
    return [path for path in found if not SANITIZED or os.path.getsize(path) < 500_000]


def expect_sums(case, path):
    """The parts of each step sum to it, and the idle split of each device to its idle time."""
    outcome = steptime("breakdown", "--format", "json", path)
    if outcome.code != OK:
        return 0
    found = tables(outcome)
    for step in found["steps"]:
        case.assertEqual(sum(parts_of(step).values()), step["wall_ns"], path)
    for row in found["ranks"]:
        if row["device_events"] is None:
            case.assertIsNone(row["busy_ns"], path)
            continue
        case.assertEqual(row["host_wait_ns"] + row["kernel_wait_ns"] + row["other_idle_ns"], row["idle_ns"], path)
        case.assertEqual(row["busy_ns"] + row["idle_ns"], row["span_ns"], path)
        case.assertLessEqual(row["busy_ns"], row["compute_ns"] + row["communication_ns"] + row["memory_ns"], path)
    return 1


class Sums(unittest.TestCase):
    def test_on_our_own_traces(self):
        self.assertGreater(sum(expect_sums(self, path) for path in sample()), 0)

    def test_on_all_shared_traces(self):
        self.assertGreater(sum(expect_sums(self, path) for path in shared()), 20)


# Kernels that communicate and that the independent count, which knows fewer names, takes for compute.
NOT_IN_THE_COUNT = {"tl_b200_w8_eager_pyfunc.json.gz": "multimem_all_reduce_kernel"}


class IndependentCount(unittest.TestCase):
    """device-time-reference counts device time from the JSON with decimals and plain unions."""

    SAME = ("device_events", "span_ns", "busy_ns", "compute_ns", "communication_ns", "memory_ns",
            "exposed_communication_ns", "kernel_sum_ns")

    def reference(self, paths):
        program = os.path.join(SHARED, "bin", "device-time-reference")
        if not os.path.exists(program):
            self.skipTest("the independent count is not here")
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            subprocess.run([sys.executable, program, out, *paths], check=True, stdout=subprocess.DEVNULL)
            with open(out, encoding="utf-8") as file:
                return json.load(file)

    def test_it_says_the_same(self):
        paths = [path for path in shared() if os.path.getsize(path) < 400_000 and "quirks" not in path
                 and os.path.basename(path) not in NOT_IN_THE_COUNT]
        compared = 0
        for path, expected in zip(sorted(paths), (v for _, v in sorted(self.reference(paths).items()))):
            if not expected.get("device_events"):
                continue
            with self.subTest(path):
                row, = breakdown(path)["ranks"]
                self.assertEqual({k: row[k] for k in self.SAME}, {k: expected[k] for k in self.SAME})
                compared += 1
        self.assertGreater(compared, 20)


class Explained(unittest.TestCase):
    def explain(self, what, *arguments):
        return breakdown("--explain", what, *arguments)

    def scene(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        scene = plant.gap()
        scene.host("aten::item", 950, 3050)
        self.call = scene.call("cudaStreamSynchronize", 990, 3010)
        return scene.write(os.path.join(folder.name, "trace.json"))

    def test_it_names_formula_and_events(self):
        found = self.explain("blocked", self.scene())
        self.assertEqual([row["number"] for row in found["formulas"]], ["steps.blocked_ns"])
        self.assertIn("synchronisation", found["formulas"][0]["formula"])
        event, = found["events"]
        self.assertEqual((event["event"], event["name"]), (self.call, "cudaStreamSynchronize"))
        self.assertEqual((event["start_ns"], event["dur_ns"], event["counted"]), (990_000, 3_010_000, 3 * MS))

    def test_events_sum_to_the_number_largest_first(self):
        path = self.scene()
        whole, = breakdown(path)["ranks"]
        for column in ("span_ns", "busy_ns", "idle_ns", "compute_ns", "other_idle_ns", "kernel_sum_ns"):
            found = self.explain("ranks." + column, path)
            counted = [row["counted"] for row in found["events"]]
            self.assertEqual(counted, sorted(counted, reverse=True))
            self.assertEqual([row["value"] for row in found["explained"]], [whole[column]])
            self.assertEqual(sum(counted), whole[column])

    def test_the_sum_holds_on_recorded_traces(self):
        for path in sample():
            whole = breakdown(path)["steps"]
            found = self.explain("steps.python_ns", path)
            self.assertEqual(found["explained"][0]["value"], sum(step["python_ns"] for step in whole))

    def test_a_quotient_is_explained_by_its_sums(self):
        path = self.scene()
        whole, = breakdown(path)["ranks"]
        found = self.explain("busy_share", path)
        self.assertEqual([row["value"] for row in found["numbers"]], [whole["busy_share"]])
        self.assertEqual({row["number"]: row["value"] for row in found["explained"]},
                         {"ranks.busy_ns": whole["busy_ns"], "ranks.span_ns": whole["span_ns"]})
        self.assertEqual({row["number"] for row in found["events"]}, {"ranks.busy_ns", "ranks.span_ns"})

    def test_every_number_with_a_unit_has_values_and_sums(self):
        path = self.scene()
        whole = breakdown(path)
        for row in self.explain("list", path)["formulas"]:
            table, column = row["number"].split(".")
            if row["unit"] and (table, column) not in {("ranks", "steps"), ("steps", "start_ns")}:
                found = self.explain(row["number"], path)
                self.assertEqual([r["value"] for r in found["numbers"]], [r[column] for r in whole[table]])
                self.assertIn("explained", found, row["number"])

    def test_the_step_is_the_sum_of_its_parts(self):
        path = self.scene()
        whole = breakdown(path)
        found = self.explain("steps.wall_ns", path)
        self.assertEqual(sum(row["value"] for row in found["explained"]), whole["steps"][0]["wall_ns"])
        self.assertEqual({row["of"]: row["value"] for row in found["explained"]},
                         {row["part"]: row["min_ns"] for row in whole["parts"]})

    def test_of_many_events_the_largest_are_listed_and_the_rest_is_summed(self):
        scene = plant.Plant()
        for i in range(1500):
            scene.work(10 * i, 1 + i % 7)
        with tempfile.TemporaryDirectory() as folder:
            found = self.explain("ranks.compute_ns", scene.write(os.path.join(folder, "trace.json")))
        total, = found["explained"]
        listed = sum(row["counted"] for row in found["events"])
        self.assertEqual((total["events"], total["shown"], len(found["events"])), (1500, 1000, 1000))
        self.assertGreater(total["rest"], 0)
        self.assertEqual(listed + total["rest"], total["value"])

    def test_on_a_terminal_formulas_are_whole(self):
        outcome = steptime("breakdown", "--explain", "ranks.host_wait_ns", self.scene(), env={"COLUMNS": "80"})
        self.assertIn("began after the device went idle", " ".join(outcome.out.split()))

    def test_the_list_has_formulas_alone(self):
        self.assertEqual(set(self.explain("list", self.scene())), {"formulas"})
        listed = steptime("breakdown", "--explain", "list", self.scene()).out
        self.assertIn("ranks.busy_ns (ns): length of the union", listed)
        self.assertNotIn("largest first", listed)

    def test_a_column_of_several_tables_explains_them_all(self):
        numbers = {row["number"] for row in self.explain("compute_ns", self.scene())["formulas"]}
        self.assertEqual(numbers, {"ranks.compute_ns", "steps.compute_ns"})

    def test_an_unknown_number_is_a_usage_error(self):
        outcome = steptime("breakdown", "--explain", "nonsense", self.scene())
        self.assertEqual(outcome.code, USAGE)
        self.assertIn("--explain list", outcome.err)

    def test_every_column_has_a_definition_and_the_manual_has_them_all(self):
        path = self.scene()
        defined = {row["number"]: row for row in self.explain("list", path)["formulas"]}
        for table, rows in breakdown(path).items():
            for row in rows[:1]:
                for column in row:
                    self.assertIn(f"{table}.{column}", defined)
        with open(os.path.join(SOURCE, "doc", "numbers", "breakdown.md"), encoding="utf-8") as file:
            manual = file.read()
        for number, row in defined.items():
            self.assertIn(f"| `{number}` | {row['unit'] or '-'} | {row['formula']} |", manual)
        documented = re.findall(r"^\| `(\w+\.\w+)` \|", manual, re.M)
        self.assertEqual(sorted(documented), sorted(defined))


if __name__ == "__main__":
    unittest.main()
