# SPDX-License-Identifier: Apache-2.0
"""The built program carries the guards that it was built with; readelf reads them back."""
import json
import os
import shutil
import subprocess
import unittest

import support


def readelf(*options):
    return subprocess.run(["readelf", "--wide", *options, support.PROGRAM], check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def build_options():
    with open(os.path.join(support.BUILD, "meson-info", "intro-buildoptions.json"), encoding="utf-8") as file:
        return {option["name"]: option["value"] for option in json.load(file)}


@unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
class Hardened(unittest.TestCase):
    def test_it_may_lie_anywhere(self):
        self.assertRegex(readelf("--file-header"), r"Type: +DYN \(Position-Independent Executable file\)")
        self.assertIn("PIE", readelf("--dynamic"))

    def test_the_table_of_addresses_is_read_only(self):
        self.assertIn("GNU_RELRO", readelf("--program-headers"))
        self.assertRegex(readelf("--dynamic"), r"FLAGS.*\bBIND_NOW\b|FLAGS_1.*\bNOW\b")

    def test_the_stack_is_not_executable(self):
        self.assertRegex(readelf("--program-headers"), r"GNU_STACK .* RW +0x")

    def test_return_addresses_are_guarded(self):
        self.assertIn("__stack_chk_fail", readelf("--dyn-syms"))

    @unittest.skipIf(support.SANITIZED, "the sanitizers check copies themselves")
    def test_copies_are_checked(self):
        if build_options()["optimization"] in ("0", "g", "plain"):
            self.skipTest("not an optimised build")
        self.assertRegex(readelf("--dyn-syms"), r"__(memcpy|snprintf|vsnprintf|fprintf)_chk")


if __name__ == "__main__":
    unittest.main()
