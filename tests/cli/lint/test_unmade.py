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


INFERENCE = """
=== sample.py
from diffusers import DiffusionPipeline
from nets import Kept


def main():
    net = Kept().cuda().eval()
    print(DiffusionPipeline.from_pretrained("some", vae=net)("a picture"))


if __name__ == "__main__":
    main()
"""

NOT_TRAINED = "no program in the files linted makes one of this class that trains"


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
        self.assertEqual(self.of_kept(NETS + TRAIN), NOT_TRAINED)

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
        other = "=== other.py\nfrom nets import Kept as Net\n"
        self.assertOpen(NETS + TRAIN + "    import other\n    other.Net()\n" + other)
        self.assertEqual(self.of_kept(NETS + TRAIN + other), NOT_TRAINED)

    def test_only_an_inference_makes_it(self):
        self.assertEqual(self.of_kept(NETS + TRAIN + INFERENCE), NOT_TRAINED)

    def test_only_a_test_or_a_package_names_it(self):
        for other in ("=== tests/test_nets.py\nfrom nets import Kept\n\n\ndef test_kept():\n    Kept()\n",
                      "=== pkg/__init__.py\nfrom nets import Kept\n__all__ = ['Kept']\n"):
            with self.subTest(other=other):
                self.assertEqual(self.of_kept(NETS + TRAIN + other), NOT_TRAINED)

    def test_the_step_only_asks_what_it_is(self):
        for asked in ("isinstance(model, Kept)", "isinstance(model, (Made, nets.Kept))", "str(model) == 'Kept'"):
            with self.subTest(asked=asked):
                self.assertEqual(self.of_kept(NETS + TRAIN + f"        print({asked})\n"), NOT_TRAINED)
        annotated = "    def step(net: Kept) -> Kept:\n        return net\n    print(step)\n"
        self.assertEqual(self.of_kept(NETS + TRAIN + annotated), NOT_TRAINED)

    def test_what_trains_makes_it_by_some_way(self):
        makers = {
            "a table": "=== table.py\nimport nets\nNETS = {'kept': nets.Kept}\n\n\ndef build(name):\n"
                       "    return NETS[name]()\n",
            "a table that is filled": "=== table.py\nimport nets\nNETS = {}\nNETS['kept'] = nets.Kept\n\n\n"
                                      "def build(name):\n    return NETS[name]()\n",
            "partial": "=== table.py\nimport functools\nimport nets\n\n\ndef build(name):\n"
                       "    return functools.partial(nets.Kept)()\n",
            "a class": "=== table.py\nimport nets\n\n\nclass Builder:\n    def make(self):\n"
                       "        return nets.Kept()\n\n\ndef build(name):\n    return Builder().make()\n",
            "a module by its name": "=== table.py\nimport importlib\n\n\ndef build(name):\n"
                                    "    return getattr(importlib.import_module('net' + name), name)()\n",
            "a part of another": "=== table.py\nfrom torch import nn\nimport nets\n\n\nclass Whole(nn.Module):\n"
                                 "    def __init__(self):\n        super().__init__()\n"
                                 "        self.parts = nn.ModuleList([nets.Kept()])\n\n\ndef build(name):\n"
                                 "    return Whole()\n",
        }
        for name, maker in makers.items():
            with self.subTest(name=name):
                self.assertOpen(NETS + TRAIN + "    import table\n    table.build(name)\n" + maker + INFERENCE)
                self.assertEqual(self.of_kept(NETS + TRAIN + maker), NOT_TRAINED)

    def test_the_way_from_what_trains_is_shown(self):
        text = NETS + TRAIN + "    import table\n    table.build(name)\n" + (
            "=== table.py\nimport nets\nNETS = {'kept': nets.Kept}\n\n\ndef build(name):\n    return NETS[name]()\n")
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text)
            kept = [f for f in lint(folder)["findings"] if f["file"] == "nets.py" and f["line"] > 14]
            places = [(p["file"], p["text"]) for p in kept[0]["proof"]["pace"]["places"]]
            self.assertEqual(places, [
                ("train.py", "the loop of training steps, in which `loss.backward()` trains"),
                ("train.py", "`loss.backward()` trains, in train"),
                ("train.py", "`build` is named in train"),
                ("table.py", "`NETS` is named in build"),
                ("table.py", "`Kept` is named in <module>"),
                ("nets.py", "the network `Kept`, which is trained")])

    def test_a_module_that_is_fetched_is_another(self):
        fetched = "    import importlib\n    importlib.import_module('opt.' + name)\n"
        self.assertEqual(self.of_kept(NETS + TRAIN + fetched + INFERENCE), NOT_TRAINED)

    def test_it_is_registered(self):
        self.assertOpen(NETS.replace("class Kept", "@registry\nclass Kept") + TRAIN)

    def test_a_module_is_searched(self):
        for search in ("getattr(nets, name)()", "vars(nets)[name]()", "nets.__dict__[name]()", "eval(name)()"):
            with self.subTest(search=search):
                self.assertOpen(NETS + TRAIN + f"    print({search})\n")

    def test_settings_that_are_too_large_to_look_into(self):
        self.assertOpen(NETS + TRAIN + "=== data.json\n" + "1234567\n" * (513 << 10))

    def test_files_by_name(self):
        self.assertOpen(NETS + TRAIN, "nets.py", "train.py")

    def test_nothing_trains(self):
        text = NETS + TRAIN.replace("        loss.backward()\n        optimizer.step()\n", "        print(loss)\n")
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text)
            texts = [f["proof"]["pace"]["text"] for f in lint(folder)["findings"] if f["file"] == "nets.py"]
            self.assertNotIn(NOT_TRAINED, texts)


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
