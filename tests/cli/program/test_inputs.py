# SPDX-License-Identifier: Apache-2.0
"""Several inputs, whatever they are: what was skipped and why, which ranks are missing, what is no job."""
import os
import shutil
import tempfile
import unittest

from support import INPUT, OK, USAGE, shared_trace, steptime, training_steps, write_trace

# Every command that reads traces, as a function of the files to read.
READERS = {
    "summary": lambda *files: ["summary", *files],
    "breakdown": lambda *files: ["breakdown", *files],
    "kernels": lambda *files: ["kernels", *files],
    "ops": lambda *files: ["ops", *files],
    "critical-path": lambda *files: ["critical-path", *files],
    "ranks": lambda *files: ["ranks", *files],
    "overheads": lambda *files: ["overheads", *files],
    "info": lambda *files: ["info", *files],
    "predict": lambda *files: ["predict", *files],
    "fleet features": lambda *files: ["fleet", "features", *files],
    "fleet stragglers": lambda *files: ["fleet", "stragglers", *files],
}
EPOCH_US = 1_700_000_000_000_000


class Inputs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def trace(self, name, rank=None, world=None, device=None, events=None, **more):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        if rank is not None:
            more["distributedInfo"] = {"rank": rank, **({"world_size": world} if world else {})}
        if device:
            more["deviceProperties"] = [{"id": 0, "name": device}]
        return write_trace(self.path(name), training_steps(3) if events is None else events, **more)

    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def run_json(self, *words, code=OK):
        outcome = steptime(*words, "--format", "json")
        self.assertEqual(outcome.code, code, f"{words}: {outcome.err}")
        return outcome

    def warnings(self, *words, code=OK):
        return {(os.path.basename(w["path"] or ""), w["message"])
                for w in self.run_json(*words, code=code).json["warnings"]}

    def said(self, *words, code=OK):
        return " | ".join(message for _, message in self.warnings(*words, code=code))


class Properties(Inputs):
    def test_more_devices_than_are_read_are_told(self):
        devices = [{"id": number, "name": "NVIDIA A100-SXM4-40GB"} for number in range(1030)]
        path = write_trace(os.path.join(self.folder, "rank0.json"), training_steps(2), deviceProperties=devices)
        told = [warning["message"] for warning in steptime("info", "--format", "json", path).json["warnings"]]
        self.assertIn("of 1030 devices in its properties the first 1024 are read", told)


class Skipped(Inputs):
    def test_a_named_one_ends_with_3_and_the_rest_is_answered(self):
        good = [self.trace("rank0.json", 0, 2), self.trace("rank1.json", 1, 2)]
        bad = self.write("broken.json", b"not json")
        for name, words in READERS.items():
            with self.subTest(command=name):
                whole = self.run_json(*words(*good)).json["sections"]
                outcome = self.run_json(*words(good[0], bad, good[1]), code=INPUT)
                self.assertIn("broken.json: is not a trace but text, not JSON", outcome.err)
                self.assertIn(bad, [w["path"] for w in outcome.json["warnings"]])
                if name != "fleet features":  # there each file is a job
                    self.assertEqual(outcome.json["sections"], whole)

    def test_the_message_is_that_of_its_own_file(self):
        """Whatever the order in which files are read and ranks sorted."""
        files = [self.write("a.json", b"?"), self.trace("b.json", 3), self.write("c.json", b""), self.trace("d.json", 1),
                 self.path("e.json"), self.trace("f.json", 0)]
        for threads in "1", "4":
            told = self.warnings("summary", "--threads", threads, *files, code=INPUT)
            self.assertIn(("a.json", "is not a trace but text, not JSON"), told)
            self.assertIn(("c.json", "is not a trace but an empty file"), told)
            self.assertIn(("e.json", "cannot be read: No such file or directory"), told)
            self.assertNotIn("\0", str(told))

    def test_one_met_in_a_folder_is_told(self):
        self.trace("job/rank0.json")
        self.trace("job/rank1.json")
        self.write("job/rank2.json", b"")
        self.write("job/notes.txt", b"hello\n")
        self.write("job/config.json", b'{"a": 1}')
        self.write("job/list.json", b'[{"a": 1}]')
        for name, words in READERS.items():
            with self.subTest(command=name):
                self.assertLessEqual({
                    ("rank2.json", "is not a trace but an empty file"),
                    ("notes.txt", "is not a trace but text, not JSON"),
                    ("config.json", "is JSON without a list of events (traceEvents)"),
                    ("list.json", "holds no events that have a time")}, self.warnings(*words(self.path("job"))))
        screen = steptime("summary", self.path("job")).out
        self.assertRegex(screen, r"rank2\.json: is not a trace\s+but an empty file")

    def test_many_of_one_kind_are_told_together(self):
        self.trace("job/rank0.json")
        for i in range(1, 31):
            self.write(f"job/log{i}.txt", b"hello\n")
        self.write("job/log31.txt", b"")
        self.assertEqual(self.warnings("summary", self.path("job")), {
            ("log1.txt", "is not a trace but text, not JSON; the same of log2.txt, log3.txt, log4.txt, log5.txt and 25 more"),
            ("log31.txt", "is not a trace but an empty file")})

    def test_execution_traces_beside_their_traces(self):
        job = shared_trace("multirank/param_dlrm_v100_w8")
        self.assertRegex(self.said("summary", job), "execution trace.*; the same of et_rank1.*and 3 more")
        self.assertEqual(self.said("info", job), "")

    def test_a_folder_without_a_trace(self):
        self.write("job/rank2.json", b"")
        outcome = steptime("summary", self.path("job"))
        self.assertEqual((outcome.code, outcome.out), (INPUT, ""))
        self.assertIn("rank2.json: is not a trace but an empty file", outcome.err)
        self.assertIn("there is no trace in this directory", outcome.err)

    def test_standard_input_is_read_once(self):
        outcome = steptime("summary", "-", "-", stdin=b"{}")
        self.assertEqual(outcome.code, USAGE)
        self.assertIn("standard input", outcome.err)

    def test_lint(self):
        source = self.write("train.py", b"import torch\n")
        self.trace("job/rank0.json")
        self.trace("job/rank1.json")
        bad = self.write("job/broken.json", b"?")
        document = self.run_json("lint", source, "--trace", self.path("job")).json
        self.assertEqual([os.path.basename(row["path"]) for row in document["inputs"]], ["rank0.json", "rank1.json"])
        self.assertIn(bad, [w["path"] for w in document["warnings"]])
        outcome = self.run_json("lint", source, "--trace", self.path("job", "rank0.json"), "--trace", bad, code=INPUT)
        self.assertEqual(len(outcome.json["inputs"]), 1)
        outcome = steptime("fix", source, "--trace", self.path("job"))
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertIn("broken.json: is not a trace but text, not JSON", outcome.err)


class Missing(Inputs):
    def test_by_the_world_size(self):
        for rank in 0, 1, 2, 4, 7:
            self.trace(f"job/r{rank}.json", rank, 8)
        for name, words in READERS.items():
            with self.subTest(command=name):
                self.assertIn("of the job's 8 ranks 3 are missing: 3, 5 to 6", self.said(*words(self.path("job"))))

    def test_by_gaps(self):
        for rank in 0, 1, 2, 4, 5, 6, 7:
            self.trace(f"job/rank{rank}.json")
        self.assertIn("ranks 0 to 7 but no 3", self.said("summary", self.path("job")))

    def test_one_whose_file_is_empty(self):
        for rank in 0, 1, 3:
            self.trace(f"job/rank{rank}.json")
        self.write("job/rank2.json", b"")
        self.assertIn("ranks 0 to 3 but no 2", self.said("summary", self.path("job")))

    def test_a_hostile_world_size(self):
        self.trace("job/a.json", 0, 2**63 - 1)
        self.trace("job/b.json", 2**63 - 2, 2**63 - 1)
        self.assertIn("9223372036854775805 are missing", self.said("summary", self.path("job")))

    def test_nothing_is_missing(self):
        for rank in range(3):
            self.trace(f"job/{rank}.json", rank, 3)
            self.trace(f"node/rank{rank + 8}.json")
            self.trace(f"nameless/{'abc'[rank]}.json")
        for folder in "job", "node", "nameless":
            self.assertNotRegex(self.said("summary", self.path(folder)), "missing|but no")
        self.assertNotIn("missing", self.said("summary", self.path("job", "0.json")))
        self.assertNotIn("missing", self.said("summary", "--rank", "1", self.path("job")))


class NoJob(Inputs):
    def contradicts(self, *words):
        for command in "summary", "predict", "ranks":
            said = self.said(command, self.path("job"))
            self.assertIn("files are not ranks of one job: ", said)
            for word in words:
                self.assertIn(word, said)

    def test_world_sizes(self):
        self.trace("job/a.json", 0, 2)
        self.trace("job/b.json", 1, 4)
        self.contradicts("these 2 files", "different world sizes, 2 (", "a.json) and 4 (", "b.json)")

    def test_more_files_than_ranks(self):
        for name in "abc":
            self.trace(f"job/{name}.json", "abc".index(name), 2)
        self.contradicts("more than the world size, 2", "c.json records rank 2 in a world of 2")

    def test_the_same_rank(self):
        self.trace("job/a.json", 1, 2)
        self.trace("job/b.json", 1, 2)
        self.contradicts("a.json and ", "b.json both record rank 1")

    def test_devices(self):
        self.trace("job/a.json", device="NVIDIA A100-SXM4-40GB")
        self.trace("job/b.json")
        self.trace("job/c.json", device="AMD Instinct MI300X")
        self.contradicts("different devices, NVIDIA A100-SXM4-40GB (", "and AMD Instinct MI300X (")

    def test_versions(self):
        self.trace("job/a.json", pytorch_version="2.1.0")
        self.trace("job/b.json", pytorch_version="2.6.0")
        self.contradicts("different versions of PyTorch, 2.1.0 (")

    def test_days_apart(self):
        def at(day):
            shift = EPOCH_US + day * 86_400_000_000
            return [{**event, "ts": event["ts"] + shift} for event in training_steps(2)]
        self.trace("job/a.json", events=at(0))
        self.trace("job/b.json", events=at(3))
        self.contradicts("a.json began 3 days before ")

    def test_a_copy_of_rank_0_leaves_rank_1_in_its_place(self):
        for name, rank in ("a", 0), ("b", 0), ("c", 1):
            self.trace(f"job/{name}.json", rank, 2)
        rows = self.run_json("info", self.path("job")).json["sections"]
        files = next(t for s in rows for t in s["tables"] if t["id"] == "files")
        names = [column["id"] for column in files["columns"]]
        ranks = {os.path.basename(row[names.index("file")]): row[names.index("rank")] for row in files["rows"]}
        self.assertEqual(ranks, {"a.json": 0, "b.json": 3, "c.json": 1})

    def test_real_folders(self):
        unrelated = steptime("summary", os.path.dirname(shared_trace("kineto/hta_mi250_minitoy_train.json.gz")),
                             "--format", "json", limit_s=300)
        self.assertIn("files are not ranks of one job: they record different world sizes, ", unrelated.out)
        for job in "param_dlrm_v100_w8", "torchrec_a2a_v100_w4":
            self.assertNotRegex(self.said("summary", shared_trace("multirank/" + job)), "one job|missing|but no")


if __name__ == "__main__":
    unittest.main()
