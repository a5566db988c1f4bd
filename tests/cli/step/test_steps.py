# SPDX-License-Identifier: Apache-2.0
"""A step asked for alone (--steps K) has the figures that it has among the others."""
import os
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import support
from plant import Plant
from support import OK, steptime

COMMANDS = ("breakdown", "critical-path")
MOST_BYTES = 8e6  # larger traces take their time
ENDINGS = (".json", ".gz", ".zst")


def steps_of(*words):
    """The rows of the table of steps, as dictionaries; None where there is no result."""
    done = steptime(*words, "--format", "json", limit_s=300)
    if done.code != OK:
        return None
    tables = [table for section in done.json["sections"] for table in section["tables"] if table["id"] == "steps"]
    ids = [column["id"] for column in tables[0]["columns"]]
    return [dict(zip(ids, row)) for row in tables[0]["rows"]]


def differences(run):
    """Lines on the steps of (command, path) that change when they are asked for alone."""
    command, path = run
    whole = steps_of(command, path)
    numbers = sorted({row["step"] for row in whole or []})
    if len(numbers) < 2:
        return []
    found = []
    for number in dict.fromkeys(numbers[:2] + numbers[len(numbers) // 2:][:1] + numbers[-1:]):
        alone = steps_of(command, path, "--steps", number)
        among = [row for row in whole if row["step"] == number]
        changed = [(key, a.get(key), b[key]) for a, b in zip(alone, among) for key in b if a.get(key) != b[key]]
        if changed or len(alone) != len(among):
            found.append(f"{command} {os.path.basename(path)} step {number}: {changed[:5]}")
    return found


class Alone(unittest.TestCase):
    def check_folder(self, folder):
        paths = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names
                       if name.endswith(ENDINGS) and os.path.getsize(os.path.join(at, name)) < MOST_BYTES)
        runs = [(command, path) for path in paths for command in COMMANDS]
        with ThreadPoolExecutor(max_workers=2) as pool:
            found = [line for lines in pool.map(differences, runs) for line in lines]
        self.assertEqual(found, [])

    def test_a_gap_over_the_edge(self):
        """A gap that begins in one step and ends in the next, in a trace where launches wait for another stream."""
        plant = Plant()
        for step in range(3):
            at = 1000 * step
            plant.step(step, at, 1000)
            plant.host("aten::mm", at + 100, 800)
            plant.work(launch=at + 200, at=at + 300, dur=200)
            plant.work(launch=at + 600, at=at + 1050, dur=40, stream=8)  # launched here, runs in the next step
        with tempfile.TemporaryDirectory() as folder:
            path = plant.write(os.path.join(folder, "edge.json"))
            self.assertEqual(differences(("breakdown", path)) + differences(("critical-path", path)), [])

    def test_recorded_here(self):
        self.check_folder(os.path.join(support.SOURCE, "tests", "data", "recorded"))

    def test_of_other_people(self):
        folder = os.path.join(support.SHARED, "data", "traces")
        if not os.path.isdir(folder):
            self.skipTest("the shared traces are not here")
        self.check_folder(folder)
