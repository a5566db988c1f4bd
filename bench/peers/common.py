# SPDX-License-Identifier: Apache-2.0
"""What the reference scripts share: finding traces, running one in a bounded child, writing the table.

A table is long form, one number a row: trace (path below the trace folder), metric, value, unit.
"""

import argparse
import contextlib
import csv
import multiprocessing
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

FOLDERS = ("kineto", "multirank", "et", "producers", "big", "legacy", "quirks")
SUFFIXES = (".json", ".gz", ".zst")
MEMORY_LIMIT_BYTES = 10 << 30
TIME_LIMIT_S = 300


def default_root():
    """The shared trace folder: $STEPTIME_SHARED, else beside the checkout."""
    beside = pathlib.Path(__file__).resolve().parents[3] / "shared"
    return pathlib.Path(os.environ.get("STEPTIME_SHARED", beside)) / "data" / "traces"


def find_traces(root, only):
    """Every candidate file under the known folders, in name order; `only` keeps paths that contain it."""
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.name.endswith(SUFFIXES) and only in str(path):
                found.append(path)
    return found


@contextlib.contextmanager
def as_json(path, suffix=".json"):
    """The path itself, or for a .zst file the path of an unpacked copy (the tools do not read zstd)."""
    if not path.name.endswith(".zst"):
        yield str(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, path.name[: -len(".zst")])
        plain = plain if plain.endswith(suffix) else plain + suffix
        subprocess.run(["zstd", "-q", "-d", str(path), "-o", plain], check=True)
        yield plain


def short_error(error):
    """One line for an exception, free of paths."""
    text = " ".join(str(error).split())
    words = [os.path.basename(w) if "/" in w and w.startswith(("/", "'/")) else w for w in text.split(" ")]
    return f"{type(error).__name__}: {' '.join(words)}"[:160].rstrip(": ")


def attempt(rows, part, measure):
    """Append the rows of measure(), or one error row that names the part that failed."""
    try:
        rows.extend(measure())
    except BaseException as error:  # MemoryError and SystemExit are results here too
        rows.append(("error", f"{part}: {short_error(error)}", ""))


def _child(measure, path, sender):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    sys.stdout = sys.stderr = open(os.devnull, "w")
    rows = []
    attempt(rows, "run", lambda: measure(path))
    sender.send(rows)


def measure_bounded(measure, path):
    """Rows of measure(path), run in a child of bounded memory and time."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(measure, path, sender))
    child.start()
    sender.close()
    try:
        if receiver.poll(TIME_LIMIT_S):
            return receiver.recv()
        return [("error", f"run: more than {TIME_LIMIT_S} s", "")]
    except EOFError:
        return [("error", f"run: ended without a result (limit {MEMORY_LIMIT_BYTES >> 30} GiB)", "")]
    finally:
        child.kill()
        child.join()


def number(value):
    """A number as text: integers bare, decimals in their shortest exact form."""
    if isinstance(value, str):
        return value
    value = float(value)
    if value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value)


def main(description, tool_rows, measure):
    """Command line of a reference script: run `measure` over the traces and write one table."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=default_root(), help="folder of traces")
    parser.add_argument("--only", default="", help="keep only paths that contain this text")
    parser.add_argument("-o", "--output", default="-", help="table to write (default: standard output)")
    options = parser.parse_args()
    output = sys.stdout if options.output == "-" else open(options.output, "w", newline="")
    table = csv.writer(output, lineterminator="\n")
    table.writerow(("trace", "metric", "value", "unit"))
    for row in tool_rows:
        table.writerow(("*", *row))
    for path in find_traces(options.root, options.only):
        name = path.relative_to(options.root)
        print(name, file=sys.stderr, flush=True)
        for metric, value, unit in measure_bounded(measure, path):
            table.writerow((name, metric, number(value), unit))
        output.flush()
