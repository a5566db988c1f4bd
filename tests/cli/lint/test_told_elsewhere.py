# SPDX-License-Identifier: Apache-2.0
"""What holds in a program of several files of what another file sets or is called: devices, frameworks, names of libraries."""
import tempfile
import unittest

from whole_program import METER, files, lint, program, train, write


class DefaultDevice(unittest.TestCase):
    """torch.set_default_device holds in the run that sets it."""
    NOISE = """
import torch


def noise(count):
    return torch.rand(count).max().item()NOTE
"""

    def noise(self, found):
        return self.NOISE.replace("NOTE", "  # expect" if found else "")

    def test_of_the_script_that_sets_it(self):
        program(self, files(train="from noise import noise\n" + train("noise(3)") + "\n\n\ntorch.set_default_device('cuda')",
                            noise=self.noise(True)))

    def test_through_a_function_that_sets_it(self):
        program(self, files(train="from noise import noise\nfrom setup import begin\n" + train("noise(3)") + "\n\n\nbegin()",
                            noise=self.noise(True), setup="""
import torch


def begin():
    torch.set_default_device("cuda")
"""))

    def test_of_another_script(self):
        program(self, files(train="from noise import noise\n" + train("noise(3)"), noise=self.noise(False), other="""
import torch

from noise import noise

torch.set_default_device("cuda")
print(noise(4))
"""))

    def test_of_a_worker_that_may_be_told_of_one(self):
        program(self, files(train="from noise import noise\nfrom worker import Worker\n" + train("noise(3)") + "\n\n\nWorker(None)",
                            noise=self.noise(False), worker="""
import torch

from noise import noise


class Worker:
    def __init__(self, default_device):
        self.default_device = default_device

    def run(self):
        torch.set_default_device(self.default_device)
        return noise(4)
"""))

    def test_of_settings(self):
        program(self, files(train="from noise import noise\n" + train("noise(3)") + """


def main(args):
    torch.set_default_device(args.device)
""", noise=self.noise(True)))

    def test_of_an_object_that_a_setting_names(self):
        program(self, files(train="import jobs\nfrom noise import noise\n" + train("noise(3)"), noise=self.noise(False), jobs="""
import importlib

from noise import noise
import torch


class Sample:
    def run(self):
        torch.set_default_device("cuda")
        return noise(4)


def make(name):
    return getattr(importlib.import_module("jobs"), name)()
"""))

    def test_the_origin_is_no_type_of_the_host(self):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, files(train="from noise import noise\n" + train("noise(3)") + """


def main(args):
    torch.set_default_tensor_type(torch.DoubleTensor)
    if args.cuda:
        torch.set_default_tensor_type(torch.cuda.DoubleTensor)
""", noise=self.noise(True)))
            found = [f for f in lint(folder)["findings"] if f["file"] == "noise.py" and f["rule"].startswith("ST4")]
            origins = [place["text"] for f in found for place in f["proof"]["device"]["places"] if "sets that" in place["text"]]
            self.assertEqual(len(origins), 1)
            self.assertIn("torch.cuda.", origins[0])


class HostOnly(unittest.TestCase):
    """What a framework is told holds where it is told: a test on the CPU says nothing of the library."""

    NET = """
import lightning.pytorch as pl
import torch


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 4)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).square().mean()
        self.log("loss", loss.item())NOTE
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
"""
    USER = """
import lightning.pytorch as pl

from net import Net


def test_fit(loader):
    pl.Trainer(accelerator="cpu", max_epochs=1).fit(Net(), loader)
"""

    def test_of_a_test(self):
        program(self, files(net=self.NET.replace("NOTE", "  # expect"), tests__test_net=self.USER))

    def test_of_a_script(self):
        program(self, files(net=self.NET.replace("NOTE", ""), run=self.USER.replace("test_fit", "fit")))


class PartsNamedAsLibraries(unittest.TestCase):
    """`import torch` means the library in a package that has a part called torch, and the file beside a script."""

    MASK = """
import torch


def read(loss):
    best = torch.zeros(3, device="cuda")
    return best.max().item()NOTE
"""

    def test_folder_of_a_package(self):
        program(self, files(train="from agents.torch.meter import read\n" + train(), agents__torch__meter=self.MASK.replace("NOTE", "  # expect"),
                            **{"agents/__init__": "", "agents/torch/__init__": ""}))

    def test_file_of_a_package(self):
        program(self, files(train="from utils.meter import read\n" + train(), utils__meter=self.MASK.replace("NOTE", "  # expect"),
                            utils__torch="def size(rows):\n    return len(rows)", **{"utils/__init__": ""}))

    def test_file_beside_a_script(self):
        program(self, files(train="import accelerate\n" + train("accelerate.read(loss)"), accelerate=METER))


class DeviceByName(unittest.TestCase):
    """What is a device by its name stays one where an object of a sibling is given what nobody knows."""

    PROGRAM = files(base="""
import torch


class Base(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.device = config["device"]
""", other="""
from base import Base


class Other(Base):
    pass
""", net="""
import torch
from base import Base


class Net(Base):
    def __init__(self, config):
        super().__init__(config)
        self.device = config["device"]
        self.table = torch.nn.Embedding(10, 4)

    def forward(self, rows):
        ids = torch.LongTensor([len(row) for row in rows]).to(self.device)
        return self.table(ids).sum()
""", trainer="""
class Trainer:
    def __init__(self, config, model):
        self.model = model
        self.device = config["device"]

    def epoch(self, data, opt):
        for batch in data:
            opt.zero_grad()
            loss = self.model(batch.to(self.device))
            loss.backward()
            opt.step()
""")
    SIBLING = files(show='from other import Other\n\nmodel = Other(config).to(config["device"])')

    def uploads(self, text):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text)
            return [(f["file"], f["line"]) for f in lint(folder)["findings"] if f["rule"] == "ST201"]

    def test_with_and_without_a_sibling(self):
        self.assertEqual(self.uploads(self.PROGRAM), [("net.py", 12)])
        self.assertEqual(self.uploads(self.PROGRAM + self.SIBLING), [("net.py", 12)])


if __name__ == "__main__":
    unittest.main()
