# SPDX-License-Identifier: Apache-2.0
"""What filled the memory of a device: written snapshots (tests/snapshots.py), traces with profile_memory, hostile pickles."""
import gzip
import json
import os
import pickle
import subprocess
import tempfile
import unittest

import snapshots
import support
from snapshots import MIB, Allocator, in_forward, snapshot, training
from support import INPUT, OK, USAGE, rows_of, steptime, values


def peak_the_slow_way(told):
    """Of the first device: most bytes that lived at once, and the bytes before the history."""
    live, begin = {}, 0
    for event in told["device_traces"][0]:
        if event["action"] == "alloc":
            live[event["addr"]] = event["size"]
        elif event["action"] == "free_requested" and live.pop(event["addr"], None) is None:
            begin += event["size"]
    begin += sum(block["requested_size"] for segment in told["segments"] for block in segment["blocks"]
                 if block["state"] == "active_allocated" and block["address"] not in live)
    held = most = begin
    for event in told["device_traces"][0]:
        held += {"alloc": 1, "free_requested": -1}.get(event["action"], 0) * event["size"]
        most = max(most, held)
    return most, begin


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def written(self, data, name="snapshot.pickle", protocol=4):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else pickle.dumps(data, protocol))
        return self.path(name)

    def told(self, data, *more, **how):
        done = steptime("memory", self.written(data, **how), "--format", "json", *more)
        self.assertEqual(done.code, OK, done.err)
        return done.json


class Snapshots(Files):
    def test_peak_and_begin(self):
        for last in (None, 30, 7):
            told = snapshot(training(), last=last)
            most, begin = peak_the_slow_way(told)
            document = self.told(told)
            self.assertEqual(values(document)["peak_bytes"], most)
            [device] = rows_of(document, "memory_devices")
            self.assertEqual((device["peak_bytes"], device["begin_bytes"]), (most, begin))
            self.assertEqual(sum(row["bytes"] for row in rows_of(document, "memory_lines")), most)
            self.assertEqual(sum(row["bytes"] for row in rows_of(document, "memory_categories")), most)

    def test_each_protocol_and_packed(self):
        first = self.told(snapshot(training()), protocol=2)
        for protocol in (3, 4, 5):
            again = self.told(snapshot(training()), protocol=protocol)
            self.assertEqual([section for section in again["sections"] if section["id"] != "inputs"],
                             [section for section in first["sections"] if section["id"] != "inputs"])
        packed = self.told(gzip.compress(pickle.dumps(snapshot(training()), 4)))
        self.assertEqual(values(packed)["peak_bytes"], values(first)["peak_bytes"])

    def test_by_the_pickler_in_python_too(self):
        class Plain(pickle._Pickler):
            pass
        with open(self.path("plain.pickle"), "wb") as file:
            Plain(file, 4).dump(snapshot(training(), last=40))
        done = steptime("memory", self.path("plain.pickle"), "--format", "json")
        self.assertEqual(values(done.json)["peak_bytes"], peak_the_slow_way(snapshot(training(), last=40))[0])

    def test_by_the_pickler_in_c(self):
        data = snapshots.as_in_c(snapshot(training(5), last=60))
        self.assertEqual(pickle.loads(data), snapshot(training(5), last=60))
        document = self.told(data)
        again = self.told(snapshot(training(5), last=60))
        for table in ("memory_lines", "memory_categories", "memory_layout", "memory_steps"):
            self.assertEqual(rows_of(document, table), rows_of(again, table))

    def test_categories(self):
        document = self.told(snapshot(training()))
        # In the second step: 4 parameters, 8 states, 3 activations of 8 MiB, and what the first backward makes.
        shares = {row["category"]: row["bytes"] for row in rows_of(document, "memory_categories")}
        self.assertEqual(shares, {"parameters": 16 * MIB, "optimizer": 32 * MIB, "activations": 24 * MIB, "gradients": 4 * MIB,
                                  "backward": 2 * MIB})
        self.assertEqual({row["category"]: row["certain"] for row in rows_of(document, "memory_categories")},
                         {"parameters": 1, "optimizer": 1, "activations": 0, "gradients": 0, "backward": 0})
        self.assertEqual(sum(shares.values()), values(document)["peak_bytes"])
        first = rows_of(document, "memory_lines")[0]
        self.assertEqual((first["where"], first["category"], first["inner"]), ("train.py:90 <module>", "optimizer", None))
        line = next(row for row in rows_of(document, "memory_lines") if row["category"] == "activations")
        self.assertEqual((line["where"], line["file"], line["line"], line["pieces"]), ("model.py:20 forward", "/home/u/model.py", 20, 3))

    def test_gradients_live_over_the_optimizer(self):
        """The end of a step: parameters, states, three gradients, and the optimizer's temporary."""
        a = Allocator()
        training(2, allocator=a)
        big = a.alloc(500 * MIB, in_forward(70))
        a.free(big, in_forward(70))
        shares = {row["category"]: row["bytes"] for row in rows_of(self.told(snapshot(a)), "memory_categories")}
        self.assertEqual(shares, {"parameters": 16 * MIB, "optimizer": 32 * MIB, "gradients": 12 * MIB, "other": 500 * MIB})

    def test_leak(self):
        for marked in (True, False):
            document = self.told(snapshot(training(12, leak=300_000, marked=marked)))
            self.assertEqual([(row["where"], row["per_step_bytes"], row["in_steps"], row["of_steps"], row["certain"])
                              for row in rows_of(document, "memory_leaks")], [("model.py:33 log", 300_000, 10, 10, "yes")])
            self.assertEqual([finding["rule"] for finding in document["findings"]], ["ME101"])
            self.assertEqual(values(document)["growth_bytes"], 300_000)
        silent = self.told(snapshot(training(12)))
        self.assertEqual((silent["findings"], [s["id"] for s in silent["sections"] if s["id"] == "memory_leaks"]), ([], []))

    def test_a_list_of_the_last_three_is_no_certain_leak(self):
        a, kept = Allocator(), []
        for _ in range(10):
            end = a.mark("Optimizer.step#SGD.step")
            kept.append(a.alloc(1000, in_forward(50)))
            if len(kept) > 3:
                a.free(kept.pop(0), in_forward(51))
            end()
        self.assertEqual(self.told(snapshot(a))["findings"], [])

    def test_what_the_recorder_says_of_objects(self):
        """The history begins after the parameters and states were made: their addresses tell them."""
        a = training(6)
        roles = [{"addr": addr, "role": "parameter" if k < 4 else "optimizer", "name": f"Linear.{k}"}
                 for k, addr in enumerate([*[event["addr"] for event in a.events if event["action"] == "alloc"][:4], 1])]
        told = snapshot(a, last=40)
        for segment in told["segments"]:
            for block in segment["blocks"]:
                block["frames"] = []
        shares = {row["category"]: (row["bytes"], row["certain"]) for row in rows_of(self.told(told), "memory_categories")}
        self.assertEqual(shares["before the history"], (48 * MIB, 0))
        document = self.told({**told, "steptime_owners": roles})
        shares = {row["category"]: (row["bytes"], row["certain"]) for row in rows_of(document, "memory_categories")}
        self.assertEqual((shares["parameters"], shares["before the history"]), ((16 * MIB, 1), (32 * MIB, 0)))
        [row] = [row for row in rows_of(document, "memory_lines") if row["category"] == "parameters"]
        self.assertEqual((row["told_by"], row["tensor"], row["where"]), ("object", "Linear.0", "(before the history)"))

    def test_stacks_of_python_alone(self):
        """Threads of autograd's engine have no frames of Python; the categories are the same as with those of C++."""
        whole = snapshot(training(4))
        bare = json.loads(json.dumps(whole))
        for of in bare["device_traces"][0] + [block for segment in bare["segments"] for block in segment["blocks"]]:
            of["frames"] = [one for one in of["frames"] if one["filename"].endswith(".py")]
        for document in (self.told(whole), self.told(bare)):
            shares = {row["category"]: row["bytes"] for row in rows_of(document, "memory_categories")}
            self.assertEqual(shares, {"parameters": 16 * MIB, "optimizer": 32 * MIB, "activations": 24 * MIB,
                                      "gradients": 4 * MIB, "backward": 2 * MIB})

    def test_out_of_memory_in_pieces(self):
        """64 pieces of 1 MiB, every second one freed: 32 MiB are free and no 2 MiB of them side by side."""
        a = Allocator()
        pieces = [a.alloc(MIB, in_forward(12)) for _ in range(64)]
        for addr in pieces[::2]:
            a.free(addr, in_forward(13))
        a.out_of_memory(2 * MIB, in_forward(14))
        document = self.told(snapshot(a))
        [out] = rows_of(document, "out_of_memory")
        self.assertEqual((out["where"], out["asked_bytes"], out["device_free_bytes"], out["held_bytes"], out["reserved_bytes"],
                          out["free_bytes"], out["largest_bytes"]),
                         ("model.py:14 forward", 2 * MIB, 3 * MIB, 32 * MIB, 64 * MIB, 32 * MIB, MIB))
        self.assertEqual([finding["rule"] for finding in document["findings"]], ["ME102"])
        layouts = {row["moment"]: row for row in rows_of(document, "memory_layout")}
        self.assertEqual((layouts["end"]["stuck_bytes"], layouts["end"]["pieces"], layouts["end"]["fragmentation"]),
                         (32 * MIB, 32, 1 - 1 / 32))
        self.assertEqual({key: layouts["out of memory 1"][key] for key in ("held_bytes", "free_bytes", "pieces", "largest_bytes")},
                         {key: layouts["end"][key] for key in ("held_bytes", "free_bytes", "pieces", "largest_bytes")})
        self.assertEqual((layouts["peak"]["held_bytes"], layouts["peak"]["free_bytes"], layouts["peak"]["fragmentation"]),
                         (64 * MIB, 0, None))

    def test_rounding(self):
        a = Allocator()
        for _ in range(3):
            a.alloc(1000, in_forward(12))
        rows = {row["moment"]: row for row in rows_of(self.told(snapshot(a)), "memory_layout")}
        self.assertEqual((rows["end"]["held_bytes"], rows["end"]["rounding_bytes"]), (3072, 72))

    def test_what_lived_before(self):
        told = snapshot(training(6))
        told["device_traces"][0] = told["device_traces"][0][-20:]
        for segment in told["segments"]:
            for block in segment["blocks"]:
                block["frames"] = []
        document = self.told(told)
        lines = {row["where"]: row for row in rows_of(document, "memory_lines")}
        self.assertIn("(before the history)", lines)
        self.assertEqual(lines["(before the history)"]["category"], "before the history")
        out = " ".join(steptime("memory", self.path("snapshot.pickle")).out.split())
        self.assertIn("74.0 MiB (95 %) of it lived before the first event, and nothing says from where.", out)

    def test_devices_and_an_empty_one(self):
        one, two = training(3), training(3, allocator=Allocator(device=1))
        two.alloc(100 * MIB, in_forward(77))
        document = self.told(snapshot(one, two))
        self.assertEqual([row["device"] for row in rows_of(document, "memory_devices")], ["GPU 0", "GPU 1"])
        text = steptime("memory", self.path("snapshot.pickle")).out
        self.assertIn("The allocator of GPU 1 held", text)
        document = self.told(snapshot(Allocator(), Allocator(device=1), two))
        self.assertEqual([row["device"] for row in rows_of(document, "memory_devices")], ["GPU 1", "GPU 2"])
        done = steptime("memory", self.written(snapshot(Allocator())))
        self.assertEqual((done.code, "GPU 0 held 0 B at most" in done.out), (OK, True), done.out + done.err)

    def test_older_forms(self):
        """Blocks with a history (2.0), entries without times and marks, and a list of segments (1.13)."""
        told = snapshot(training(2))
        for segment in told["segments"]:
            for block in segment["blocks"]:
                del block["address"]
                if block["state"] == "active_allocated":
                    block["history"] = [{"addr": 1, "real_size": block.pop("requested_size"), "frames": block.pop("frames")}]
        for event in told["device_traces"][0]:
            del event["time_us"]
        del told["external_annotations"]
        most = peak_the_slow_way(snapshot(training(2)))[0]
        self.assertEqual(values(self.told(told))["peak_bytes"], most)
        document = self.told(told["segments"])
        self.assertEqual(values(document)["peak_bytes"], sum(b["size"] for s in told["segments"] for b in s["blocks"]
                                                             if b["state"] == "active_allocated"))
        self.assertTrue(any(row["where"] == "train.py:10 <module>" for row in rows_of(document, "memory_lines")))

    def test_the_same_answer_in_every_format(self):
        path = self.written(snapshot(training(12, leak=300_000)))
        peak = values(steptime("memory", path, "--format", "json").json)["peak_bytes"]
        for form, words in (("term", "It grows step by step: model.py:33 log leaves 293.0 KiB"), ("html", "model.py:33 log"),
                            ("markdown", "model.py:33 log"), ("sarif", "ME101"), ("github", "ME101")):
            done = steptime("memory", path, "--format", form)
            self.assertEqual(done.code, OK, done.err)
            self.assertIn(words, done.out, form)
        done = steptime("memory", path, "--format", "csv", "--table", "memory_devices")
        self.assertIn(str(peak), done.out)
        done = steptime("memory", path, "--explain", "memory_lines.told_by")
        self.assertIn("'life': by when the pieces were", done.out)
        self.assertEqual(steptime("rules", "show", "ME102").code, OK)

    def test_several_files(self):
        paths = [self.written(snapshot(training(2)), "a.pickle"), self.written(snapshot(training(4)), "b.pickle")]
        done = steptime("memory", *paths, "--format", "json")
        self.assertEqual([row["input"] for row in rows_of(done.json, "memory_devices")], paths)

    def test_rows_of_several_files_say_whose_they_are(self):
        small, big = training(2), training(2)
        big.alloc(100 * MIB, in_forward(77))
        paths = [self.written(snapshot(small), "small.pickle"), self.written(snapshot(big), "big.pickle")]
        document = steptime("memory", *paths, "--format", "json").json
        for table in ("memory_devices", "memory_layout", "memory_steps"):
            self.assertEqual(rows_of(document, table)[0]["file_name"], "big.pickle", table)
        for table in ("memory_lines", "memory_categories"):
            rows = rows_of(document, table)
            self.assertEqual([row["bytes"] for row in rows], sorted((row["bytes"] for row in rows), reverse=True), table)
            self.assertEqual({row["file_name"] for row in rows}, {"small.pickle", "big.pickle"}, table)
        screen = steptime("memory", *paths, env={**os.environ, "COLUMNS": "80"}).out
        for part in screen.split("\n-- ")[1:]:
            self.assertIn("small.pickle", part)
            self.assertIn("big.pickle", part)
        os.mkdir(self.path("other"))
        alike = [paths[0], self.written(snapshot(big), "other/small.pickle")]
        document = steptime("memory", *alike, "--format", "json").json
        self.assertEqual({row["file_name"] for row in rows_of(document, "memory_devices")}, set(alike))
        self.assertIsNone(rows_of(self.told(snapshot(small)), "memory_lines")[0]["file_name"])

    def test_rank(self):
        paths = [self.written(snapshot(training(2)), f"rank{rank}.pickle") for rank in (0, 1)]
        done = steptime("memory", *paths, "--rank", "1", "--format", "json")
        self.assertEqual([one["path"] for one in done.json["inputs"]], paths[1:])
        done = steptime("memory", paths[0], "--rank", "5")
        self.assertEqual(done.code, INPUT)
        self.assertIn("the trace is not of rank 5 but of rank 0", done.err)
        self.assertEqual(steptime("memory", paths[0], "--rank", "x").code, USAGE)
        self.assertEqual(steptime("memory", paths[0], "--threads", "0").code, USAGE)

    def test_standard_input(self):
        for data in (pickle.dumps(snapshot(training(2)), 4), gzip.compress(pickle.dumps(snapshot(training(2)), 4))):
            path = self.written(data)
            with open(path, "rb") as file:
                done = subprocess.run([support.PROGRAM, "memory", "-", "--format", "json"], stdin=file, capture_output=True, check=False)
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertEqual(json.loads(done.stdout)["sections"][1:], steptime("memory", path, "--format", "json").json["sections"][1:])
            done = steptime("memory", "-", stdin=data)
            self.assertEqual(done.code, INPUT)
            self.assertIn("have to be files", done.err)

    def test_reserved_then_and_most(self):
        """After the peak the allocator takes more of the device than it had then."""
        a = Allocator()
        a.free(a.alloc(100 * MIB, in_forward(12)), in_forward(13))
        told = snapshot(a)
        out = steptime("memory", self.written(told)).out
        self.assertIn("from the device then, which is the most.", out)
        then = values(self.told(told))["reserved_at_peak_bytes"]
        told["device_traces"][0] += [{"action": action, "addr": 1 << 40, "size": 300 * MIB, "stream": 0, "frames": [], "time_us": 1 << 60}
                                     for action in ("segment_alloc", "segment_free")]
        out = " ".join(steptime("memory", self.written(told)).out.split())
        self.assertIn(f"it had {then / MIB:.1f} MiB from the device then, and {then / MIB + 300:.1f} MiB at most.", out)
        document = self.told(told)
        peak = next(row for row in rows_of(document, "memory_layout") if row["moment"] == "peak")
        self.assertEqual((peak["reserved_bytes"], values(document)["reserved_peak_bytes"]), (then, then + 300 * MIB))

    def test_what_lived_before_and_still_at_the_peak(self):
        """Two were there before; one goes before the peak, and the headline and the table say which is which."""
        a = Allocator()
        kept, gone = a.alloc(10 * MIB, in_forward(1)), a.alloc(5 * MIB, in_forward(2))
        before = len(a.events)
        a.free(gone, in_forward(3))
        a.alloc(20 * MIB, in_forward(4))
        told = snapshot(a)
        told["device_traces"][0] = told["device_traces"][0][before:]
        for segment in told["segments"]:
            for block in segment["blocks"]:
                if block["state"] == "active_allocated" and block["address"] == kept:
                    block["frames"] = []
        self.assertEqual(rows_of(self.told(told), "memory_devices")[0]["begin_bytes"], 15 * MIB)
        out = " ".join(steptime("memory", self.path("snapshot.pickle")).out.split())
        self.assertIn("10.0 MiB (33 %) of it is of the 15.0 MiB that lived before the first event", out)

    def test_a_narrow_screen_keeps_what_tells_rows_apart(self):
        library = snapshots.frame("step", "/usr/lib/python3/dist-packages/accelerate/optimizer.py", 186)
        outer = snapshots.frame("training_step_of_all", "/home/u/language_model_trainer.py", 20)
        a = Allocator()
        for k in range(3):
            a.alloc((k + 1) * MIB, [*snapshots.in_backward("ScaledDotProductEfficientAttentionBackward0"), {**library, "line": 186 + k}, outer])
        out = steptime("memory", self.written(snapshot(a)), env={**os.environ, "COLUMNS": "80"}).out
        for line in ("optimizer.py:186 step", "optimizer.py:187 step", "optimizer.py:188 step"):
            self.assertIn(line, out)
        self.assertRegex(out, "too narrow for: .*operator")

    def test_guesses_are_told_as_such(self):
        out = " ".join(steptime("memory", self.written(snapshot(training()))).out.split())
        self.assertIn("It is 41 % optimizer, about 31 % activations, 21 % parameters, about 5 % gradients.", out)

    def test_usage(self):
        self.assertEqual(steptime("memory").code, USAGE)
        self.assertEqual(steptime("memory", self.path("absent")).code, INPUT)


class Broken(Files):
    def test_cut_anywhere(self):
        data = pickle.dumps(snapshot(training(2)), 4)
        for at in range(2, len(data), 97):
            done = steptime("memory", self.written(data[:at]))
            self.assertIn(done.code, (OK, INPUT), done.err)
            self.assertIn("breaks off", done.err + done.out)

    def test_cut_gives_what_it_holds(self):
        data = pickle.dumps(snapshot(training(12)), 4)
        document = self.told(data[:len(data) * 9 // 10])
        self.assertTrue(any("breaks off at byte" in str(warning) for warning in document["warnings"]))
        self.assertGreater(len(rows_of(document, "memory_lines")), 3)

    def test_cut_in_its_history(self):
        told = {"device_traces": snapshot(training(12))["device_traces"], "segments": []}
        for event in told["device_traces"][0]:
            event["frames"] = []
        data = pickle.dumps(told, 4)
        out = " ".join(steptime("memory", self.written(data[:len(data) // 2])).out.split())
        self.assertIn("The file breaks off: before that the allocator of GPU 0 held", out)
        self.assertIn("; more may have been held behind it.", out)
        for words in ("It is ", "holds no frames", "What grows", "No line"):
            self.assertNotIn(words, out)
        self.assertIn("holds no frames", " ".join(steptime("memory", self.written(data)).out.split()))

    def test_cut_before_its_history(self):
        told = snapshot(training(12))
        data = pickle.dumps({"segments": told["segments"], "device_traces": told["device_traces"]}, 4)
        at = data.index(b"device_traces")
        self.refused(data[:at], f"byte {at}: the file breaks off before the first allocation of its history")

    def refused(self, data, words):
        done = steptime("memory", self.written(data), limit_s=20)
        self.assertEqual(done.code, INPUT, done.out)
        self.assertIn(words, done.err)

    def test_nothing_is_called(self):
        class Harm:
            def __reduce__(self):
                return os.mkdir, (told,)
        told = self.path("made")
        for protocol in (2, 3, 4, 5):
            self.refused(pickle.dumps({"segments": [Harm()]}, protocol), "names something to import")
        self.assertFalse(os.path.exists(told))
        for opcode, words in ((b"R", "calls something"), (b"b", "sets the state"), (b"P1\n", "refers to something"),
                              (b"\x82\x01", "refers to something"), (b"i", "calls something"), (b"2", "none that a snapshot has"),
                              (b"0", "none that a snapshot has"), (b"\x8f", "none that a snapshot has")):
            self.refused(b"\x80\x04}\x94" + opcode + b".", words)

    def test_the_place_is_told(self):
        self.refused(b"\x80\x04}\x94(R.", "byte 5: ")

    def test_other_pickles(self):
        self.refused(pickle.dumps({"weights": [1, 2, 3]}, 4), "no snapshot of PyTorch's allocator")
        self.refused(pickle.dumps([], 4), "no snapshot of PyTorch's allocator")
        self.refused(b"\x80\x06.", "")
        self.assertIn("steptime memory", steptime("summary", self.written(snapshot(training(1)))).err)

    def test_a_container_that_holds_itself(self):
        loop = []
        loop.append(loop)
        self.refused(pickle.dumps(loop, 4), "holds itself")
        one, other = [], []
        one.append(other)
        other.append(one)
        self.refused(pickle.dumps({"segments": one}, 4), "changes after it was put into another")
        loop = {}
        loop["segments"] = loop
        self.refused(pickle.dumps(loop, 4), "holds itself")

    def test_deep(self):
        self.refused(b"\x80\x04" + b"(" * 1_000_000, "nested more than")
        self.refused(b"\x80\x04" + b"](" * 1_000_000, "nested more than")
        self.refused(b"\x80\x04" + b"]" * 1_000_000 + b"a" * 999_999 + b".", "no snapshot of")

    def test_memo(self):
        self.refused(b"\x80\x04}r\xff\xff\xff\x7f.", "is kept before those below it")
        self.refused(b"\x80\x04j\xff\xff\xff\x7f.", "was never kept")
        self.refused(b"\x80\x04K\x01\x94.", "a number is kept")

    def test_lengths_that_lie(self):
        for data in (b"\x80\x04X\xff\xff\xff\xff", b"\x80\x04\x8d" + b"\xff" * 8, b"\x80\x04\x8a\xff", b"\x80\x04\x95" + b"\xff" * 8):
            self.refused(data, "breaks off")
        self.refused(b"\x80\x04\x8a\xff" + b"\x01" * 255, "more than 64 bits")

    def test_a_key_twice(self):
        """As in Python the last value counts."""
        entry = b"(" + b"\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x08\x8c\x04sizeK\x05\x8c\x04sizeK\x07u"
        document = self.told(b"\x80\x04}(\x8c\x0ddevice_traces](](}" + entry + b"eeu.")
        self.assertEqual(values(document)["peak_bytes"], 7)

    def test_an_entry_in_two_lists(self):
        event = {"action": "alloc", "addr": 8, "size": 5, "frames": []}
        self.refused(pickle.dumps({"device_traces": [[event, event]]}, 4), "stands in two lists, or twice in one")

    def test_numbers_that_cannot_be(self):
        for event in ({"size": -5}, {"size": 1 << 60}, {"size": "many"}, {"addr": 1 << 70}, {"frames": 3}):
            told = {"device_traces": [[{"action": "alloc", "addr": 8, "size": 5, "frames": [], **event}]]}
            self.refused(pickle.dumps(told, 4), "byte ")
        self.refused(pickle.dumps({"segments": [{"total_size": 5, "device": 1 << 20, "blocks": []}]}, 4), "'device'")
        self.refused(pickle.dumps({"device_traces": [[]] * 2000}, 4), "more than 1024 devices")

    def test_strange_histories(self):
        """Freed twice, allocated twice, addresses at both ends: numbers come out, and nothing breaks."""
        events = [{"action": action, "addr": addr, "size": 1 << 48, "time_us": time, "frames": []}
                  for action, addr, time in (("alloc", (1 << 63) - 1, -5), ("alloc", (1 << 63) - 1, 1 << 62), ("free_requested", 3, 0),
                                             ("free_requested", 3, 7), ("segment_alloc", -9, 1), ("segment_free", 1 << 62, 1),
                                             ("oom", -(1 << 63), 1), ("something new", 1, 1))] * 300
        document = self.told({"device_traces": [[dict(event) for event in events]], "segments": []})
        self.assertEqual(rows_of(document, "memory_devices")[0]["doubled"], 599)


if __name__ == "__main__":
    unittest.main()
