# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: running it, finding traces, making small ones.

The build sets STEPTIME (the program), STEPTIME_SOURCE (the checkout) and STEPTIME_SANITIZE; STEPTIME_SHARED names a
folder of other people's traces, by default the one beside the checkout. Tests that need it skip where it is absent.
"""
import gzip
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from dataclasses import dataclass

SOURCE = os.environ.get("STEPTIME_SOURCE") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("STEPTIME_BUILD") or os.path.join(SOURCE, "build")
PROGRAM = os.environ.get("STEPTIME") or os.path.join(BUILD, "steptime")
SHARED = os.environ.get("STEPTIME_SHARED") or os.path.join(os.path.dirname(SOURCE), "shared")
SANITIZED = os.environ.get("STEPTIME_SANITIZE", "none") != "none"
FIRST_BUILD = not SANITIZED and os.environ.get("STEPTIME_COMPILER", "gcc") == "gcc"  # make check's own

OTHER_COMMANDS = ("hw", "model", "calibrate", "record", "lint", "rules", "fix", "lsp", "verify", "tune", "shard", "fleet", "price", "diff", "memory", "mcp", "query", "export", "report", "help",
                  "completion")  # those that read no trace, or not only
os.environ["STEPTIME_MODELS"] = ""  # what the user of this machine calibrated is no part of any test
OK, JUDGED, USAGE, INPUT, OUTPUT, MEMORY = range(6)


@dataclass
class Outcome:
    """How a run ended: exit code (negative: signal), what it said, what it took."""

    code: int
    out: str
    err: str
    seconds: float
    peak_bytes: int
    cpu_s: float

    @property
    def json(self):
        return json.loads(self.out)


def feed(pipe, chunks):
    """Writes until all is written or nobody reads any more."""
    try:
        with pipe:
            for chunk in chunks:
                pipe.write(chunk)
    except BrokenPipeError:
        pass


def collect(pipe, into):
    with pipe:
        into.append(pipe.read())


def skip_unless_reached_by(user):
    try:
        subprocess.run([PROGRAM, "--version"], user=user, check=True, stdout=subprocess.DEVNULL)
    except PermissionError as closed:
        raise unittest.SkipTest("the program lies where nobody but root gets to") from closed


def steptime(*arguments, stdin=None, stdout=subprocess.PIPE, env=None, limit_s=120, cwd=None, user=None):
    """Runs the program. stdin: bytes, or chunks of bytes; stdout: a file object where the result is not wanted."""
    begin = time.monotonic()
    if user is not None:
        skip_unless_reached_by(user)
    child = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=cwd, user=user,
                             stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                             stdout=stdout, stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1", **(env or {})})
    out, err = [], []
    helpers = [threading.Thread(target=collect, args=(child.stderr, err))]
    if child.stdout:
        helpers.append(threading.Thread(target=collect, args=(child.stdout, out)))
    if stdin is not None:
        helpers.append(threading.Thread(target=feed, args=(child.stdin, [stdin] if isinstance(stdin, bytes) else stdin)))
    for helper in helpers:
        helper.start()
    killer = threading.Timer(limit_s, child.kill)
    killer.start()
    _, status, usage = os.wait4(child.pid, 0)
    killer.cancel()
    for helper in helpers:
        helper.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    text = [b"".join(part).decode("utf-8", "replace") for part in (out, err)]
    seconds = time.monotonic() - begin
    if child.returncode == -signal.SIGKILL and seconds >= limit_s:
        raise AssertionError(f"steptime {' '.join(map(str, arguments))}: still running after {limit_s} s")
    return Outcome(child.returncode, *text, seconds, usage.ru_maxrss * 1024,
                   usage.ru_utime + usage.ru_stime)


MPI_PROGRAM = os.path.join(BUILD, "src", "mpi", "steptime-mpi")
HAS_MPI = not SANITIZED and os.path.exists(MPI_PROGRAM) and shutil.which("mpirun")  # the sanitizers count what MPI leaves behind


def steptime_mpi(processes, *arguments, limit_s=100):
    """Exit code, output, errors."""
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes), MPI_PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit_s, check=False,
                          env={**os.environ, "NO_COLOR": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                               "OMPI_MCA_orte_base_help_aggregate": "0"})
    return done.returncode, done.stdout, done.stderr


def trace_commands():
    """The commands that take traces, as the program's own help lists them."""
    shown = steptime("--help").out.partition("Commands:")[2].strip("\n").partition("\n\n")[0]
    return [line.split()[0] for line in shown.splitlines() if line.split()[0] not in OTHER_COMMANDS]


def recorded(name):
    """A trace that this project recorded itself."""
    return os.path.join(SOURCE, "tests", "data", "recorded", name)


def shared_trace(name):
    """A trace of other people; the test skips where it is absent."""
    path = os.path.join(SHARED, "data", "traces", name)
    if not os.path.exists(path):
        raise unittest.SkipTest("the shared traces are not here")
    return path


def shared_fault(name):
    """An input that the program answered wrongly once; the test skips where it is absent."""
    path = os.path.join(SHARED, "data", "faults", name)
    if not os.path.exists(path):
        raise unittest.SkipTest("the shared faults are not here")
    return path


class Folder(unittest.TestCase):
    """A case with a folder of its own, self.folder, which goes with it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name


def values(document):
    """The values of a result in JSON, by id."""
    return {value["id"]: value["value"] for section in document["sections"] for value in section["values"]}


def own_sections(document):
    """Those of the command: `trust` is of every command that concludes, and doc/numbers/trust.md defines it."""
    return [section for section in document["sections"] if section["id"] != "trust"]


def rows_of(document, name):
    """The rows of one of its tables, as dictionaries by the ids of columns."""
    for section in document["sections"]:
        for found in section["tables"]:
            if found["id"] == name:
                return [dict(zip([column["id"] for column in found["columns"]], row)) for row in found["rows"]]
    raise KeyError(name)


def span(name, ts, dur, cat="cpu_op", pid=1, tid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def training_steps(count=2, kernels=3):
    """Events of a training loop: in each step of 1000 us some operators, each of which launches one kernel of 100 us."""
    events = []
    for step in range(count):
        at = 1000 * step
        events.append(span(f"ProfilerStep#{step}", at, 1000, cat="user_annotation"))
        for i in range(kernels):
            begin, correlation = at + 10 + 200 * i, 1 + step * kernels + i
            events.append(span("aten::mm", begin, 50, **{"Input Dims": [[64, 64], [64, 64]], "External id": correlation}))
            events.append(span("cudaLaunchKernel", begin + 10, 10, cat="cuda_runtime", correlation=correlation))
            events.append(span("sgemm_128x64", begin + 60, 100, cat="kernel", pid=0, tid=7, correlation=correlation,
                               device=0, stream=7))
    return events


def trace_text(events=None, **more):
    return json.dumps({"schemaVersion": 1, **more, "traceEvents": training_steps() if events is None else events})


def write_trace(path, events=None, **more):
    data = trace_text(events, **more).encode()
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "wb") as out:
        out.write(data)
    return path
