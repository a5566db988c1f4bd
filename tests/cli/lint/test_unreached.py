# SPDX-License-Identifier: Apache-2.0
"""Functions that train and that no program in the files linted comes to."""
import tempfile
import unittest

from whole_program import lint, write

STEPS = """
=== steps.py
import torch


def train_epoch(model, loader, optimizer):
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())


def train_slowly(model, loader, optimizer):
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        show(loss.mean())


def show(value):
    print(value.item())


class Agent:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model.cuda(), optimizer

    def update(self, loader):
        for x in loader:
            loss = self.model(x.cuda(non_blocking=True)).sum()
            loss.backward()
            self.optimizer.step()
            print(loss.max().item())
"""

PROGRAM = """
=== train.py
import torch
from steps import train_epoch


def main(loader):
    model = torch.nn.Linear(8, 8).cuda()
    train_epoch(model, loader, torch.optim.SGD(model.parameters(), 0.1))


if __name__ == "__main__":
    main(torch.utils.data.DataLoader(torch.zeros(64, 8), num_workers=2, pin_memory=True))
"""

UNREACHED = "no program in the files linted comes to it"
READS = ("train_epoch", "show", "update")  # what is read in each, in this order


class Unreached(unittest.TestCase):
    def levels(self, text, *paths):
        """Of each function what it is told as, and why where that is a note."""
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text)
            found = [f for f in lint(folder, *paths)["findings"]
                     if f["file"].endswith("steps.py") and f["rule"].startswith("ST4")]
            self.assertEqual(len(found), len(READS), found)
            found.sort(key=lambda f: f["line"])
            return {name: f["proof"]["pace"]["text"] if f["severity"] == "note" else "warning"
                    for name, f in zip(READS, found)}

    def test_what_nothing_names(self):
        self.assertEqual(self.levels(STEPS + PROGRAM),
                         {"train_epoch": "warning", "show": UNREACHED, "update": UNREACHED})

    def test_without_a_program_that_trains_nothing_is_known(self):
        self.assertEqual(self.levels(STEPS), dict.fromkeys(READS, "warning"))

    def test_what_only_an_export_names(self):
        self.assertEqual(self.levels(STEPS + PROGRAM + "=== __init__.py\nfrom .steps import train_slowly, Agent\n"
                                     "__all__ = ['train_slowly', 'Agent']\n")["update"], UNREACHED)

    def test_any_program_comes_to_it(self):
        for call in ("import steps\nsteps.train_slowly(None, [], None)\nsteps.Agent(None, None).update([])\n",
                     "import steps\nTABLE = {'slow': steps.train_slowly, 'agent': steps.Agent}\n",
                     "import steps\nimport sys\ngetattr(steps, sys.argv[1])()\n"):
            with self.subTest(call=call):
                self.assertEqual(self.levels(STEPS + PROGRAM + "=== other.py\n" + call), dict.fromkeys(READS, "warning"))

    def test_a_loader_that_nothing_makes_and_a_base_that_nothing_makes(self):
        text = STEPS + PROGRAM + """
=== data.py
import torch
import pytorch_lightning as pl


class Data(pl.LightningDataModule):
    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.load("some.pt"), shuffle=True, num_workers=4)


class MoreData(Data):
    pass
"""
        with tempfile.TemporaryDirectory() as folder:
            for made in ("", "\n\nMoreData()\n"):
                write(folder, text + made)
                found = [f for f in lint(folder)["findings"] if f["file"].endswith("data.py") and f["rule"] == "ST602"]
                self.assertEqual([f["proof"]["pace"]["holds"] for f in found], [made != ""])

    def test_what_only_an_option_that_is_off_names(self):
        asks = ("=== other.py\nimport argparse\nimport steps\nparser = argparse.ArgumentParser()\n"
                "parser.add_argument('--kind', default='plain')\nargs = parser.parse_args()\n"
                "if args.kind == 'slow':\n    steps.train_slowly(None, [], None)\n"
                "agent = steps.Agent(None, None) if args.kind == 'agent' else None\n")
        self.assertEqual(self.levels(STEPS + PROGRAM + asks),
                         {"train_epoch": "warning", "show": UNREACHED, "update": UNREACHED})
        given = self.levels(STEPS + PROGRAM + asks + "=== run.sh\npython other.py --kind slow\n")
        self.assertEqual(given, dict.fromkeys(READS, "warning"))

    def test_a_decorator_keeps_it(self):
        kept = STEPS.replace("def train_slowly", "@register('slow')\ndef train_slowly").replace(
            "class Agent", "@register('agent')\nclass Agent").replace("import torch\n", "import torch\nfrom table import register\n")
        self.assertEqual(self.levels(kept + PROGRAM), dict.fromkeys(READS, "warning"))

    def test_a_setting_names_it(self):
        levels = self.levels(STEPS + PROGRAM + "=== conf.yaml\nhow: steps.train_slowly\nwho: steps.Agent\n")
        self.assertEqual(levels, dict.fromkeys(READS, "warning"))

    def test_a_test_or_another_function_of_the_name_is_none(self):
        other = "=== tests/test_steps.py\nfrom steps import train_slowly\n\n\ndef test_it():\n    train_slowly(1, [], 2)\n"
        same = "=== other.py\ndef train_slowly(model):\n    return model\n\n\ntrain_slowly(3)\n"
        self.assertEqual(self.levels(STEPS + PROGRAM + other + same)["show"], UNREACHED)


if __name__ == "__main__":
    unittest.main()
