# SPDX-License-Identifier: Apache-2.0
"""Every screen says where steps come from that nobody marked, and how regular they are."""
import os
import tempfile
import unittest

import support
from plant import Plant
from support import steptime

SCREENS = ("info", "summary", "breakdown", "critical-path", "kernels", "predict")


def decoding(steps, pause=0):
    """A serving engine that launches one graph a step; every third is late where there is a pause."""
    plant = Plant()
    for step in range(steps):
        plant.work(1000 * step + 20 + pause * (step % 3), 900 - pause, launch=1000 * step + pause * (step % 3),
                   call="cudaGraphLaunch", name="decode")
    return plant


class Screens(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, plant, name="trace.json"):
        path = os.path.join(self.folder.name, name)
        plant.write(path)
        return path

    def test_each_tells_the_source_and_its_regularity(self):
        path = self.write(decoding(9))
        for screen in SCREENS:
            with self.subTest(screen):
                words = " ".join(steptime(screen, path).out.split())
                self.assertIn("8 are told by 9 graph launches (`cudaGraphLaunch`), regular within 0.1 %", words)

    def test_the_json_has_it_beside_the_input(self):
        given = steptime("summary", self.write(decoding(9)), "--format", "json").json["inputs"][0]
        self.assertEqual(given["step_source"], "graph_launches")
        self.assertEqual(given["step_regularity"]["steps"], 8)
        self.assertEqual(given["step_regularity"]["spread"], 0)
        self.assertAlmostEqual(given["step_regularity"]["covered"], 8 / 9)

    def test_each_tells_why_there_are_none(self):
        path = self.write(decoding(2))
        for screen in SCREENS:
            with self.subTest(screen):
                words = " ".join(steptime(screen, path).out.split())
                self.assertIn("Nearest to steps came 2 graph launches (`cudaGraphLaunch`): a step must come three times",
                              words)
                self.assertLessEqual(words.count("no steps are marked") + words.count("marks no steps"), 1, words)

    def test_marked_steps_are_not_explained_on_a_screen(self):
        plant = decoding(4)
        for step in range(4):
            plant.step(step, 1000 * step, 1000)
        done = steptime("breakdown", self.write(plant))
        self.assertNotIn("marks no steps", done.out)


if __name__ == "__main__":
    support.main()
