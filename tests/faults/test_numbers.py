# SPDX-License-Identifier: Apache-2.0
"""Times that no sum can hold, whatever the file says: no figure is negative or not a number, and what was wrong is named."""
import json
import os

import support
from support import OK, Folder, span, steptime, trace_commands, write_trace

NOW = 1.7e15  # microseconds since 1970
SIGNED = {"offset_ns", "lateness_ns", "clock_offset_ns", "drift_ppm", "ahead_ns", "change", "start_epoch_ns", "saved_ns",
          "epoch_ns", "delta_ns", "error", "saving_ns", "saving_low_ns", "saving_high_ns", "rank_error"}  # figures that may be below zero
WHAT_IFS = [["--cpu-speed", "2"], ["--scale", "*=1e6"], ["--scale", "k=1e6"], ["--scale", "*=1e15"],
            ["--scale", "*=1e300"], ["--scale", "k=1e15"], ["--scale", "aten::mm=1e300"], ["--no-sync"]]


def figures(node, where=""):
    """All numbers of a result, with their ids."""
    if isinstance(node, dict):
        if "columns" in node and "rows" in node:
            ids = [column["id"] for column in node["columns"]]
            for row in node["rows"]:
                yield from ((f"{where}.{name}", value) for name, value in zip(ids, row))
            node = {key: value for key, value in node.items() if key not in ("columns", "rows")}
        if "id" in node and "value" in node:
            yield f"{where}.{node['id']}", node["value"]
            return
        for key, value in node.items():
            yield from figures(value, f"{where}.{node.get('id', key)}")
    elif isinstance(node, list):
        for value in node:
            yield from figures(value, where)
    else:
        yield where, node


def wrong(text):
    def refuse(word):
        raise ValueError(f"the result holds {word}")

    result = json.loads(text, parse_constant=refuse)
    return [(name, value) for name, value in figures(result["sections"])
            if isinstance(value, (int, float)) and value < 0 and name.rsplit(".", 1)[-1] not in SIGNED]


class Figures(Folder):
    def check(self, *words):
        done = steptime(*words, "--format", "json")
        self.assertIn(done.code, (OK, support.USAGE, support.INPUT), (words, done.err))
        if done.code == OK:
            self.assertEqual(wrong(done.out), [], words)
        else:
            self.assertTrue(done.err.startswith("steptime: "), (words, done.err))
        return done

    def check_all(self, *paths):
        for command in trace_commands():
            with self.subTest(command=command, paths=paths):
                self.check(command, *paths)
        for words in WHAT_IFS:
            with self.subTest(words=words, paths=paths):
                self.check("predict", *words, *paths)

    def stray(self, name="stray.json", rank=None, devices=6):
        events = []
        for device in range(devices):
            at, correlation = NOW + 10 * device, device + 1
            events += [span("aten::mm", at, 8),
                       span("cudaLaunchKernel", at + 1, 2, cat="cuda_runtime", correlation=correlation),
                       span("k", at + 5, 4, cat="kernel", pid=device, tid=7, correlation=correlation, device=device,
                            stream=7)]
        events.append(span("aten::stray", 0, 1))
        more = {} if rank is None else {"distributedInfo": {"rank": rank, "world_size": 6}}
        return write_trace(os.path.join(self.folder, name), events, **more)

    def test_a_stray_event_is_named(self):
        path = self.stray()
        self.check_all(path)
        for command in ("summary", "breakdown", "kernels", "info"):
            done = self.check(command, path)
            told = [warning["message"] for warning in done.json["warnings"]]
            self.assertIn("event set aside: 'aten::stray' begins 53.9 years before the other events", told, command)
        self.assertIn("aten::stray", steptime("breakdown", path).out + steptime("breakdown", path).err)

    def test_strays_of_several_ranks(self):
        self.check_all(*[self.stray(f"rank{rank}.json", rank, devices=1) for rank in range(6)])

    def test_long_work(self):
        """Work of six days each on many streams of many ranks: their sum over the job is more than 64 bits hold."""
        paths = []
        for rank in range(12):
            events = []
            for i in range(1900):
                events += [span("aten::mm", i, 0.5),
                           span("cudaLaunchKernel", i, 0.4, cat="cuda_runtime", correlation=i + 1),
                           span("k", i + 1, 6 * 86400e6, cat="kernel", pid=0, tid=i, correlation=i + 1, device=0, stream=i)]
            paths.append(write_trace(os.path.join(self.folder, f"long{rank}.json"), events,
                                     distributedInfo={"rank": rank, "world_size": 12}))
        self.check_all(*paths)

    def test_shared_faults(self):
        folder = os.path.join(support.SHARED, "data", "faults")
        if not os.path.isdir(folder):
            self.skipTest("the shared faults are not here")
        job = [os.path.join(folder, "job", f"rank{rank}.json") for rank in range(6)]
        for paths in (["stray_ts0_6dev.json"], ["busy1e17.json"], ["longkernels.json"], job):
            self.check_all(*[os.path.join(folder, path) for path in paths])
