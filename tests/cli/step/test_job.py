# SPDX-License-Identifier: Apache-2.0
"""One answer for a job: every command names the same late rank, bound and reason, and they are what was planted."""
import os
import tempfile
import unittest

import support
from planted import compare, real
from planted.jobs import JOBS, LATE, LINKS, NONE, PIPELINES, SLOWER
from planted.run import COMMANDS
from planted.truth import truth, write

COMPARED = ("bound", "rank", "ns", "phase", "kind", "when")
# Of the others nothing was recorded but the operator or range that is long, which is named instead.
ALSO_CAUSE = ("sleep", "compilation", "checkpoint", "logging", "module_loading", "loading_single", "loading_workers", "gc",
              "allocator_retry", "caching_off", "compute_slower", "sequence_lengths")


def values(document):
    return {value["id"]: value["value"] for section in document["sections"] for value in section["values"]}


def answers(folder):
    traces = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".json.gz"))
    return {name: support.steptime(*words, "--format", "json", *traces).json for name, words in COMMANDS.items()}


class JobTest(unittest.TestCase):
    def said(self, job):
        with tempfile.TemporaryDirectory() as folder:
            write(job, folder)
            return answers(folder)

    def check(self, about, documents, compared=COMPARED):
        found = [each for each in compare.check(about, documents) if each.what in compared]
        self.assertTrue(found)
        for each in found:
            self.assertTrue(each.right, f"{about['name']}, {each.command}: {each.what} {each.said}, not {each.wanted}")

    def agree(self, documents):
        """Not by chance: all of them say the very same."""
        for name in ("late", "late_rank", "late_per_step_ns", "late_cause", "late_phase", "late_kind", "verdict_bound"):
            said = {command: values(document).get(name, "nothing") for command, document in documents.items()}
            self.assertEqual(len(set(said.values())), 1, (name, said))

    def test_a_late_rank_is_named_alike_by_all(self):
        for job in LATE:
            with self.subTest(job.name):
                documents = self.said(job)
                self.check(truth(job), documents)
                if job.cause in ALSO_CAUSE:
                    self.check(truth(job), {"summary": documents["summary"]}, ("cause",))
                self.agree(documents)
                self.assertEqual(values(documents["summary"])["bound"], "late rank")

    def test_steps_whose_collectives_are_missing_are_told(self):
        """The cause comes in each step, and the ranks are seen to wait for it in some."""
        for name in ("every_third_gone_4", "every_third_gone_gc_5"):
            with self.subTest(name):
                said = {command: values(document)["late"] for command, document in self.said(JOBS[name]).items()
                        if "late" in values(document)}
                self.assertEqual(len(set(said.values())), 1)
                self.assertRegex(said["summary"], r"in [24] of 6 steps\. That takes (100|80)\.\d+ ms in every step: in the others the "
                                 "collective in which the ranks waited for it is not recorded, so it is late by up to as much\\.")

    def test_more_than_the_late_time_is_explained(self):
        for name, more in (("every_third_gone_4", True), ("late_forward_2", False)):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                write(JOBS[name], folder)
                screen = " ".join(support.steptime("summary", folder).out.split())
                self.assertIn("Why the late rank is late", screen)
                self.assertEqual("more than it is late by" in screen, more)

    def test_of_one_step_nothing_is_counted(self):
        path = support.shared_trace("multirank/param_dlrm_v100_w8")
        self.assertRegex(values(support.steptime("summary", "--format", "json", path).json)["late"], r"of it, in the one step\.$")

    def test_the_steps_between_have_a_late_rank_beside(self):
        """The messages of these files, put in order by hand with the work of rank 2 at 0.4: 29.9 ms a step are saved, not its 43."""
        said = values(answers(os.path.join(real.FOLDER, "stages"))["summary"])["verdict"]
        self.assertRegex(said, r"The others are compute-bound: .* nearly as much: late rank\. .* nobody late -(28|29|30) %")

    def test_a_slower_rank_is_told_from_one_that_was_given_more(self):
        for job in SLOWER:
            if job.cause in ALSO_CAUSE:
                with self.subTest(job.name):
                    documents = self.said(job)
                    self.check(truth(job), {"summary": documents["summary"]}, COMPARED + ("cause",))
                    self.agree(documents)

    def test_a_slow_link_makes_nobody_late(self):
        for job in [JOBS["slow_link_between_nodes_8"], JOBS["slow_link_in_node_8"]] + LINKS:
            with self.subTest(job.name):
                documents = self.said(job)
                self.check(truth(job), documents, COMPARED + ("cause", "when", "where"))
                self.agree(documents)
                self.assertIn("No rank is late by its own work", values(documents["ranks"])["late"])

    def test_a_recorded_ring_names_who_sends_over_the_slow_link(self):
        said = values(answers(os.path.join(real.FOLDER, "slow_link"))["ranks"])
        self.assertIn("the link from rank 1 to rank 0 within host example is slow", said["late"])
        self.assertIn("clocks are not moved", said["late"])

    def test_the_longest_stage_of_a_pipeline_is_named(self):
        for job in PIPELINES + [JOBS["stage_imbalance_4"]]:
            with self.subTest(job.name):
                documents = self.said(job)
                self.check(truth(job), documents, COMPARED + (("cause",) if job.kind == "stage_imbalance" else ()))
                self.agree(documents)

    def test_devices_of_one_host_have_clocks_of_their_own(self):
        documents = self.said(JOBS["device_clock_40_us_2"])
        self.check(truth(JOBS["device_clock_40_us_2"]), documents, COMPARED + ("doubts",))
        self.assertLess(abs(values(documents["ranks"])["largest_offset_ns"] - 40_000), 2_000)
        rank = compare.rows(documents["ranks"], "ranks")[1]
        self.assertGreater(rank["device_clock_low_ns"], 30_000)
        self.assertLess(rank["device_clock_high_ns"], 50_000)

    def test_a_doubled_rank_hides_nothing(self):
        for name in ("rank_doubled_2", "rank_doubled_4", "late_rank_doubled_8"):
            with self.subTest(name):
                documents = self.said(JOBS[name])
                self.check(truth(JOBS[name]), documents, COMPARED + ("doubts",))
                self.agree(documents)

    def test_nobody_is_blamed_for_nothing(self):
        for job in NONE + [JOBS["bound_communication"]]:
            with self.subTest(job.name):
                documents = self.said(job)
                self.check(truth(job), documents, ("bound", "rank"))
                self.agree(documents)
                self.assertNotIn("SM120", [finding["rule"] for finding in documents["summary"]["findings"]])

    def test_recorded_jobs_name_their_late_rank(self):
        for about in real.truths():
            with self.subTest(about["name"]):
                documents = answers(about["folder"])
                self.agree(documents)
                late = about["rank"] is not None
                also = ("bound", "phase", "kind") if late else ()
                self.check(about, documents, ("rank",) + also)
                self.check(about, {"ranks": documents["ranks"]}, ("rank", "ns"))

    def test_backward_of_one_of_four_with_equal_steps(self):
        """The case that cannot be seen in the times of steps: 200 ms in backward of rank 1, and all ranks take the same."""
        documents = self.said(JOBS["late_backward_4"])
        self.assertEqual(values(documents["ranks"])["late_rank"], 1)
        for command in ("summary", "critical-path", "ranks", "stragglers"):
            self.assertEqual(values(documents[command])["late"], "Rank 1 is late by 200.00 ms of a step of 202.99 ms: backward / "
                             "LateBackward (what was not recorded), in 6 of 6 steps.")
        findings = documents["summary"]["findings"]
        self.assertEqual(findings[0]["rule"], "SM120")
        self.assertNotIn("SM105", [finding["rule"] for finding in findings])


if __name__ == "__main__":
    unittest.main()
