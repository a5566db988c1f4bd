# SPDX-License-Identifier: Apache-2.0
"""What a call of a method reaches in a program of several files: orders of bases, super(), methods that a class leaves to others."""
import unittest

from whole_program import files, program, train

TRAINER = """
class Trainer:
    def __init__(self, model, opt):
        self.model = model.cuda()
        self.opt = opt

    def log(self, loss):
        BODY

    def fit(self, loader):
        for x in loader:
            loss = self.model(x.cuda(non_blocking=True)).sum()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.log(loss)
"""

DIAMOND = """
class Base:
    def log(self, loss):
        return 0.0


class Left(Base):
    {left}


class Right(Base):
    def log(self, loss):
        return loss.item()  # expect


class Both(Left, Right):
    pass
"""


class Inheritance(unittest.TestCase):
    def test_the_order_of_bases(self):
        program(self, files(train="from meter import Both\n\nmeter = Both()\n" + train("meter.log(loss)"),
                            meter=DIAMOND.format(left="pass")))

    def test_super_goes_sideways(self):
        program(self, files(train="from meter import Both\n\nmeter = Both()\n" + train("meter.log(loss)"),
                            meter=DIAMOND.format(left="def log(self, loss):\n        return super().log(loss)")))

    def test_super_of_a_class_alone_goes_up(self):
        program(self, files(train="from meter import Left\n\nmeter = Left()\n" + train("meter.log(loss)"),
                            meter=DIAMOND.format(left="def log(self, loss):\n        return super().log(loss)")
                            .replace("  # expect", "")))

    def test_super_of_a_class_without_bases_goes_sideways(self):
        program(self, files(train="from meter import Both\n\nmeter = Both()\n" + train("meter.log(loss)"), meter="""
class Loud:
    def log(self, loss):
        return super().log(loss)


class Base:
    def log(self, loss):
        return loss.item()  # expect


class Both(Loud, Base):
    pass
"""))

    def test_abstract_method(self):
        program(self, files(trainer="""
from abc import ABC, abstractmethod


class Trainer(ABC):
    def __init__(self, model, opt):
        self.model = model.cuda()
        self.opt = opt

    @abstractmethod
    def log(self, loss):
        ...

    def fit(self, loader):
        for x in loader:
            loss = self.model(x.cuda(non_blocking=True)).sum()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.log(loss)
""", mine="""
from trainer import Trainer


class Mine(Trainer):
    def log(self, loss):
        print(loss.item())  # expect
""", main="""
from mine import Mine


def main(model, opt, loader):
    Mine(model, opt).fit(loader)
"""))

    def test_method_that_raises(self):
        program(self, files(trainer=TRAINER.replace("BODY", "raise NotImplementedError"), mine="""
from trainer import Trainer


class Mine(Trainer):
    def log(self, loss):
        print(loss.item())  # expect


class Other(Trainer):
    def log(self, loss):
        print(loss.item())  # expect


def main(model, opt, loader, other):
    (Other if other else Mine)(model, opt).fit(loader)
"""))

    def test_base_whose_method_does_nothing(self):
        program(self, files(trainer=TRAINER.replace("BODY", "pass"), mine="""
from trainer import Trainer


class Mine(Trainer):
    def log(self, loss):
        print(loss.item())  # expect
""", main="""
from mine import Mine


def main(model, opt, loader):
    Mine(model, opt).fit(loader)
"""))

    def test_callbacks(self):
        program(self, files(callbacks="""
class Callback:
    def on_step(self, loss):
        pass


class Print(Callback):
    def on_step(self, loss):
        print(loss.item())  # expect
""", train="from callbacks import Print\n" + train("0.0").replace(
            "    total = 0.0", "    total = 0.0\n    callbacks = [Print()]").replace(
                "        total += 0.0", "        for callback in callbacks:\n            callback.on_step(loss)")))


if __name__ == "__main__":
    unittest.main()
