#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one test program (of cmocka, or a fuzz target that replays its corpus) and passes on its TAP.

run_program.py PROGRAM [ARGUMENT...]

The last line says what it cost: "# cpu 1.23 s". cmocka 1.1.5 prints "not ok 3 # SKIP" for a case that was skipped, which is a failure to every other reader. What the
program says on stderr, and its exit status, stay as they are.
"""
import re
import resource
import subprocess
import sys

SKIPPED = re.compile(rb"^not (ok \d+ (?:.* )?# SKIP\b)")


def main(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        for line in child.stdout:
            sys.stdout.buffer.write(SKIPPED.sub(rb"\1", line))
            sys.stdout.buffer.flush()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"# cpu {used.ru_utime + used.ru_stime:.2f} s")
    return 128 - child.returncode if child.returncode < 0 else child.returncode


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
