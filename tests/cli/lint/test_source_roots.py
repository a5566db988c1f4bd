# SPDX-License-Identifier: Apache-2.0
"""Which file an import names: folders that a program puts on its path, that a project says, or that people use."""
import unittest

from whole_program import METER, program, train

SILENT = METER.replace("  # expect", "")


def script(imports, read="read(loss)"):
    return f"{imports}\n{train(read)}"


class Layouts(unittest.TestCase):
    def packages_below(self, root):
        program(self, f"=== scripts/train.py\n{script('from mypkg.meter import read')}\n"
                      f"=== {root}/mypkg/__init__.py\n=== {root}/mypkg/meter.py\n{METER}\n")

    def test_src(self):
        self.packages_below("src")

    def test_lib(self):
        self.packages_below("lib")

    def test_python(self):
        self.packages_below("python")

    def test_a_package_without_init(self):
        program(self, f"=== tools/train.py\n{script('from mypkg.meter import read')}\n"
                      f"=== src/mypkg/meter.py\n{METER}\n")

    def test_a_root_is_of_its_project_only(self):
        program(self, f"=== one/pyproject.toml\n=== one/scripts/train.py\n{script('from mypkg.meter import read')}\n"
                      f"=== two/pyproject.toml\n=== two/src/mypkg/meter.py\n{SILENT}\n")

    def test_two_projects_have_modules_of_one_name(self):
        program(self, f"=== one/pyproject.toml\n=== one/scripts/train.py\n{script('from mypkg.meter import read')}\n"
                      f"=== one/src/mypkg/meter.py\n{METER}\n"
                      f"=== two/pyproject.toml\n=== two/src/mypkg/meter.py\n{SILENT}\n")

    def test_what_lies_beside_comes_first(self):
        program(self, f"=== train.py\n{script('from meter import read')}\n=== meter.py\n{METER}\n"
                      f"=== src/meter.py\n{SILENT}\n")


class Said(unittest.TestCase):
    def said(self, name, text, at):
        program(self, f"=== {name}\n{text}\n=== scripts/train.py\n{script('from mypkg.meter import read')}\n"
                      f"=== {at}/__init__.py\n=== {at}/meter.py\n{METER}\n")

    def test_setuptools_where(self):
        self.said("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["source"]', "source/mypkg")

    def test_setuptools_where_inline(self):
        self.said("pyproject.toml", '[tool.setuptools]\npackages = {find = {where = ["source"]}}', "source/mypkg")

    def test_setuptools_folder_of_all(self):
        self.said("pyproject.toml", '[tool.setuptools]\npackage-dir = {"" = "impl"}', "impl/mypkg")

    def test_setuptools_folder_of_one(self):
        self.said("pyproject.toml", '[tool.setuptools.package-dir]\nmypkg = "impl/core"', "impl/core")

    def test_poetry(self):
        self.said("pyproject.toml", '[tool.poetry]\npackages = [{ include = "mypkg", from = "modules" }]',
                  "modules/mypkg")

    def test_hatch(self):
        self.said("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["code/mypkg"]', "code/mypkg")

    def test_setup_py(self):
        self.said("setup.py", "from setuptools import setup\nsetup(name='mypkg', package_dir={'': 'impl'})",
                  "impl/mypkg")

    def test_setup_py_finds(self):
        self.said("setup.py", "from setuptools import find_packages, setup\n"
                              "setup(name='mypkg', packages=find_packages(where='impl'))", "impl/mypkg")

    def test_setup_cfg(self):
        self.said("setup.cfg", "[metadata]\nname = mypkg\n[options]\npackage_dir =\n    = impl\n", "impl/mypkg")

    def test_setup_cfg_where(self):
        self.said("setup.cfg", "[options.packages.find]\nwhere = impl\n", "impl/mypkg")

    def test_what_cannot_be_read_costs_nothing(self):
        program(self, f"=== pyproject.toml\n[tool.setuptools\nwhere = \n=== setup.cfg\n[[[\n=== setup.py\nsetup(((\n"
                      f"=== scripts/train.py\n{script('from mypkg.meter import read')}\n"
                      f"=== src/mypkg/meter.py\n{METER}\n")


class Path(unittest.TestCase):
    def on_path(self, statements, at="tools/inner"):
        program(self, f"=== scripts/train.py\nimport os\nimport sys\nfrom pathlib import Path\n"
                      f"{script(statements + chr(10) + 'from meter import read')}\n=== {at}/meter.py\n{METER}\n")

    def test_beside_the_file(self):
        self.on_path("sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tools', 'inner'))")

    def test_absolute_of_the_file(self):
        self.on_path("sys.path.append(os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "
                     "'../tools/inner')))")

    def test_folder_of_folder(self):
        self.on_path("ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))\n"
                     "sys.path.insert(0, os.path.join(ROOT, 'tools/inner'))")

    def test_pathlib(self):
        self.on_path("sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'tools' / 'inner'))")

    def test_pathlib_parents(self):
        self.on_path("ROOT = Path(__file__).parents[1]\nsys.path.append(str(ROOT / 'tools' / 'inner'))")

    def test_literal_from_the_file(self):
        self.on_path("sys.path.append('../tools/inner')")

    def test_literal_from_where_it_is_run(self):
        self.on_path("sys.path.append('tools/inner')")

    def test_of_another_file_of_the_program(self):
        program(self, f"=== scripts/train.py\nimport setup_path\n{script('from meter import read')}\n"
                      f"=== scripts/setup_path.py\nimport os\nimport sys\n"
                      f"sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tools', 'inner'))\n"
                      f"=== tools/inner/meter.py\n{METER}\n")

    def test_a_path_that_nobody_knows(self):
        program(self, f"=== scripts/train.py\nimport os\nimport sys\n"
                      f"sys.path.insert(0, os.environ['TOOLS'])\n{script('from meter import read')}\n"
                      f"=== tools/inner/meter.py\n{SILENT}\n")


class Imports(unittest.TestCase):
    def test_relative(self):
        program(self, f"=== pkg/__init__.py\n=== pkg/run/__init__.py\n"
                      f"=== pkg/run/train.py\n{script('from ..util.meter import read')}\n"
                      f"=== pkg/util/__init__.py\n=== pkg/util/meter.py\n{METER}\n")

    def test_exported_by_the_package(self):
        program(self, f"=== train.py\n{script('from pkg import take as read')}\n"
                      f"=== pkg/__init__.py\nfrom .meter import read as take\n=== pkg/meter.py\n{METER}\n")

    def test_as(self):
        program(self, f"=== train.py\n{script('import pkg.meter as m', 'm.read(loss)')}\n"
                      f"=== pkg/__init__.py\n=== pkg/meter.py\n{METER}\n")

    def test_dotted(self):
        program(self, f"=== train.py\n{script('import pkg.meter', 'pkg.meter.read(loss)')}\n"
                      f"=== pkg/__init__.py\n=== pkg/meter.py\n{METER}\n")

    def test_all_says_what_a_star_brings(self):
        program(self, f"=== train.py\n{script('from cpu import read' + chr(10) + 'from meter import *')}\n"
                      f"=== cpu.py\n{METER}\n=== meter.py\n__all__ = ['other']\n\n\n{SILENT}\n\n\ndef other():\n    pass\n")

    def test_a_star_brings_no_names_with_an_underscore(self):
        program(self, f"=== train.py\n{script('from meter import *', '_read(loss)')}\n"
                      f"=== meter.py\n{SILENT.replace('read', '_read')}\n")

    def test_lazy_names(self):
        program(self, f"=== train.py\n{script('from pkg import read')}\n=== pkg/__init__.py\nimport importlib\n\n"
                      "_LAZY = {'read': '.meter'}\n\n\ndef __getattr__(name):\n"
                      "    return getattr(importlib.import_module(_LAZY[name], __name__), name)\n"
                      f"=== pkg/meter.py\n{METER}\n")

    def test_lazy_import_in_a_branch(self):
        program(self, f"=== train.py\n{script('import pkg', 'pkg.read(loss)')}\n=== pkg/__init__.py\n"
                      "def __getattr__(name):\n    if name == 'read':\n        from .meter import read\n"
                      "        return read\n    raise AttributeError(name)\n"
                      f"=== pkg/meter.py\n{METER}\n")

    def test_import_module(self):
        program(self, f"=== train.py\nimport importlib\n{train('''importlib.import_module('pkg.meter').read(loss)''')}\n"
                      f"=== pkg/__init__.py\n=== pkg/meter.py\n{METER}\n")

    def test_tried_import(self):
        program(self, "=== train.py\ntry:\n    from fast_meter import read\nexcept ImportError:\n"
                      f"    from pkg.meter import read\n{train()}\n=== pkg/__init__.py\n=== pkg/meter.py\n{METER}\n")

    def test_import_in_a_function(self):
        program(self, f"=== train.py\n{train().replace('    model.cuda()', '    from pkg.meter import read' + chr(10) + '    model.cuda()')}\n"
                      f"=== pkg/meter.py\n{METER}\n")


if __name__ == "__main__":
    unittest.main()
