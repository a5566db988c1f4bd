# SPDX-License-Identifier: Apache-2.0
"""What the first screen and the findings of memory may say: the fullest line, and free memory that a request may use."""
import os
import pickle
import tempfile
import unittest

import snapshots
from snapshots import MIB, Allocator, in_backward, in_forward, in_move, in_optimizer, snapshot
from support import OK, rows_of, steptime


class Told(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_on(self, told, *more):
        path = os.path.join(self.folder.name, "snapshot.pickle")
        with open(path, "wb") as file:
            pickle.dump(told, file, 4)
        done = steptime("memory", path, *more)
        self.assertEqual(done.code, OK, done.err)
        return done

    def words(self, told):
        return " ".join(self.run_on(told).out.split())

    def document(self, told):
        return self.run_on(told, "--format", "json").json


class FilledMost(Told):
    def test_categories_of_a_line_are_added_up(self):
        """12 MiB of line 7 of one kind and 9 of another are more than 20 of line 8."""
        of_seven = [snapshots.frame("build", "/home/u/net.py", 7)]
        a = Allocator()
        a.alloc(20 * MIB, in_forward(8))
        a.alloc(12 * MIB, [in_move()[0], *of_seven])
        a.alloc(9 * MIB, [in_optimizer()[0], *of_seven])
        told = snapshot(a)
        self.assertEqual(rows_of(self.document(told), "memory_lines")[0]["where"], "model.py:8 forward")
        self.assertIn("net.py:7 build filled most: 21.0 MiB (51 %, mostly parameters) in 2 pieces.", self.words(told))

    def test_no_category_has_most_of_a_line(self):
        of_seven = snapshots.frame("build", "/home/u/net.py", 7)
        a = Allocator()
        for frames in ([in_move()[0]], [in_optimizer()[0]]):
            a.alloc(9 * MIB, [*frames, of_seven])
        self.assertIn("net.py:7 build filled most: 18.0 MiB (100 %, for several things) in 2 pieces.", self.words(snapshot(a)))

    def test_callees_of_a_line_are_added_up(self):
        """Rows of the table are finer than lines: 'in' is told where all of it is the same."""
        def below(number):
            return [snapshots.frame("f", "/usr/lib/python3/dist-packages/lib/f.py", number), snapshots.frame("g", "/home/u/g.py", 3)]
        a = Allocator()
        for number in (1, 2):
            a.alloc(6 * MIB, below(number))
        a.alloc(10 * MIB, in_forward(8))
        self.assertIn("g.py:3 g filled most: 12.0 MiB (55 %, other) in 2 pieces.", self.words(snapshot(a)))
        a = Allocator()
        a.alloc(6 * MIB, below(1))
        self.assertIn("g.py:3 g filled most: 6.00 MiB (100 %, other) in 1 piece, in f.py:1 f.", self.words(snapshot(a)))

    def test_what_has_no_line_is_left_out_and_said(self):
        a = Allocator()
        a.alloc(30 * MIB, [])
        a.alloc(8 * MIB, in_forward(8))
        a.alloc(2 * MIB, in_backward())
        self.assertIn("Of the 10.0 MiB (25 %) that have a line, model.py:8 forward filled most: 8.00 MiB (20 %, activations) in 1 piece.",
                      self.words(snapshot(a)))

    def test_none_has_a_line(self):
        a = Allocator()
        a.alloc(30 * MIB, [])
        self.assertIn("holds no frames", self.words(snapshot(a)))


def in_pieces(allocator, size=2 * MIB, count=8):
    """`count` free pieces of a size with something in between."""
    pieces = [allocator.alloc(size, in_forward(12)) for _ in range(2 * count)]
    for addr in pieces[::2]:
        allocator.free(addr, in_forward(13))
    return allocator


class Usable(Told):
    """8 pieces of 2 MiB are free, and 6 MiB are asked for: fragmented, if the request may use them."""

    def asked(self, size=6 * MIB, change=None, **of_segments):
        a = in_pieces(Allocator(segment=32 * MIB))
        a.out_of_memory(size, in_forward(14))
        told = snapshot(a)
        for segment in told["segments"]:
            segment.update(of_segments)
        if change:
            change(told)
        document = self.document(told)
        layouts = {row["moment"]: row for row in rows_of(document, "memory_layout")}
        return document, layouts["out of memory 1"], layouts["end"]

    def test_what_it_may_use(self):
        document, out, end = self.asked()
        self.assertEqual([finding["rule"] for finding in document["findings"]], ["ME102"])
        for row in (out, end):
            self.assertEqual((row["free_bytes"], row["usable_bytes"], row["largest_bytes"], row["pieces"], row["fragmentation"]),
                             (16 * MIB, 16 * MIB, 2 * MIB, 8, 1 - 1 / 8))
        self.assertIn("16.0 MiB that it may use was free in 8 pieces, the largest of 2.00 MiB", str(document["findings"]))

    def test_what_it_may_not_use(self):
        for of_segments, at_end in (({"segment_type": "small"}, 0), ({"segment_pool_id": (0, 3)}, 0), ({"stream": 77}, 16 * MIB)):
            document, out, end = self.asked(**of_segments)
            self.assertEqual(document["findings"], [], of_segments)
            self.assertEqual((out["free_bytes"], out["usable_bytes"], out["largest_bytes"], out["pieces"], out["fragmentation"]),
                             (16 * MIB, 0, 0, 0, None), of_segments)
            self.assertEqual((end["free_bytes"], end["usable_bytes"]), (16 * MIB, at_end), of_segments)
            [row] = rows_of(document, "out_of_memory")
            self.assertEqual((row["free_bytes"], row["usable_bytes"], row["largest_bytes"]), (16 * MIB, 0, 0))

    def test_small_requests_use_small_segments(self):
        document, out, _ = self.asked(MIB, segment_type="small")
        self.assertEqual((out["usable_bytes"], out["largest_bytes"], document["findings"]), (16 * MIB, 2 * MIB, []))
        self.assertEqual(self.asked(MIB)[1]["usable_bytes"], 0)

    def test_segments_that_went_before_the_end(self):
        """What was there when the request failed is replayed: its pool is told by its size, its stream by the entry."""
        def went(stream, size):
            def change(told):
                told["device_traces"][0].append({"action": "segment_free", "addr": 1 << 40, "size": size, "stream": stream,
                                                 "time_us": 1 << 60, "frames": []})
            return change
        for stream, size, usable in ((0, 20 * MIB, 20 * MIB), (5, 20 * MIB, 0), (0, 2 * MIB, 0)):
            _, out, end = self.asked(change=went(stream, size))
            self.assertEqual((out["reserved_bytes"], end["reserved_bytes"]), (32 * MIB + size, 32 * MIB))
            self.assertEqual((out["free_bytes"], out["usable_bytes"]), (16 * MIB + size, 16 * MIB + usable), (stream, size))

    def test_segments_that_came_later_are_none_of_then(self):
        """Where the second lies a segment of another stream lay when the request failed."""
        def change(told):
            segment = {"addr": 1 << 40, "size": 20 * MIB, "time_us": 1 << 60, "frames": []}
            told["device_traces"][0] += [{**segment, "action": "segment_free", "stream": 5},
                                         {**segment, "action": "segment_alloc", "stream": 0}]
            told["segments"].append({**told["segments"][0], "address": 1 << 40, "total_size": 20 * MIB, "blocks": [
                {"address": 1 << 40, "size": 20 * MIB, "requested_size": 0, "state": "inactive", "frames": []}]})
        _, out, end = self.asked(change=change)
        self.assertEqual((out["reserved_bytes"], out["free_bytes"], out["usable_bytes"]), (52 * MIB, 36 * MIB, 16 * MIB))
        self.assertEqual((end["usable_bytes"], end["largest_bytes"]), (36 * MIB, 20 * MIB))

    def test_streams_without_number(self):
        """Of 255 streams each has a number of its own; what comes behind is taken as of any."""
        a = in_pieces(Allocator(segment=32 * MIB))
        for event in a.events:
            event["stream"] = 0
        a.out_of_memory(6 * MIB, in_forward(14))
        told = snapshot(a)
        told["device_traces"][0] = [{"action": "something new", "addr": 1, "size": 1, "stream": stream, "frames": []}
                                    for stream in range(1, 300)] + told["device_traces"][0]
        self.assertEqual([row["usable_bytes"] for row in rows_of(self.document(told), "out_of_memory")], [16 * MIB])


if __name__ == "__main__":
    unittest.main()
