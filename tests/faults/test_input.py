# SPDX-License-Identifier: Apache-2.0
"""Input that cannot be used, and input that is out to hurt: a clear line on stderr that names the file, exit code 3,
and bounds on time and memory."""
import gzip
import os
import random
import sqlite3
import zipfile
import zlib

import support
from support import INPUT, OK, Folder, recorded, steptime, trace_commands, trace_text, training_steps, write_trace

MIB = 1 << 20
# The sanitizers slow everything down and keep shadows of all memory: there the same inputs, smaller, and no bounds.
HUGE_BYTES = 64 * MIB if support.SANITIZED else 2048 * MIB
BOMB_BYTES = 64 * MIB if support.SANITIZED else 1024 * MIB


class Folder(Folder):
    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as out:
            out.write(data)
        return self.path(name)

    def refuse(self, path, *words, **how):
        """The run ends with exit 3, says so in one line that names the file and the words, and prints no result."""
        outcome = steptime("info", path, **how)
        self.assertEqual((outcome.code, outcome.out), (INPUT, ""), outcome.err)
        self.assertNotIn("Sanitizer", outcome.err)
        for word in (os.path.basename(path) if path != "-" else "", *words):
            self.assertIn(word.lower(), outcome.err.lower())
        return outcome


class CannotBeUsed(Folder):
    def test_missing_file(self):
        self.refuse(self.path("nowhere.json"), "no such file")

    def test_empty_file(self):
        self.refuse(self.write("empty.json", b""), "an empty file")

    def test_a_file_whose_bytes_never_came(self):
        self.refuse(self.write("zeros.json", bytes(5000)), "NUL bytes")
        self.refuse(self.write("zeros.json.gz", gzip.compress(bytes(MIB))), "NUL bytes")

    def test_folder_without_traces(self):
        os.mkdir(self.path("logs"))
        self.write("logs/notes.txt", b"nothing to see\n")
        self.refuse(self.path("logs"), "no trace")

    def test_empty_folder(self):
        os.mkdir(self.path("logs"))
        self.refuse(self.path("logs"), "no trace")

    def test_file_without_permission(self):
        """Root may read everything, so as root it is nobody who tries."""
        os.chmod(self.folder, 0o755)
        os.chmod(write_trace(self.path("mine.json")), 0)
        nobody = {"user": 65534} if os.geteuid() == 0 else {}
        try:
            outcome = steptime("info", self.path("mine.json"), **nobody)
        except PermissionError:
            self.skipTest("nobody may not run the program here")
        self.assertEqual(outcome.code, INPUT, outcome.err)
        self.assertIn("permission denied", outcome.err.lower())

    def test_unreadable_device(self):
        """What opens and then fails to be read, for root too."""
        if not os.path.exists("/proc/self/mem"):
            self.skipTest("no /proc here")
        self.refuse("/proc/self/mem")

    def test_sqlite(self):
        database = sqlite3.connect(self.path("report.sqlite"))
        database.execute("create table StringIds (id integer, value text)")
        database.commit()
        database.close()
        self.refuse(self.path("report.sqlite"), "sqlite")

    def test_zip(self):
        with zipfile.ZipFile(self.path("traces.zip"), "w") as packed:
            packed.writestr("trace.json", trace_text())
        self.refuse(self.path("traces.zip"), "zip")

    def test_protobuf(self):
        # The first fields of a Perfetto trace: packets (field 1, length-delimited) that hold a timestamp and a blob.
        packet = b"\x08\xb9\x60\x12\x10" + bytes(range(16))
        self.refuse(self.write("trace.pftrace", (b"\x0a" + bytes([len(packet)]) + packet) * 50), "protobuf")

    def test_random_bytes(self):
        self.refuse(self.write("noise.bin", random.Random(1).randbytes(1 * MIB)))

    def test_text(self):
        self.refuse(self.write("train.log", b"step 1 loss 0.5\n" * 1000))

    def test_json_of_another_kind(self):
        self.refuse(self.write("config.json", b'{"model": {"layers": 12, "heads": [1, 2, 3]}}'))

    def test_trace_without_events(self):
        self.refuse(self.write("none.json", b'{"schemaVersion": 1, "traceEvents": []}'), "no event")

    def test_one_of_several_files(self):
        """The others count, and a warning names the one that could not be used."""
        good, bad = write_trace(self.path("a.json")), self.write("b.json", b"?")
        outcome = steptime("info", good, bad, "--format", "json")
        self.assertEqual(outcome.code, INPUT, outcome.err)
        self.assertIn("b.json", str(outcome.json["warnings"]))
        self.refuse(bad)

    def test_names_do_not_reach_the_terminal_raw(self):
        outcome = steptime("info", self.path("\x1b[31mred\x07.json"))
        self.assertEqual(outcome.code, INPUT)
        self.assertNotIn("\x1b", outcome.err)
        self.assertNotIn("\x07", outcome.err)


class BrokenButUsable(Folder):
    def load(self, data, *words):
        outcome = steptime("info", "-", "--format", "json", stdin=data)
        self.assertEqual(outcome.code, OK, outcome.err)
        messages = " ".join(w["message"] for w in outcome.json["warnings"]).lower()
        for word in words:
            self.assertIn(word, messages)
        return outcome.json["inputs"][0]

    def test_whole(self):
        got = self.load(trace_text().encode())
        self.assertEqual((got["events"], got["dropped"]), (len(training_steps()), 0))

    def test_cut_off(self):
        text = trace_text().encode()
        got = self.load(text[:-200])
        self.assertGreater(got["events"], len(training_steps()) // 2)

    def test_gzip_cut_off(self):
        packed = gzip.compress(trace_text(training_steps(200)).encode())
        got = self.load(packed[:-100])
        self.assertGreater(got["events"], 100)

    def test_gzip_with_wrong_checksum(self):
        packed = bytearray(gzip.compress(trace_text().encode()))
        packed[-8] ^= 1
        got = self.load(bytes(packed))
        self.assertEqual(got["events"], len(training_steps()))

    def test_several_gzip_members(self):
        text = trace_text().encode()
        got = self.load(gzip.compress(text[:1000]) + gzip.compress(text[1000:]))
        self.assertEqual((got["events"], got["dropped"]), (len(training_steps()), 0))

    def test_gzip_with_trailing_noise(self):
        got = self.load(gzip.compress(trace_text().encode()) + b"\0" * 512)
        self.assertEqual(got["events"], len(training_steps()))


class OutToHurt(Folder):
    def bounded(self, outcome, memory_bytes, seconds):
        self.assertIn(outcome.code, (OK, INPUT), outcome.err[-2000:])
        self.assertNotIn("Sanitizer", outcome.err)
        if not support.SANITIZED:
            self.assertLess(outcome.peak_bytes, memory_bytes)
            self.assertLess(outcome.seconds, seconds)

    def repeat(self, piece, total_bytes):
        block = piece * (MIB // len(piece))
        return (block for _ in range(total_bytes // len(block)))

    def bomb(self, head, filler, tail):
        """About 1000 bytes for each one in the file."""
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        block = filler * (MIB // len(filler))
        data = packer.compress(head)
        for _ in range(BOMB_BYTES // len(block)):
            data += packer.compress(block)
        return data + packer.compress(tail) + packer.flush()

    def test_gigabytes_of_brackets(self):
        for piece in (b"[", b'{"a":', b"{", b'{"traceEvents":['):
            with self.subTest(piece=piece):
                size = HUGE_BYTES if piece == b"[" else HUGE_BYTES // 8
                outcome = steptime("info", "-", stdin=self.repeat(piece, size), limit_s=300)
                self.assertEqual(outcome.code, INPUT, outcome.err)
                self.bounded(outcome, 128 * MIB, 120)

    def test_event_nested_without_end(self):
        head = b'{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 1, "pid": 1, "tid": 1, "args": {"x": '
        outcome = steptime("info", "-", stdin=(c for part in ([head], self.repeat(b"[", HUGE_BYTES // 8)) for c in part))
        self.bounded(outcome, 256 * MIB, 120)

    def test_gzip_bomb_of_blanks(self):
        self.write("bomb.json.gz", self.bomb(b'{"traceEvents": [', b" ", b"]}"))
        outcome = self.refuse(self.path("bomb.json.gz"), limit_s=300)
        self.bounded(outcome, 128 * MIB, 120)

    def test_gzip_bomb_in_a_name(self):
        event = b'{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":5,"dur":2}'
        head = b'{"traceEvents": [' + event + b',{"ph":"X","cat":"cpu_op","ts":9,"dur":1,"pid":1,"tid":1,"name":"'
        self.write("name.json.gz", self.bomb(head, b"A", b'"}, ' + event + b"]}"))
        outcome = steptime("info", self.path("name.json.gz"), limit_s=300)
        self.bounded(outcome, 256 * MIB, 120)

    def test_gzip_bomb_of_zeros(self):
        self.write("zeros.gz", self.bomb(b"", b"\0", b""))
        outcome = self.refuse(self.path("zeros.gz"), limit_s=300)
        self.bounded(outcome, 128 * MIB, 120)

    def test_endless_digits(self):
        head = b'{"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": '
        outcome = steptime("info", "-", stdin=(c for part in ([head], self.repeat(b"9", HUGE_BYTES // 8)) for c in part))
        self.bounded(outcome, 256 * MIB, 120)

    def test_numbers_at_the_edge(self):
        edges = (0, -1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, -2**63, 10**30, 1e308, -1e308, 0.0005)
        events = training_steps()
        for edge in edges:
            for key in ("ts", "dur", "pid", "tid"):
                events.append({**training_steps()[1], key: edge})
            kernel = training_steps()[3]
            for key in ("device", "stream", "correlation"):
                events.append({**kernel, "args": {**kernel["args"], key: edge}})
            events.append({"ph": "s", "id": edge, "cat": "ac2g", "pid": 1, "tid": 1, "ts": edge, "name": "ac2g"})
            events.append({**training_steps()[1], "args": {"Input Dims": [[edge, edge], [edge]]}})
        path = write_trace(self.path("edges.json"), events, distributedInfo={"rank": 2**70, "world_size": -5})
        for command in trace_commands():
            with self.subTest(command=command):
                self.bounded(steptime(command, path, "--format", "json"), 128 * MIB, 60)

    def test_recorded_trace_with_every_text_hostile(self):
        """Quotes, escapes and markup in every name arrive in valid JSON."""
        hostile = '"</script><img onerror=x>\x1b[2J\u202e\\'
        events = [{**event, "name": event["name"] + hostile} for event in training_steps()]
        path = write_trace(self.path("hostile.json"), events)
        for command in trace_commands():
            with self.subTest(command=command):
                outcome = steptime(command, path, "--format", "json")
                self.assertEqual(outcome.code, OK, outcome.err)
                self.assertEqual(outcome.json["command"], command)
                self.assertNotIn("\x1b", steptime(command, path).out)

    def test_recorded_traces_are_fine(self):
        """The bounds above mean something only if real traces pass."""
        self.assertEqual(steptime("info", recorded("dlrm-cpu.json.gz")).code, OK)
