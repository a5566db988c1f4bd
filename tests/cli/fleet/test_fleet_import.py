# SPDX-License-Identifier: Apache-2.0
"""Public tables and schedules through `steptime fleet`."""
import os
import random
import tempfile
import unittest

from support import INPUT, OK, SHARED, USAGE, rows_of, steptime, values

DATA = os.path.join(SHARED, "data", "fleet")


def shared(name):
    path = os.path.join(DATA, name)
    if not os.path.exists(path):
        raise unittest.SkipTest(f"no shared file {path}")
    return path


def asked(verb, path, *options):
    outcome = steptime("fleet", verb, path, *options, "--format", "json")
    if outcome.code != OK:
        raise AssertionError(outcome.err)
    return outcome.json


def architectures(document):
    return {row["group"]: row for row in rows_of(document, "architectures")}


class PublishedTables(unittest.TestCase):
    def test_philly_is_mostly_single_gpus_that_take_little_time(self):
        document = asked("breakdown", shared("pollux-osdi21/philly.csv.gz"))
        single = architectures(document)["1w1g"]
        self.assertEqual(values(document)["jobs"], 82247)
        self.assertAlmostEqual(single["job_share"], 0.932, places=3)
        self.assertAlmostEqual(single["gpu_time_share"], 0.181, places=3)

    def test_muris_parts_are_those_of_the_table(self):
        document = asked("breakdown", shared("muri-sigcomm22/trace1.csv"), "--group-by", "model_name", "--jobs")
        self.assertEqual(values(document)["jobs"], 1494)
        row = next(row for row in rows_of(document, "jobs") if row["job"] == "2")
        self.assertEqual((row["input_ms"], row["compute_bound_ms"], row["weight_ms"]), (82, 75, 66))

    def test_a_fully_sharded_schedule_has_traffic_among_replicas_alone(self):
        document = asked("features", shared("aicb/physical/L7B-D1-C02_Llama7B_zero3_mbs1.csv"))
        row, = rows_of(document, "features")
        self.assertEqual((row["architecture"], row["cnodes"], row["tensor_bytes"]), ("fsdp", 128, 0))
        self.assertAlmostEqual(row["weight_bytes"] / (3 * 2 * 2 * 6.738e9 * 127 / 128), 1, places=2)

    def test_a_workload_of_experts_has_traffic_of_all_kinds(self):
        row, = rows_of(asked("features", shared("simai/workload_analytical.txt")), "features")
        self.assertEqual((row["architecture"], row["cnodes"]), ("expert-parallel", 9216))
        for column in ("weight_bytes", "tensor_bytes", "pipeline_bytes", "expert_bytes"):
            self.assertGreater(row[column], 1e9)


    def test_workloads_without_ranks_are_a_job_of_one_replica(self):
        folder = shared("aicb/simai_model")
        for name in sorted(os.listdir(folder)):
            with self.subTest(name):
                document = asked("breakdown", os.path.join(folder, name), "--hw", "NVIDIA A100-SXM4-80GB", "--jobs")
                row, = rows_of(document, "jobs")
                self.assertEqual(row["cnodes"], 8 if "tp8" in name else 2 if "tp2" in name else 1)


class Parquet(unittest.TestCase):
    def test_it_is_refused_with_the_way_to_csv(self):
        for verb in ("breakdown", "stragglers"):
            with self.subTest(verb):
                outcome = steptime("fleet", verb, "-", stdin=b"PAR1\x15\x04\x15\nabc\n")
                self.assertEqual(outcome.code, INPUT)
                self.assertIn("COPY (SELECT * FROM 'x.parquet') TO 'x.csv'", outcome.err)


class Pai(unittest.TestCase):
    """Generated tables: the tasks of a job in any order, shared out over the file."""

    JOBS = 3000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        random_, rows, self.expected = random.Random(7), [], {}
        for job in range(self.JOBS):
            workers, served = random_.randint(1, 20), random_.random() < 0.3
            rows += [f"j{job},ps,2,Terminated,10,20,600,29,,"] * served
            rows += [f"j{job},worker,{workers},Terminated,10,{20 + job},600,29,50,T4"]
            kind = "ps-worker" if served else "1w1g" if workers == 1 else \
                "allreduce-local" if workers <= 8 else "allreduce-cluster"
            count, cnodes = self.expected.get(kind, (0, 0))
            self.expected[kind] = (count + 1, cnodes + workers)
        random_.shuffle(rows)
        self.write("\n".join(rows) + "\n")

    def write(self, text):
        with open(os.path.join(self.folder, "pai_task_table.csv"), "w") as out:
            out.write(text)

    def test_jobs_are_joined_from_rows_in_any_order(self):
        document = asked("breakdown", self.folder)
        found = {kind: (row["jobs"], round(row["jobs"] * row["mean_cnodes"]))
                 for kind, row in architectures(document).items()}
        self.assertEqual(found, self.expected)

    def test_the_number_of_threads_changes_nothing(self):
        one, two = (asked("breakdown", self.folder, "--threads", threads)["sections"] for threads in (1, 2))
        self.assertEqual(one, two)

    def test_jobs_are_grouped_by_a_column_of_their_tasks(self):
        document = asked("breakdown", self.folder, "--group-by", "gpu_type")
        self.assertEqual([(row["group"], row["jobs"]) for row in rows_of(document, "group_jobs")], [("T4", self.JOBS)])

    def test_a_column_that_no_table_has_is_a_wrong_call(self):
        outcome = steptime("fleet", "breakdown", self.folder, "--group-by", "colour")
        self.assertEqual(outcome.code, USAGE)
        self.assertIn("colour", outcome.err)

    def test_rows_that_are_no_task_are_dropped_or_end_a_strict_run(self):
        self.write("a,worker,1,x,1,2,3,4,100,T4\nb,worker,many,x,1,2,3,4,100,T4\n")
        told = "line 2: in pai_task_table.csv: inst_num is no number of instances"
        self.assertEqual(values(asked("breakdown", self.folder))["dropped"], 1)
        self.assertIn(told, " ".join(steptime("fleet", "breakdown", self.folder).out.split()))
        strict = steptime("fleet", "breakdown", self.folder, "--strict")
        self.assertEqual(strict.code, INPUT)
        self.assertIn(told, strict.err)

    def test_features_tell_dropped_rows_too(self):
        self.write("a,worker,1,x,1,2,3,4,100,T4\nb,worker,many,x,1,2,3,4,100,T4\n")
        warning, = asked("features", self.folder)["warnings"]
        self.assertIn("line 2 of pai_task_table.csv", warning["message"])

    def test_a_broken_quote_is_told_with_its_line(self):
        self.write('a,worker,1,x,1,2,3,4,100,T4\n"brok,worker,16.0,x,1,2,3,4,100,T4\n')
        document = asked("breakdown", self.folder)
        self.assertEqual((values(document)["jobs"], values(document)["dropped"]), (1, 1))
        strict = steptime("fleet", "breakdown", self.folder, "--strict")
        self.assertEqual(strict.code, INPUT)
        self.assertIn("line 2: in pai_task_table.csv: a quote", strict.err)


if __name__ == "__main__":
    unittest.main()
