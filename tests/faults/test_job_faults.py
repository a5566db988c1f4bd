# SPDX-License-Identifier: Apache-2.0
"""A job whose last rank is late in each step, and one fault more: every screen that concludes names the fault, and answers the rest.

"Concludes" is: says of a job who is late or what bounds it. The late rank and its 300 us a step stay known through
whatever is wrong with another rank's file.
"""
import gzip
import os

from support import HAS_MPI, OK, Folder, rows_of, shared_trace, span, steptime, steptime_mpi, values, write_trace

JOB = (("summary",), ("critical-path",), ("ranks",), ("fleet", "stragglers"))
SPREAD = ("summary", "critical-path", "ranks")  # over processes, and from sketches
OTHERS = (("predict",), ("breakdown",), ("kernels",), ("ops",), ("overheads",))
EPOCH_US = 1_700_000_000_000_000
YEAR_US = 365 * 86_400_000_000
LATE_US = 300


def rank_steps(late_us=0, steps=(5, 6, 7, 8), kernel="ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", device_us=0,
               vendor="cuda", end_us=0):
    """Steps of 4 ms: 30 products that take the device 60 us each, then an all-reduce that all ranks leave at 3.6 ms."""
    events, correlation = [], 0
    for i, number in enumerate(steps):
        at = 4000 * i
        events.append(span(f"ProfilerStep#{number}", at, 4000, cat="user_annotation"))
        for k in range(30):
            begin, correlation = at + 100 + late_us + 80 * k, correlation + 1
            events += [span("aten::mm", begin, 50, **{"External id": correlation}),
                       span(f"{vendor}LaunchKernel", begin + 10, 10, cat="cuda_runtime", correlation=correlation),
                       span("sgemm_128x64", begin + 30 + device_us, 60, cat="kernel", pid=0, tid=7, correlation=correlation, device=0,
                            stream=7)]
        begin, correlation = at + 2700 + late_us, correlation + 1
        events += [span(f"{vendor}LaunchKernel", begin, 10, cat="cuda_runtime", correlation=correlation),
                   span(kernel, begin + 20 + device_us, 880 - late_us + end_us, cat="kernel", pid=0, tid=20, correlation=correlation,
                        device=0, stream=20)]
    return events


def gloo_steps(late_us=0, end_us=0, count=5):
    """Of the host alone: a step of 300 ms with one all-reduce on gloo's thread, which this rank leaves `end_us` after the first."""
    events = []
    for i in range(count):
        at = 300_000 * i
        events += [span(f"ProfilerStep#{i}", at, 300_000, cat="user_annotation"), span("aten::mm", at + 100, 40_000 + late_us),
                   span("c10d::allreduce_", at + 40_200 + late_us, 100),
                   span("gloo:all_reduce", at + 40_300 + late_us, 206_000 - late_us + end_us, cat="user_annotation", tid=9)]
    return events


def grouped_steps(rank, count=5, pairs=2):
    """Of the host alone: all-reduces in pairs, {0, 1} and {2, 3}, then {0, 2} and {1, 3}; rank 3 comes 110 ms late to its first."""
    events = []
    for i in range(count):
        at = 300_000 * i
        first, done = at + (150_000 if rank == 3 else 40_000), at + (152_000 if rank > 1 else 42_000)
        events += [span(f"ProfilerStep#{i}", at, 300_000, cat="user_annotation"), span("aten::mm", at + 100, first - at - 200)]
        for dims, begin, end in (([[8, 16]], first, done), ([[4096]], done + 5000, at + 170_000))[:pairs]:
            events += [span("c10d::allreduce_", begin, 100),
                       span("gloo:all_reduce", begin + 100, end - begin - 100, cat="user_annotation", tid=9,
                            **{"Input Dims": dims, "Input type": ["float"]})]
    return events


def moved(events, by_us):
    return [{**event, "ts": event["ts"] + by_us} for event in events]


class JobFaults(Folder):
    def job(self):
        return os.path.join(self.folder, "job")

    def rank(self, number, events=None, world=4, name=None, epoch_us=EPOCH_US, **more):
        path = os.path.join(self.job(), name or f"rank{number}.json")
        os.makedirs(self.job(), exist_ok=True)
        events = rank_steps(LATE_US if number == 3 else 0) if events is None else events
        more.setdefault("distributedInfo", {"rank": number, "world_size": world, "backend": "nccl"})
        return write_trace(path, moved(events, epoch_us), **more)

    def tearDown(self):
        """Whatever was wrong: `steptime-mpi` says the same of it, every byte."""
        for command in SPREAD if HAS_MPI and os.path.isdir(self.job()) else ():
            with self.subTest(command=command, spread=True):
                one = steptime(command, self.job(), "--format", "json")
                code, out, err = steptime_mpi(2, command, self.job(), "--format", "json")
                self.assertEqual((code, out), (one.code, one.out), err)

    def ranks(self, *numbers, **more):
        for number in numbers:
            self.rank(number, **more)

    def screen(self, command, *paths):
        outcome = steptime(*command, *(paths or (self.job(),)), env={"COLUMNS": "1000"})
        self.assertEqual(outcome.code, OK, (command, outcome.err))
        return " ".join(outcome.out.split())

    def document(self, command, *paths):
        outcome = steptime(*command, *(paths or (self.job(),)), "--format", "json")
        self.assertEqual(outcome.code, OK, (command, outcome.err))
        return outcome.json

    def check_told(self, words, doubt, commands=JOB + OTHERS):
        """Once for people, and in JSON as a doubt by its name."""
        for command in commands:
            with self.subTest(command=command):
                self.assertEqual(self.screen(command).count(words), 1, (command, words, self.screen(command)[:1500]))
                document = self.document(command)
                doubts = [(row["doubt"], row["what"]) for row in rows_of(document, "doubts")]
                self.assertTrue(any(id == doubt and words in what for id, what in doubts), doubts)

    def check_late(self, rank=3):
        """All four say the same, and it is true, also where only the steps that all have tell it."""
        told = set()
        for command in JOB:
            with self.subTest(command=command):
                found = values(self.document(command))
                self.assertEqual(found["late_rank"], rank, command)
                told.add(found["late_per_step_ns"])
                self.assertAlmostEqual(found["late_per_step_ns"] / 1e3, LATE_US, delta=LATE_US / 20)
                self.assertIn(f"Rank {rank} is late by", self.screen(command))
        self.assertEqual(len(told), 1)

    # ---- the job without a fault, which no screen may doubt ----

    def test_nothing_is_wrong(self):
        self.ranks(0, 1, 2, 3)
        self.check_late()
        for command in JOB + OTHERS:
            with self.subTest(command=command):
                document = self.document(command)
                self.assertEqual((rows_of(document, "doubts"), document["warnings"]), ([], []))
                self.assertIn("Trust: 4 traces of 4 steps; recorder cost unknown. ", self.screen(command))

    # ---- files ----

    def test_a_rank_is_missing(self):
        self.ranks(0, 2, 3)
        self.check_told("of the job's 4 ranks 1 is missing: 1", "ranks_missing")
        self.check_late()

    def test_a_file_breaks_off(self):
        """As when the process dies while it writes; its first steps count."""
        self.ranks(0, 1, 2, 3)
        path = os.path.join(self.job(), "rank1.json")
        with open(path, "rb") as file:
            data = file.read()
        for name, cut in (("rank1.json", data[:len(data) * 3 // 4]), ("rank1.json.gz", gzip.compress(data)[:-2000])):
            with self.subTest(name=name):
                os.unlink(path)
                path = os.path.join(self.job(), name)
                with open(path, "wb") as file:
                    file.write(cut)
                self.check_told("1 of 4 files break off", "cut_short")
                self.check_told("1 rank without some steps of 5 to 8: 5 to", "cut_short")
                self.check_late()
                said = values(self.document(("ranks",)))["late"]
                self.assertRegex(said, r"in (\d) of \1 steps( that could be compared, of 4)?\.$")
                self.assertEqual("that could be compared" in said, name == "rank1.json")  # of the other file little is lost

    def test_a_file_that_lost_a_thread(self):
        """A file is written thread by thread: one that breaks off may have collectives of one kind and none of another."""
        for number in range(4):
            events = gloo_steps(late_us=50_000 if number == 3 else 0)
            if number == 0:
                events = [event for event in events if "reduce" not in event["name"]]
            for at in range(0, 1_500_000, 300_000):
                events += [span("c10d::allgather_", at + 250_000, 100),
                           span("gloo:all_gather", at + 250_100, 2000, cat="user_annotation", tid=8)]
            self.rank(number, events, host_name="node0", distributedInfo={"rank": number, "world_size": 4, "backend": "gloo"})
        for command in JOB:
            found = values(self.document(command))
            self.assertEqual(found["late_rank"], 3, (command, self.screen(command)[:1000]))
            self.assertAlmostEqual(found["late_per_step_ns"] / 1e6, 50, delta=2.5)

    def test_a_kind_of_collective_is_missing_in_some_steps(self):
        """Rank 0 lost the all-reduces of two steps of five, and has the gathers of all: who is late by how much is told of the other three."""
        for number in range(4):
            events = gloo_steps(late_us=50_000 if number == 3 else 0)
            if number == 0:
                events = [event for event in events if "reduce" not in event["name"] or event["ts"] < 900_000]
            for at in range(0, 1_500_000, 300_000):
                events += [span("c10d::allgather_", at + 250_000, 100),
                           span("gloo:all_gather", at + 250_100, 2000, cat="user_annotation", tid=8)]
            self.rank(number, events, host_name="node0", distributedInfo={"rank": number, "world_size": 4, "backend": "gloo"})
        for command in JOB:
            with self.subTest(command=command):
                found, screen = values(self.document(command)), self.screen(command)
                self.assertEqual((found["late_rank"], found["late_per_step_ns"] / 1e6), (3, 50), screen[:1000])
                self.assertIn("Rank 3 is late by 50.00 ms of a step of 300.00 ms", screen)
                self.assertIn("in 3 of 3 steps that could be compared, of 5.", screen)
                self.assertNotIn("late by up to as much", screen)
        row = rows_of(self.document(("ranks",)), "ranks")[3]
        self.assertEqual((row["compared_steps"], row["late_ns"], row["caused_per_step_ns"]), (3, 150_000_000, None))

    def test_a_process_died_before_it_wrote(self):
        """An empty file, and one that was written under another name: neither is a trace, and the rank is missing."""
        self.ranks(0, 1, 3)
        for name, text in (("rank2.json", ""), ("rank2.json", "{"), ("rank2.json.tmp", '{"traceEvents": [')):
            with self.subTest(name=name, text=text):
                path = os.path.join(self.job(), name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                self.check_told("of the job's 4 ranks 1 is missing: 2", "ranks_missing")
                for command in JOB:
                    said = " ".join(f'{warning["path"]} {warning["message"]}' for warning in self.document(command)["warnings"])
                    self.assertIn(name, said, command)
                self.check_late()
                os.unlink(path)

    def test_ranks_at_other_times(self):
        self.ranks(0, 1, 3)
        self.rank(2, rank_steps(steps=(50, 51, 52, 53)), epoch_us=EPOCH_US + 60_000_000)
        self.check_told("ranks recorded at other times, steps 5 to 8 (rank0.json) and 50 to 53 (rank2.json)", "other_times")
        self.check_late()

    def test_one_rank_of_a_host_at_another_time(self):
        """Its clock is that of the others, so that its collectives are others: the rest is answered, whichever rank it is."""
        for apart, moved_us in ((0, 60_000_000), (2, 3 * YEAR_US), (1, 7_000)):
            with self.subTest(apart=apart, moved_us=moved_us):
                for number in range(4):
                    self.rank(number, epoch_us=EPOCH_US + (moved_us if number == apart else 0), host_name="node0")
                self.check_late()
                for command in JOB:
                    doubts = [row["doubt"] for row in rows_of(self.document(command), "doubts")]
                    self.assertIn("other_times", doubts, command)

    def test_the_late_rank_is_missing(self):
        """What the others wait for is not called transfer: nothing tells it from that."""
        for number in range(3):
            self.rank(number, gloo_steps(), host_name="node0", distributedInfo={"rank": number, "world_size": 4, "backend": "gloo"})
        self.check_told("of the job's 4 ranks 1 is missing: 3", "ranks_missing", JOB)
        screen = self.screen(("summary",))
        self.assertIn("(communication or a late rank: some of those that meet are not compared)", screen)
        self.assertIn("Whether links or a late rank are the reason cannot be said", screen)
        self.assertNotIn("send less", screen)
        self.rank(3, gloo_steps(), host_name="node0", distributedInfo={"rank": 3, "world_size": 4, "backend": "gloo"})
        self.assertNotIn("not compared", self.screen(("summary",)))

    def test_no_two_ranks_at_one_time(self):
        for number in range(4):
            first = 5 + 10 * number
            self.rank(number, rank_steps(steps=range(first, first + 4)), epoch_us=EPOCH_US + 60_000_000 * number)
        self.check_told("ranks recorded at other times, steps 5 to 8 (rank0.json) and 15 to 18 (rank1.json)", "other_times")
        for command in JOB:
            self.assertIsNone(values(self.document(command))["late_rank"])

    def test_versions(self):
        for number in range(4):
            self.rank(number, pytorch_version="2.6.0" if number == 1 else "2.1.0")
        self.check_told("they record different versions of PyTorch, 2.1.0 (rank0.json) and 2.6.0 (rank1.json)", "ranks_differ")
        self.check_late()

    def test_vendors(self):
        for number in range(4):
            amd = number == 1
            self.rank(number, rank_steps(LATE_US if number == 3 else 0, vendor="hip" if amd else "cuda"),
                      deviceProperties=[{"id": 0, "name": "AMD Instinct MI300X" if amd else "NVIDIA A100-SXM4-40GB"}])
        self.check_told("they record different devices, NVIDIA A100-SXM4-40GB (rank0.json) and AMD Instinct MI300X (rank1.json)",
                        "ranks_differ")
        self.check_late()

    def test_settings(self):
        """Of the recorder, of NCCL and CUDA, and whether products of floats are rounded to TF32: in one line."""
        gemm = {"name": "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128"}
        for number in range(4):
            events = rank_steps(LATE_US if number == 3 else 0)
            if number == 1:
                events = [{**event, **gemm} if event["name"] == "sgemm_128x64" else event for event in events]
            self.rank(number, events, with_stack=int(number == 2), cuda_driver_version=12080 if number == 0 else 12040,
                      distributedInfo={"rank": number, "world_size": 4, "backend": "nccl",
                                       "nccl_version": "2.19.3" if number == 1 else "2.21.5"})
        self.check_told("the ranks' settings differ: nccl_version (2.21.5; 2.19.3 of 1, first of rank 1), driver_version (12040; 12080 of 1, "
                        "first of rank 0), float_products (fp32; tf32 of 1, first of rank 1), with_stack (off; on of 1, first of rank 2)",
                        "settings_differ")
        self.check_late()

    def test_several_jobs_in_a_folder(self):
        self.ranks(0, 1, 2, 3)
        self.rank(0, world=16, name="other.json")
        self.check_told("they record different world sizes", "several_models")

    def test_steps_that_nobody_marked(self):
        """They are found from one end of the optimizer to the next: the collective before the first is of no step."""
        for number in range(4):
            events = []
            for event in rank_steps(LATE_US if number == 3 else 0):
                if event["name"].startswith("ProfilerStep"):
                    event = span("Optimizer.step#SGD.step", event["ts"] + 3900, 50, cat="user_annotation")
                events.append(event)
            self.rank(number, events)
        self.check_late()
        for command in JOB:
            self.assertIn("in 3 of 3 steps", self.screen(command))

    # ---- clocks ----

    def test_a_clock_that_is_wrong_by_years(self):
        for number in range(4):
            self.rank(number, epoch_us=EPOCH_US + (3 * YEAR_US if number == 1 else 0), host_name=f"node{number}")
        self.check_told("rank0.json began 1095 days before rank1.json, or the clock of a host is wrong", "clocks")
        self.check_late()

    def test_a_clock_without_an_epoch(self):
        """It counts from the boot of its host: nobody can say when it was, and the collectives tell all the same."""
        for number in range(4):
            self.rank(number, epoch_us=123_456 if number == 1 else EPOCH_US, host_name=f"node{number}")
        self.check_late()

    def test_clocks_of_two_devices_of_a_host(self):
        """Those of rank 1's device and its host differ by 45 us, so that its kernels begin before they are launched."""
        for number in range(4):
            self.rank(number, rank_steps(LATE_US if number == 3 else 0, device_us=-75 if number == 1 else 0), host_name="node0")
        self.check_told("clocks of host and device differ in 1 of 4 traces: device work begins before its launch, up to 55 us early",
                        "clocks")
        self.check_late()

    def test_recorded_clocks_of_two_devices_of_a_host(self):
        path = shared_trace("multirank/torchrec_a2a_v100_w4")
        for command in JOB:
            rows = {row["doubt"]: row["what"] for row in rows_of(self.document(command, path), "doubts")}
            self.assertIn("device work begins before its launch", rows["clocks"])
            self.assertEqual(values(self.document(command, path))["late_rank"], 2)

    # ---- collectives ----

    def test_collectives_of_unknown_kinds(self):
        """Beside an all-reduce, which tells who is late; and alone, so that nobody can be said to be."""
        unknown = "ncclDevKernel_Rotate_f32_RING_LL(ncclDevKernelArgs)"
        for alone in (False, True):
            for number in range(4):
                late_us = LATE_US if number == 3 else 0
                events = rank_steps(late_us, kernel=unknown) if alone else rank_steps(late_us)
                for at in () if alone else range(3700, 16000, 4000):
                    events += [span("cudaLaunchKernel", at, 5, cat="cuda_runtime", correlation=5000 + at),
                               span(unknown, at + 10, 50, cat="kernel", pid=0, tid=20, correlation=5000 + at, device=0, stream=20)]
                self.rank(number, events)
            for command in JOB:
                with self.subTest(command=command, alone=alone):
                    said = [warning["message"] for warning in self.document(command)["warnings"]]
                    self.assertEqual(sum(f"4 of its collectives are of no known kind, as '{unknown}'" in one for one in said), 4, said)
                    self.assertIn("collectives are of no known kind, as 'ncclDevKernel_Rotate_f32_RING_LL(", self.screen(command))
                    if alone:
                        self.assertIn("Nobody can be said to be late: of the 4 collectives that several ranks have, none is known",
                                      self.screen(command))
            if not alone:
                self.check_late()

    def test_a_late_rank_may_hide_in_collectives_of_unknown_kinds(self):
        """Ranks come to a barrier together, since they have waited in what came before it: its kind is not known, so nothing is concluded."""
        for late_us, told in ((120_000, True), (0, False)):
            for number in range(4):
                events = gloo_steps(late_us=late_us if number == 3 else 0)
                for event in events:
                    event["name"] = event["name"].replace("all_reduce", "rotate").replace("allreduce", "rotate")
                for at in range(0, 1_500_000, 300_000):
                    events += [span("c10d::barrier", at + 260_000, 100),
                               span("gloo:barrier", at + 260_100, 2000, cat="user_annotation", tid=9)]
                self.rank(number, events, host_name="node0", distributedInfo={"rank": number, "world_size": 4, "backend": "gloo"})
            for command in JOB:
                with self.subTest(command=command, late_us=late_us):
                    screen = self.screen(command)
                    self.assertIsNone(values(self.document(command))["late_rank"])
                    self.assertEqual("Nobody can be said to be late: of the 10 collectives that several ranks have, 5 are of no known kind, "
                                     "so that nobody knows who waits in them. Ranks begin 95 % of these within 120.00 ms of each other."
                                     in screen, told, screen[:600])
                    self.assertEqual("No rank is late: they enter 95 % of their collectives within 0" in screen, not told)

    def test_a_rank_that_cannot_be_compared_comes_late(self):
        """Rank 3 runs 15 gathers that no other has beside 5 all-reduces that all have, and comes late to these."""
        for number in range(4):
            events = gloo_steps(late_us=50_000 if number == 3 else 0)
            for at in range(250_000, 1_500_000, 300_000) if number == 3 else ():
                for k in range(3):
                    events += [span("c10d::allgather_", at + 10_000 * k, 100),
                               span("gloo:all_gather", at + 10_000 * k + 100, 2000, cat="user_annotation", tid=8)]
            self.rank(number, events, host_name="node0", distributedInfo={"rank": number, "world_size": 4, "backend": "gloo"})
        for command in JOB:
            with self.subTest(command=command):
                self.assertIsNone(values(self.document(command))["late_rank"])
                self.assertIn("Nobody can be said to be late: rank 3 came late by 250.00 ms in all, but only 5 of its 20 collectives were "
                              "found on the others.", self.screen(command))

    def test_a_slow_gloo_link_and_equal_clocks(self):
        """Ranks 2 and 3 leave each all-reduce 19 and 41 ms before the others: no clock is wrong, and nobody is late."""
        for number, end_us in enumerate((0, 0, -19_000, -41_000)):
            self.rank(number, gloo_steps(end_us=end_us), host_name="node0",
                      distributedInfo={"rank": number, "world_size": 4, "backend": "gloo"})
        for command in JOB:
            with self.subTest(command=command):
                document = self.document(command)
                self.assertEqual(rows_of(document, "doubts"), [])
                self.assertIsNone(values(document)["late_rank"])
                self.assertIn("No rank is late by its own work: the link from rank 1 to rank 0 within host node0 is slow and takes 206.00 ms "
                              "of a step, as ranks leave a ring one after another; clocks are not moved.", self.screen(command))
        self.assertEqual([row["clock_offset_ns"] for row in rows_of(self.document(("ranks",)), "ranks")], [0, 0, 0, 0])
        self.assertIn("41", self.screen(("ranks",)))

    def test_groups_of_gloo_that_nothing_names(self):
        """Where groups of some ranks run, a collective of four may be two of two: that is told with whatever follows from it."""
        config = [{"pg_name": "0", "pg_size": 4, "ranks": [0, 1, 2, 3]}, {"pg_name": "1", "pg_size": 2}, {"pg_name": "3", "pg_size": 2}]
        for number in range(4):
            self.rank(number, grouped_steps(number), host_name="node0",
                      distributedInfo={"rank": number, "world_size": 4, "backend": "gloo", "pg_config": config})
        self.check_told("a rank is in 2 process groups of some ranks only, and gloo names none at its collectives", "groups_unnamed")
        for number in range(4):
            self.rank(number, grouped_steps(number), host_name="node0",
                      distributedInfo={"rank": number, "world_size": 4, "backend": "gloo", "pg_config": config[:1]})
        for command in JOB:
            self.assertNotIn("process groups", self.screen(command))

    def test_collectives_that_never_meet(self):
        """They look alike, but nobody was inside when others were: no transfer is blamed where it may be a late rank."""
        for number in range(4):
            self.rank(number, grouped_steps(number, pairs=1), host_name="node0",
                      distributedInfo={"rank": number, "world_size": 4, "backend": "gloo"})
        for command in JOB:
            with self.subTest(command=command):
                screen = self.screen(command)
                self.assertIn("Nobody can be said to be late: 20 collectives look alike on several ranks, but those were never inside at "
                              "once. They are of groups that are not recorded, or of other times.", screen)
                self.assertNotIn("send less", screen)

    # ---- sketches ----

    def test_a_sketch_of_another_version(self):
        """It is told by its path and its version; the other ranks are answered, and its rank is missing."""
        self.ranks(0, 1, 2, 3)
        sketches = os.path.join(self.folder, "sketches")
        self.assertEqual(steptime("summary", "--save", sketches, self.job(), "--format", "json").code, OK)
        path = os.path.join(sketches, "rank1.sketch")
        with open(path, "wb") as file:
            file.write(b"\x93steptime sketch\n\x63 anything")
        for command in SPREAD:
            with self.subTest(command=command):
                outcome = steptime(command, sketches, "--format", "json")
                self.assertEqual(outcome.code, OK, outcome.err)
                said = [f'{warning["path"]}: {warning["message"]}' for warning in outcome.json["warnings"]]
                self.assertTrue(any(os.path.basename(path) in one and "version" in one for one in said), said)
                self.assertTrue(any("1 is missing: 1" in one for one in said), said)
                self.assertEqual(values(outcome.json)["late_rank"], 3)
                if HAS_MPI:
                    self.assertEqual(steptime_mpi(2, command, sketches, "--format", "json")[1], outcome.out)
        self.assertIn("a sketch of one", steptime("fleet", "stragglers", sketches).err)

    # ---- ranks twice ----

    def test_a_rank_is_doubled(self):
        """The same file under another name: told, and it hides nobody."""
        self.ranks(0, 1, 2, 3)
        with open(os.path.join(self.job(), "rank1.json"), "rb") as file, open(os.path.join(self.job(), "rank1_again.json"), "wb") as copy:
            copy.write(file.read())
        self.check_told("records rank 1, as", "ranks_doubled")
        self.check_late()
