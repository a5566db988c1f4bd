# SPDX-License-Identifier: Apache-2.0
"""`steptime fleet features`: what was planted in the traces of a job's ranks comes back as its row of the table."""
import csv
import io
import json
import os
import unittest

from plant import Plant
from support import INPUT, OK, USAGE, Folder, steptime

STEPS, STEP_US = 3, 10_000
MIB = 1 << 20
GRADIENTS, FLOAT = 6 * MIB, 4  # elements, bytes of one
KERNELS = {"allreduce": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "_allgather_base": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "_reduce_scatter_base": "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "all_to_allv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
           "send": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"}
RING = {4: 3 / 4, 8: 7 / 8, 16: 15 / 16}


class Rank(Plant):
    """Steps of one operator each; what else a step does is added to each of them."""

    def __init__(self, rank=0, world=1):
        super().__init__(rank, world)
        for step in range(STEPS):
            self.step(step, STEP_US * step, STEP_US)
        self.operator("aten::mm", 100, [[32, 64], [64, 16]])

    def each(self, at, add):
        for step in range(STEPS):
            add(STEP_US * step + at)
        return self

    def collective(self, name, at, received, sent=None, group=4, dur=1000, **more):
        """A message of `received` elements a step, `sent` where a rank sends another number of them than it receives."""
        info = {"Collective name": name, "In msg nelems": received if sent is None else sent, "Out msg nelems": received,
                "dtype": "Float", "Process Group Name": "0", "Group size": group}
        return self.each(at, lambda begin: self.work(begin, dur, name=KERNELS[name], stream=20, **info, **more))

    def under(self, name, at, dur, cat="cpu_op", **args):
        return self.each(at, lambda begin: self.host(name, begin, dur, cat=cat, **args))

    def operator(self, name, at, dims, types=None):
        """One that has the device do something."""
        self.under(name, at, 50, **{"Input Dims": dims, "Input type": types or ["float"] * len(dims)})
        return self.each(at, lambda begin: self.work(begin + 20, 40, launch=begin + 10))

    def lookup(self):
        return self.operator("aten::embedding_bag", 200, [[1000, 16], [64], [32]], ["float", "long int", "long int"])


class Case(Folder):
    def write(self, rank, job="job"):
        os.makedirs(os.path.join(self.folder, job), exist_ok=True)
        return rank.write(os.path.join(self.folder, job, f"rank{rank.rank}.json"))

    def table(self, *paths):
        done = steptime("fleet", "features", *(paths or [os.path.join(self.folder, "job")]), "--format", "csv")
        self.assertEqual(done.code, OK, done.err)
        return list(csv.DictReader(io.StringIO(done.out)))

    def row(self, rank):
        self.write(rank)
        only, = self.table()
        return only


class Amounts(Case):
    def test_input_is_what_is_copied_to_the_device_in_a_step(self):
        rank = Rank()
        rank.each(1000, lambda at: rank.copy(at, 50, bytes=3 * MIB))
        rank.each(2000, lambda at: rank.copy(at, 50, memory="Pageable", bytes=MIB))
        rank.each(3000, lambda at: rank.copy(at, 50, direction="DtoH", bytes=7 * MIB))
        rank.each(4000, lambda at: rank.copy(at, 50, direction="DtoD", bytes=9 * MIB))
        self.assertEqual(float(self.row(rank)["input_bytes"]), 4 * MIB)

    def test_a_copy_in_one_step_of_three_is_a_third(self):
        rank = Rank()
        rank.copy(STEP_US + 1000, 50, bytes=3 * MIB)
        self.assertEqual(float(self.row(rank)["input_bytes"]), MIB)

    def test_copies_before_the_first_step_are_none_of_a_step(self):
        rank = Rank()
        rank.copy(-5000, 50, bytes=3 * MIB)
        self.assertEqual(float(self.row(rank)["input_bytes"]), 0)

    def test_products_are_arithmetic_and_all_else_is_bytes(self):
        row = self.row(Rank().operator("aten::add", 300, [[32, 16], [32, 16]]))
        self.assertEqual(float(row["flops"]), 2 * 32 * 64 * 16)
        self.assertEqual(float(row["memory_bytes"]), 3 * 32 * 16 * FLOAT)

    def test_work_that_stays_on_the_host_is_none_of_the_gpus(self):
        host = {"Input Dims": [[320, 640], [640, 160]], "Input type": ["float", "float"]}
        rank = Rank().under("aten::mm", 300, 20, **host)
        self.assertEqual(float(self.row(rank)["flops"]), 2 * 32 * 64 * 16)

    def test_the_step_is_that_of_the_clock(self):
        self.assertAlmostEqual(float(self.row(Rank())["measured_ms"]), STEP_US / 1e3)

    def test_the_batch_is_the_first_dimension_of_most(self):
        rank = Rank()
        for at in (200, 300):
            rank.operator("aten::addmm", at, [[16], [32, 64], [64, 16]])
        self.assertEqual(self.row(rank)["batch"], "32")


class Traffic(Case):
    """What goes out and comes in: twice the bus factor of the collective times its message."""

    def test_an_all_reduce(self):
        row = self.row(Rank(world=4).collective("allreduce", 2000, GRADIENTS))
        self.assertAlmostEqual(float(row["weight_bytes"]), 2 * 2 * RING[4] * GRADIENTS * FLOAT)
        self.assertEqual(float(row["dense_weight_bytes"]), GRADIENTS * FLOAT)
        self.assertEqual((row["architecture"], row["cnodes"]), ("allreduce-local", "4"))

    def test_buckets_add_up(self):
        rank = Rank(world=4).collective("allreduce", 2000, MIB).collective("allreduce", 4000, 5 * MIB)
        self.assertAlmostEqual(float(self.row(rank)["weight_bytes"]), 4 * RING[4] * 6 * MIB * FLOAT)

    def test_more_ranks_than_a_server_holds_are_a_cluster(self):
        row = self.row(Rank(world=16).collective("allreduce", 2000, GRADIENTS, group=16))
        self.assertAlmostEqual(float(row["weight_bytes"]), 4 * RING[16] * GRADIENTS * FLOAT)
        self.assertEqual((row["architecture"], row["cnodes"]), ("allreduce-cluster", "16"))

    def test_gathers_and_scatters_are_fully_sharded(self):
        rank = Rank(world=8)
        for at in (1000, 3000):
            rank.collective("_allgather_base", at, GRADIENTS, sent=GRADIENTS // 8, group=8)
        row = self.row(rank.collective("_reduce_scatter_base", 5000, GRADIENTS // 8, sent=GRADIENTS, group=8))
        self.assertEqual(row["architecture"], "fsdp")
        self.assertAlmostEqual(float(row["weight_bytes"]), 3 * 2 * RING[8] * GRADIENTS * FLOAT)

    def test_all_to_all_of_tables_in_one_server_is_pearl(self):
        row = self.row(Rank(world=8).lookup().collective("all_to_allv", 2000, MIB, group=8))
        self.assertEqual(row["architecture"], "pearl")
        self.assertAlmostEqual(float(row["weight_bytes"]), 2 * RING[8] * MIB * FLOAT)
        self.assertEqual(float(row["embedding_weight_bytes"]), 1000 * 16 * FLOAT)

    def test_all_to_all_without_tables_is_of_experts(self):
        row = self.row(Rank(world=8).collective("all_to_allv", 2000, MIB, group=8))
        self.assertEqual(row["architecture"], "expert-parallel")
        self.assertAlmostEqual(float(row["expert_bytes"]), 2 * RING[8] * MIB * FLOAT)
        self.assertEqual(float(row["weight_bytes"]), 0)

    def test_point_to_point_is_of_stages(self):
        row = self.row(Rank(world=4).collective("send", 2000, MIB))
        self.assertEqual(row["architecture"], "pipeline-parallel")
        self.assertAlmostEqual(float(row["pipeline_bytes"]), MIB * FLOAT)

    def test_all_reduces_of_the_forward_pass_are_of_tensors(self):
        rank = Rank(world=4).under("c10d::allreduce_", 1990, 100).collective("allreduce", 2000, MIB)
        row = self.row(rank)
        self.assertEqual(row["architecture"], "tensor-parallel")
        self.assertAlmostEqual(float(row["tensor_bytes"]), 4 * RING[4] * MIB * FLOAT)

    def test_messages_of_unknown_size_leave_the_traffic_unknown(self):
        rank = Rank(world=4)
        rank.each(2000, lambda at: rank.work(at, 500, name=KERNELS["allreduce"], stream=20))
        row = self.row(rank)
        self.assertEqual((row["weight_bytes"], row["cnodes"], row["architecture"]), ("", "4", "allreduce-local"))


class Optimizers(Case):
    def copies(self, name):
        rank = Rank(world=4).collective("allreduce", 2000, GRADIENTS)
        row = self.row(rank.under(f"Optimizer.step#{name}", 8000, 200, cat="user_annotation"))
        return float(row["weight_copies"]), float(row["dense_weight_bytes"])

    def test_adam_keeps_two_numbers_beside_a_weight(self):
        self.assertEqual(self.copies("Adam.step"), (3, 3 * GRADIENTS * FLOAT))
        self.assertEqual(self.copies("AdamW.step"), (3, 3 * GRADIENTS * FLOAT))

    def test_any_other_is_taken_to_keep_one(self):
        self.assertEqual(self.copies("SGD.step"), (2, 2 * GRADIENTS * FLOAT))

    def test_none_keeps_none(self):
        self.assertEqual(float(self.row(Rank())["weight_copies"]), 1)


class Jobs(Case):
    def job(self, name, ranks=2):
        for rank in range(ranks):
            planted = Rank(rank, ranks)
            self.write(planted.collective("allreduce", 2000, GRADIENTS, group=ranks), name)
        return os.path.join(self.folder, name)

    def test_ranks_are_counted_where_nothing_else_tells_how_many(self):
        for rank in range(3):
            planted = Rank(rank, 0)
            planted.each(2000, lambda at, planted=planted, rank=rank: planted.copy(at, 50, bytes=(1 + rank) * MIB))
            self.write(planted)
        only, = self.table()
        self.assertEqual((only["cnodes"], float(only["input_bytes"])), ("3", 2 * MIB))

    def test_a_recorded_world_counts_more_than_the_ranks_at_hand(self):
        only, = self.table(os.path.dirname(self.write(Rank(0, 8).collective("allreduce", 2000, GRADIENTS, group=8))))
        self.assertEqual(only["cnodes"], "8")

    def test_one_process_with_several_gpus(self):
        rank = Rank(world=0)
        for device in range(1, 4):
            rank.each(500, lambda at, device=device: rank.work(at, 100, device=device, stream=7 + device))
        row = self.row(rank)
        self.assertEqual((row["architecture"], row["cnodes"]), ("1wng", "4"))

    def test_each_folder_is_a_job(self):
        table = self.table(self.job("red"), self.job("blue", 4))
        self.assertEqual([(row["job"], row["cnodes"]) for row in table], [("red", "2"), ("blue", "4")])

    def test_a_lost_rank_is_told_and_the_others_make_the_row(self):
        red, blue = self.job("red"), self.job("blue")
        with open(os.path.join(red, "rank1.json"), "wb") as lost:
            lost.write(b'{"traceEvents": 17')
        done = steptime("fleet", "features", red, blue, "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(len(done.json["sections"][0]["tables"][0]["rows"]), 2)
        self.assertIn("rank1.json", json.dumps(done.json["warnings"]))
        self.assertNotIn("blue/rank1.json", json.dumps(done.json["warnings"]))

    def test_a_lost_rank_is_told_beside_a_csv_too(self):
        red = self.job("red")
        with open(os.path.join(red, "rank1.json"), "wb") as lost:
            lost.write(b'{"traceEvents": 17')
        done = steptime("fleet", "features", red, "--format", "csv")
        self.assertEqual(done.code, OK)
        self.assertIn("rank1.json", done.err)

    def test_a_lost_job_leaves_the_others(self):
        done = steptime("fleet", "features", os.path.join(self.folder, "none"), self.job("blue"), "--format", "json")
        self.assertEqual(done.code, INPUT, done.err)
        self.assertEqual(len(done.json["sections"][0]["tables"][0]["rows"]), 1)
        self.assertIn("none", json.dumps(done.json["warnings"]))

    def test_nothing_at_all_is_no_table(self):
        self.assertEqual(steptime("fleet", "features", os.path.join(self.folder, "none")).code, INPUT)
        self.assertEqual(steptime("fleet", "features").code, USAGE)

    def test_the_table_is_read_again(self):
        rank = Rank(0, 8)
        rank.each(1000, lambda at: rank.copy(at, 50, bytes=7 * MIB))
        self.write(rank.collective("allreduce", 2000, GRADIENTS, group=8), "green")
        made = steptime("fleet", "features", os.path.join(self.folder, "green"), "--format", "csv")
        done = steptime("fleet", "breakdown", "-", "--hw", "paper", "--table", "jobs", "--format", "csv",
                        stdin=made.out.encode())
        self.assertEqual(done.code, OK, done.err)
        job, = csv.DictReader(io.StringIO(done.out))
        self.assertEqual((job["job"], job["architecture"], job["cnodes"]), ("green", "allreduce-local", "8"))
        self.assertAlmostEqual(float(job["input_ms"]), 7 * MIB / 0.7 / 10e9 * 1e3, places=9)
        self.assertAlmostEqual(float(job["weight_ms"]), 4 * RING[8] * GRADIENTS * FLOAT / 0.7 / 50e9 * 1e3, places=9)
        self.assertAlmostEqual(float(job["compute_bound_ms"]), 2 * 32 * 64 * 16 / 0.7 / 11e12 * 1e3, places=9)


if __name__ == "__main__":
    unittest.main()
