# SPDX-License-Identifier: Apache-2.0
"""What lint takes for granted of frameworks (`steptime rules frameworks`), held against the sources of the packages.

STEPTIME_FRAMEWORKS names a folder of site-packages; a package that is not there is skipped. Nothing of it is imported: its
sources are read as text."""
import ast
import functools
import glob
import os
import unittest

from support import steptime

PACKAGES = os.environ.get("STEPTIME_FRAMEWORKS", "")
# The part of a package that trains, where that is not all of it.
MODULES = {
    "keras": ["keras/src/backend/torch", "keras/src/callbacks", "keras/src/layers/layer.py", "keras/src/layers/core",
              "keras/src/models", "keras/src/ops/core.py", "keras/src/trainers"],
    "lightning": ["lightning/fabric", "lightning/pytorch"],
    "torchrl": ["torchrl/trainers"],
    "transformers": ["transformers/trainer.py", "transformers/trainer_callback.py", "transformers/trainer_pt_utils.py",
                     "transformers/trainer_seq2seq.py", "transformers/training_args.py",
                     "transformers/training_args_seq2seq.py"],
}
# Classes that a base gets at run time: keras/src/models/model.py takes the trainer of the backend.
MIXED_IN = {"Model": ["TorchTrainer", "Trainer"]}
# Who calls it: the file, a function that calls it, and whether that call, or that of the function, stands in a loop.
CALLERS = [
    ("transformers.Trainer", "training_step", "transformers/trainer.py", "_run_epoch", True),
    ("transformers.Trainer", "compute_loss", "transformers/trainer.py", "training_step", False),
    ("transformers.Trainer", "get_batch_samples", "transformers/trainer.py", "_run_epoch", True),
    ("transformers.Trainer", "floating_point_ops", "transformers/trainer.py", "_run_epoch", True),
    ("transformers.Trainer", "prediction_step", "transformers/trainer.py", "evaluation_loop", True),
    ("transformers.TrainerCallback", "on_step_end", "transformers/trainer.py", "_run_epoch", True),
    ("transformers.TrainerCallback", "on_pre_optimizer_step", "transformers/trainer.py", "_run_epoch", True),
    ("lightning.LightningModule", "on_train_batch_end", "lightning/pytorch/loops/training_epoch_loop.py", "advance", False),
    ("lightning.LightningModule", "on_train_batch_start", "lightning/pytorch/loops/training_epoch_loop.py", "advance", False),
    ("lightning.LightningModule", "training_step", "lightning/pytorch/loops/optimization/automatic.py", "_training_step",
     False),
    ("lightning.LightningModule", "on_train_epoch_end", "lightning/pytorch/loops/fit_loop.py", "on_advance_end", False),
    ("skorch.NeuralNet", "train_step_single", "skorch/net.py", "train_step", False),
    ("skorch.NeuralNet", "infer", "skorch/net.py", "train_step_single", False),
    ("skorch.NeuralNet", "get_loss", "skorch/net.py", "train_step_single", False),
    ("skorch.callbacks.Callback", "on_batch_end", "skorch/net.py", "run_single_epoch", True),
    ("keras.Model", "compute_loss", "keras/src/trainers/trainer.py", "_compute_loss", False),
    ("keras.callbacks.Callback", "on_train_batch_end", "keras/src/backend/torch/trainer.py", "fit", True),
    ("stable_baselines3.common.callbacks.BaseCallback", "_on_step", "stable_baselines3/common/callbacks.py", "on_step",
     False),
    ("stable_baselines3.common.callbacks.BaseCallback", "_on_rollout_end", "stable_baselines3/common/callbacks.py",
     "on_rollout_end", False),
    ("torchrl.trainers.Trainer", "post_loss", "torchrl/trainers/trainers.py", "register_op", False),
]
# What they move, return and read themselves: the file, the function, and what stands in it.
FACTS = [
    ("transformers/trainer.py", "_run_epoch", "torch.isnan(tr_loss_step)"),
    ("accelerate/data_loader.py", "__iter__", "send_to_device("),
    ("torchtune/utils/_device.py", "batch_to_device", "batch[k] = v.to(device)"),
    ("deepspeed/runtime/pipe/engine.py", "train_batch", "return self.agg_train_loss"),
    ("lightning/fabric/fabric.py", "clip_gradients", "error_if_nonfinite: bool=True"),
    ("skorch/net.py", "run_single_epoch", ".item()"),
    ("stable_baselines3/ppo/ppo.py", "train", ".item()"),
    ("ignite/engine/__init__.py", "create_supervised_trainer", "loss.item()"),
    ("lightning/pytorch/trainer/connectors/logger_connector/result.py", "metrics", "convert_tensors_to_scalars"),
]

def path_of(*parts):
    return os.path.join(PACKAGES, *parts)


def has_package(name):
    return bool(PACKAGES) and os.path.isdir(path_of(name.split(".")[0]))


@functools.lru_cache(maxsize=None)
def sources(package):
    """The syntax trees of the files of a package, by path."""
    trees = {}
    for part in MODULES.get(package, [package]):
        inside = glob.glob(os.path.join(glob.escape(path_of(part)), "**", "*.py"), recursive=True)
        for path in inside or glob.glob(glob.escape(path_of(part))):
            if path.endswith(".py"):
                with open(path, encoding="utf-8") as file:
                    trees[os.path.relpath(path, PACKAGES)] = ast.parse(file.read())
    return trees


@functools.lru_cache(maxsize=None)
def classes(package):
    """Classes of a package by name: each with its bases' names and its methods."""
    found = {}
    for tree in sources(package).values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases = [ast.unparse(base).split(".")[-1].split("[")[0] for base in node.bases]
                found.setdefault(node.name, []).append((bases, {item.name: item for item in node.body
                                                                 if isinstance(item, ast.FunctionDef)}))
    return found


def methods_of(package, name, seen=()):
    """Methods that a class has, from its bases and from those that inherit, as frameworks split one class over files."""
    methods = {}
    for bases, own in classes(package).get(name, []):
        for base in bases + MIXED_IN.get(name, []):
            if base not in seen:
                for method, nodes in methods_of(package, base, (*seen, name)).items():
                    methods.setdefault(method, []).extend(nodes)
        for method, node in own.items():
            methods.setdefault(method, []).append(node)
    return methods


@functools.lru_cache(maxsize=None)
def words_used(package):
    """Names that are called, looked up, or given as text somewhere in the package: how hooks are run."""
    words = set()
    for tree in sources(package).values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                words.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                words.add(node.value)
    return words


@functools.lru_cache(maxsize=None)
def functions(package):
    return {node.name for tree in sources(package).values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def table(name):
    run = steptime("rules", "frameworks", "--format", "json")
    (found,) = [t for s in run.json["sections"] for t in s["tables"] if t["id"] == name]
    names = [column["id"] for column in found["columns"]]
    return [dict(zip(names, row)) for row in found["rows"]]


def function_in(path, name):
    """Functions of that name in the file."""
    with open(path_of(path), encoding="utf-8") as file:
        return [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.FunctionDef) and node.name == name]


def runs(node, callee):
    """Whether a call, or a text, in it names the callee."""
    return any((isinstance(at, ast.Attribute) and at.attr == callee) or (isinstance(at, ast.Constant) and at.value == callee)
               for at in ast.walk(node))


class Packages(unittest.TestCase):
    def setUp(self):
        if not PACKAGES:
            self.skipTest("STEPTIME_FRAMEWORKS names no folder of packages")

    def rows_of_packages(self):
        for row in table("frameworks"):
            package = row["class"].split(".")[0]
            if has_package(package) and not row["class"].startswith("ignite."):
                yield package, row

    def test_methods_exist_in_their_class(self):
        for package, row in self.rows_of_packages():
            if package == "torchrl" or row["method"] == "forward":
                continue  # names of hooks, and what every torch.nn.Module has
            with self.subTest(row["class"], method=row["method"]):
                methods = methods_of(package, row["class"].split(".")[-1])
                self.assertTrue(row["method"] in methods, sorted(methods))

    def test_methods_are_run_by_the_package(self):
        for package, row in self.rows_of_packages():
            with self.subTest(row["class"], method=row["method"]):
                self.assertTrue(row["method"] in words_used(package), "nobody names it")

    def test_parameters_have_their_names(self):
        """At least where the method is defined by the base; hooks may get more by keyword."""
        for package, row in self.rows_of_packages():
            nodes = methods_of(package, row["class"].split(".")[-1]).get(row["method"], [])
            names = {a.arg for n in nodes for a in n.args.args + n.args.kwonlyargs}
            named = [pair.split(":")[0] for pair in row["given"].split()]
            if nodes and named and not any(n.args.kwarg or n.args.vararg for n in nodes):
                with self.subTest(row["class"], method=row["method"]):
                    self.assertTrue(set(named) & names or row["often"] != "each step" or not set(named) & {"batch", "inputs"},
                                    f"{named} against {sorted(names)}")

    def test_options_are_theirs(self):
        for package, row in self.rows_of_packages():
            if row["option"]:
                with self.subTest(row["class"], option=row["option"]):
                    self.assertTrue(any(row["option"] in ast.unparse(tree) for path, tree in sources(package).items()
                                        if "train" in path))

    def test_events_of_ignite(self):
        if not has_package("ignite"):
            self.skipTest("ignite is not there")
        (events,) = [n for t in sources("ignite").values() for n in ast.walk(t)
                     if isinstance(n, ast.ClassDef) and n.name == "Events"]
        names = {target.id for item in events.body if isinstance(item, ast.Assign) for target in item.targets}
        for row in table("frameworks"):
            if row["class"].startswith("ignite."):
                self.assertIn(row["method"], names)

    def test_who_calls(self):
        for owner, callee, path, caller, loop in CALLERS:
            if not has_package(owner):
                continue
            with self.subTest(owner, method=callee):
                callers = [node for node in function_in(path, caller) if runs(node, callee)]
                self.assertTrue(callers, f"{caller} of {path} does not call {callee}")
                if loop:
                    loops = [n for c in callers for n in ast.walk(c) if isinstance(n, (ast.For, ast.While))]
                    self.assertTrue(any(runs(n, callee) for n in loops), "not in a loop")

    def test_what_frameworks_do(self):
        for path, name, text in FACTS:
            if not has_package(path.split("/")[0]):
                continue
            with self.subTest(path, function=name):
                self.assertTrue(any(text in ast.unparse(node) for node in function_in(path, name)))

    def test_calls_exist(self):
        for row in table("framework_calls"):
            for name in row["names"].split():
                parts = name.split(".")
                if not has_package(parts[0]):
                    continue
                with self.subTest(name):
                    self.assertTrue(self.is_known(parts))

    def is_known(self, parts):
        package, last = parts[0], parts[-1]
        if last[0].isupper():
            return last in classes(package) or last in words_used(package) | functions(package)
        if parts[:2] == ["ignite", "engine"] and "state" in parts:
            return "state" in words_used(package)
        holders = [part for part in parts if part[0].isupper()]
        if holders:
            return any(last in methods_of(package, holder) for holder in holders)
        return last in words_used(package) | functions(package)

    def test_which_packages_are_not_there(self):
        missing = sorted({row["class"].split(".")[0] for row in table("frameworks")} - {
            name for name in os.listdir(PACKAGES)})
        if missing:
            self.skipTest("not there: " + ", ".join(missing))


if __name__ == "__main__":
    unittest.main()
