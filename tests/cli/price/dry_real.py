# SPDX-License-Identifier: Apache-2.0
"""A dry run's execution trace beside a real one's, operator by operator: names, shapes, types, order."""
import difflib
import gzip
import json

MODE = "PythonDispatchMode"

# Autograd's own, otherwise for tensors of a class of their own; doc/numbers/price.md.
SAME = {"aten::add": "aten::add_", "aten::view": "aten::_reshape_alias", "ViewBackward0": "ReshapeAliasBackward0",
        "aten::index_put": "aten::_index_put_impl_",
        "autograd::engine::evaluate_function: ViewBackward0": "autograd::engine::evaluate_function: ReshapeAliasBackward0"}
ADDED = ("aten::detach", "detach")
NOTED = ("steptime::", "gloo:")  # marks of a dry run; what gloo's own thread notes when it comes to it


def nodes_of(path):
    with (gzip.open if path.endswith("gz") else open)(path, "rt", encoding="utf-8") as text:
        return json.load(text)["nodes"]


def without_gloo(nodes):
    """Behind a reduce-scatter: wait() of gloo's, which sums all for all, takes this rank's part of it. No script asks for that."""
    names = [node["name"] for node in nodes]
    if "c10d::_reduce_scatter_base_" in names:
        for i in range(names.index("c10d::_reduce_scatter_base_"), len(names) - 1):
            if names[i:i + 2] == ["aten::chunk", "aten::copy_"]:
                return nodes[:i] + nodes[i + 2:]
    return nodes


class Tree:
    """The last step of an execution trace as operators within operators, without what a mode did."""

    def __init__(self, path):
        nodes = sorted(nodes_of(path), key=lambda node: node["id"])
        self.below = {}
        for node in nodes:
            self.below.setdefault(node["ctrl_deps"], []).append(node)
        self.dry = any(node["name"] == MODE for node in nodes)
        steps = [node for node in nodes if node["name"].startswith("ProfilerStep#")]
        self.top = self.inside(steps[-1])

    def stood_in(self, node):
        return any(child["name"] == MODE for child in self.below.get(node["id"], []))

    def inside(self, node):
        kept = [child for child in self.below.get(node["id"], [])
                if child["name"] not in (MODE, *ADDED) and not child["name"].startswith(NOTED)]
        if not self.dry:
            return without_gloo(kept)
        return [child for child in kept  # but for copies of tensors without data
                if child["name"] not in ("aten::empty_strided", "aten::set_") or self.stood_in(child)]


def arguments(node, first=None):
    return node["inputs"]["shapes"][:first], node["inputs"]["types"][:first]


def name_of(node, where):
    """Autograd writes gradients in place where it knows the kind of their tensors."""
    name = SAME.get(node["name"], node["name"])
    if name.startswith("enumerate(DataLoader)"):  # by workers or not
        return "enumerate(DataLoader)"
    return name.rstrip("_") if "evaluate_function" in where else name


class Comparison:
    """equal: so many operators are; differences: what is not, in words."""

    def __init__(self, dry, real):
        self.dry, self.real = dry, real
        self.equal, self.differences = 0, []
        self.compare(dry.top, real.top, "")

    def compare(self, in_dry, in_real, where):
        """Below what a mode stood in for, the dry run knows no more."""
        names = difflib.SequenceMatcher(None, [name_of(node, where) for node in in_dry],
                                        [name_of(node, where) for node in in_real], autojunk=False)
        for kind, i, end, j, other_end in names.get_opcodes():
            if kind == "equal":
                for one, other in zip(in_dry[i:end], in_real[j:other_end]):
                    self.compare_one(one, other, where)
            else:
                self.differences.append(f"{where}: dry {[node['name'] for node in in_dry[i:end]]}, "
                                        f"real {[node['name'] for node in in_real[j:other_end]]}")

    def compare_one(self, one, other, where):
        where = f"{where}/{one['name']}"
        if one["name"] != "aten::to":  # torch.tensor() of a list asks it by other words
            of_other = len(one["inputs"]["types"]) if one["name"] != other["name"] else None  # it has further arguments
            if arguments(one) != arguments(other, of_other):
                self.differences.append(f"{where}: dry {arguments(one)}, real {arguments(other, of_other)}")
                return
        self.equal += 1
        if not self.dry.stood_in(one):
            self.compare(self.dry.inside(one), self.real.inside(other), where)
