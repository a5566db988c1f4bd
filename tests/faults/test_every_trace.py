# SPDX-License-Identifier: Apache-2.0
"""Every command on every trace found ends in a result, as one JSON document, or in a line that says why not."""
import json
import os
import unittest
from concurrent.futures import ThreadPoolExecutor

import support
from support import INPUT, OK, USAGE, steptime, trace_commands

ENDINGS = (".json", ".gz", ".zst", ".sqlite", ".pb")


def files_below(folder):
    found = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(ENDINGS)]
    return sorted(found)


def what_is_wrong(run):
    """A line on the run (command, path), or None."""
    command, path = run
    outcome = steptime(command, path, "--format", "json", limit_s=300)
    if outcome.code == USAGE and "--hw" in outcome.err:  # an execution trace does not say where it was recorded
        outcome = steptime(command, path, "--hw", "NVIDIA H100 80GB HBM3", "--format", "json", limit_s=300)
    where = f"{command} {os.path.basename(path)}"
    if outcome.code == INPUT:
        return None if outcome.err.startswith("steptime: ") and not outcome.out else f"{where}: {outcome.err[:300]}"
    if outcome.code != OK:
        return f"{where}: exit {outcome.code}: {outcome.err[-600:]}"
    try:
        return None if json.loads(outcome.out)["command"] == command else f"{where}: another command's result"
    except ValueError as error:
        return f"{where}: {error}"


class EveryTrace(unittest.TestCase):
    def run_all(self, folder):
        runs = [(command, path) for path in files_below(folder) for command in trace_commands()]
        self.assertGreater(len(runs), 10)
        with ThreadPoolExecutor(max_workers=2) as pool:
            wrong = [line for line in pool.map(what_is_wrong, runs) if line]
        self.assertEqual(wrong, [])

    def test_recorded_here(self):
        self.run_all(os.path.join(support.SOURCE, "tests", "data", "recorded"))

    def test_of_other_people(self):
        folder = os.path.join(support.SHARED, "data", "traces")
        if not os.path.isdir(folder):
            self.skipTest("the shared traces are not here")
        self.run_all(folder)
