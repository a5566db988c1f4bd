# SPDX-License-Identifier: Apache-2.0
"""What it costs to lint: a million lines of real Python in one run, and how the cost of hostile shapes grows.

Real Python is the torch package (STEPTIME_TORCH, else the one of this interpreter) and the repositories of
STEPTIME_PUBLIC_CODE; where that is less than LINES_ENOUGH, the figure is missing.
"""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile

from inputs import Missing
from lint_shapes import SMALL
from measure import Failed, median, run

MILLION, LINES_ENOUGH = 1_000_000, 500_000
SECONDS, GIB = 15, 1 << 30
LINEAR = 1.15  # how much dearer a byte may be in an input four times as large


def real_python():
    """Folders of Python that people wrote, and how many lines they hold."""
    torch = os.environ.get("STEPTIME_TORCH")
    if not torch:
        found = importlib.util.find_spec("torch")
        torch = os.path.dirname(found.origin) if found and found.origin else None
    folders = [folder for folder in (torch, os.environ.get("STEPTIME_PUBLIC_CODE")) if folder and os.path.isdir(folder)]
    return folders, sum(lines_below(folder) for folder in folders)


def lines_below(folder):
    count = 0
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(at, name), "rb") as text:
                    count += text.read().count(b"\n")
    return count


def shape(work, make, size):
    """A file of the shape, or a folder where it is one of many files."""
    path = os.path.join(work, "shapes", f"{make.__name__}{size}")
    os.makedirs(path, exist_ok=True)
    texts = list(make(size))
    if isinstance(texts[0], str):
        texts = [("shape.py", "".join(texts))]
    for name, text in texts:
        with open(os.path.join(path, name), "w", encoding="ascii") as out:
            out.write(text)
    return path, sum(len(text) for _, text in texts)


def instructions(command):
    """What a run executes, as valgrind counts it: the same on a busy machine."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command],
                             capture_output=True, text=True, check=True)
    summary = next(section for section in json.loads(ran.stdout)["sections"] if section["id"] == "lint")
    not_followed = next(value["value"] for value in summary["values"] if value["id"] == "not_followed")
    if not_followed or "does not parse" in ran.stdout:
        raise Failed(f"{command[-1]} passes a limit, and says nothing of growth")
    return int(re.search(r"Collected : (\d+)", ran.stderr)[1])


def growth(program, work, make):
    """How much dearer a byte is in an input four times as large, in instructions; the cost of starting left out."""
    command = [program, "lint", "--format", "json", "--fail-on", "never", "--threads", "1"]
    nothing = instructions(command + [shape(work, lambda _: ["pass\n"], 0)[0]])
    (small, few), (large, many) = (shape(work, make, size) for size in (SMALL[make], 4 * SMALL[make]))
    costs = [instructions(command + [path]) - nothing for path in (small, large)]
    return costs[1] / many / (costs[0] / few), costs


def linting(figures, program, work):
    """A million lines in one run on two cores; hostile shapes, four times as large for four times the cost."""
    command = [program, "lint", "--format", "json", "--fail-on", "never"]
    if shutil.which("valgrind"):
        for make in SMALL:
            grows, (small, large) = growth(program, work, make)
            figures.add(f"lint.shape.{make.__name__}", grows, "a byte, of four times as much", ("<=", LINEAR),
                        small_instructions=small, large_instructions=large)
    folders, lines = real_python()
    if lines < LINES_ENOUGH:
        raise Missing(f"{lines} lines of Python are here: STEPTIME_TORCH, STEPTIME_PUBLIC_CODE name no folders")
    cost = median([run(command + folders, cores=2) for _ in range(figures.times)])
    figures.add("lint.million_lines", cost.wall_s * MILLION / lines, "s", ("<=", SECONDS), lines=lines,
                wall_s=cost.wall_s, cpu_s=cost.cpu_s)
    figures.add("lint.memory", cost.peak_bytes / GIB * MILLION / lines, "GiB", ("<=", 1.0), lines=lines,
                peak_bytes=cost.peak_bytes)
