# SPDX-License-Identifier: Apache-2.0
"""A host program may have a locale with decimal commas: the library reads and writes numbers as it does in any other."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import support

HOST = os.path.join(support.BUILD, "tests", "in_locale")
TRACE = support.recorded("ddp-gloo-rank0.json.gz")
OWN_READERS = re.compile(r"\b(strto[dfl]|strtold|strtod_l|ato[fil]|s?scanf|sscanf|v?snprintf|setlocale|is(?:alpha|alnum|upper|"
                         r"lower|space|print)|to(?:upper|lower))\(")
ALLOWED = {"base/real.c", "base/format.c"}


@unittest.skipUnless(shutil.which("localedef") and os.path.exists(HOST), "no localedef, or no host program")
class DecimalCommas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        made = subprocess.run(["localedef", "-c", "-i", "de_DE", "-f", "UTF-8", os.path.join(cls.folder, "de_DE.UTF-8")],
                              capture_output=True, text=True)
        if not os.path.isdir(os.path.join(cls.folder, "de_DE.UTF-8")):
            raise unittest.SkipTest(f"no locale with decimal commas can be made: {made.stderr.strip()}")

    def in_locale(self, locale, *words):
        done = subprocess.run([HOST, locale, *words], capture_output=True, text=True,
                              env={**os.environ, "LOCPATH": self.folder, "NO_COLOR": "1"})
        if done.returncode == 125:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done.stdout

    def check(self, *words):
        commas, points = self.in_locale("de_DE.UTF-8", *words), self.in_locale("C", *words)
        self.assertEqual(commas, points, words)
        return commas

    def test_the_same_json(self):
        for words in (["info"], ["summary"], ["breakdown"], ["kernels"], ["ops"], ["critical-path"], ["overheads"],
                      ["predict", "--cpu-speed", "1.5"], ["predict", "--mode", "model", "--hw", "V100"],
                      ["predict", "--mode", "model", "--hw", "V100", "--set", "l2_rate=2.5TB/s"]):
            with self.subTest(words=words):
                json.loads(self.check(words[0], TRACE, *words[1:]))

    def test_the_same_in_other_forms(self):
        for form in ("csv --table step_parts", "html", "term"):
            with self.subTest(form=form):
                self.check("summary", TRACE, "--format", *form.split())


class Sources(unittest.TestCase):
    """What would obey a locale is called in two files only."""

    def test_one_reader_and_one_writer(self):
        found = []
        root = os.path.join(support.SOURCE, "src")
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), root)
                if name.endswith((".c", ".h")) and path not in ALLOWED:
                    with open(os.path.join(root, path), encoding="utf-8") as text:
                        code = re.sub(r"/\*.*?\*/", "", text.read(), flags=re.S)
                    found += [(path, word) for word in OWN_READERS.findall(code)]
        self.assertEqual(found, [])
