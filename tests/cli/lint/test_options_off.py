# SPDX-License-Identifier: Apache-2.0
"""Branches behind an option: off by default they are a note that names where the option is declared; given, a warning."""
import tempfile
import unittest

from whole_program import lint, write

TRAIN = """
=== train.py
import argparse
import torch
from torch import nn


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fancy", OPTION)
    parser.add_argument("--rate", type=float, default=0.1)
    return parser.parse_args()


def train(args, loader):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), args.rate)
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).sum()
        loss.backward()
        if TEST:
            print(loss.item())
        optimizer.step()
        loss = model(x.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()


train(parse(), torch.utils.data.DataLoader(range(1000), num_workers=4, pin_memory=True))
"""
OFF = "only an option asks for it that is off by default and that nothing here gives"


class Off(unittest.TestCase):
    def read(self, option, test, more="", text=TRAIN):
        """(severity, pace, the line where pace points to) of what the branch reads."""
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text.replace("OPTION", option).replace("TEST", test) + more)
            found = [f for f in lint(folder)["findings"] if f["line"] == 20 and f["rule"].startswith("ST4")]
            self.assertEqual(len(found), 1, found)
            pace = found[0]["proof"]["pace"]
            return found[0]["severity"], pace["text"], pace

    def assertOff(self, option, test, more=""):
        severity, text, pace = self.read(option, test, more)
        self.assertEqual((severity, text), ("note", OFF))
        return pace

    def assertOn(self, option, test, more=""):
        severity, text, _ = self.read(option, test, more)
        self.assertEqual(severity, "warning", text)

    def test_defaults_that_turn_it_off(self):
        for option, test in (
            ('action="store_true"', "args.fancy"),
            ("type=int", "args.fancy is not None"),
            ("type=int, default=1", "args.fancy > 1"),
            ("type=float, default=0.0", "args.fancy > 0"),
            ("type=float, default=0.0", "args.fancy"),
            ('default="plain"', 'args.fancy == "rich"'),
            ('action="store_true"', "args.fancy and args.rate < 2"),
            ('action="store_false"', "not args.fancy"),
        ):
            with self.subTest(option=option, test=test):
                self.assertOff(option, test)

    def test_settings_that_nothing_gives(self):
        for test in ('hasattr(args, "skip") and args.skip', 'getattr(args, "skip", False)', 'hasattr(args, "skip")'):
            with self.subTest(test=test):
                self.assertOff('action="store_true"', test)
                for given in ("args.skip = True", 'config = {"skip": 1}', "class Settings:\n    skip = True"):
                    self.assertOn('action="store_true"', test, f"\n=== more.py\nimport train\n{given}\n")
                self.assertOn('action="store_true"', test, "\n=== conf.yaml\nskip: true\n")

    def test_what_else_is_asked_for_by_name(self):
        for test in ('hasattr(model, "skip")', 'getattr(args, "skip", True)', 'not hasattr(args, "skip")',
                     'hasattr(args, "rate")'):
            with self.subTest(test=test):
                self.assertOn('action="store_true"', test)

    def test_defaults_that_turn_it_on(self):
        for option, test in (
            ('action="store_false"', "args.fancy"),
            ("type=int, default=2", "args.fancy > 1"),
            ("type=float, default=0.5", "args.fancy"),
            ('default="rich"', 'args.fancy == "rich"'),
            ('action="store_true"', "not args.fancy"),
            ("type=int, required=True", "args.fancy"),
            ("type=int, default=choose()", "args.fancy > 1"),
        ):
            with self.subTest(option=option, test=test):
                self.assertOn(option, test)

    def test_something_gives_it(self):
        for more in (
            "=== run.sh\npython train.py --fancy\n",
            "=== conf.yaml\nfancy: true\n",
            "=== README.md\n```\npython train.py --fancy\n```\n",
            "=== README.md\nRun `python train.py --fancy`.\n",
        ):
            with self.subTest(more=more):
                self.assertOn('action="store_true"', "args.fancy", more)
        for line in ("args.fancy = True", 'call(["--fancy"])', 'system("python train.py --fancy")', "run(fancy=True)",
                     'setup({"fancy": True})'):
            with self.subTest(line=line):
                text = TRAIN.replace("    model =", f"    {line}; model =")
                self.assertEqual(self.read('action="store_true"', "args.fancy", "", text)[0], "warning")

    def test_what_only_tells_of_it_gives_nothing(self):
        self.assertOff('action="store_true", help="--fancy prints, see train.py"', "args.fancy",
                       "=== README.md\n- `--fancy`: prints the loss.\n")

    def test_a_dash_in_the_name(self):
        text = TRAIN.replace('"--fancy"', '"--very-fancy"')
        for more, severity in (("", "note"), ("=== run.sh\npython train.py --very-fancy\n", "warning")):
            with self.subTest(more=more):
                self.assertEqual(self.read('action="store_true"', "args.very_fancy", more, text)[0], severity)

    def test_it_is_told_where_the_option_is_declared(self):
        pace = self.assertOff('action="store_true"', "args.fancy")
        self.assertEqual([at["line"] for at in pace["places"]], [8])

    def test_fields_of_a_class_of_settings(self):
        text = TRAIN.replace("def parse", "@dataclass\nclass Inner:\n    fancy: bool = VALUE\n\n\ndef parse").replace(
            '    parser.add_argument("--fancy", OPTION)\n', "").replace("import argparse\n", "import argparse\nfrom "
            "dataclasses import dataclass, field\n").replace("from torch import nn\n\n\n", "from torch import nn\n").replace(
            "        if TEST:\n            print", "        if args.inner.fancy:\n            print")
        for value, severity in (("False", "note"), ("field(default=False)", "note"), ("True", "warning"),
                                ("field(default=True)", "warning")):
            with self.subTest(value=value):
                with tempfile.TemporaryDirectory() as folder:
                    write(folder, text.replace("VALUE", value))
                    found = [f["severity"] for f in lint(folder)["findings"] if "item" in f["message"]]
                    self.assertEqual(found, [severity])

    def test_what_trains_only_there_is_given(self):
        """Without the option nothing trains: who runs it gives it."""
        text = TRAIN.replace("        if TEST:\n            print(loss.item())\n        optimizer.step()\n",
                             "        if TEST:\n            print(loss.item())\n            optimizer.step()\n")
        text = text.replace("        loss = model(x.cuda(non_blocking=True)).sum()\n        loss.backward()\n"
                            "        optimizer.step()\n\n", "\n")
        text = text.replace("        loss.backward()\n        if", "        if").replace(
            "print(loss.item())\n", "loss.backward(); print(loss.item())\n")
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text.replace("OPTION", 'action="store_true"').replace("TEST", "args.fancy"))
            found = [f for f in lint(folder)["findings"] if f["rule"].startswith("ST4")]
            self.assertTrue(found)
            self.assertNotIn(OFF, [f["proof"]["pace"]["text"] for f in found])


if __name__ == "__main__":
    unittest.main()
