# SPDX-License-Identifier: Apache-2.0
"""steptime diff is silent of what did not change: other programs on the processors, and real traces against themselves."""
import os
import random
import sys
import tempfile
import unittest

import plant
from support import OK, PROGRAM, SOURCE, shared_trace, steptime, values

sys.path.insert(0, os.path.join(SOURCE, "bench"))
import unchanged  # noqa: E402

OPERATORS = ("aten::linear", "aten::relu", "aten::mm", "aten::add", "aten::sum") * 8
CLAIMS = ("changed", "part_changed")
FEW_MS = 3000


def host_only(seed, path, operator=100, between=40, interrupted=0.0, names=OPERATORS, steps=12):
    """Steps without a device. A share of the stretches is longer by some ms: another program had the processor."""
    draw = random.Random(seed)
    scene, at = plant.Plant(), 0.0
    for step in range(steps):
        begin = at
        for name in names:
            length, gap = (us * (1 + draw.uniform(-0.02, 0.02)) for us in (operator, between))
            if draw.random() < interrupted:
                length += FEW_MS
            scene.host(name, at, length)
            at += length + gap
        scene.step(step, begin, at - begin - 0.01)
    return scene.write(path)


class Host(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.paths = [os.path.join(folder.name, name) for name in ("before.json", "after.json")]

    def diff(self, *words):
        run = steptime("diff", "--format", "json", *words, *self.paths)
        self.assertEqual(run.code, OK, run.err)
        return values(run.json)

    def test_what_other_programs_took_is_no_change(self):
        host_only(1, self.paths[0])
        host_only(2, self.paths[1], interrupted=0.1)
        found = self.diff("--fail-over", "5%")
        self.assertGreater(found["change_share"], 0.5)
        self.assertLess(max(found["p_mean"], found["p_rank"]), 0.05)
        self.assertEqual((found["answer"], found["cause"], found["gate"], found["fails"]), ("unchanged", None, "cannot_tell", "no"))
        self.assertLess(abs(found["quickest_share"]), 0.03)
        shown = " ".join(steptime("diff", *self.paths).out.split())
        self.assertRegex(shown, r"no change of its own: at their quickest its stretches take as long as before \([+-]\d\.\d %\)")
        self.assertIn("other programs on these processors may have made it", shown)

    def test_what_is_left_of_a_change_beside_them_is_not_silenced(self):
        host_only(1, self.paths[0])
        host_only(2, self.paths[1], operator=150, interrupted=0.06, steps=24)  # +36 % by itself, more than twice with what others took
        found = self.diff()
        self.assertLess(found["quickest_share"], found["change_share"] / 2)
        self.assertEqual((found["answer"], found["cause"]), ("unproven", "host"))
        shown = " ".join(steptime("diff", *self.paths).out.split())
        self.assertRegex(shown, r"not proven: its stretches at their quickest take [+-]\d+\.\d %\)")

    def test_what_takes_longer_in_every_step_is(self):
        for change in ({"operator": 130}, {"between": 80}):
            host_only(1, self.paths[0])
            host_only(2, self.paths[1], **change)
            with self.subTest(change=change):
                found = self.diff()
                self.assertEqual((found["answer"], found["cause"]), ("changed", "host"))
                self.assertGreater(found["quickest_share"], 0.15)

    def test_other_operators_are_another_program(self):
        host_only(1, self.paths[0])
        host_only(2, self.paths[1], names=OPERATORS + ("aten::sort",) * 8)
        found = self.diff()
        self.assertIsNone(found["quickest_share"])
        self.assertEqual(found["answer"], "changed")

    def test_of_few_steps_and_with_a_device_it_is_not_known(self):
        host_only(1, self.paths[0], steps=3)
        host_only(2, self.paths[1], steps=3)
        self.assertIsNone(self.diff()["quickest_before_ns"])
        for path in self.paths:
            scene = plant.Plant()
            for step in range(6):
                scene.host("aten::mm", 1000 * step, 100)
                scene.work(1000 * step + 50, 500, launch=1000 * step + 10, launch_dur=5)
                scene.step(step, 1000 * step, 990)
            scene.write(path)
        self.assertIsNone(self.diff()["quickest_before_ns"])

    def test_the_quickest_is_the_sum_of_the_stretches(self):
        scene = plant.Plant()
        for step in range(8):  # of eight the second quickest counts
            scene.host("aten::mm", 1000 * step + 100 + step, 10)
            scene.step(step, 1000 * step, 999.99)
        for path in self.paths:
            scene.write(path)
        found = self.diff()
        # Up to the operator 101 us, and to the next step 1000 - 106; the last step ends with its mark, and is the quickest.
        self.assertEqual(found["quickest_before_ns"], 101_000 + 894_000)


class Real(unittest.TestCase):
    """Real traces against themselves: no claim of any. bench/unchanged.py has many more."""

    def answers(self, name, *kinds):
        with tempfile.TemporaryDirectory() as folder:
            pairs = list(unchanged.within(shared_trace(name), folder, kinds))
            self.assertEqual({pair.kind for pair in pairs}, set(kinds))
            return [unchanged.ask(PROGRAM, pair) for pair in pairs]

    def test_halves_and_turns(self):
        for name in ("pinned", "pageable"):
            found = self.answers(f"kineto/torchbench_copies_{name}.json.gz", "halves", "turns")
            self.assertEqual([answer for answer in found if answer["answer"] in CLAIMS], [])

    def test_windows(self):
        found = self.answers("big/srgnn-torch214-stack-shapes-mem-60steps.json.zst", "windows")
        self.assertEqual([answer for answer in found if answer["answer"] in CLAIMS], [])


if __name__ == "__main__":
    unittest.main()
