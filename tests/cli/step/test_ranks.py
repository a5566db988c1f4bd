# SPDX-License-Identifier: Apache-2.0
"""`steptime ranks`: planted stragglers return what was planted, and real jobs what is known of them."""
import csv
import io
import os
import tempfile
import unittest

from support import OK, Folder, recorded, rows_of, shared_trace, span, steptime, values, write_trace

STEPS, STEP_US, COMPUTE_US, TRANSFER_US, LATE_US = 4, 20000, 5000, 400, 3000
MS = 1_000_000
NAMES = ["ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
         "void rcclGenericKernel<1, false>(ncclDevComm*, unsigned long, ncclWork*)"]


def launched(name, at, dur, correlation, stream, **args):
    """A kernel and the call that launched it as it began."""
    return [span("cudaLaunchKernel", at, 2, cat="cuda_runtime", correlation=correlation),
            span(name, at, dur, cat="kernel", pid=0, tid=stream, device=0, stream=stream, correlation=correlation, **args)]


def rank_events(late_us, latest_us, shift_us, name):
    """Each step: compute, longer by late_us, then an all-reduce that ends when the last rank has come and the bytes moved."""
    events = []
    for step in range(STEPS):
        at = STEP_US * step + shift_us
        entry, end = at + COMPUTE_US + late_us, at + COMPUTE_US + latest_us + TRANSFER_US
        message = {"Collective name": "allreduce", "In msg nelems": 1 << 20, "Out msg nelems": 1 << 20, "dtype": "Float",
                   "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Group size": 4}
        events.append(span(f"ProfilerStep#{step}", at, STEP_US, cat="user_annotation"))
        events.append(span("aten::mm", at, 10))
        events += launched("sgemm_128x64", at, entry - at, 2 * step + 1, 7)
        events += launched(name, entry, end - entry, 2 * step + 2, 20, **message)
    return events


class Case(Folder):
    def plant(self, late_us, shift_us=None, bases=None, hosts=None, name=NAMES[0]):
        """A trace a rank: shift_us moves its times in the file, `bases` says from when they count."""
        for rank, late in enumerate(late_us):
            more = {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": len(late_us)}}
            if bases:
                more["baseTimeNanoseconds"] = bases[rank]
            if hosts:
                more["host_name"] = hosts[rank]
            events = rank_events(late, max(late_us), shift_us[rank] if shift_us else 0, name)
            write_trace(os.path.join(self.folder, f"worker{rank}.json"), events, **more)
        return self.folder

    def ranks(self, *arguments):
        outcome = steptime("ranks", "--format", "json", *arguments)
        self.assertEqual((outcome.code, outcome.err), (OK, ""))
        return outcome.json

    def check_straggler(self, document, late, ranks):
        value = values(document)
        self.assertEqual(value["late_rank"], late)
        self.assertEqual(value["late_per_step_ns"], 3 * MS)
        self.assertEqual(value["saving_per_step_ns"], 3 * MS)
        self.assertEqual((value["collectives"], value["unmatched"]), (STEPS, 0))
        for row in rows_of(document, "ranks"):
            is_late = row["rank"] == late
            self.assertEqual(row["late_ns"], is_late * STEPS * 3 * MS)
            self.assertEqual(row["waited_ns"], (not is_late) * STEPS * 3 * MS)
            self.assertEqual(row["caused_ns"], is_late * (ranks - 1) * STEPS * 3 * MS)
        for row in rows_of(document, "collectives"):
            self.assertEqual((row["skew_ns"], row["last_rank"]), (3 * MS, late))
            self.assertEqual(row["transfer_ns"], TRANSFER_US * 1000)
        causes = {row["cause"]: row["per_step_ns"] for row in rows_of(document, "causes")}
        self.assertEqual(causes, {"compute_slower": 3 * MS})
        self.assertNotIn("reasons", {table["id"] for section in document["sections"] for table in section["tables"]})


class Planted(Case):
    def test_a_straggler_of_3_ms_is_late_by_exactly_3_ms(self):
        for late, count in ((0, 2), (1, 2), (2, 4), (6, 8)):
            with self.subTest(late=late, ranks=count), tempfile.TemporaryDirectory() as self.folder:
                late_us = [LATE_US * (rank == late) for rank in range(count)]
                self.check_straggler(self.ranks(self.plant(late_us)), late, count)

    def test_whatever_the_kernel_is_called(self):
        for name in NAMES:
            with self.subTest(name):
                self.check_straggler(self.ranks(self.plant([0, LATE_US], name=name)), 1, 2)

    def test_times_count_from_the_base_of_each_file(self):
        """Rank 1's file counts from 2.5 s later than rank 0's; the clocks are the same."""
        base = 1_711_964_646_000_000_000
        document = self.ranks(self.plant([0, LATE_US, 0, 0], shift_us=[0, -2_500_000, 7, 0],
                                         bases=[base, base + 2_500_000_000, base - 7_000, base]))
        self.check_straggler(document, 1, 4)
        self.assertEqual(values(document)["corrected"], 0)

    def test_clocks_of_several_hosts_are_set_by_the_collectives(self):
        document = self.ranks(self.plant([0, 0, LATE_US, 0], shift_us=[0, 0, 7000, -40000],
                                         hosts=["node1", "node1", "node2", "node3"]))
        self.check_straggler(document, 2, 4)
        self.assertEqual([row["clock_offset_ns"] for row in rows_of(document, "ranks")], [0, 0, 7 * MS, -40 * MS])
        value = values(document)
        self.assertEqual((value["corrected"], value["residual_p50_ns"], value["residual_p95_ns"]), (2, 0, 0))

    def test_on_one_host_clocks_are_never_corrected(self):
        document = self.ranks(self.plant([0, 0], shift_us=[0, 300], hosts=["node1", "node1"]))
        value = values(document)
        self.assertEqual((value["corrected"], value["residual_p50_ns"]), (0, 300_000))

    def test_a_tie_blames_nobody(self):
        document = self.ranks(self.plant([0, 0, 0]))
        self.assertIsNone(values(document)["late_rank"])
        for row in rows_of(document, "ranks"):
            self.assertEqual((row["late_ns"], row["waited_ns"], row["caused_ns"], row["last"]), (0, 0, 0, 0))

    def test_the_same_file_as_several_ranks_is_a_tie(self):
        self.plant([0, LATE_US])
        path = os.path.join(self.folder, "worker0.json")
        value = values(self.ranks(path, path, path))
        self.assertEqual((value["ranks"], value["late_rank"], value["collectives"]), (3, None, STEPS))

    def test_bandwidths(self):
        """4 MiB in 400 us; an all-reduce of 4 ranks moves 2 * 3 / 4 of it over each link."""
        row, = rows_of(self.ranks(self.plant([0, LATE_US, 0, 0])), "collective_kinds")
        self.assertEqual((row["kind"], row["ranks"], row["size_bytes"], row["count"]), ("all_reduce", 4, 4 << 20, STEPS))
        self.assertAlmostEqual(row["algorithm_bytes_per_s"] / ((4 << 20) / 400e-6), 1, places=12)
        self.assertAlmostEqual(row["bus_bytes_per_s"] / row["algorithm_bytes_per_s"], 1.5, places=12)

    def test_steps_can_be_selected(self):
        document = self.ranks(self.plant([0, LATE_US]), "--steps", "1..2")
        self.assertEqual(values(document)["collectives"], 2)
        self.assertEqual([row["steps"] for row in rows_of(document, "ranks")], [2, 2])
        self.assertEqual(values(document)["late_per_step_ns"], 3 * MS)

    def test_spread_of_compute(self):
        value = values(self.ranks(self.plant([0, LATE_US, 0])))
        self.assertEqual(value["compute_mean_ns"], (COMPUTE_US + LATE_US / 3) * 1000)
        self.assertAlmostEqual(value["compute_max_over_mean"], 8 / 6)
        self.assertAlmostEqual(value["compute_deviation_ns"], LATE_US * 1000 * 2 ** 0.5 / 3, places=3)

    def test_a_rank_of_another_job_is_not_comparable(self):
        self.plant([0, LATE_US, 0])
        events = [event for event in rank_events(0, 0, 0, NAMES[0]) if event["cat"] != "kernel" or "nccl" not in event["name"]]
        for step in range(STEPS):
            events += launched("ncclDevKernel_AllGather_RING_LL(x)", STEP_US * step + 9000, 50, 100 + step, 20)
        other = write_trace(os.path.join(self.folder, "worker3.json"), events, distributedInfo={"rank": 3})
        document = self.ranks(self.folder)
        self.assertEqual([row["comparable"] for row in rows_of(document, "ranks")], ["yes", "yes", "yes", "no"])
        lost, warning = [w["message"] for w in document["warnings"] if w["path"] == other]
        self.assertIn("launches have no device work", lost)  # those of the collectives that were taken out
        self.assertIn("not comparable", warning)
        self.assertEqual(values(document)["late_rank"], 1)

    def test_one_rank_is_said_to_be_one(self):
        self.plant([0, LATE_US])
        outcome = steptime("ranks", os.path.join(self.folder, "worker1.json"))
        self.assertEqual(outcome.code, OK)
        self.assertIn("One rank alone cannot be late", outcome.out)

    def test_the_verdict_is_one_sentence_on_the_screen(self):
        outcome = steptime("ranks", self.plant([0, LATE_US, 0]))
        words = " ".join(outcome.out.split())
        self.assertIn("Rank 1 is late by 3.00 ms of a step of 20.00 ms: longer compute, in 4 of 4 steps.", words)

    def test_every_table_as_csv(self):
        folder = self.plant([0, LATE_US])
        for name in ("ranks", "causes", "delay_costs", "collective_kinds", "collectives"):
            with self.subTest(name):
                rows = list(csv.DictReader(io.StringIO(steptime("ranks", "--table", name, "--format", "csv", folder).out)))
                self.assertTrue(rows)


    def test_of_many_ranks_the_latest_come_first(self):
        """Twenty rows fit a screen; who is late is among them."""
        late_us = [LATE_US * (rank == 20) for rank in range(22)]
        document = self.ranks(self.plant(late_us))
        self.assertEqual([row["rank"] for row in rows_of(document, "ranks")], [20] + [rank for rank in range(22) if rank != 20])
        os.unlink(os.path.join(self.folder, "worker21.json"))
        os.unlink(os.path.join(self.folder, "worker0.json"))
        self.assertEqual([row["rank"] for row in rows_of(self.ranks(self.folder), "ranks")], list(range(1, 21)))


class Real(Case):
    def test_the_recorded_straggler(self):
        """Rank 1 of the example got each batch 20 ms late; its data loader slept."""
        document = self.ranks(recorded("ddp-gloo-rank0.json.gz"), recorded("ddp-gloo-rank1.json.gz"))
        value = values(document)
        self.assertEqual(value["late_rank"], 1)
        self.assertTrue(20 * MS <= value["late_per_step_ns"] < 22 * MS, value["late_per_step_ns"])
        causes = {row["cause"]: row["share_of_late"] for row in rows_of(document, "causes")}
        self.assertGreater(causes["data_loading"], 0.9)
        self.assertEqual(value["unmatched"], 0)

    def test_a_recorded_tie(self):
        path = recorded("ddp-gloo-rank0.json.gz")
        self.assertIsNone(values(self.ranks(path, path))["late_rank"])

    def test_gloo_ranks_that_recorded_different_threads(self):
        """Of two worker threads only one is recorded, on each rank another: the calls are compared."""
        folder = os.path.dirname(shared_trace("producers/ddp-sid-ddp-rank0-26343.json.gz"))
        for name in ("ddp-sid", "ddp-trixie"):
            paths = [os.path.join(folder, file) for file in sorted(os.listdir(folder)) if file.startswith(name)]
            with self.subTest(name):
                document = self.ranks(*paths)
                self.assertEqual(values(document)["late_rank"], 1)
                self.assertEqual((values(document)["unmatched"], values(document)["disjoint"]), (0, 0))
                self.assertGreater(values(document)["late_per_step_ns"], 4 * MS)

    def test_nccl_ranks_match_whole(self):
        for name, ranks, collectives, unmatched in (("param_dlrm_v100_w8", 8, 8, 0), ("torchrec_a2a_opt4_v100_w4", 4, 30, 0),
                                                    ("torchrec_log_resnet18_w2", 2, 12, 0), ("torchrec_a2a_v100_w4", 4, 31, 6)):
            folder = shared_trace(f"multirank/{name}")
            paths = [os.path.join(folder, file) for file in sorted(os.listdir(folder)) if file.startswith("kineto")]
            with self.subTest(name):
                value = values(self.ranks(*paths))
                self.assertEqual((value["ranks"], value["collectives"], value["unmatched"]), (ranks, collectives, unmatched))
                self.assertEqual(value["disjoint"], 0)

    def matched(self, paths):
        """Collectives of each kind that all ranks were found in, but calls whose work was not recorded."""
        counts = {}
        for row in rows_of(self.ranks(*paths), "collective_kinds"):
            if row["place"] == "device" or row["timed"]:
                counts[row["kind"]] = counts.get(row["kind"], 0) + row["count"]
        return counts

    def test_as_many_match_as_an_independent_program_found(self):
        """Rank 2 of a2a lacks the first two; of hta_sampled, whose events are sampled, half of what is there has a partner."""
        gloo = {"all_reduce": 11, "all_gather": 1, "barrier": 1, "broadcast": 1}
        for folder, begin, expected in (
                ("multirank/param_dlrm_v100_w8", "kineto", {"all_to_all": 5, "all_reduce": 3}),
                ("multirank/torchrec_a2a_v100_w4", "kineto", {"all_to_all": 16, "all_reduce": 15}),
                ("multirank/torchrec_a2a_opt4_v100_w4", "kineto", {"all_to_all": 15, "all_reduce": 15}),
                ("multirank/torchrec_log_resnet18_w2", "kineto", {"all_to_all": 12}),
                ("kineto", "hta_sampled_w128r", {"all_gather": 2, "all_reduce": 2, "all_to_all": 1}),
                ("producers", "ddp-sid-ddp-rank", gloo),
                ("producers", "ddp-trixie-ddp-rank", gloo)):
            path = shared_trace(folder)
            with self.subTest(begin if folder == "kineto" else folder):
                paths = [os.path.join(path, file) for file in sorted(os.listdir(path)) if file.startswith(begin)]
                self.assertEqual(self.matched(paths), expected)

    def test_waits_are_those_an_independent_program_found(self):
        """A step, in ms. Clocks that are off are estimated, each program in its way: theirs differ by up to 10 us."""
        exact, clocks = 0.0006, 0.035
        for name, near, waited, late, last, total in (
                ("param_dlrm_v100_w8", exact, (5.580, 11.125, 3.280, 9.571, 6.370, 6.041, 3.342, 1.534),
                 (2.534, 0, 4.694, .029, 1.917, 2.001, 4.669, 6.470), (7, 5), 46.843),
                ("torchrec_a2a_v100_w4", clocks, (1041.770, 1045.425, 4.248, 1044.693),
                 (3.456, .027, 1043.485, 1.292), (2, 17), 9408.410),
                ("torchrec_a2a_opt4_v100_w4", clocks, (36.028, 37.899, .700, 43.238), (1.899, .241, 37.185, .512),
                 (2, 12), 353.595),
                ("torchrec_log_resnet18_w2", exact, (2.388, 0), (0, 2.388), (1, 12), 7.164)):
            folder = shared_trace(f"multirank/{name}")
            paths = [os.path.join(folder, file) for file in sorted(os.listdir(folder)) if file.startswith("kineto")]
            rows = rows_of(self.ranks(*paths), "ranks")
            with self.subTest(name):
                for row, rank_waited, rank_late in zip(rows, waited, late, strict=True):
                    self.assertAlmostEqual(row["waited_ns"] / row["steps"] / MS, rank_waited, delta=near)
                    self.assertAlmostEqual(row["late_ns"] / row["steps"] / MS, rank_late, delta=near)
                self.assertEqual(rows[last[0]]["last"], last[1])
                self.assertEqual(max(rows, key=lambda row: row["late_ns"])["rank"], rows[last[0]]["rank"])
                self.assertAlmostEqual(sum(row["waited_ns"] for row in rows) / MS, total, delta=near * len(rows) * 3)

    def test_sums_of_waits_are_those_of_the_reference_to_the_nanosecond(self):
        for name, sum_ns in (("multirank/param_dlrm_v100_w8", 46_843_000), ("multirank/torchrec_a2a_v100_w4", 9_408_410_000),
                             ("multirank/torchrec_a2a_opt4_v100_w4", 353_595_000),
                             ("multirank/torchrec_log_resnet18_w2", 7_164_000), ("ddp-trixie", 110_252_950)):
            with self.subTest(name):
                paths = [shared_trace(f"producers/ddp-trixie-ddp-rank{rank}-{rank + 26181}.json.gz") for rank in (0, 1)] \
                    if name == "ddp-trixie" else [shared_trace(name)]
                rows = rows_of(steptime("ranks", "--format", "json", *paths).json, "ranks")
                self.assertEqual(sum(row["waiting_ns"] for row in rows), sum_ns)

    def test_message_sizes_from_shapes(self):
        folder = shared_trace("multirank/param_dlrm_v100_w8")
        paths = [os.path.join(folder, f"kineto_rank{rank}.json.gz") for rank in range(8)]
        sizes = {row["size_bytes"] for row in rows_of(self.ranks(*paths), "collectives") if row["kind"] == "all_reduce"}
        self.assertIn(394241 * 4, sizes)  # nccl:all_reduce, Input Dims [[394241]], float


if __name__ == "__main__":
    unittest.main()
