# SPDX-License-Identifier: Apache-2.0
"""Where all steps would cost more a sample is replayed: it is told, all commands take the same, and the answer is that of all."""
import os
import unittest

import support
from support import steptime
from test_verdict import loop, operators, tables_of, values_of

STEPS = 60
OPERATORS = 1200  # a step; with launches and kernels beyond the events from which a sample is taken


def answer(command, path, *options):
    document = steptime(command, path, *options, "--format", "json", limit_s=300).json
    tables = tables_of(document)
    return values_of(document), {row["resource"]: row for row in tables["experiments"]}, tables.get("causes")


def host_bound(scene, at):
    return operators(scene, at, OPERATORS, 20, 6)


class Planted(support.Folder):
    def plant(self, body):
        path = os.path.join(self.folder, "trace.json")
        loop(body, STEPS).write(path)
        return path

    def test_it_is_told_and_agrees_with_all_steps_in_every_command(self):
        path = self.plant(host_bound)
        values, sampled, causes = answer("summary", path)
        self.assertEqual((values["verdict_steps"], values["verdict_among"]), (20, STEPS))
        self.assertIn("20 of 60 steps replayed", values["verdict"])
        for command in ("critical-path", "ranks"):
            other, experiments, _ = answer(command, path)
            self.assertEqual((other["verdict"], experiments), (values["verdict"], sampled), command)
        named, whole, all_causes = answer("summary", path, "--steps", f"2..{STEPS - 1}")
        self.assertEqual((named["verdict_steps"], named["verdict_among"]), (STEPS - 2, STEPS - 2))
        self.assertNotIn("steps replayed", named["verdict"])
        self.assertEqual(named["bound"], values["bound"])
        for resource, row in sampled.items():
            self.assertAlmostEqual(row["saved"], whole[resource]["saved"], delta=0.01, msg=resource)
            self.assertAlmostEqual(row["removed"], whole[resource]["removed"], delta=0.01, msg=resource)
        for row, of_all in zip(causes, all_causes):
            self.assertEqual((row["cause"], row["when"]), (of_all["cause"], of_all["when"]))
            self.assertAlmostEqual(row["share"], of_all["share"], delta=0.01)

    def test_what_comes_once_and_matters_makes_all_steps_be_replayed(self):
        steps = iter(range(STEPS))

        def body(scene, at):
            end = host_bound(scene, at)
            if next(steps) != 50:
                return end
            scene.python("<built-in function sleep>", end, 100_000)
            return end + 100_000

        values, _, causes = answer("summary", self.plant(body))
        self.assertEqual((values["verdict_steps"], values["verdict_among"]), (STEPS - 2, STEPS))
        self.assertIn(("sleep", "once"), [(row["cause"], row["when"]) for row in causes])

    def test_steps_of_two_kinds_are_both_in_it_or_all_are_replayed(self):
        steps = iter(range(STEPS))

        def body(scene, at):
            longer = next(steps) >= STEPS / 2
            return operators(scene, at, OPERATORS, 40 if longer else 20, 6 if longer else 36)

        path = self.plant(body)
        values, sampled, _ = answer("summary", path)
        named, whole, _ = answer("summary", path, "--steps", f"2..{STEPS - 1}")
        self.assertEqual(named["bound"], values["bound"])
        for resource, row in sampled.items():
            self.assertAlmostEqual(row["saved"], whole[resource]["saved"], delta=0.02, msg=resource)


class Shared(unittest.TestCase):
    def test_large_traces_are_answered_as_with_all_steps(self):
        for name in ("big/dlrm-torch26-stack-shapes-mem-100steps.json.zst",
                     "big/srgnn-torch214-stack-shapes-mem-60steps.json.zst"):
            path = support.shared_trace(name)
            values, sampled, _ = answer("summary", path)
            count = values["verdict_among"]  # their numbers begin at 2
            named, whole, _ = answer("summary", path, "--steps", f"3..{count}")
            with self.subTest(name):
                self.assertEqual((values["verdict_steps"], named["verdict_steps"]), (20, count - 2))
                self.assertEqual(named["bound"], values["bound"])
                for resource, row in sampled.items():
                    self.assertAlmostEqual(row["removed"], whole[resource]["removed"], delta=0.02, msg=resource)


if __name__ == "__main__":
    unittest.main()
