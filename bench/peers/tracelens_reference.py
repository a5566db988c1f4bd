# SPDX-License-Identifier: Apache-2.0
"""Reference numbers of TraceLens: its GPU timeline over all device events, and over those its report keeps.

`all.*` gives its GPUEventAnalyser every event of the file; `linked.*` is what its PyTorch report prints, from
which device events that its tree cannot tie to a launch are left out. Put a checkout of TraceLens on PYTHONPATH.
"""

import importlib.metadata
import logging
import pathlib
import subprocess
import warnings

import common


def timeline_rows(prefix, frame):
    """TraceLens gives milliseconds (microseconds / 1000); they are recorded as printed."""
    return [(f"{prefix}.{kind}", time_ms, "ms") for kind, time_ms in zip(frame["type"], frame["time ms"])]


def all_rows(path):
    from TraceLens.TreePerf import GPUEventAnalyser
    from TraceLens.util import DataLoader

    events = DataLoader.load_data(path)["traceEvents"]
    for uid, event in enumerate(events):
        event["UID"] = uid
    return timeline_rows("all", GPUEventAnalyser(events).get_breakdown_df())


def linked_rows(path):
    from TraceLens.TreePerf import TreePerfAnalyzer

    analyzer = TreePerfAnalyzer.from_file(path)
    return timeline_rows("linked", analyzer.get_df_gpu_timeline())


def measure(path):
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    rows = []
    with common.as_json(path) as plain:
        common.attempt(rows, "all", lambda: all_rows(plain))
        common.attempt(rows, "linked", lambda: linked_rows(plain))
    return rows


def revision():
    import TraceLens

    folder = pathlib.Path(TraceLens.__file__).parent
    command = ("git", "-C", str(folder), "rev-parse", "HEAD")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    versions = [(f"version.{n}", importlib.metadata.version(n), "") for n in ("pandas", "orjson")]
    common.main(__doc__, [("version.TraceLens", revision(), ""), *versions], measure)
