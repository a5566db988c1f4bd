# SPDX-License-Identifier: Apache-2.0
"""lint --trace from outside: tiers, the two numbers, traces of other programs, a run on the CPU beside it."""
import json
import os
import re
import tempfile
import unittest

from plant import Plant
from support import INPUT, JUDGED, SOURCE, USAGE, steptime
from test_lint import READ, TRAINING

TRAIN = 5  # the line of train
STEPS, STEP_US = 4, 1000
ITEM = "<built-in method item of Tensor object at 0x7f0011>"


def recorded(path, function=f"job/train.py({TRAIN}): train", frames=True, wait=80, read=True):
    """Steps that the host bounds: a kernel, and a read that waits for it `wait` us in an operator of `wait` + 25 us."""
    plant = Plant()
    if frames:
        plant.python(function, 0, STEPS * STEP_US)
    for step in range(STEPS):
        at = step * STEP_US
        plant.step(step, at, STEP_US)
        plant.work(at=at + 15, dur=wait + 20, launch=at, launch_dur=10)
        if not read:
            continue
        if frames:
            plant.python(ITEM, at + 20, wait + 30)
        plant.host("aten::item", at + 22, wait + 25)
        plant.copy(at + wait + 36, 2, "DtoH", bytes=4, launch=at + 25, launch_dur=10)
        plant.call("cudaStreamSynchronize", at + 40, wait, correlation=1000 + step)
    return plant.write(path)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "job"))
        self.source = os.path.join(self.folder, "job", "train.py")
        with open(self.source, "w", encoding="utf-8") as file:
            file.write(TRAINING)

    def path(self, name):
        return os.path.join(self.folder, name)

    def lint(self, *more, format="json"):
        return steptime("lint", self.source, "--format", format, *more)

    def read(self, *more):
        """The finding about the read, and the whole document."""
        document = self.lint(*more).json
        found = [f for f in document["findings"] if f["line"] == READ and f["rule"].startswith("ST4")]
        self.assertEqual(len(found), 1, document["findings"])
        return found[0], document


def warnings(document):
    return " ".join(str(warning) for warning in document["warnings"])


class Join(Case):
    def test_without_a_trace_a_finding_is_static(self):
        finding, document = self.read()
        self.assertEqual(finding["tier"], "static")
        self.assertIsNone(finding["per_step_saving_ns"])
        self.assertNotIn("evidence", [section["id"] for section in document["sections"]])

    def test_a_read_is_confirmed_with_its_two_numbers(self):
        finding, _ = self.read("--trace", recorded(self.path("a.json")))
        self.assertEqual(finding["tier"], "confirmed")
        self.assertEqual(finding["per_step_host_blocked_ns"], (10 + 80 - 2) * 1000)
        self.assertEqual(finding["per_step_saving_ns"], (80 + 25) * 1000)
        self.assertEqual(len(finding["events"]), STEPS)

    def test_a_slow_recorder_is_left_out_of_savings(self):
        """Of a read's 105 us 25 are the host's own. Without the recorder they are less, and the wait for the kernel is longer, for
        the host comes to it 30 us earlier after the launch, less what is left of these: 105 = 110 - 5 become 110 - 5 shares."""
        path = recorded(self.path("a.json"))
        for factor, bare in ((1.2, False), (2, True)):
            with open(self.path("a.steps.json"), "w", encoding="ascii") as out:
                json.dump({"version": 1, "bare_step_end_ns": [0, 1000, 2000],
                           "recorded_step_end_ns": [round(1000 * factor * i) for i in range(3)]}, out)
            finding, document = self.read("--trace", path)
            told = re.search(r"savings leave the recorder out: without it (\d+) % of the host's recorded time is left", warnings(document))
            self.assertEqual(bool(told), bare)
            if not bare:
                self.assertEqual(finding["per_step_saving_ns"], 105 * 1000)
        share = int(told.group(1)) / 100
        self.assertTrue(0.4 < share < 0.5, share)
        self.assertAlmostEqual(finding["per_step_saving_ns"] / 1000, 110 - 5 * share, delta=1.5)

    def test_the_section_tells_of_the_step(self):
        _, document = self.read("--trace", recorded(self.path("a.json")))
        section = next(section for section in document["sections"] if section["id"] == "evidence")
        table = section["tables"][0]
        row = dict(zip([column["id"] for column in table["columns"]], table["rows"][0]))
        self.assertEqual((row["steps"], row["step_ns"], row["confirmed"]), (STEPS, STEP_US * 1000, 1))
        self.assertEqual(row["blocking_moves"], 1)
        self.assertEqual(row["saving_ns"], 105 * 1000)

    def test_what_ran_without_a_copy_or_a_wait_is_a_note(self):
        found, document = self.read("--trace", recorded(self.path("t.json"), read=False))
        self.assertEqual((found["severity"], found["tier"]), ("note", "static"))
        self.assertIn("shows no copy or wait below it", found["message"])
        self.assertIs(found["proof"]["device"]["holds"], False)
        (summary,) = [s for s in document["sections"] if s["id"] == "lint"]
        self.assertEqual({v["id"]: v["value"] for v in summary["values"]}["warnings"], len(
            [f for f in document["findings"] if f["severity"] == "warning"]))

    def test_another_trace_that_shows_it_is_believed(self):
        quiet, loud = recorded(self.path("q.json"), read=False), recorded(self.path("l.json"))
        for order in ((quiet, loud), (loud, quiet)):
            found, _ = self.read("--trace", order[0], "--trace", order[1])
            self.assertEqual((found["severity"], found["tier"]), ("warning", "confirmed"))

    def test_a_trace_without_frames_makes_no_note(self):
        found, _ = self.read("--trace", recorded(self.path("t.json"), frames=False, read=False))
        self.assertEqual(found["severity"], "warning")

    def test_what_is_seen_in_the_steps_is_a_warning(self):
        with open(self.source, "w", encoding="utf-8") as file:  # the same lines, and a flag that nobody sets here
            file.write(TRAINING.replace("        total += loss.item()", "        if debug: total += loss.item()"))
        found, _ = self.read()
        self.assertEqual(found["severity"], "note")
        self.assertIn("only where a flag asks for it", found["message"])
        found, _ = self.read("--trace", recorded(self.path("t.json")))
        self.assertEqual((found["severity"], found["tier"]), ("warning", "confirmed"))
        self.assertNotIn("only where a flag", found["message"])
        self.assertIn("a trace shows it", found["proof"]["pace"]["text"])

    def test_of_several_traces_the_larger_numbers_count(self):
        small, large = recorded(self.path("a.json")), recorded(self.path("b.json"), wait=200)
        for order in [(small, large), (large, small)]:
            finding, document = self.read("--trace", order[0], "--trace", order[1])
            self.assertEqual(finding["per_step_saving_ns"], 225 * 1000)
            self.assertEqual(len(document["inputs"]), 2)

    def test_the_costliest_comes_first(self):
        document = self.lint("--trace", recorded(self.path("a.json"))).json
        savings = [finding["per_step_saving_ns"] or -1 for finding in document["findings"]]
        self.assertEqual(savings, sorted(savings, reverse=True))

    def test_the_exit_code_is_that_of_the_findings(self):
        self.assertEqual(self.lint("--trace", recorded(self.path("a.json"))).code, JUDGED)


class Strangers(Case):
    def test_a_trace_of_another_program_is_said_to_be_one(self):
        finding, document = self.read("--trace", recorded(self.path("a.json"), function="other/run.py(5): train"))
        self.assertEqual(finding["tier"], "static")
        self.assertIn("does not belong", warnings(document))

    def test_a_trace_without_frames_says_nothing_of_functions(self):
        finding, document = self.read("--trace", recorded(self.path("a.json"), frames=False))
        self.assertEqual(finding["tier"], "static")
        self.assertIn("with_stack", warnings(document))

    def test_a_trace_that_is_none(self):
        broken = self.path("broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("no trace")
        self.assertEqual(self.lint("--trace", broken).code, INPUT)


class AgainstCpu(Case):
    def cpu(self):
        plant = Plant()
        plant.python(f"job/train.py({TRAIN}): train", 0, 2000)
        plant.step(0, 0, 2000)
        plant.host("aten::mm", 10, 1000)
        return plant.write(self.path("cpu.json"))

    def test_functions_of_both_runs_are_compared(self):
        document = self.lint("--trace", recorded(self.path("a.json")), "--trace-cpu", self.cpu()).json
        section = next(section for section in document["sections"] if section["id"] == "device_against_cpu")
        table = section["tables"][0]
        rows = [dict(zip([column["id"] for column in table["columns"]], row)) for row in table["rows"]]
        self.assertEqual([row["name"] for row in rows], [f"train.py({TRAIN}): train"])
        self.assertEqual((rows[0]["device_ns"], rows[0]["cpu_ns"]), (1000 * 1000, 2000 * 1000))
        self.assertEqual(rows[0]["verdict"], "")

    def test_it_needs_a_run_with_a_device(self):
        self.assertEqual(self.lint("--trace-cpu", self.cpu()).code, USAGE)


class Words(Case):
    def test_every_id_is_defined_in_the_manual(self):
        with open(os.path.join(SOURCE, "doc", "numbers", "movement.md"), encoding="utf-8") as manual:
            defined = set(re.findall(r"`([a-z_]+)`", manual.read()))
        trace = recorded(self.path("a.json"))
        document = self.lint("--trace", trace, "--trace-cpu", trace).json
        for section in document["sections"]:
            if section["id"] not in ("evidence", "device_against_cpu"):
                continue
            ids = {section["id"]} | {value["id"] for value in section["values"]}
            for table in section["tables"]:
                ids |= {table["id"], *(column["id"] for column in table["columns"])}
            self.assertEqual(sorted(ids - defined), [])

    def test_people_are_told_too(self):
        out = self.lint("--trace", recorded(self.path("a.json")), format="term").out
        self.assertIn("Without it a step would take 105.0 us less", out)


if __name__ == "__main__":
    unittest.main()
