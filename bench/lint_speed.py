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
from lint_shapes import COPIES, SMALL, WITHIN
from measure import Failed, median, run

MILLION, LINES_ENOUGH = 1_000_000, 500_000
SECONDS, MEMORY_GB, GIB = 15, 0.5, 1 << 30
LINEAR = 1.15  # how much more a byte may cost in an input four times as large


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


def files_of(make, size):
    """The files of a shape, as (name, text)."""
    texts = list(make(size))
    return [("shape.py", "".join(texts))] if isinstance(texts[0], str) else texts


def shape(work, make, size, copies=1):
    """A folder that holds the shape so many times, and its bytes."""
    top, length = os.path.join(work, "shapes", f"{make.__name__}{size}x{copies}"), 0
    for copy in range(copies):
        os.makedirs(os.path.join(top, f"p{copy}"), exist_ok=True)
        for name, text in files_of(make, size):
            with open(os.path.join(top, f"p{copy}", name), "w", encoding="ascii") as out:
                length += out.write(text)
    return top, length


def instructions(command, within):
    """What a run executes, as valgrind counts it: the same on a busy machine. `within`: no limit may be met."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command],
                             capture_output=True, text=True, check=True)
    summary = next(section for section in json.loads(ran.stdout)["sections"] if section["id"] == "lint")
    not_followed = next(value["value"] for value in summary["values"] if value["id"] == "not_followed")
    if (not_followed and within) or "does not parse" in ran.stdout:
        raise Failed(f"{command[-1]} passes a limit, and says nothing of growth")
    return int(re.search(r"Collected : (\d+)", ran.stderr)[1])


def growth(program, nothing, small, large, within):
    """How much more a byte costs in the larger input, in instructions; the cost of starting left out."""
    command = [program, "lint", "--format", "json", "--fail-on", "never", "--threads", "1"]
    least = instructions(command + [nothing], True)
    costs = [instructions(command + [path], within) - least for path, _ in (small, large)]
    return costs[1] / large[1] / (costs[0] / small[1]), costs


def shapes(figures, program, work):
    """Hostile shapes, four times as large and four times as many, for four times the cost."""
    nothing = shape(work, lambda _: ["pass\n"], 0)[0]
    for make, size in SMALL.items():
        pairs = [("", shape(work, make, size), shape(work, make, 4 * size))]
        if make in WITHIN:
            pairs += [(".copies", shape(work, make, WITHIN[make], COPIES), shape(work, make, WITHIN[make], 4 * COPIES))]
        for kind, small, large in pairs:
            grows, costs = growth(program, nothing, small, large, make not in WITHIN or kind == ".copies")
            figures.add(f"lint.shape.{make.__name__}{kind}", grows, "a byte, of four times as much", ("<=", LINEAR),
                        small_instructions=costs[0], large_instructions=costs[1])


def linting(figures, program, work):
    """A million lines in one run on two cores; hostile shapes, four times as large for four times the cost."""
    command = [program, "lint", "--format", "json", "--fail-on", "never"]
    if shutil.which("valgrind"):
        shapes(figures, program, work)
    folders, lines = real_python()
    if lines < LINES_ENOUGH:
        raise Missing(f"{lines} lines of Python are here: STEPTIME_TORCH, STEPTIME_PUBLIC_CODE name no folders")
    cost = median([run(command + folders, cores=2) for _ in range(figures.times)])
    figures.add("lint.million_lines", cost.wall_s * MILLION / lines, "s", ("<=", SECONDS), lines=lines,
                wall_s=cost.wall_s, cpu_s=cost.cpu_s)
    figures.add("lint.memory", cost.peak_bytes / GIB * MILLION / lines, "GiB", ("<=", MEMORY_GB * 1e9 / GIB), lines=lines,
                peak_bytes=cost.peak_bytes)
