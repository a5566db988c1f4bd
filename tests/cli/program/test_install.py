# SPDX-License-Identifier: Apache-2.0
"""What `make install` leaves: a program that runs, pages that man finds, a library that a stranger can link."""
import glob
import os
import shutil
import subprocess
import tempfile
import unittest

import support

USER = r"""
#include <stdio.h>
#include <steptime/steptime.h>

int main(int count, char **words)
{
    struct steptime_error err;
    struct steptime_result *result = steptime_run(count - 1, (const char *const *)words + 1, &err);
    if (!result) {
        fprintf(stderr, "%s: %s\n", err.path, err.message);
        return err.code;
    }
    puts(steptime_result_text(result));
    steptime_result_free(result);
    return 0;
}
"""


@unittest.skipIf(support.SANITIZED, "a sanitized library wants a sanitized user")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = folder.name
        subprocess.run(["meson", "install", "-C", support.BUILD, "--no-rebuild", "--quiet", "--destdir", cls.root],
                       check=True, stdout=subprocess.DEVNULL)

    def find(self, pattern):
        found = glob.glob(os.path.join(self.root, "**", pattern), recursive=True)
        self.assertTrue(found, f"{pattern} was not installed")
        return found[0]

    def test_program_runs(self):
        done = subprocess.run([self.find("bin/steptime"), "--version"], check=True, capture_output=True, text=True)
        self.assertRegex(done.stdout, r"^steptime \d+\.\d+\.\d+\n$")

    @unittest.skipUnless(shutil.which("scdoc"), "scdoc is not installed")
    def test_every_command_has_its_page(self):
        for command in support.trace_commands():
            with open(self.find(f"man1/steptime-{command}.1"), encoding="utf-8") as page:
                self.assertIn("--format", page.read())

    def test_completion(self):
        for name in ("steptime.bash", "_steptime", "steptime.fish"):
            with open(self.find(name), encoding="utf-8") as script:
                self.assertIn("steptime", script.read())

    def test_a_stranger_links_the_library(self):
        source, program = os.path.join(self.root, "user.c"), os.path.join(self.root, "user")
        with open(source, "w", encoding="ascii") as out:
            out.write(USER)
        pkgconfig = os.path.dirname(self.find("steptime.pc"))
        env = {**os.environ, "PKG_CONFIG_PATH": pkgconfig, "PKG_CONFIG_SYSROOT_DIR": self.root}
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "steptime"], check=True, capture_output=True,
                               text=True, env=env).stdout.split()
        subprocess.run([os.environ.get("CC", "cc"), "-Wall", "-Werror", source, "-o", program, *flags], check=True)
        env["LD_LIBRARY_PATH"] = os.path.dirname(self.find("libsteptime.so"))
        done = subprocess.run([program, "info", support.recorded("ddp-gloo-rank0.json.gz")], check=True,
                              capture_output=True, text=True, env=env)
        self.assertIn('"schema"', done.stdout)
