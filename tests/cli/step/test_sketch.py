# SPDX-License-Identifier: Apache-2.0
"""`summary --save`: from sketches `summary`, `critical-path` and `ranks` say what they say of the traces, to the nanosecond,
and name what they do not hold; what is no sketch, or is of another version, is refused by name."""
import os
import tempfile
import unittest

from support import INPUT, OK, OUTPUT, USAGE, shared_trace, steptime, training_steps, write_trace
from planted.jobs import JOBS
from planted.truth import write
from test_ranks import LATE_US, Case

COMMANDS = ("summary", "critical-path", "ranks")
MAGIC = b"\x93steptime sketch\n"


class Sketches(Case):
    def save(self, *traces):
        sketches = os.path.join(self.folder, "sketches")
        outcome = steptime("summary", "--save", sketches, "--format", "json", *traces)
        self.assertEqual(outcome.code, OK, outcome.err)
        return sketches

    def numbers(self, *inputs, command="ranks"):
        """What the command says, but for the names of the files and what stands only in traces."""
        outcome = steptime(command, "--format", "json", *inputs)
        self.assertEqual(outcome.code, OK, outcome.err)
        document = outcome.json
        del document["inputs"], document["warnings"]
        for section in document["sections"]:
            section["tables"] = [table for table in section["tables"] if table["id"] != "path"]
        for finding in document["findings"]:
            for place in ("events", "file", "line"):
                finding.pop(place, None)
        return document

    def check_same(self, *traces):
        sketches = self.save(*traces)
        for command in COMMANDS:
            self.assertEqual(self.numbers(sketches, command=command), self.numbers(*traces, command=command), command)
        return sketches

    def refused(self, code, words, *arguments):
        outcome = steptime(*arguments)
        self.assertEqual(outcome.code, code, outcome.err)
        self.assertIn(words, outcome.err)


class Same(Sketches):
    def test_a_planted_straggler(self):
        base = 1_711_964_646_000_000_000
        sketches = self.check_same(self.plant([0, LATE_US, 0, 0], shift_us=[0, -2_500_000, 7, 0], hosts=list("abcd"),
                                              bases=[base, base + 2_500_000_000, base - 7_000, base]))
        self.assertEqual(sorted(os.listdir(sketches)), [f"rank{rank}.sketch" for rank in range(4)])

    def test_ranks_that_record_nothing_but_their_order(self):
        paths = [write_trace(os.path.join(self.folder, name), training_steps(3)) for name in ("a.json", "b.json")]
        sketches = self.check_same(*paths)
        self.assertEqual(sorted(os.listdir(sketches)), ["a-0.sketch", "b-1.sketch"])

    def test_chosen_steps(self):
        traces = self.plant([0, LATE_US])
        sketches = os.path.join(self.folder, "sketches")
        steptime("summary", "--save", sketches, "--steps", "1..2", traces)
        for command in COMMANDS:
            self.assertEqual(self.numbers(sketches, command=command), self.numbers("--steps", "1..2", traces, command=command))

    def test_traces_and_sketches_of_one_job(self):
        traces = self.plant([0, LATE_US, 0])
        sketches = self.save(traces)
        mixed = [os.path.join(sketches, "rank0.sketch"), os.path.join(traces, "worker1.json"),
                 os.path.join(sketches, "rank2.sketch")]
        for command in COMMANDS:
            self.assertEqual(self.numbers(*mixed, command=command), self.numbers(traces, command=command))

    def test_sketches_made_apart_are_put_together(self):
        traces = self.plant([0, LATE_US])
        for rank in range(2):
            sketches = self.save(os.path.join(traces, f"worker{rank}.json"))
        self.assertEqual(self.numbers(sketches), self.numbers(traces))

    def test_real_jobs(self):
        for name in ("torchrec_a2a_v100_w4", "torchrec_a2a_opt4_v100_w4", "torchrec_log_resnet18_w2", "param_dlrm_v100_w8"):
            with self.subTest(name):
                self.check_same(shared_trace(f"multirank/{name}"))
                self.setUp()

    def test_planted_jobs(self):
        """Each cause once: the words of causes, their places and their habits go through. What is said of doubled ranks
        names the files."""
        for name, job in JOBS.items():
            if name.startswith(("late_", "bound_", "link_", "stages_", "slower_")) and "doubled" not in name:
                with self.subTest(name), tempfile.TemporaryDirectory() as self.folder:
                    write(job, self.folder)
                    self.check_same(*[os.path.join(self.folder, file) for file in sorted(os.listdir(self.folder))
                                      if file.endswith(".json.gz")])

    def test_the_screen_says_what_is_not_in_sketches(self):
        traces = self.plant([0, LATE_US])
        sketches = self.save(traces)
        for command, words in (("summary", "Sketches hold the largest operators and kernels of a rank, not the small ones"),
                               ("critical-path", "Of sketches the stretches of the path are not told")):
            of_traces, of_sketches = (" ".join(steptime(command, inputs).out.split()) for inputs in (traces, sketches))
            self.assertIn(words, of_sketches)
            self.assertNotIn(words, of_traces)

    def test_real_traces_take_less_than_4_KB_a_step(self):
        """404 collectives a step; and 6 KB once, for operators, kernels and names of the path."""
        path = shared_trace("kineto/hta_df_index_resolver_w2r1.json.gz")
        sketches = self.check_same(path)
        name, = os.listdir(sketches)
        self.assertLess(os.path.getsize(os.path.join(sketches, name)), 5 * 4096 + 6 * 1024)

    def test_what_was_wrong_with_the_trace_is_told_again(self):
        path = write_trace(os.path.join(self.folder, "rank0.json"), training_steps(3))
        with open(path, "rb+") as file:
            file.truncate(os.path.getsize(path) - 40)
        told = steptime("ranks", "--format", "json", self.save(path)).json["warnings"]
        self.assertTrue(any(warning["message"].startswith("of its trace") for warning in told), told)


class Settings(Sketches):
    def differ(self, *inputs):
        return {command: [warning["message"] for warning in steptime(command, "--format", "json", *inputs).json["warnings"]
                          if "settings differ" in warning["message"]] for command in COMMANDS}

    def test_settings_that_differ_between_ranks_are_named(self):
        for rank in range(4):
            more = {"distributedInfo": {"backend": "gloo" if rank == 2 else "nccl", "rank": rank, "world_size": 4}}
            if rank in (1, 3):
                more["with_stack"] = 1
            write_trace(os.path.join(self.folder, f"rank{rank}.json"), training_steps(3), **more)
        said = ["the ranks' settings differ: backend (nccl; gloo of 1, first of rank 2), "
                "with_stack (off; on of 2, first of rank 1)"]
        sketches = self.save(self.folder)
        self.assertEqual(self.differ(self.folder), {command: said for command in COMMANDS})
        self.assertEqual(self.differ(sketches), {command: said for command in COMMANDS})

    def test_of_more_values_than_four_the_rest_are_counted(self):
        for rank, backend in enumerate(("nccl", "nccl", "a", "b", "c", "d", "e")):
            write_trace(os.path.join(self.folder, f"rank{rank}.json"), training_steps(3),
                        distributedInfo={"backend": backend, "rank": rank, "world_size": 7})
        said = ["the ranks' settings differ: backend (nccl; a of 1, first of rank 2; b of 1, first of rank 3; "
                "c of 1, first of rank 4; others of 2)"]
        self.assertEqual(self.differ(self.folder), {command: said for command in COMMANDS})

    def test_equal_settings_are_not(self):
        traces = self.plant([0, 0])
        self.assertEqual(self.differ(self.save(traces)), {command: [] for command in COMMANDS})


class Refused(Sketches):
    def test_commands_that_want_the_trace(self):
        sketch = os.path.join(self.save(self.plant([0])), "rank0.sketch")
        for command in ("breakdown", "kernels", "info"):
            with self.subTest(command):
                self.refused(INPUT, "is not a trace but a sketch of one", command, sketch)

    def test_steps_of_a_sketch(self):
        sketches = self.save(self.plant([0]))
        for steps in (["--steps", "1"], ["--skip-warmup"]):
            self.refused(INPUT, "choose steps where it is made", "ranks", *steps, sketches)

    def test_sizes_that_are_none(self):
        for size in ("1023", "-1", "all", ""):
            self.refused(USAGE, "--sketch-bytes takes a number from 1024, or 'any'", "summary", "--sketch-bytes", size,
                         self.plant([0]))

    def test_options_that_want_the_trace(self):
        sketch = os.path.join(self.save(self.plant([0])), "rank0.sketch")
        self.refused(INPUT, "--compile-log wants the trace", "summary", "--compile-log", self.folder, sketch)
        for command in ("summary", "critical-path"):
            self.refused(INPUT, "--explain verdict wants the trace", command, "--explain", "verdict", sketch)
        self.refused(INPUT, "--overlay wants the trace", "critical-path", "--overlay",
                     os.path.join(self.folder, "overlay.json"), sketch)

    def test_another_version(self):
        path = os.path.join(self.folder, "rank0.sketch")
        with open(path, "wb") as file:
            file.write(MAGIC + b"\x63 anything")
        self.refused(INPUT, "is a sketch of version 99, and this program reads version 5", "ranks", path)

    def test_a_section_of_a_later_program_is_passed_over(self):
        seeds = os.path.join(os.path.dirname(__file__), "..", "..", "fuzz", "corpus", "sketch")
        for folder, more in (("as_is", b""), ("later", b"\x63\x03abc")):
            os.mkdir(os.path.join(self.folder, folder))
            for rank in range(2):
                with open(os.path.join(seeds, f"planted{rank}"), "rb") as seed:
                    whole = seed.read()
                with open(os.path.join(self.folder, folder, f"rank{rank}.sketch"), "wb") as file:
                    file.write(whole + more)
        for command in COMMANDS:
            self.assertEqual(self.numbers(os.path.join(self.folder, "later"), command=command),
                             self.numbers(os.path.join(self.folder, "as_is"), command=command))

    def test_a_sketch_without_a_section_is_refused_by_what_it_lacks(self):
        with open(os.path.join(self.folder, "rank0.sketch"), "wb") as file: # nothing but the trace's name and its job
            file.write(MAGIC + b"\x05\x01a\x01b" + bytes(9) + b"\x01\x00")
        self.refused(INPUT, "sketch", "summary", file.name)

    def test_a_sketch_that_breaks_off_or_is_damaged(self):
        path = os.path.join(self.save(self.plant([0])), "rank0.sketch")
        with open(path, "rb") as file:
            whole = file.read()
        for damaged, words in ((whole[:-1], "the zstd data breaks off"), (whole[:-9] + b"\x55" + whole[-8:], "damaged"),
                               (MAGIC + b"\x05", "is a damaged sketch"), (MAGIC, "is a damaged sketch")):
            with open(path, "wb") as file:
                file.write(damaged)
            self.refused(INPUT, words, "ranks", path)

    def test_sketches_among_the_traces(self):
        traces = self.plant([0, 0])
        self.refused(USAGE, "would put the sketches among the traces", "summary", "--save", traces, traces)
        self.assertEqual(len(os.listdir(traces)), 2)

    def test_a_place_that_cannot_be_written(self):
        path = write_trace(os.path.join(self.folder, "rank0.json"), training_steps(3))
        self.refused(OUTPUT, "cannot make this directory", "summary", "--save", os.path.join(path, "in"), path)


if __name__ == "__main__":
    unittest.main()
