# SPDX-License-Identifier: Apache-2.0
"""steptime price: what is asked and told. Every word of --explain, slips, lists, screens."""
import gzip
import os
import tempfile
import unittest

from again import interpreter
from price_case import Case, rows, section, value
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
    """Runs of one script that are told the same are made once, for all cases: lines of another script of those words may be told."""

    kept = None

    def setUp(self):
        super().setUp()
        if not Asked.kept:
            Asked.kept = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(Asked.kept.cleanup)
            interpreter(Asked.kept.name, self.python)
        self.python = os.path.join(Asked.kept.name, "python-again")


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



class Tells(Asked):
    def warned(self, document):
        return [f"{one['path']}: {one['message']}" for one in document["warnings"]]

    def test_a_device_that_is_named_twice(self):
        script = self.script(training())
        told = self.price(script, "--hw", "A100,H100 SXM,NVIDIA H100 SXM 80GB", "--format", "json").json
        self.assertEqual(len(rows(told, "price", "devices")), 2)
        self.assertIn("more than once", "".join(self.warned(told)))
        self.assertIn("is several devices", "".join(self.warned(told)))
        self.assertEqual(self.warned(self.price(script, "--hw", "H100 SXM,L4", "--format", "json").json), [])

    def test_several_devices_that_are_named_twice(self):
        told = self.price(self.script(training()), "--hw", "T4,L4,H100 SXM,L4,T4,L4", "--format", "json").json
        self.assertEqual(len(rows(told, "price", "devices")), 3)
        self.assertEqual(sorted(one.split(":")[0] for one in self.warned(told) if "more than once" in one), ["NVIDIA L4", "NVIDIA T4"])

    def test_what_the_allocator_gives_out_is_told_of_nvidia_alone(self):
        script = self.script(training())
        for device, beside in (("H100 SXM", 2 * (32 << 20)), ("T4", 2 * 8519680)):
            told = self.price(script, "--hw", device, "--format", "json").json
            self.assertEqual(value(told, "memory", "allocated_bytes") - value(told, "memory", "peak_bytes"), beside)
        told = self.price(script, "--hw", "MI300X", "--format", "json").json
        self.assertNotIn("allocated_bytes", {one["id"] for one in section(told, "memory")["values"]})

    def test_devices_without_a_price(self):
        script, prices = self.script(training()), self.path("prices.csv")
        with open(prices, "w", encoding="utf-8") as out:
            out.write("device,per_hour\nH100 SXM,2\n")
        for devices, says in (("H100 SXM,L4", "One of these devices has no price"), ("H100 SXM,L4,T4", "2 of these devices have no")):
            told = " ".join(self.price(script, "--hw", devices, "--prices", prices).out.split())
            self.assertIn(says, told)

    def test_titles_of_columns_tell_them_apart(self):
        for options in ([], ["--per-hour", "2"], ["--batch", "8,16"], ["--ranks", "1,2"]):
            told = self.price(self.script(training()), "--hw", "H100 SXM", *options, "--format", "json").json
            for part in told["sections"]:
                for table in part["tables"]:
                    titles = [column["title"] for column in table["columns"]]
                    self.assertEqual(len(set(titles)), len(titles), titles)

    def test_what_was_asked_for_is_seen_on_a_narrow_screen(self):
        script = self.script(training())
        words = ["--hw", "H100 SXM,L4", "--per-hour", "2", "--ways", "--batch", "8,16", "--python", self.python]
        for columns in "80", "120":
            shown = steptime("price", *words, "--", script, env={"COLUMNS": columns, "OMP_NUM_THREADS": "1"}).out
            lines = shown.split("\n")
            self.assertLessEqual(max(map(len, lines)), int(columns))
            heads = [" ".join(lines[i - 3:i]) for i, line in enumerate(lines) if line.startswith("  -----")]
            self.assertTrue(all(word in heads[0] for word in ("1000", "memory", "fits")), heads[0])
            self.assertTrue(columns == "80" or "basis" in next(head for head in heads if "way" in head))

    def test_memory_that_is_not_known(self):
        script = self.script(training())
        told = " ".join(self.price(script, "--hw", "V100 SXM2,V100 PCIe,T4").out.split())
        self.assertIn("How much memory NVIDIA Tesla V100", told)
        self.assertIn("(and of 1 more)", told)
        self.assertNotIn("How much memory", self.price(script, "--hw", "V100 SXM2,T4", "--set", "memory_size=32GiB").out)

    def test_many_on_which_it_does_not_fit(self):
        shown = " ".join(self.price(self.script(training()), "--hw", "H100 SXM,L4,T4,P4,P40", "--set", "memory_size=64MiB").out.split())
        self.assertEqual((shown.count("It does not fit on"), "on 2 more of these devices" in shown), (3, True))

    def test_why_a_way_has_no_step(self):
        ways = rows(self.price(self.script(training()), "--hw", "T4", "--ways", "--format", "json").json, "ways", "ways")
        self.assertEqual({row["basis"] for row in ways}, {"run dry", "replayed"})
        for row in ways:
            self.assertEqual(row["step_us"] is None, row["why"] is not None, row)
        self.assertIn("bf16", next(row["why"] for row in ways if row["way"] == "bf16 autocast"))

    def test_each_device_that_is_tried_is_told_of(self):
        words = ("--hw", "L40S,L4", "--set", "memory_size=64MiB")
        shown = " ".join(self.price(self.script(training()), *words).out.split())
        ways = shown[shown.index("What would make it fit"):]
        self.assertEqual([ways.count(f"a server of {name} has is not known") for name in ("NVIDIA L4", "NVIDIA L40S")], [1, 1], ways)

    def test_why_zero_has_no_step(self):
        """Where the step itself is not known that is why, and not the link."""
        def reasons(*words, script=training()):
            told = self.price(self.script(script), "--ways", "--format", "json", *words).json
            return {row["why"] for row in rows(told, "ways", "ways") if row["way"].startswith("ZeRO")}
        self.assertEqual(reasons("--hw", "MI300A"), {"the rate of the link between the ranks is not known"})
        self.assertEqual(reasons("--hw", "MI300A", "--set", "host_link=32GB/s"), {None})
        narrow = training().replace('torch.randn(256, 64)', 'torch.randn(256, 64).bfloat16()').replace('.to("cuda")\n', '.cuda().bfloat16()\n')
        self.assertIn("bf16", "".join(reasons("--hw", "T4", script=narrow)))

    def test_which_job_is_told_of(self):
        script = self.script(training())
        self.assertIn("of the job of 2 ranks", self.price(script, "--hw", "L4", "--ranks", "1,2").out)
        self.assertNotIn("of the job of", self.price(script, "--hw", "L4", "--ranks", "2").out)

    def test_shapes_that_nobody_asks_for(self):
        script = self.script("""
            import torch
            model = torch.nn.Linear(8, 4).cuda()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(4):
                model(torch.randn(16, 8).cuda()).sum().backward()
                optimizer.step()
        """)
        told = self.price(script, "--hw", "H100 SXM", "--batch-shape", "16x8", "--format", "json").json
        self.assertIn("no DataLoader", "".join(self.warned(told)))
        told = self.price(self.script(training(), "loads.py"), "--hw", "H100 SXM", "--batch-shape", "16x64,16:int64", "--format", "json").json
        self.assertEqual((self.warned(told), value(told, "step", "samples")), ([], 16))

    def test_what_is_no_python(self):
        script = self.script("""
            import torch
            x = 1
            def train(:
                pass
        """)
        self.assertIn(f"{script}:4: SyntaxError: ", self.price(script, "--hw", "H100", code=INPUT).err.replace(" when it is run without data", ""))
        self.script("import torch\nimport broken\n")
        self.script("x = 1\ny = = 2\n", "broken.py")
        told = self.price(self.path("train.py"), "--hw", "H100", code=INPUT).err
        self.assertIn(f"{self.path('broken.py')}:2", told)

    def test_a_gpu_where_there_is_none(self):
        told = self.price(self.script(training()), "--keep", self.path("et.json"), code=INPUT).err
        self.assertIn("told that there is none", told)


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

    def test_lists(self):
        for option, least in (("hw", "H100"), ("batch", "8"), ("precision", "bf16"), ("network", "400Gbps"), ("ranks", "8"),
                              ("batch-shape", "8x3")):
            for text in (",", least + ",", f"{least},,{least}", " ", "," + least):
                hw = [] if option == "hw" else ["--hw", "H100"]
                self.refused(*hw, f"--{option}={text}", "--", "python3", "train.py", says=f"--{option}" if option != "network" else "network")

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
