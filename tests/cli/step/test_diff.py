# SPDX-License-Identifier: Apache-2.0
"""steptime diff: planted changes are found and named, chance is not, and the pairs of real traces have their true causes."""
import json
import os
import random
import re
import tempfile
import unittest

import plant
from support import JUDGED, OK, USAGE, own_sections, rows_of, shared_trace, steptime, values

STEPS = 10
WORKERS = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
# What a step is made of, in microseconds of the host and of the device.
BASE = {"loader": plant.LOADER, "loading": 300, "mm": 800, "relu": 300, "copy": 400, "memory": "Pinned", "python": 200,
        "blocked": 100, "launching": 50, "framework": 150, "nccl": 200, "half": False, "more": 0, "compiles": 0}


def training(seed, path, jitter=0.01, steps=STEPS, rank=0, world=1, device=0, **changed):
    """A trace of steps that differ by chance, and by what is changed."""
    size = {**BASE, **changed}
    draw = random.Random(seed)
    scene = plant.Plant(rank=rank, world=world, device=device)

    def about(us):
        return us * (1 + draw.uniform(-jitter, jitter))

    at = 0.0
    for step in range(steps):
        begin = at
        loading, python, framework = (about(size[key]) for key in ("loading", "python", "framework"))
        scene.annotation(size["loader"], at, loading)
        at += loading
        scene.work(at + 5, about(size["copy"]), launch=at, launch_dur=4, name=f"Memcpy HtoD ({size['memory']} -> Device)",
                   cat="gpu_memcpy", bytes=4_000_000)
        at += size["copy"] + 10 + python
        for name, kernel in (("aten::mm", size["mm"]), ("aten::relu", size["relu"])) + (
                (("aten::sort", size["more"]),) if size["more"] else ()):
            kernel = about(kernel)
            scene.host(name, at, framework + size["launching"] + 2)
            half = "h16816gemm_fp16" if size["half"] and name == "aten::mm" else "ampere_sgemm_128x64"
            scene.work(at + framework + size["launching"], kernel, launch=at + framework,
                       launch_dur=size["launching"], name=half)
            at += framework + size["launching"] + kernel
        nccl = about(size["nccl"])
        scene.work(at + 5, nccl, launch=at, launch_dur=4, name=plant.NCCL, stream=20)
        at += 5 + nccl
        if size["blocked"]:
            blocked = about(size["blocked"])
            scene.call("cudaStreamSynchronize", at, blocked)
            at += blocked
        scene.work(at + 2, 5, launch=at, launch_dur=2, name="last")
        at += 10
        scene.step(step, begin, at - begin - 0.01)
    return scene.write(path)


# What is changed, the cause that must stand in the first line, and a word that must.
CHANGES = [
    ({"loading": 1500}, "data_loading", "data loading +"),
    ({"loading": 700}, "data_loading", "in the training loop, on both sides"),
    ({"loading": 1500, "loader": WORKERS}, "data_loading", "worker processes"),
    ({"mm": 1600}, "compute", "aten::mm"),
    ({"relu": 700}, "compute", "aten::relu"),
    ({"mm": 400, "half": True}, "compute", "fewer bits"),
    ({"more": 500}, "compute", "aten::sort"),
    ({"copy": 1200, "memory": "Pageable"}, "copies", "pageable memory now, pinned before"),
    ({"copy": 900}, "copies", "copies +"),
    ({"blocked": 900}, "host_blocked", "cudaStreamSynchronize"),
    ({"blocked": 500}, "host_blocked", "host blocked +"),
    ({"python": 1100}, "host", "'between operators'"),
    ({"framework": 700}, "host", "'framework'"),
    ({"launching": 500}, "host", "'launching'"),
    ({"nccl": 900}, "communication", "communication +"),
    ({"nccl": 600}, "communication", "communication +"),
    ({"relu": 50}, "compute", "aten::relu"),
    ({"copy": 50}, "copies", "copies -"),
    ({"python": 20, "framework": 50}, "host", "host work -"),
    ({"loading": 20}, "data_loading", "data loading -"),
    ({"nccl": 20}, "communication", "communication -"),
]


class Diff(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def diff(self, *arguments, code=OK):
        outcome = steptime("diff", "--format", "json", *arguments)
        self.assertEqual(outcome.code, code, outcome.err)
        return outcome.json

    def first_line(self, *arguments):
        outcome = steptime("diff", *arguments)
        self.assertEqual(outcome.code, OK, outcome.err)
        text = outcome.out.split("-- What changed", 1)[1].split("\n", 1)[1].split("\n\n", 1)[0]
        return " ".join(text.split())


class Planted(Diff):
    def test_each_change_is_named(self):
        training(1, self.path("before.json"))
        for i, (change, cause, word) in enumerate(CHANGES):
            with self.subTest(change=change):
                training(100 + i, self.path("after.json"), **change)
                found = values(self.diff(self.path("before.json"), self.path("after.json")))
                self.assertEqual((found["answer"], found["cause"]), ("changed", cause))
                self.assertIn(word, self.first_line(self.path("before.json"), self.path("after.json")))

    def test_the_other_way_round(self):
        training(1, self.path("before.json"), loading=1500)
        training(2, self.path("after.json"), loading=1500 / 10, loader=WORKERS)
        line = self.first_line(self.path("before.json"), self.path("after.json"))
        self.assertIn("it left the training loop for worker processes", line)
        line = self.first_line(self.path("after.json"), self.path("before.json"))
        self.assertIn("it moved from worker processes into the training loop", line)

    def test_two_programs(self):
        training(1, self.path("before.json"))
        with open(self.path("before.json"), encoding="utf-8") as written:
            text = written.read().replace("aten::", "other::")
        with open(self.path("after.json"), "w", encoding="utf-8") as out:
            out.write(text)
        self.assertIn("these may be two programs", self.first_line(self.path("before.json"), self.path("after.json")))

    def test_chance_is_no_change(self):
        told = 0
        for seed in range(50):  # halves of what one program does
            for name, shift in (("before.json", 0), ("after.json", 1000)):
                training(seed + shift, self.path(name), jitter=0.04, steps=6 + seed % 5)
            told += values(self.diff(self.path("before.json"), self.path("after.json")))["answer"] != "unchanged"
        self.assertLessEqual(told, 2)  # of 50: silent in 95 %

    def test_halves_of_one_trace(self):
        training(7, self.path("trace.json"), steps=20)
        found = values(self.diff(self.path("trace.json"), self.path("trace.json"), "--steps", "0..9", "--steps-after", "10..19"))
        self.assertEqual((found["answer"], found["steps_before"], found["steps_after"]), ("unchanged", 10, 10))

    def test_kinds_sum_to_the_step(self):
        training(1, self.path("before.json"))
        training(2, self.path("after.json"), mm=1600, loading=20)
        document = self.diff(self.path("before.json"), self.path("after.json"))
        found, rows = values(document), rows_of(document, "kinds")
        for side in ("before_ns", "after_ns"):
            self.assertAlmostEqual(sum(row[side] for row in rows), found["step_" + side], delta=len(rows))

    def test_a_renamed_kernel_is_no_change(self):
        training(1, self.path("before.json"))
        with open(self.path("before.json"), encoding="utf-8") as written:
            text = written.read().replace("ampere_sgemm_128x64", "sm90_sgemm_64x64")
        with open(self.path("after.json"), "w", encoding="utf-8") as out:
            out.write(text)
        self.assertEqual(values(self.diff(self.path("before.json"), self.path("after.json")))["answer"], "unchanged")


class Markdown(Diff):
    def test_names_are_text_and_tables_hold_together(self):
        training(1, self.path("before.json"))
        training(2, self.path("after.json"), mm=1600)
        with open(self.path("after.json"), encoding="utf-8") as written:
            text = written.read().replace("aten::relu", "a|b `</details><script>alert(1)</script>` **x** [l](u)\\n# h")
        with open(self.path("after.json"), "w", encoding="utf-8") as out:
            out.write(text)
        outcome = steptime("diff", "--format", "markdown", self.path("before.json"), self.path("after.json"))
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertIn("### What changed\n", outcome.out)
        self.assertNotIn("<script>", outcome.out)
        self.assertEqual(outcome.out.count("<details>"), outcome.out.count("</details>"))
        rows = [re.sub(r"\\.", "", line) for line in outcome.out.splitlines() if line.startswith("|")]
        self.assertGreater(len(rows), 6)
        for table in "\n".join(line if line.startswith("|") else "" for line in outcome.out.splitlines()).split("\n\n"):
            bars = {re.sub(r"\\.", "", line).count("|") for line in table.split("\n") if line}
            self.assertLessEqual(len(bars), 1, table)  # every row of a table has as many cells


class Gate(Diff):
    def test_it_fails_on_what_is_proven(self):
        training(1, self.path("before.json"))
        training(2, self.path("after.json"), mm=1600)
        before, after = self.path("before.json"), self.path("after.json")
        self.assertEqual(values(self.diff("--fail-over", "5%", before, after, code=JUDGED))["fails"], "yes")
        self.assertEqual(values(self.diff("--fail-over", "5", after, before))["fails"], "no")
        self.diff("--fail-over", "900%", before, after)

    def test_too_few_steps_fail_nothing(self):
        for steps in (1, 3):
            training(1, self.path("before.json"), steps=steps)
            training(2, self.path("after.json"), steps=steps, mm=1600)
            found = values(self.diff("--fail-over", "5%", self.path("before.json"), self.path("after.json")))
            self.assertEqual((found["answer"], found["fails"]), ("untested", "no"))
            self.assertIn("no test", self.first_line(self.path("before.json"), self.path("after.json")))
        training(1, self.path("before.json"), steps=1)
        training(2, self.path("after.json"), steps=6, mm=1600)
        self.assertIn("1 and 6 steps: no test", self.first_line(self.path("before.json"), self.path("after.json")))

    def test_few_steps_are_no_ground_for_no_change(self):
        for steps in (2, 3):
            training(1, self.path("before.json"), steps=steps, jitter=0.1)
            training(2, self.path("after.json"), steps=steps, jitter=0.1, mm=1000)
            found = values(self.diff("--fail-over", "5", self.path("before.json"), self.path("after.json")))
            self.assertEqual((found["answer"], found["fails"]), ("untested", "no"))

    def test_it_holds_where_the_change_would_have_shown(self):
        training(1, self.path("before.json"))
        training(2, self.path("after.json"))
        found = values(self.diff("--fail-over", "5", "--fail-unsure", self.path("before.json"), self.path("after.json")))
        self.assertEqual((found["answer"], found["gate"], found["fails"]), ("unchanged", "holds", "no"))
        self.assertLess(found["shows_share"], 0.05)
        self.assertRegex(self.first_line(self.path("before.json"), self.path("after.json")), r"^no change: .*; \d\.\d % or more would have shown")

    def test_it_cannot_tell_where_steps_differ_by_more(self):
        training(1, self.path("before.json"), jitter=0.5)
        training(2, self.path("after.json"), jitter=0.5)
        sides = (self.path("before.json"), self.path("after.json"))
        found = values(self.diff("--fail-over", "5", *sides))
        self.assertEqual((found["answer"], found["gate"], found["fails"]), ("unchanged", "cannot_tell", "no"))
        self.assertGreater(found["shows_share"], 0.05)
        self.diff("--fail-over", "5", "--fail-unsure", *sides, code=JUDGED)
        self.diff("--fail-over", "90", "--fail-unsure", *sides)
        said = re.search(r"The gate cannot tell: of these steps only \d+(\.\d)? % or more would show, not 5 %\. Record at least (\d+) steps a side",
                         " ".join(steptime("diff", "--fail-over", "5", *sides).out.split()))
        steps = int(said[2])
        self.assertGreater(steps, STEPS)
        for seed, name in enumerate(sides):  # so many do
            training(10 + seed, name, jitter=0.5, steps=steps + steps // 4)
        self.assertEqual(values(self.diff("--fail-over", "5", "--fail-unsure", *sides))["gate"], "holds")

    def test_of_one_step_a_side_no_number_of_steps_is_said(self):
        """Nothing is known of what its steps differ by; and what asks for a gate names one."""
        for seed, name in enumerate(("before.json", "after.json")):
            training(seed, self.path(name), steps=1)
        sides = self.path("before.json"), self.path("after.json")
        self.assertTrue(self.first_line(*sides).endswith("; too few steps for any test"), self.first_line(*sides))
        refused = steptime("diff", "--fail-unsure", *sides)
        self.assertEqual(refused.code, USAGE)
        self.assertIn("--fail-over 5%", refused.err)

    def test_a_large_difference_of_few_steps_is_not_silenced(self):
        for steps in (3, 4, 6):
            training(1, self.path("before.json"), steps=steps, jitter=0.6)
            training(2, self.path("after.json"), steps=steps, jitter=0.6, mm=1900)
            found = values(steptime("diff", "--format", "json", "--fail-over", "5", self.path("before.json"), self.path("after.json")).json)
            self.assertGreater(found["change_share"], 0.1)
            self.assertIn(found["answer"], ("untested",) if steps < 4 else ("unproven", "changed", "part_changed"))
            if found["answer"] in ("untested", "unproven"):
                self.assertEqual(found["gate"], "cannot_tell")
                self.assertRegex(self.first_line(self.path("before.json"), self.path("after.json")), r"\d+ steps a side would do")

    def test_what_drifts_within_a_side_proves_nothing(self):
        def drifting(path, seed, begin):
            scene, at, draw = plant.Plant(), 0.0, random.Random(seed)
            for step in range(20):
                took = 1000 * (1 + begin + step / 100) + draw.uniform(-2, 2)
                scene.host("aten::mm", at, took - 50)
                scene.work(at + 20, took - 40, launch=at + 10, launch_dur=5)
                scene.step(step, at, took - 0.01)
                at += took
            scene.write(path)
        drifting(self.path("before.json"), 1, 0)
        drifting(self.path("after.json"), 2, 0.08)  # each side rises by a fifth
        found = values(self.diff(self.path("before.json"), self.path("after.json")))
        self.assertLess(max(found["p_mean"], found["p_rank"]), 0.05)
        self.assertEqual(found["answer"], "unchanged")
        drifting(self.path("after.json"), 2, 0.5)
        self.assertEqual(values(self.diff(self.path("before.json"), self.path("after.json")))["answer"], "changed")

    def test_a_recording_is_no_step(self):
        training(1, self.path("before.json"))
        with open(self.path("before.json"), encoding="utf-8") as written:
            events = json.load(written)
        first = min(event["ts"] for event in events["traceEvents"] if event.get("name") == "ProfilerStep#0")
        events["traceEvents"] = [event for event in events["traceEvents"] if not event.get("name", "").startswith("ProfilerStep")
                                 and event.get("ts", 0) < first + 2000]
        with open(self.path("after.json"), "w", encoding="utf-8") as out:
            json.dump(events, out)
        found = values(self.diff("--fail-over", "5", self.path("before.json"), self.path("after.json")))
        self.assertEqual((found["answer"], found["cause"], found["fails"]), ("not_compared", None, "no"))
        self.assertIn("the second side marks no steps", self.first_line(self.path("before.json"), self.path("after.json")))

    def test_a_file_that_breaks_off_is_no_ground(self):
        training(1, self.path("before.json"), steps=20)
        training(2, self.path("after.json"), steps=20, mm=1600)
        with open(self.path("after.json"), encoding="utf-8") as written:
            text = written.read()
        with open(self.path("after.json"), "w", encoding="utf-8") as out:
            out.write(text[:len(text) * 3 // 4])
        outcome = steptime("diff", "--fail-over", "5", self.path("before.json"), self.path("after.json"))
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertIn("A file of the second side breaks off", outcome.out)
        self.assertIn("The gate cannot tell: a file breaks off", outcome.out)
        lines = outcome.out.split("-- What changed", 1)[1].splitlines()
        self.assertRegex(lines[1], "^  the second file breaks off: ")
        self.assertLess(outcome.out.index("The gate cannot tell"), outcome.out.index("A file of the second side"))
        self.assertNotIn("compute +", outcome.out)

    def test_options_that_a_cut_file_does_not_tell_are_unknown(self):
        training(1, self.path("whole.json"))
        with open(self.path("whole.json"), encoding="utf-8") as written:
            events = json.load(written)
        events = {key: value for key, value in events.items() if key != "traceEvents"} | {"traceEvents": events["traceEvents"]}
        text = json.dumps({**events, "record_shapes": 1, "profile_memory": 1})
        named = json.dumps({"record_shapes": 0, **events})
        for name, written in (("whole.json", text), ("cut.json", text[:len(text) * 3 // 4]), ("said.json", named[:len(named) * 3 // 4])):
            with open(self.path(name), "w", encoding="utf-8") as out:
                out.write(written)
        for sides in (("cut.json", "whole.json"), ("whole.json", "cut.json")):
            document = self.diff(*(self.path(side) for side in sides))
            told = {row["setting"] for row in rows_of(document, "settings")}
            self.assertFalse(told & {"record_shapes", "profile_memory"}, sides)
        told = {row["setting"] for row in rows_of(self.diff(self.path("said.json"), self.path("whole.json")), "settings")}
        self.assertIn("record_shapes", told)  # before it broke off it said so
        self.assertNotIn("profile_memory", told)

    def test_tables_for_scripts(self):
        training(1, self.path("a.json"))
        training(2, self.path("b.json"), mm=1600)
        document = self.diff(self.path("a.json"), self.path("b.json"))
        self.assertIn(values(document)["cause"], [row["kind"] for row in rows_of(document, "kinds")])
        settings = steptime("diff", "--format", "csv", "--table", "settings", self.path("a.json"), self.path("a.json"))
        self.assertEqual((settings.code, settings.out), (OK, "setting,before,after\n"))
        for form in ("github", "sarif"):
            self.assertEqual(steptime("diff", "--format", form, self.path("a.json"), self.path("b.json")).code, USAGE)

    def test_operators_below_a_thousandth_of_the_change_are_one_row_for_people(self):
        training(1, self.path("a.json"), jitter=0, more=500)
        training(2, self.path("b.json"), jitter=0, mm=1600, relu=300.5, more=500.3)
        sides, small = (self.path("a.json"), self.path("b.json")), ["aten::relu", "aten::sort"]
        rows = rows_of(self.diff(*sides), "operators")
        self.assertEqual([row["path"] for row in rows], ["aten::mm", *small])
        changes = [row["change_ns"] for row in rows[1:]]
        for form in ("term", "markdown"):
            shown = steptime("diff", "--format", form, *sides).out
            self.assertRegex(shown, r"2 others below 0\.1 %.* <?0\.0?0?1")
            self.assertIn("others: each below 0.1 % of the step's change; --rows 0 shows them", shown)
            self.assertNotIn(small[0], shown)
            self.assertIn(small[1], steptime("diff", "--format", form, "--rows", "0", *sides).out)
        self.assertEqual(changes, [500, 300])
        page = steptime("diff", "--format", "html", *sides).out
        self.assertIn("all 3 rows</label>", page)
        self.assertRegex(page, r'<tr class="more">(?:(?!</tr>).)*aten::relu')
        self.assertRegex(page, r"<tfoot><tr>(?:(?!</tr>).)*2 others below 0\.1 %")
        training(2, self.path("b.json"), jitter=0, mm=1600, relu=300.5, more=500)  # one alone is no others
        self.assertIn(small[0], steptime("diff", *sides).out)
        training(2, self.path("b.json"), jitter=0, python=2000, relu=300.5, more=500.3)  # no operator's is a thousandth: all
        self.assertIn(small[0], steptime("diff", *sides).out)

    def test_wrong_arguments(self):
        training(1, self.path("a.json"))
        path = self.path("a.json")
        for arguments in ((path,), (path, path, path), (path, path, "--fail-over", "much"),
                          (path, path, "--fail-over", "-3"), (path, path, "--steps-after", "x")):
            self.assertEqual(steptime("diff", *arguments).code, USAGE, arguments)

    def test_a_sketch_is_a_baseline(self):
        training(1, self.path("before.json"))
        training(2, self.path("after.json"), mm=1600)
        kept = self.path("kept")
        self.assertEqual(steptime("summary", "--save", kept, self.path("before.json")).code, OK)
        found = values(self.diff("--fail-over", "5%", kept, self.path("after.json"), code=JUDGED))
        whole = values(self.diff(self.path("before.json"), self.path("after.json")))
        for name in ("answer", "cause", "step_before_ns", "step_after_ns", "p_mean"):
            self.assertEqual(found[name], whole[name], name)


class Real(Diff):
    """The pairs that the manifest of the shared traces names, with their true causes."""

    def assertSays(self, before, after, *words):
        line = self.first_line(shared_trace(before), shared_trace(after))
        for word in words:
            self.assertIn(word, line)

    def test_pinned_to_pageable(self):
        self.assertSays("kineto/torchbench_copies_pinned.json.gz", "kineto/torchbench_copies_pageable.json.gz",
                        "step +119", "p < 0.001", "copies +", "pageable memory now, pinned before; the same")

    def test_loading_to_workers(self):
        self.assertSays("kineto/kineto_resnet50_train_workers0_torch19.json.gz",
                        "kineto/kineto_resnet50_train_workers4_torch19.json.gz",
                        "not proven", "data loading -", "it left the training loop for worker processes")

    def test_fewer_bits(self):
        self.assertSays("kineto/saf_sam_eager_a100.json.gz", "kineto/saf_sam_compiled_cudagraph_a100.json.gz",
                        "no test", "compute -", "fewer bits")

    def test_another_device(self):
        self.assertSays("kineto/tl_h100_qwen15_pyfunc.json.gz", "kineto/tl_mi300_qwen15.json.gz", "no test",
                        "another device (AMD Instinct MI300X")

    def test_a_rank_that_stood_still(self):
        self.assertSays("multirank/torchrec_a2a_v100_w4", "multirank/torchrec_a2a_opt4_v100_w4", "no test",
                        "rank 2 no longer comes late", "# running sparse arch")

    def test_nothing_in_time(self):
        self.assertSays("kineto/kineto_graph_before_fix_h100.json.gz", "kineto/kineto_graph_after_fix_h100.json.gz", "no change")


if __name__ == "__main__":
    unittest.main()
