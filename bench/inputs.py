# SPDX-License-Identifier: Apache-2.0
"""The traces that are measured: other people's, found beside the checkout, and larger ones made of them. What is made
is kept in a folder of the build and made once."""
import gzip
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ["STEPTIME_MODELS"] = ""  # what the user of this machine calibrated is no part of any figure
SHARED = os.environ.get("STEPTIME_SHARED") or os.path.join(os.path.dirname(TOP), "shared")
CONTROL = "kineto/hta_trace_diff_control_w8r3.json.gz"


class Missing(Exception):
    """An input or a tool that is not here; the figure is reported as missing, with this reason."""


def trace(name):
    path = os.path.join(SHARED, "data", "traces", name)
    if not os.path.exists(path):
        raise Missing(f"no {name}: the shared traces are not here")
    return path


def made(folder, name, make):
    """A file of the folder, made by make(path) if it is not there yet."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        part = path.replace(".json", ".part.json")
        make(part)
        os.replace(part, path)
    return path


def repeated(folder, copies, name=CONTROL):
    """A trace repeated in time, ids and step numbers shifted."""
    source, tool = trace(name), os.path.join(SHARED, "bin", "repeat-trace")
    if not os.path.exists(tool):
        raise Missing("no repeat-trace: the shared tools are not here")

    def make(path):
        subprocess.run([sys.executable, tool, source, path, str(copies)], check=True, stdout=subprocess.DEVNULL)

    return made(folder, f"x{copies}-{os.path.basename(name)}", make)


def unpacked(folder, path):
    def make(part):
        opener = ["zstd", "-dc"] if path.endswith(".zst") else ["gzip", "-dc"]
        with open(part, "wb") as out:
            subprocess.run([*opener, path], check=True, stdout=out)

    return made(folder, os.path.basename(path).rsplit(".", 1)[0], make)


def gzipped(folder, path):
    """The file as gzip: itself, or what it holds packed again."""
    if path.endswith(".gz"):
        return path
    plain = unpacked(folder, path)

    def make(part):
        with open(part, "wb") as out:
            subprocess.run(["gzip", "-6", "-c", plain], check=True, stdout=out)

    return made(folder, os.path.basename(plain) + ".gz", make)


def ranks(folder, count, name=CONTROL):
    """One trace as the ranks of a job, told apart by the rank that they state."""
    folder = os.path.join(folder, f"ranks{count}")
    with gzip.open(trace(name), "rb") as packed:
        text = packed.read()
    for rank in range(count):
        def make(path, rank=rank):
            own, found = re.subn(rb'("rank"\s*:\s*)\d+', rb"\g<1>%d" % rank, text, count=1)
            if not found:
                raise Missing(f"{name} states no rank")
            with gzip.open(path, "wb", compresslevel=1) as out:
                out.write(own)

        made(folder, f"rank{rank}.json.gz", make)
    return folder
