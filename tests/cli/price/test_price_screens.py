# SPDX-License-Identifier: Apache-2.0
"""steptime price: what is asked and told. Every word of --explain, slips, lists, screens."""
import gzip
import os
import tempfile
import unittest

from again import interpreter
from price_case import Case, rows, value
from support import INPUT, OK, USAGE, steptime

SCRIPT = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters())
    data = TensorDataset(torch.randn(256, 64), torch.randint(0, 10, (256,)))
    for x, y in DataLoader(data, 32):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x.to(DEVICE)), y.to(DEVICE))
        loss.backward()
        optimizer.step()
        print(loss.item())
"""


def training(device="cuda"):
    return SCRIPT.replace("DEVICE", f'"{device}"')


class Asked(Case):
    """Runs of one script that are told the same are made once."""

    def setUp(self):
        super().setUp()
        self.real_python, self.python = self.python, interpreter(self.folder, self.python)


class Explains(Asked):
    def told(self, script, *options):
        """Columns of tables, and numbers that are none."""
        told = self.price(script, *options, "--explain", "list", "--format", "json").json
        columns = {row["number"].split(".")[1] for row in rows(told, "definitions", "definitions")}
        return columns, {row["number"] for row in rows(told, "meaning", "meanings")}

    def told_of_each(self, words, script, *options):
        for word in sorted(words):
            with self.subTest(word=word, options=options):
                told = self.price(script, *options, "--explain", word, "--format", "json").json
                self.assertTrue(any(table["rows"] for part in told["sections"] for table in part["tables"]), told)

    def test_every_word_of_it_in_every_kind_of_answer(self):
        script = self.script(training())
        plain, meanings = self.told(script, "--hw", "H100")
        self.assertLessEqual({"peak_place", "branches", "workspaces_low_bytes"}, meanings)
        columns = {"step_us", "device_us", "device_share", "without_device_us", "without_host_us", "guessed_share", "utilisation",
                   "memory_high_bytes", "memory_low_bytes", "spare_bytes", "fits"}
        self.assertLessEqual(columns, plain)
        self.told_of_each(columns | meanings, script, "--hw", "H100")
        for options in (["--ranks", "1,2"], ["--batch", "8,16"], ["--ways"], ["--per-hour", "2"]):
            more, _ = self.told(script, "--hw", "H100,L4", *options)
            self.told_of_each((more - plain) | {"step_us", "utilisation", "fits", "peak_bytes"}, script, "--hw", "H100,L4", *options)

    def test_what_is_of_devices_where_none_was_asked_for(self):
        script = self.script(training("cpu"))
        for word, code in (("fits", USAGE), ("step_us", USAGE), ("peak_bytes", OK), ("list", OK)):
            told = self.price(script, "--keep", self.path("et.json"), "--explain", word, code=code)
            self.assertEqual("--hw" in told.err, code == USAGE, told.err)



class Slips(unittest.TestCase):
    """Told before anything is run."""

    def refused(self, *words, says, code=USAGE):
        done = steptime("price", *words)
        self.assertEqual(done.code, code, done.err)
        self.assertIn(says, done.err)
        return done.err

    def test_no_command(self):
        for words in (["--hw", "H100"], ["--hw", "H100", "--"], ["--hw", "H100", "--ranks", "8"], ["--keep", "et.json"]):
            self.refused(*words, says="which command?")

    def test_prices_that_break_off(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "prices.csv.gz")
            whole = gzip.compress(b"device,per_hour\nH100,2.5\n" + b"".join(b"X%d,%d\n" % (i, i * i) for i in range(9999)))
            with open(path, "wb") as out:
                out.write(whole[:-len(whole) // 3])
            told = self.refused("--hw", "H100", "--prices", path, "train.py", code=INPUT, says=path)
            self.assertNotIn("no number", told)


if __name__ == "__main__":
    unittest.main()
