# SPDX-License-Identifier: Apache-2.0
"""The Python lines of calls that are made without the interpreter's lock: read from memory, they are what Python says.

Asked are this Python, python3.9 to python3.13 of PATH, and those that STEPTIME_PYTHONS names (with colons between).
"""
import json
import os
import shutil
import subprocess
import sys
import unittest

from cuda.cudafile import LINES_OFF, Recording
from cuda.test_cuda_recorder import RECORDER, STUB, Case
from support import BUILD, SOURCE

ODD = os.path.join(BUILD, "tests", "cuda", "libodd_python.so")
COLLECTED = os.path.join(SOURCE, "tests", "cuda", "collected_program.py")
PROGRAM = os.path.join(SOURCE, "tests", "cuda", "lines_program.py")
MINORS = range(9, 14)
TEXT_MOST = 1024


def version(python):
    """(minor version of 3, is it without the lock); None: it does not run."""
    ask = "import sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None


def pythons():
    """One of each version, those named first."""
    named = [path for path in os.environ.get("STEPTIME_PYTHONS", "").split(":") if path]
    found = [*named, sys.executable, *filter(None, (shutil.which(f"python3.{minor}") for minor in MINORS))]
    of = {version(path): path for path in reversed(found)}
    return {key: path for key, path in sorted((key, path) for key, path in of.items() if key and key[0] == 3)}


def is_shared(python):
    """A Python of one piece has its own Py_GetVersion first, whatever is preloaded."""
    ask = "import sysconfig; print(sysconfig.get_config_var('Py_ENABLE_SHARED') or 0)"
    return subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip() == "1"


def as_kept(text):
    """As the recorder keeps it: halves of characters as question marks, cut to whole characters."""
    text = "".join("?" if 0xD800 <= ord(c) < 0xE000 else c for c in text[:TEXT_MOST])
    return text.encode()[:TEXT_MOST].decode(errors="ignore")


may_lie = unittest.skipUnless(is_shared(sys.executable), "this Python is of one piece: nothing is preloaded before it")


class Lines(Case):
    def record(self, python, *arguments, **settings):
        code, _, err = self.run_program(*arguments, program=(python,), recorded=False, STEPTIME_CUDA_QUIET=1, **settings)
        self.assertEqual((code, err), (0, ""))
        return Recording(self.file)

    def check(self, python):
        self.base = os.path.join(self.folder, "with-" + python.replace(os.sep, "-"))
        self.file, out = self.base + ".cuda", self.base + ".json"
        recording = self.record(python, PROGRAM, STUB, RECORDER, out)
        with open(out, encoding="utf-8") as text:
            expected = json.load(text)
        self.assertGreater(sum(map(len, expected.values())), 700)
        for thread, stacks in expected.items():
            found = recording.stacks.get(int(thread), [])
            self.assertEqual(len(found), len(stacks))
            for is_so, said in zip(found, stacks):
                said = [[as_kept(file), as_kept(name), first, line] for file, name, first, line in said]
                self.assertEqual(is_so, said)
        unlocked, frameless = recording.losses[4], recording.losses[7]
        self.assertEqual((unlocked, frameless), (0, 0))
        self.assertNotIn(LINES_OFF, recording.infos)

    def test_every_python(self):
        for key, path in pythons().items():
            if key[1] in MINORS and not key[2]:
                with self.subTest(python=path):
                    self.check(path)

    def odd(self, python, claims):
        """A Python that says that it is another version: losses and why frames are not read."""
        self.base = os.path.join(self.folder, "odd-" + claims.replace(" ", "-") + python.replace(os.sep, "-"))
        self.file, out = self.base + ".cuda", self.base + ".json"
        recording = self.record(python, PROGRAM, STUB, RECORDER, out, LD_PRELOAD=ODD, ODD_PYTHON=claims)
        waits = recording.calls["cudaStreamSynchronize"]
        with_lines = sum(map(len, recording.stacks.values()))
        self.assertEqual((with_lines, recording.losses[4]), (1, waits - 1))  # the one that holds the lock has a line
        return recording.infos[LINES_OFF]

    @may_lie
    def test_fields_that_lie_elsewhere_are_noticed_and_nothing_is_read_any_more(self):
        mine = version(sys.executable)[1]
        for minor in MINORS:
            if minor != mine:
                with self.subTest(claims=minor):
                    self.assertRegex(self.odd(sys.executable, f"3.{minor}.0"),
                                     "is not the one that Python tells|makes no sense|more frames than Python tells")

    @may_lie
    def test_versions_that_are_not_known_are_told(self):
        self.assertEqual(self.odd(sys.executable, "3.99.1 (main)"), "of Python 3.99.1 it is not known where they lie")
        self.assertEqual(self.odd(sys.executable, "3.13.1 experimental free-threading build"),
                         "this Python has no lock (free-threading)")

    def collected(self, python):
        """How many of 50 waits had a collection in them; no wait may be for ever."""
        code, out, err = self.run_program(COLLECTED, STUB, RECORDER, program=(python,), recorded=False, LD_PRELOAD=ODD,
                                          ODD_PYTHON="3.99.1", STEPTIME_CUDA_QUIET=1)
        self.assertEqual((code, err), (0, ""))
        return int(out)

    def test_nothing_of_the_program_runs_while_python_is_asked(self):
        """An error that is made may begin a collection, and what that frees here lets another thread run."""
        asked = [(key[1], path) for key, path in pythons().items() if key[1] in MINORS and not key[2] and is_shared(path)]
        if not asked:
            self.skipTest("every Python is of one piece: nothing is preloaded before it")
        for minor, path in asked:
            with self.subTest(python=path):
                self.assertEqual(self.collected(path), 50 if minor == 9 else 0)  # 3.9 cannot turn its collector off


if __name__ == "__main__":
    unittest.main()
