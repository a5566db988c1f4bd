# SPDX-License-Identifier: Apache-2.0
"""Networks that nothing in the files linted makes, and options that no constructor is given."""
import tempfile
import unittest

from whole_program import lint, write

NETS = """
=== nets.py
import torch
from torch import nn


class Made(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        print(x.sum().item())  # expect
        return self.layer(x)


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x):
        x = self.layer(x).cuda()
        print(x.max().item())
        return x
"""

TRAIN = """
=== train.py
import torch
import nets
from nets import Made, Kept


def train(loader, name):
    model = Made().cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
"""


class Unmade(unittest.TestCase):
    def of_kept(self, text, *paths):
        """Why what Kept reads is a note; None: it is a warning."""
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text)
            found = lint(folder, *paths)["findings"]
            kept = [f for f in found if f["file"].endswith("nets.py") and f["line"] > 12 and f["rule"].startswith("ST4")]
            self.assertEqual(len(kept), 1, found)
            made = [f["severity"] for f in found if f["file"].endswith("nets.py") and f["line"] in (11, 12)][:1]
            self.assertEqual(made, ["warning"])
            return kept[0]["proof"]["pace"]["text"] if kept[0]["severity"] == "note" else None

    def assertOpen(self, text, *paths):
        self.assertIsNone(self.of_kept(text, *paths))

    def test_a_network_that_nothing_makes(self):
        self.assertEqual(self.of_kept(NETS + TRAIN), "nothing in the files linted makes one of this class")

    def test_what_its_own_docstring_or_another_script_says_makes_nothing(self):
        text = NETS.replace("class Kept(nn.Module):", 'class Kept(nn.Module):\n    """A Kept net: Kept()."""')
        self.assertIsNotNone(self.of_kept(text + TRAIN + "=== notes.yaml\nmodel: KeptNot\n"))

    def test_a_setting_names_it(self):
        for name in ("conf/model.yaml", "conf.json", "run.sh", "pyproject.toml"):
            with self.subTest(name=name):
                self.assertOpen(NETS + TRAIN + f"=== {name}\n# nets.Kept\n" if name.endswith(".toml") else
                                NETS + TRAIN + f"=== {name}\nmodel nets.Kept\n")

    def test_a_string_names_it(self):
        self.assertOpen(NETS + TRAIN + "=== names.py\nNAMES = ['nets.Kept']\n")

    def test_another_name_for_it(self):
        self.assertOpen(NETS + TRAIN + "=== other.py\nfrom nets import Kept as Net\n")

    def test_it_is_registered(self):
        self.assertOpen(NETS.replace("class Kept", "@registry\nclass Kept") + TRAIN)

    def test_a_module_is_searched(self):
        for search in ("getattr(nets, name)()", "vars(nets)[name]()", "nets.__dict__[name]()", "eval(name)()"):
            with self.subTest(search=search):
                self.assertOpen(NETS + TRAIN + f"    print({search})\n")

    def test_settings_that_are_too_large_to_look_into(self):
        self.assertOpen(NETS + TRAIN + "=== data.json\n" + "1234567\n" * (33 << 10))

    def test_files_by_name(self):
        self.assertOpen(NETS + TRAIN, "nets.py", "train.py")

    def test_nothing_trains(self):
        text = NETS + TRAIN.replace("        loss.backward()\n        optimizer.step()\n", "        print(loss)\n")
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text)
            texts = [f["proof"]["pace"]["text"] for f in lint(folder)["findings"] if f["file"] == "nets.py"]
            self.assertNotIn("nothing in the files linted makes one of this class", texts)


class Options(unittest.TestCase):
    def test_an_option_that_no_constructor_is_given_beside_many_constructors(self):
        others = "".join(f"class Other{i}(Base):\n    def __init__(self):\n        super().__init__({i})\n\n\n"
                         for i in range(70))
        text = NETS.replace("def __init__(self):", "def __init__(self, pulse=False):", 1).replace(
            "        self.layer = nn.Linear(8, 8)\n", "        self.layer = nn.Linear(8, 8)\n        self.pulse = pulse\n", 1
        ).replace("        print(x.sum().item())  # expect\n",
                  "        if self.pulse:\n            print(x.sum().item())\n        print(x.min().item())\n")
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text + TRAIN + "=== others.py\nimport nets\nfrom base import Base\n\n\n" + others)
            found = {f["line"]: f["severity"] for f in lint(folder)["findings"] if f["file"] == "nets.py"}
            self.assertEqual((found.get(13), found.get(14)), ("note", "warning"))


if __name__ == "__main__":
    unittest.main()
