# SPDX-License-Identifier: Apache-2.0
"""steptime export: the file, read by a small decoder of the published field numbers, holds every event of the trace."""
import collections
import gzip
import os
import unittest

from support import INPUT, OK, OUTPUT, USAGE, Folder, recorded, rows_of, shared_trace, steptime, write_trace

try:  # the published messages, where somebody has installed them
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2
except ImportError:
    perfetto_trace_pb2 = None

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """Number and value of each field: an int, or the bytes of a text or message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert key & 7 == 2, key
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length
        yield key >> 3, value


def message(data):
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


class Slice:
    def __init__(self, track, start):
        self.track, self.start, self.end, self.name, self.args, self.flows, self.ends = track, start, None, None, {}, [], []


class Decoded:
    """Tracks, slices, instants and counters of a file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.tracks, self.slices, self.instants, self.counters, self.state = {}, [], [], [], {}
        for number, packet in fields(gzip.decompress(data) if path.endswith(".gz") else data):
            assert number == 1
            self.take(message(packet))
        assert all(not state["open"] for state in self.state.values())

    def take(self, packet):
        state = self.state.setdefault(packet[10][0], {"time": 0, "open": [], "names": {}, "args": {}, "values": {}})
        if 60 in packet:
            track = message(packet[60][0])
            place = message((track.get(3) or track.get(4) or [b""])[0])
            name = (track.get(2) or place.get(6) or place.get(5))[0].decode()
            self.tracks[track[1][0]] = (track.get(5, [0])[0], name)
        if 59 in packet:
            defaults = message(packet[59][0])
            state["track"] = message(defaults[11][0])[11][0]
            assert defaults[58] == [64]
        for interned in packet.get(12, []):
            for kind, words in ((2, "names"), (3, "args"), (29, "values")):
                for entry in message(interned).get(kind, []):
                    entry = message(entry)
                    state[words][entry[1][0]] = entry[2][0].decode()
        if 11 in packet:
            state["time"] += packet[8][0]
            self.event(state, message(packet[11][0]))

    def event(self, state, event):
        kind = event[9][0]
        if kind == END:
            state["open"].pop().end = state["time"]
            return
        if kind == COUNTER:
            self.counters.append((state["track"], state["time"], event[30][0]))
            return
        made = Slice(state["track"], state["time"])
        made.name = state["names"][event[10][0]] if 10 in event else event[23][0].decode()
        for argument in map(message, event.get(4, [])):
            name = argument[10][0].decode() if 10 in argument else state["args"][argument[1][0]]
            made.args[name] = (state["values"][argument[17][0]] if 17 in argument else argument[6][0].decode() if 6 in argument
                               else argument[4][0])
        made.flows, made.ends = event.get(47, []), event.get(48, [])
        if kind == BEGIN:
            state["open"].append(made)
            self.slices.append(made)
        else:
            self.instants.append(made)

    def path(self, track):
        parent, name = self.tracks[track]
        return (self.path(parent) if parent else []) + [name]


TRACES = ("kineto/hta_alexnet_critical_path.json.gz", "kineto/hta_event_sync_multi_stream.json.gz", "kineto/hta_mi250_minitoy_train.json.gz",
          "kineto/ao_vit_bf16_inductor_cudagraph.json.gz")
HAS_SQL = steptime("query", recorded("dlrm-cpu.json.gz"), "SELECT 1 AS one").code == OK


class Export(Folder):
    def export(self, *inputs, name="out.pftrace", code=OK):
        path = os.path.join(self.folder, name)
        run = steptime("export", "-o", path, *inputs)
        self.assertEqual(run.code, code, run.err)
        return path, run

    def rows(self, trace, query):
        return rows_of(steptime("query", trace, query, "--format", "json", "--most-rows", "1000000").json, "answer")

    @unittest.skipUnless(HAS_SQL, "built without SQLite")
    def test_every_event_is_there(self):
        for trace in [recorded("dlrm-cpu.json.gz"), *map(shared_trace, TRACES)]:
            with self.subTest(trace=trace):
                found = Decoded(self.export(trace, "--plain")[0])
                mine = collections.Counter((made.name, made.start, made.end - made.start) for made in found.slices
                                           if found.path(made.track)[0] != "rank 0: steptime" and "steptime" not in found.path(made.track)[0])
                rows = self.rows(trace, "SELECT name, start_ns, dur_ns FROM events WHERE kind <> 'instant'")
                self.assertEqual(mine, collections.Counter(tuple(row.values()) for row in rows))
                instants = self.rows(trace, "SELECT count(*) AS n FROM events WHERE kind = 'instant'")[0]["n"]
                totals = self.rows(trace, "SELECT count(*) AS n FROM memory WHERE total_bytes IS NOT NULL")[0]["n"]
                self.assertEqual((len(found.instants), len(found.counters)), (instants - totals, totals))

    @unittest.skipUnless(HAS_SQL, "built without SQLite")
    def test_arrows_are_the_flows(self):
        """A forward operator has as many arrows as backward ones."""
        for trace in (recorded("dlrm-cpu.json.gz"), shared_trace(TRACES[0])):
            found = Decoded(self.export(trace, "--plain")[0])
            begun = {flow: made.args["event"] for made in found.slices for flow in made.flows}
            arrows = {(begun[flow], made.args["event"]) for made in found.slices for flow in made.ends}
            self.assertEqual(arrows, {tuple(row.values()) for row in self.rows(trace, "SELECT from_event, to_event FROM flows")})
            self.assertTrue(arrows)

    def test_what_was_found_is_drawn(self):
        trace = shared_trace(TRACES[0])
        found = Decoded(self.export(trace, name="out.pftrace.gz")[0])
        names = {tuple(found.path(track)) for track in found.tracks}
        self.assertIn(("rank 0: steptime", "critical path"), names)
        findings = [name[1] for name in names if len(name) == 2 and name[1].startswith("finding ")]
        self.assertTrue(findings)
        path = [made for made in found.slices if found.path(made.track)[-1] == "critical path"]
        told = steptime("critical-path", "--format", "json", trace).json
        self.assertEqual([(made.start, made.end - made.start) for made in path if made.args.get("event") is not None][:5],
                         [(row["start_ns"], row["time_ns"]) for row in rows_of(told, "path") if row["event"] is not None][:5])
        for before, after in zip(path, path[1:]):
            self.assertLessEqual(before.end, after.start)

    def test_ranks_share_a_clock(self):
        folder = shared_trace("multirank/torchrec_a2a_v100_w4")
        found = Decoded(self.export(folder, "--plain")[0])
        firsts = {rank: min(made.start for made in found.slices if found.path(made.track)[0].startswith(f"rank {rank}:"))
                  for rank in range(4)}
        self.assertEqual(min(firsts.values()), 0)
        self.assertGreater(len(set(firsts.values())), 1)

    def test_it_is_small(self):
        trace = shared_trace(TRACES[0])
        marked = os.path.join(self.folder, "marked.json")
        self.assertEqual(steptime("critical-path", "--overlay", marked, trace).code, OK)
        self.assertLess(os.path.getsize(self.export(trace)[0]), 0.5 * os.path.getsize(marked))
        self.assertLess(os.path.getsize(self.export(trace, name="out.gz")[0]), 1.5 * os.path.getsize(trace))

    @unittest.skipUnless(perfetto_trace_pb2, "the package perfetto is not installed")
    def test_the_published_messages_read_it(self):
        path = self.export(shared_trace(TRACES[0]))[0]
        with open(path, "rb") as file:
            read = perfetto_trace_pb2.Trace.FromString(file.read())
        found = Decoded(path)
        self.assertEqual(sum(packet.track_event.type == BEGIN for packet in read.packet), len(found.slices))
        self.assertEqual({packet.track_descriptor.uuid for packet in read.packet if packet.HasField("track_descriptor")}, set(found.tracks))
        self.assertEqual(sum(len(packet.track_event.terminating_flow_ids) for packet in read.packet), sum(len(made.ends) for made in found.slices))

    # ---- hostile ----

    def test_names_and_overlaps(self):
        path = os.path.join(self.folder, "odd.json")
        odd = ["</script>", "quote\"", "\u202ertl", "\x01", "日本", ""]
        write_trace(path, [{"ph": "X", "cat": "kernel", "name": odd[i % 6], "pid": 0, "tid": 7, "ts": i, "dur": 30,
                            "args": {"device": 0, "stream": 7}} for i in range(40)])
        found = Decoded(self.export(path, "--plain")[0])
        self.assertEqual(sum("steptime" not in found.path(made.track)[0] for made in found.slices), 40)
        self.assertIn("overlap", self.export(path, "--plain")[1].err)
        self.assertLessEqual({"</script>", "\u202ertl", "日本"}, {made.name for made in found.slices})

    def test_nothing_half(self):
        trace = recorded("dlrm-cpu.json.gz")
        self.assertEqual(steptime("export").code, USAGE)
        self.assertEqual(steptime("export", "--steps", "2", "-o", "x", trace).code, USAGE)
        self.export("nowhere.json", code=INPUT)
        self.assertEqual(os.listdir(self.folder), [])
        self.export(trace, name="none/out.pftrace", code=OUTPUT)
        copy = os.path.join(self.folder, "t.json.gz")
        with open(trace, "rb") as file, open(copy, "wb") as into:
            into.write(file.read())
        self.assertEqual(steptime("export", "-o", copy, copy).code, USAGE)
        with open(trace, "rb") as file, open(copy, "rb") as kept:
            self.assertEqual(file.read(), kept.read())

    def test_broken_traces(self):
        with gzip.open(recorded("dlrm-cpu.json.gz")) as file:
            text = file.read()
        path = os.path.join(self.folder, "cut.json")
        for part in (0.1, 0.5, 0.9):
            with open(path, "wb") as file:
                file.write(text[:int(len(text) * part)])
            run = steptime("export", "-o", os.path.join(self.folder, "out"), path)
            self.assertIn(run.code, (OK, INPUT), run.err)
            if run.code == OK:
                Decoded(os.path.join(self.folder, "out"))


if __name__ == "__main__":
    unittest.main()
