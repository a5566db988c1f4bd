# SPDX-License-Identifier: Apache-2.0
"""steptime tune --try: settings of loaders and optimizers, tried beside rewrites. With a stand-in for PyTorch whose loader only
sleeps."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

from support import OK, PROGRAM, USAGE, rows_of, steptime, values
from torch_stand_in import STAND_IN

# A batch takes making_s to make, shared by the workers, which make it while the step goes on.
LOADER = """
import time

class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=None, num_workers=0, pin_memory=False, *, prefetch_factor=None,
                 persistent_workers=False):
        self.dataset, self.batch_size, self.num_workers = dataset, batch_size, num_workers
        self.pin_memory, self.prefetch_factor, self.persistent_workers = pin_memory, prefetch_factor, persistent_workers

    def __iter__(self):
        making_s, step_s = self.dataset.making_s, self.dataset.step_s
        for i in range(len(self.dataset)):
            time.sleep(max(0, making_s / self.num_workers - step_s) if self.num_workers else making_s)
            yield self.dataset.give(i, self.num_workers > 0)
"""
TRAIN = """
    import time
    import torch
    from torch.utils.data import DataLoader

    class Data:
        making_s, step_s = 0.040, 0.030
        def __len__(self):
            return 20
        def give(self, i, in_worker):
            return torch.Tensor(i)

    optimizer = torch.optim.SGD()
    for batch in DataLoader(Data(), batch_size=4):
        time.sleep(Data.step_s)
        batch.backward()
        optimizer.step()
"""


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="tune test ")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.project = os.path.join(self.folder, "a project")
        for name, text in (("lib/torch/__init__.py", STAND_IN), ("lib/torch/utils/__init__.py", ""),
                           ("lib/torch/utils/data/__init__.py", "from torch.utils.data.dataloader import DataLoader\n"),
                           ("lib/torch/utils/data/dataloader.py", LOADER), ("a project/train.py", TRAIN)):
            self.write(name, text)
        self.environment = {"PYTHONPATH": os.path.join(self.folder, "lib"), "PYTHONDONTWRITEBYTECODE": "1"}

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(text))

    def tune(self, *words):
        done = steptime("tune", "--format", "json", "--steps", "12", "--warmup", "2", "--repeat", "3", "--folder",
                        os.path.join(self.folder, "tuned"), *words, "--", sys.executable, "train.py", env=self.environment,
                        cwd=self.project)
        self.assertEqual(done.code, OK, done.err)
        return done

    def manifest(self):
        with open(os.path.join(self.folder, "tuned", "manifest.json"), encoding="utf-8") as text:
            return json.load(text)

    def screen(self, folder=None):
        """What people read of the run; JSON has no sentences."""
        shown = steptime("tune", "--resume", os.path.join(folder or self.folder, "tuned"))
        self.assertEqual(shown.code, OK, shown.err)
        return " ".join(shown.out.split())


class Settings(Case):
    def test_workers_are_kept_where_steps_wait_and_no_file_changes(self):
        done = self.tune("--try", "--write")
        found = values(done.json)
        self.assertEqual(found["tried"], 0)
        self.assertGreaterEqual(found["settings_kept"], 1, done.err)
        self.assertGreater(found["low"], 1)
        rows = {row["rule"]: row for row in rows_of(done.json, "trials")}
        first = rows["num_workers=1"]
        self.assertEqual(first["outcome"], "kept", done.err)
        self.assertEqual(first["place"], "train.py:14")
        self.assertLessEqual(first["predicted_low_ns"], first["predicted_ns"])
        self.assertLessEqual(first["predicted_ns"], first["predicted_high_ns"])
        # One worker makes a batch while the step goes on: of 70 ms 30 are saved, or what a busy machine makes of them.
        self.assertGreater(first["predicted_ns"], 10e6)
        self.assertGreater(first["measured_low_ns"], 0)
        self.assertIn("in the loader that train.py:14 makes", self.screen())
        with open(os.path.join(self.project, "train.py"), encoding="utf-8") as text:
            self.assertEqual(text.read(), textwrap.dedent(TRAIN))
        kept = [trial for trial in self.manifest()["trials"] if trial["outcome"] == "kept"]
        self.assertEqual((kept[0]["setting"], kept[0]["loader"], kept[0]["path"]), ("num_workers=1", 0, "train.py"))

    def test_going_on_runs_nothing_again(self):
        first = self.tune("--try")
        again = steptime("tune", "--format", "json", "--resume", os.path.join(self.folder, "tuned"), cwd=self.folder)
        self.assertEqual(again.code, OK, again.err)
        self.assertEqual(again.json["sections"], first.json["sections"])
        self.assertNotIn("trying", again.err)
        self.assertNotIn("looking at", again.err)
        history = steptime("tune", "--format", "json", "--history", self.folder)
        self.assertIn("num_workers", [row["rule"] for row in rows_of(history.json, "estimator")])

    def test_no_time_is_told_and_going_on_tries_them(self):
        done = self.tune("--try", "--budget", "0.001s")
        self.assertIn("Time ran out", self.screen())
        self.assertEqual(values(done.json)["settings_kept"], 0)
        more = steptime("tune", "--format", "json", "--resume", os.path.join(self.folder, "tuned"), "--budget", "1h", cwd=self.folder)
        self.assertEqual(more.code, OK, more.err)
        self.assertGreaterEqual(values(more.json)["settings_kept"], 1, more.err)

    def test_where_no_step_waits_nothing_is_tried(self):
        self.write("a project/train.py", TRAIN.replace("0.040, 0.030", "0, 0.2"))
        done = self.tune("--try")
        self.assertEqual(values(done.json)["settings_tried"], 0)

    def test_without_the_word_nothing_is_looked_at(self):
        done = self.tune()
        self.assertEqual(values(done.json)["settings_tried"], 0)
        self.assertNotIn("looking at", done.err)

    def test_what_workers_draw_otherwise_is_dropped(self):
        self.write("a project/train.py", TRAIN.replace("torch.Tensor(i)", "torch.Tensor(i + in_worker / 8)"))
        done = self.tune("--try")
        rows = rows_of(done.json, "trials")
        self.assertEqual(rows[0]["rule"], "num_workers=1")
        for row in rows:
            self.assertIn("other losses: what is drawn for a sample", row["outcome"])
        self.assertEqual(values(done.json)["settings_kept"], 0)

    def test_the_time_of_processors_shows_no_workers(self):
        done = self.tune("--try", "--processor-time")
        self.assertEqual(values(done.json)["settings_tried"], 0)
        self.assertIn("try it without --processor-time", self.screen())

    def test_twice_the_batch_is_told_by_samples_and_never_kept(self):
        self.write("a project/train.py", TRAIN.replace("batch_size=4", "batch_size=4, num_workers=64"))
        done = self.tune("--try-batch")
        rows = {row["rule"]: row for row in rows_of(done.json, "trials")}
        row = rows["batch_size=8"]
        self.assertEqual(row["outcome"], "other training, not kept", done.err)
        self.assertGreater(row["low"], 1)
        self.assertEqual(values(done.json)["settings_kept"], 0)

    def test_words_that_make_no_sense(self):
        for words, said in ((("--resume", self.folder, "--try"), "not with --try"),
                            (("--history", "--try-batch"), "not with --try-batch")):
            done = steptime("tune", *words)
            self.assertEqual(done.code, USAGE)
            self.assertIn(said, done.err)


class Written(Case):
    """--write-settings: what is kept is an argument of the call."""

    def source(self):
        with open(os.path.join(self.project, "train.py"), encoding="utf-8") as text:
            return text.read()

    def workers(self):
        """Of the last setting that was kept."""
        kept = [trial["setting"] for trial in self.manifest()["trials"] if trial["outcome"] == "kept"]
        return [setting for setting in kept if setting.startswith("num_workers=")][-1]

    def test_it_becomes_an_argument_of_the_call(self):
        done = self.tune("--write-settings")
        self.assertGreaterEqual(values(done.json)["settings_kept"], 1, done.err)
        self.assertIn(f"DataLoader(Data(), batch_size=4, {self.workers()}", self.source())
        trials = self.manifest()["trials"]
        self.assertEqual([file["path"] for file in trials[0]["after"]], ["train.py"])
        with open(os.path.join(self.folder, "tuned", "tune.diff"), encoding="utf-8") as text:
            self.assertIn("+    for batch in DataLoader".replace("    ", "", 1), text.read())

    def test_one_that_is_there_is_changed_and_others_stay(self):
        self.write("a project/train.py", TRAIN.replace("batch_size=4", "batch_size=4, shuffle=None, num_workers=0"))
        self.tune("--write-settings")
        self.assertIn(f"batch_size=4, shuffle=None, {self.workers()}", self.source())
        self.assertNotIn("num_workers=0", self.source())

    def test_by_place(self):
        self.write("a project/train.py", TRAIN.replace("DataLoader(Data(), batch_size=4)", "DataLoader(Data(), 4, None, None, None, 0)"))
        self.write("lib/torch/utils/data/dataloader.py", LOADER.replace("shuffle=None, num", "shuffle=None, sampler=None, bs=None, num"))
        self.tune("--write-settings")
        number = self.workers().partition("=")[2]
        self.assertIn(f"DataLoader(Data(), 4, None, None, None, {number}", self.source())

    def test_what_cannot_be_written_is_told_and_pays_all_the_same(self):
        hidden = TRAIN.replace("batch_size=4", "**{'batch_size': 4}")
        self.write("a project/train.py", hidden)
        done = self.tune("--write-settings")
        self.assertEqual(self.source(), textwrap.dedent(hidden))
        rows = {row["rule"]: row for row in rows_of(done.json, "trials")}
        self.assertEqual(rows["num_workers=1"]["outcome"], "kept: not in the diff, as its arguments come through * or **")
        self.assertIn("which no file of yours holds yet", self.screen())

    def test_a_loader_of_a_library_is_not_written(self):
        self.write("lib/shop.py", "from torch.utils.data import DataLoader\ndef batches(data):\n    return DataLoader(data, batch_size=4)\n")
        away = TRAIN.replace("DataLoader(Data(), batch_size=4)", "shop.batches(Data())").replace("import time", "import time, shop")
        self.write("a project/train.py", away)
        done = self.tune("--write-settings")
        self.assertEqual(self.source(), textwrap.dedent(away))
        self.assertIn("not in the diff, as", str(rows_of(done.json, "trials")))

    def test_going_on_makes_it_again_and_runs_nothing(self):
        self.tune("--write-settings")
        written = self.source()
        self.write("a project/train.py", TRAIN)
        again = steptime("tune", "--format", "json", "--write", "--resume", os.path.join(self.folder, "tuned"), cwd=self.folder)
        self.assertEqual(again.code, OK, again.err)
        self.assertNotIn("trying", again.err)
        self.assertEqual(self.source(), written)

    def test_a_kill_while_settings_are_tried(self):
        words = ["tune", "--write-settings", "--steps", "12", "--warmup", "2", "--repeat", "2", "--folder", os.path.join(self.folder, "tuned"),
                 "--", sys.executable, "train.py"]
        for phase in ("looking at loaders", "trying num_workers=1", "kept: "):
            with self.subTest(phase=phase):
                with subprocess.Popen([PROGRAM, *words], cwd=self.project, env={**os.environ, **self.environment},
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
                    self.assertTrue(any(phase in line for line in child.stderr))
                    child.send_signal(signal.SIGKILL)
                self.assertEqual(self.source(), textwrap.dedent(TRAIN))
                words = ["tune", "--resume", os.path.join(self.folder, "tuned")]
        done = steptime(*words, "--write", cwd=self.folder)
        self.assertEqual(done.code, OK, done.err)
        self.assertIn(f"batch_size=4, {self.workers()}", self.source())


if __name__ == "__main__":
    unittest.main()
