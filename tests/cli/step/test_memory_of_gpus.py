# SPDX-License-Identifier: Apache-2.0
"""Histories of several GPUs in one snapshot: whose an entry is where the file breaks off, and what many GPUs take."""
import os
import pickle
import resource
import subprocess
import tempfile
import unittest

import snapshots
import support
from snapshots import MIB, Allocator, in_forward, training
from support import OK, rows_of, steptime, values


def histories(*allocators):
    """What a snapshot has without its segments, which one that breaks off does not tell of anyway."""
    return {"segments": [], "device_traces": [allocator.events for allocator in allocators]}


class Gpus(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def written(self, data):
        path = os.path.join(self.folder.name, "snapshot.pickle")
        with open(path, "wb") as file:
            file.write(data)
        return path

    def devices(self, data):
        done = steptime("memory", self.written(data), "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        return {row["device"]: row for row in rows_of(done.json, "memory_devices")}, str(done.json["warnings"])

    def three(self):
        """Told apart by how many steps they take. The third has no entry."""
        return histories(training(3), training(5, allocator=Allocator(device=1)), Allocator(device=2),
                         training(4, allocator=Allocator(device=3)))

    def test_cut_in_the_history_of_each(self):
        told = self.three()
        for name, data in (("python", pickle.dumps(told, 4)), ("old", pickle.dumps(told, 2)), ("c", snapshots.as_in_c(told))):
            whole, _ = self.devices(data)
            self.assertEqual(list(whole), ["GPU 0", "GPU 1", "GPU 3"])
            seen = set()
            for at in range(len(data) // 10, len(data), len(data) // 23):
                rows, warnings = self.devices(data[:at])
                last = int(list(rows)[-1][4:])
                seen.add(last)
                for device, row in rows.items():
                    if int(device[4:]) < last:
                        for column in ("peak_bytes", "peak_ns", "end_bytes", "allocations", "frees", "unmatched", "steps"):
                            self.assertEqual(row[column], whole[device][column], (name, at, column))
                    else:
                        self.assertLessEqual(row["allocations"], whole[device]["allocations"])
                self.assertRegex(warnings, r"breaks off at byte \d+, in the history of GPU [0-3]: ")
            self.assertEqual(seen, {0, 1, 3}, name)

    def test_cut_in_a_history_of_one_entry(self):
        """Picklers put a single item into its list another way."""
        one = [{"action": "alloc", "addr": 8, "size": 5, "frames": [], "time_us": 1}]
        told = {"device_traces": [one, [dict(one[0], addr=16), dict(one[0], addr=24)], [dict(one[0], size=7)]]}
        data = pickle.dumps(told, 4)
        rows, warnings = self.devices(data[:-3])
        self.assertEqual([(name, row["allocations"], row["peak_bytes"]) for name, row in rows.items()],
                         [("GPU 0", 1, 5), ("GPU 1", 2, 10), ("GPU 2", 1, 7)])
        self.assertIn("in the history of GPU 2", warnings)
        rows, _ = self.devices(pickle.dumps({"device_traces": [one]}, 4)[:-3])
        self.assertEqual(list(rows), ["GPU 0"])

    def test_cut_behind_the_histories(self):
        data = pickle.dumps({**self.three(), "allocator_settings": {"garbage_collection_threshold": 0.5}}, 4)
        rows, warnings = self.devices(data[:-12])
        self.assertEqual(list(rows), ["GPU 0", "GPU 1", "GPU 3"])
        self.assertNotIn("in the history", warnings)

    def test_entries_of_no_list_of_a_gpu(self):
        rows, _ = self.devices(pickle.dumps([{"action": "alloc", "addr": 8, "size": 5, "frames": []}], 4))
        self.assertEqual([(name, row["peak_bytes"]) for name, row in rows.items()], [("GPU 0", 5)])

    def test_steps_of_a_gpu_are_its_own(self):
        """Nothing of the second GPU lies before its first event, so that no step does."""
        one, two = training(3), Allocator(device=1)
        two.time_us = one.time_us + 1000
        two.alloc(MIB, in_forward(7))
        told = snapshots.snapshot(one, two)
        done = steptime("memory", self.written(pickle.dumps(told, 4)), "--format", "json")
        self.assertEqual([row["device"] for row in rows_of(done.json, "memory_steps")].count("GPU 1"), 0)
        self.assertEqual([row["device"] for row in rows_of(done.json, "memory_steps")].count("GPU 0"), 3)

    def test_rows_say_whose_they_are_on_a_narrow_screen(self):
        told = snapshots.snapshot(*[training(6, leak=70_000, allocator=Allocator(device=k)) for k in (0, 1)])
        for allocator in told["device_traces"]:
            allocator.append({"action": "oom", "size": 5 * MIB, "device_free": 7 * MIB, "stream": 0, "frames": [], "time_us": 1 << 50})
        out = steptime("memory", self.written(pickle.dumps(told, 4)), env={**os.environ, "COLUMNS": "80"}).out
        parts = [part for part in out.split("\n-- ")[1:] if not part.startswith("Findings")]
        self.assertEqual(len(parts), 7)
        for part in parts:
            self.assertTrue("GPU 0" in part and "GPU 1" in part, part)

    def seconds(self, data):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([support.PROGRAM, "memory", self.written(data), "--format", "json"], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_many_gpus_take_no_pass_each(self):
        """1024 GPUs with as many entries, marks and lines together as one: none may take a pass over all of them."""
        def entry(i):
            return {"action": "alloc" if i % 2 == 0 else "free_requested", "addr": 8 + i // 2, "size": 5, "time_us": i,
                    "frames": [snapshots.frame("f", "/home/u/m.py", i // 2)]}
        marks = [{"stage": stage, "name": "Optimizer.step#A.step", "device": 0, "time_us": i} for i in range(10000)
                 for stage in ("START", "END")]
        entries = [entry(i) for i in range(40000)]

        def told(lists):
            return pickle.dumps({"segments": [], "device_traces": lists, "external_annotations": marks}, 4)
        one = min(self.seconds(told([entries])) for _ in range(2))
        many = min(self.seconds(told([entries[k::1024] for k in range(1024)])) for _ in range(2))
        self.assertLess(many, 12 * one + 0.5)


if __name__ == "__main__":
    unittest.main()
