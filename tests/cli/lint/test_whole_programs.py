# SPDX-License-Identifier: Apache-2.0
"""What a call reaches in a program of several files: decorators, records, registries, things made by name, entries."""
import unittest

from whole_program import METER, files, program, train


class Decorators(unittest.TestCase):
    def test_wrapper(self):
        program(self, files(train="from meter import read\n" + train(), meter="""
from timing import timed


@timed
def read(loss):
    return loss.item()  # expect
""", timing="""
import functools


def timed(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        result = function(*args, **kwargs)
        return result
    return inner
"""))

    def test_wrapper_with_arguments(self):
        program(self, files(train="from meter import read\n" + train(), meter="""
from timing import timed


@timed("read")
def read(loss):
    return loss.item()  # expect
""", timing="""
import functools


def timed(label):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            print(label)
            return function(*args, **kwargs)
        return inner
    return decorate
"""))

    def test_no_grad(self):
        program(self, files(train="from meter import read\n" + train(),
                            meter="import torch\n\n\n@torch.no_grad()\n" + METER))

    def test_compile(self):
        program(self, files(train="from meter import read\n" + train(),
                            meter="import torch\n\n\n@torch.compile(dynamic=True)\n" + METER))

    def test_compile_as_call(self):
        program(self, files(train="import torch\nfrom meter import read as plain\n\nread = torch.compile(plain)\n" + train(),
                            meter=METER))

    def test_record(self):
        program(self, files(train="from torch.distributed.elastic.multiprocessing.errors import record\n"
                                  "from meter import read\n" + train().replace("def train", "@record\ndef train"),
                            meter=METER))

    def test_unknown_decorator(self):
        program(self, files(train="from meter import read\n" + train(),
                            meter="from somewhere import traced\n\n\n@traced\n" + METER))

    def test_method_with_wrapper(self):
        program(self, files(train="from meter import Meter\n\nmeter = Meter()\n" + train("meter.read(loss)"), meter="""
from functools import wraps


def locked(method):
    @wraps(method)
    def inner(self, *args):
        with self.lock:
            return method(self, *args)
    return inner


class Meter:
    @locked
    def read(self, loss):
        return loss.item()  # expect
"""))

    def test_partial(self):
        program(self, files(train="import functools\nfrom meter import scaled\n\n"
                                  "read = functools.partial(scaled, 2.0)\n" + train(), meter="""
def scaled(factor, loss):
    return factor * loss.item()  # expect
"""))

    def test_partial_by_keyword(self):
        program(self, files(train="from functools import partial\nfrom meter import scaled\n\n"
                                  "read = partial(scaled, factor=2.0)\n" + train(), meter="""
def scaled(loss, factor):
    return factor * loss.item()  # expect
"""))


class Records(unittest.TestCase):
    def test_dataclass_by_keyword(self):
        program(self, files(train="from state import State\nfrom meter import read\n" + train("read(State(step=1, loss=loss))"),
                            state="""
from dataclasses import dataclass
from typing import Any


@dataclass
class State:
    step: int
    loss: Any
""", meter="""
def read(state):
    return state.loss.item()  # expect
"""))

    def test_dataclass_by_position(self):
        program(self, files(train="from state import State\nfrom meter import read\n" + train("read(State(1, loss))"),
                            state="""
import dataclasses


@dataclasses.dataclass(frozen=True)
class State:
    step: int
    loss: object
""", meter="""
def read(state):
    return state.loss.item()  # expect
"""))

    def test_dataclass_inherits_fields(self):
        program(self, files(train="from state import More\nfrom meter import read\n" + train("read(More(1, loss))"),
                            state="""
from dataclasses import dataclass


@dataclass
class State:
    step: int


@dataclass
class More(State):
    loss: object
""", meter="""
def read(state):
    return state.loss.item()  # expect
"""))

    def test_default_factory(self):
        program(self, files(train="from state import State\nfrom meter import read\n" + train("read(state)").replace(
            "    total = 0.0", "    total = 0.0\n    state = State()").replace(
                "        total +=", "        state.losses.append(loss)\n        total +="),
                            state="""
from dataclasses import dataclass, field


@dataclass
class State:
    losses: list = field(default_factory=list)
""", meter="""
def read(state):
    return state.losses[-1].item()  # expect
"""))

    def test_named_tuple(self):
        program(self, files(train="from state import State\nfrom meter import read\n" + train("read(State(1, loss))"),
                            state="""
from typing import NamedTuple


class State(NamedTuple):
    step: int
    loss: object
""", meter="""
def read(state):
    return state.loss.item()  # expect
"""))

    def test_a_field_on_the_host(self):
        program(self, files(train="from state import State\nfrom meter import read\n"
                                  + train("read(State(1, torch.zeros(1)))"),
                            state="""
from dataclasses import dataclass


@dataclass
class State:
    step: int
    loss: object
""", meter="""
def read(state):
    return state.loss.item()
"""))


class ByName(unittest.TestCase):
    def test_registered_functions(self):
        program(self, files(registry="""
READERS = {}


def register(name):
    def decorate(function):
        READERS[name] = function
        return function
    return decorate
""", meter="from registry import register\n\n\n@register('plain')\n" + METER,
                            train="import meter\nfrom registry import READERS\n" + train("READERS[name](loss)")))

    def test_registered_classes(self):
        program(self, files(registry="""
METERS = {}


def register(cls):
    METERS[cls.__name__] = cls
    return cls
""", meter="""
from registry import register


@register
class Meter:
    def read(self, loss):
        return loss.item()  # expect
""", train="import meter\nfrom registry import METERS\n" + train("meter.read(loss)").replace(
            "    total = 0.0", "    total = 0.0\n    meter = METERS[name]()")))

    def test_registry_class(self):
        program(self, files(registry="""
class Registry:
    def __init__(self, name):
        self.name = name
        self.entries = {}

    def register(self, name=None):
        def decorate(cls):
            self.entries[name or cls.__name__] = cls
            return cls
        return decorate

    def get(self, name):
        return self.entries[name]

    def build(self, name, *args):
        return self.get(name)(*args)


METERS = Registry("meters")
""", meter="""
from registry import METERS


@METERS.register()
class Meter:
    def read_loss(self, loss):
        return loss.item()  # expect
""", train="import meter\nfrom registry import METERS\n" + train("meter.read_loss(loss)").replace(
            "    total = 0.0", "    total = 0.0\n    meter = METERS.build(name)")))

    def test_table_of_functions(self):
        program(self, files(meter=METER + "\n\n\ndef nothing(loss):\n    return 0.0\n",
                            train="import meter\n\nREADERS = {'read': meter.read, 'nothing': meter.nothing}\n"
                                  + train("READERS[name](loss)")))

    def test_getattr_of_a_module(self):
        program(self, files(meter=METER, train="import meter\n" + train("getattr(meter, name)(loss)")))

    def test_getattr_by_a_literal(self):
        program(self, files(meter=METER + "\n\n\ndef other(loss):\n    return loss.item()\n",
                            train="import meter\n" + train("getattr(meter, 'read')(loss)")))

    def test_instantiate_by_a_literal(self):
        program(self, files(meter="""
class Meter:
    def read(self, loss):
        return loss.item()  # expect
""", train="from hydra.utils import instantiate\n" + train("meter.read(loss)").replace(
            "    total = 0.0", "    total = 0.0\n    meter = instantiate({'_target_': 'meter.Meter'})")))

    def test_instantiate_of_what_nobody_knows(self):
        program(self, files(train="import hydra\n" + train("meter(loss)").replace(
            "    total = 0.0", "    total = 0.0\n    meter = hydra.utils.instantiate(name)")), told=["made-by-name"])


class Entries(unittest.TestCase):
    def entry(self, head, decorator="", tail=""):
        program(self, files(train=head + "\nfrom meter import read\n" + train().replace(
            "def train", decorator + "def train") + "\n\n" + tail, meter=METER))

    def test_click(self):
        self.entry("import click", "@click.command()\n@click.option('--name')\n", "train()")

    def test_typer(self):
        self.entry("import typer\n\napp = typer.Typer()\n", "@app.command()\n", "app()")

    def test_fire(self):
        self.entry("import fire", "", "fire.Fire(train)")

    def test_hydra(self):
        self.entry("import hydra", "@hydra.main(config_path='conf', config_name='x')\n", "train()")

    def test_methods_of_what_fire_runs(self):
        program(self, files(main="""
import fire

from meter import read


class Trainer:
    def __init__(self, model, opt, loader):
        self.model, self.opt, self.loader = model.cuda(), opt, loader

    def run(self):
        for x in self.loader:
            loss = self.model(x.cuda(non_blocking=True)).sum()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            print(read(loss))


fire.Fire(Trainer)
""", meter=METER))

    def test_recursion(self):
        program(self, files(train="from walk import down\n" + train("down(loss, 3)"), walk="""
def down(loss, depth):
    return down(loss, depth - 1) if depth else loss.item()  # expect
"""))

    def test_functions_that_call_each_other(self):
        program(self, files(train="from walk import down\n" + train("down(loss, 3) + loss.item()  # expect"), walk="""
def down(loss, depth):
    return up(loss, depth - 1) if depth else 0.0


def up(loss, depth):
    return down(loss, depth)
"""))

    def test_recursion_without_end(self):
        program(self, files(train="from walk import down\n" + train("down(loss)"), walk="""
def down(loss):
    return down([loss])
"""))


if __name__ == "__main__":
    unittest.main()
