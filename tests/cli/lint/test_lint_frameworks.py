# SPDX-License-Identifier: Apache-2.0
"""Files that say themselves what lint is to find: `# expect STnxx` on a line (that rule or one of its family, as a
warning or as a place of one), `# note` (at most a note), `# silent` (nothing; `# silent ST405`: not that rule). Lines without a mark are not
judged."""
import glob
import os
import re
import unittest

from support import JUDGED, OK, SHARED, steptime

FOLDER = os.path.join(SHARED, "data", "faults", "lint")
MARK = re.compile(r"# (expect|note|silent)\b *(ST\d+)?")
FAMILY = len("ST4")


def fits(mark, rule, found):
    """Whether what was found on a line is what its mark asks for."""
    if mark == "expect":
        return any(f["rule"].startswith((rule or "")[:FAMILY]) and f["told"] == "warning" for f in found)
    if mark == "note":
        return all(f["severity"] == "note" for f in found)
    return not any(f["rule"] == rule or not rule for f in found)


def differing(path):
    """The marked lines that come out otherwise, as text."""
    outcome = steptime("lint", "--format", "json", path)
    assert outcome.code in (OK, JUDGED), outcome.err
    findings, lines = places_of(outcome.json["findings"]), []
    with open(path) as file:
        for number, line in enumerate(file, 1):
            mark = MARK.search(line)
            found = [f for f in findings if f["line"] == number]
            if mark and not fits(*mark.groups(), found):
                lines.append(f"{os.path.basename(path)}:{number}: {line.strip()} -> "
                             + ", ".join(f"{f['rule']} {f['severity']}" for f in found))
    return lines


def shared(name):
    path = os.path.join(FOLDER, name)
    if not os.path.exists(path):
        raise unittest.SkipTest("the shared inputs are not here")
    return path


def places_of(findings):
    """Every place of each finding, and as what that is told; of one with a single place the finding itself."""
    return [{**place, "told": finding["severity"]} for finding in findings for place in finding["places"] or [finding]]


def found_in(name):
    outcome = steptime("lint", "--format", "json", shared(name))
    return [(place["rule"], place["line"], place["severity"]) for place in places_of(outcome.json["findings"])]


class Uses(unittest.TestCase):
    """What is handed to a call is used."""

    def test_saved_read_backs_are_not_dead(self):
        for name in ("saved_read_back.py", "saved_read_back_2.py"):
            self.assertNotIn("ST405", [rule for rule, _, _ in found_in(name)])
            outcome = steptime("fix", shared(name))
            self.assertNotRegex(outcome.out, r"(?m)^-.*\.cpu\(\)")


class Trainers(unittest.TestCase):
    """Read-backs of trainers are found, but where the framework waits there anyway."""

    def test_loops_of_accelerate_and_fabric(self):
        # the second read of the same loss has been waited for: one finding, and a note that names its line
        self.assertLessEqual({("ST401", 12, "warning"), ("ST409", 13, "note")}, set(found_in("trainer_acc.py")))
        self.assertIn(14, [line for rule, line, level in found_in("trainer_acc.py") if level == "warning"])
        self.assertEqual(found_in("trainer_fs.py"), [("ST401", 11, "warning")])
        self.assertLessEqual({("ST401", 14, "warning"), ("ST601", 15, "warning")}, set(found_in("trainer_m3.py")))

    def test_subclasses_of_the_trainer(self):
        found = found_in("trainer_hf.py")
        # what line 10 asks has been read in line 9, and line 12 has a few small kernels to wait for: both are places of 9
        self.assertEqual([(line, level) for _, line, level in found],
                         [(9, "warning"), (10, "note"), (12, "note"), (14, "warning"), (19, "note")])
        self.assertEqual(found_in("trainer_m2.py"), [("ST401", 7, "warning")])


class Frameworks(unittest.TestCase):
    """Traps for ten frameworks."""

    def test_marked_lines(self):
        shared("frameworks")
        lines = [line for path in sorted(glob.glob(os.path.join(FOLDER, "frameworks", "*.py"))) for line in differing(path)]
        self.assertEqual(lines, [])


if __name__ == "__main__":
    unittest.main()
