# SPDX-License-Identifier: Apache-2.0
"""`steptime fleet stragglers`: published jobs give the published figures, planted ranks what was planted."""
import json
import os
import unittest

from support import BUILD, INPUT, OK, SHARED, USAGE, Folder, shared_trace, steptime, values
from plant import NCCL, Plant

JOBS = os.path.join(SHARED, "data", "fleet", "bytedance-straggler")


def published(name):
    """Results that came with the job, and those of its metrics."""
    path = os.path.join(JOBS, f"result-{name}.json")
    if not os.path.exists(path):
        raise unittest.SkipTest(f"no shared file {path}")
    with open(path) as result, open(os.path.join(JOBS, f"ms-{name}.json")) as ms, \
            open(os.path.join(JOBS, f"mw-{name}.json")) as mw:
        return json.load(result), json.load(ms)["Ms"], json.load(mw)["Mw"]


def from_parquet(name):
    """The table as CSV, made once in the build folder."""
    source = os.path.join(JOBS, f"trace-{name}.parquet")
    made = os.path.join(BUILD, f"trace-{name}.csv")
    if not os.path.exists(source):
        raise unittest.SkipTest(f"no shared file {source}")
    if not os.path.exists(made):
        try:
            import duckdb
        except ImportError:
            raise unittest.SkipTest("DuckDB, which reads Parquet, is not installed")
        duckdb.sql(f"copy (from read_parquet('{source}')) to '{made}.part' (header)")
        os.replace(made + ".part", made)
    return made


def table(document, name):
    for section in document["sections"]:
        for found in section["tables"]:
            if found["id"] == name:
                return [dict(zip([column["id"] for column in found["columns"]], row)) for row in found["rows"]]
    return []


class Case(Folder):
    def stragglers(self, *arguments):
        outcome = steptime("fleet", "stragglers", *arguments, "--format", "json")
        self.assertEqual(outcome.code, OK, outcome.err)
        return outcome.json


class PublishedJobs(Case):
    def check_parts(self, rows, expected, prefix=""):
        found = {row["what"].removeprefix(prefix): row["slowdown"] for row in rows}
        self.assertEqual(set(found), set(expected))
        for what, slowdown in expected.items():
            self.assertAlmostEqual(found[what], slowdown, delta=1e-5, msg=what)

    def check_job(self, path, name):
        result, ms, mw = published(name)
        document = self.stragglers(path)
        value = values(document)
        self.assertAlmostEqual(value["slowdown"], result["blocking_slowdown"], delta=1e-5)
        self.assertAlmostEqual(value["launch_slowdown"], result["launch_slowdown"], delta=1e-5)
        self.assertAlmostEqual(value["last_stage_returned"], ms, delta=1e-5)
        self.assertAlmostEqual(value["slowest_workers_returned"], mw, delta=1e-5)
        self.check_parts(table(document, "types"), result["blocking_decompose_by_optype"])
        self.check_parts(table(document, "stages"), result["blocking_decompose_by_stage"], "stage ")
        self.check_parts(table(document, "replicas"), result["blocking_decompose_by_dp_rank"], "replica ")
        for row in table(document, "steps"):
            self.assertAlmostEqual(row["slowdown"], result["blocking_step_slowdown"][str(row["step"])], delta=1e-5)

    def test_the_job_whose_last_stage_is_slow(self):
        self.check_job(os.path.join(JOBS, "trace-ST.csv.gz"), "ST")

    def test_the_job_with_one_slow_worker(self):
        self.check_job(from_parquet("AR"), "AR")

    def test_both_steps_of_the_sentence_have_a_unit(self):
        screen = " ".join(steptime("fleet", "stragglers", shared_trace("multirank/bytedance_straggler/timeline_AR.json.gz")).out.split())
        self.assertRegex(screen, r"a step would take [\d.]+ m?s instead of [\d.]+ m?s: slow ones cost")

    def test_its_timeline_says_the_same(self):
        self.check_job(shared_trace("multirank/bytedance_straggler/timeline_AR.json.gz"), "AR")


STEPS, STEP_US, COMPUTE_US, TRANSFER_US, SLOW_US = 3, 20000, 5000, 400, 3000


class Ranks(Case):
    def plant(self, slow_us=(), stall_us=(), clocks_us=(0, 0, 0, 0), early=None):
        """
        Each step: a kernel, longer by slow_us; then nothing for stall_us; then an all-reduce of all four ranks. The rank
        `early` has begun to record a little earlier: of an all-reduce at the beginning it alone has the launch.
        """
        slow, stall = dict(slow_us), dict(stall_us)
        last = COMPUTE_US + max([0, *slow.values()]) + max([0, *stall.values()])
        for rank in range(4):
            plant = Plant(rank, 4)
            if early is not None:
                at = clocks_us[rank]
                plant.row(NCCL, at, 50, stream=20) if rank != early else plant.work(at, 50, launch=at, name=NCCL, stream=20)
            for step in range(STEPS):
                at = clocks_us[rank] + STEP_US * step
                entry = at + COMPUTE_US + slow.get(rank, 0) + stall.get(rank, 0)
                plant.step(step, at, STEP_US)
                plant.host("aten::mm", at, 10)
                plant.work(at, COMPUTE_US + slow.get(rank, 0))
                plant.work(entry, at + last + TRANSFER_US - entry, name=NCCL, stream=20)
                plant.work(at + last + TRANSFER_US, 1000)
            plant.write(os.path.join(self.folder, f"rank{rank}.json"))
        return self.stragglers(self.folder)

    def check_step(self, document, longer_us):
        step_us = COMPUTE_US + TRANSFER_US + 1000
        value = values(document)
        self.assertAlmostEqual(value["recorded_ms"], (step_us + longer_us) / 1e3, places=6)
        self.assertAlmostEqual(value["original_ms"], (step_us + longer_us) / 1e3, places=6)
        return value

    def what(self, document, name):
        return {row["what"]: row for row in table(document, name)}

    def test_a_rank_that_computes_longer(self):
        document = self.plant(slow_us={2: SLOW_US})
        value = self.check_step(document, SLOW_US)
        # The work stays in the job: each rank takes a quarter of it.
        self.assertAlmostEqual(value["ideal_ms"], (COMPUTE_US + TRANSFER_US + 1000 + SLOW_US / 4) / 1e3, places=6)
        self.assertAlmostEqual(value["slowest_workers_returned"], 1, places=6)
        replicas = self.what(document, "replicas")
        self.assertAlmostEqual(replicas["replica 2"]["returned"], 1, places=6)
        self.assertAlmostEqual(replicas["replica 1"]["returned"], 0, places=6)
        self.assertAlmostEqual(self.what(document, "types")["forward"]["returned"], 1, places=6)
        self.assertEqual(table(document, "stages"), [])

    def test_a_host_that_stalls(self):
        document = self.plant(stall_us={1: SLOW_US})
        value = self.check_step(document, SLOW_US)
        self.assertAlmostEqual(value["ideal_ms"], (COMPUTE_US + TRANSFER_US + 1000) / 1e3, places=6)
        self.assertAlmostEqual(self.what(document, "types")["host"]["returned"], 1, places=6)
        self.assertAlmostEqual(self.what(document, "replicas")["replica 1"]["returned"], 1, places=6)

    def test_steps_can_be_chosen(self):
        self.plant(stall_us={1: SLOW_US})
        document = self.stragglers(self.folder, "--steps", "1..2")
        self.assertEqual(values(document)["steps"], 2)
        self.assertAlmostEqual(self.what(document, "replicas")["replica 1"]["returned"], 1, places=6)
        self.assertEqual(values(self.stragglers(self.folder, "--skip-warmup"))["steps"], STEPS - 1)

    def test_equal_ranks_lose_nothing(self):
        value = self.check_step(self.plant(), 0)
        self.assertAlmostEqual(value["slowdown"], 1, places=9)
        self.assertIsNone(value["last_stage_returned"])

    def test_clocks_are_set_by_common_collectives(self):
        document = self.plant(slow_us={2: SLOW_US}, clocks_us=(0, 70000, 12345, 999))
        value = self.check_step(document, SLOW_US)
        self.assertAlmostEqual(value["slowest_workers_returned"], 1, places=6)

    def test_a_collective_called_before_the_recording_began_is_no_rank_s_fault(self):
        slow = dict(slow_us={2: SLOW_US}, clocks_us=(0, 70000, 12345, 999))
        alike = values(self.plant(**slow))
        document = self.plant(**slow, early=1)
        value = values(document)
        for name in ("recorded_ms", "original_ms", "ideal_ms", "slowdown"):
            self.assertAlmostEqual(value[name] / alike[name], 1, delta=0.002, msg=name)
        self.assertAlmostEqual(self.what(document, "replicas")["replica 2"]["returned"], 1, delta=0.01)

    def test_a_rank_without_work_is_left_out_with_a_warning(self):
        self.plant(slow_us={2: SLOW_US})
        Plant(4, 5).write(os.path.join(self.folder, "rank4.json"))
        document = self.stragglers(self.folder)
        self.assertEqual(values(document)["replicas"], 4)
        self.assertEqual(len(document["warnings"]), 1)

    def test_a_real_job_whose_third_rank_stalls(self):
        folder = os.path.dirname(shared_trace("multirank/torchrec_a2a_v100_w4/kineto_rank0.json.gz"))
        document = self.stragglers(folder)
        self.assertGreater(self.what(document, "replicas")["replica 2"]["returned"], 0.9)
        self.assertGreater(self.what(document, "types")["host"]["returned"], 0.9)
        ranks = steptime("ranks", folder, "--format", "json").json
        self.assertEqual(values(ranks)["late_rank"], 2)


class Faults(Case):
    HEADER = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n"

    def write(self, text):
        path = os.path.join(self.folder, "table.csv")
        with open(path, "w") as out:
            out.write(text)
        return path

    def refused(self, text, code, part):
        outcome = steptime("fleet", "stragglers", self.write(text))
        self.assertEqual(outcome.code, code, outcome.err)
        self.assertIn(part, outcome.err)

    def test_a_missing_column_is_named(self):
        self.refused("dp_rank,stage,step,optype,start_ts,seq_id\n0,0,1,a,0,0\n", INPUT, "'duration'")

    def test_parquet_is_refused_with_the_way_to_csv(self):
        self.refused("PAR1\x15\x04\x15\n", INPUT, "COPY (SELECT * FROM 'x.parquet') TO 'x.csv'")

    def test_a_table_of_nothing_is_refused(self):
        self.refused(self.HEADER, INPUT, "no operations")

    def test_rows_of_no_job_are_refused(self):
        rows = "".join(f"{i},{i},0,{i},forward-compute,0,1,0,0,0,0\n" for i in range(1000))
        self.refused(self.HEADER + rows, INPUT, "one job")

    def test_a_bad_row_is_dropped_and_counted(self):
        rows = "".join(f"{rank},0,{rank},1,forward-compute,0,{1 + rank},0,0,0,0\n" for rank in range(2))
        document = self.stragglers(self.write(self.HEADER + rows + "0,0,0,1,forward-compute,nan,1,1,0,0,0\n"
                                              "0,0,0,1,forward-compute,0,-1,2,0,0,0\n"))
        self.assertEqual(document["inputs"][0]["dropped"], 2)

    def test_no_argument_is_a_wrong_call(self):
        self.assertEqual(steptime("fleet", "stragglers").code, USAGE)


if __name__ == "__main__":
    unittest.main()
