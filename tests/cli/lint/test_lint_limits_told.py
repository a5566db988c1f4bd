#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each limit of the analysis that is met is told, with its place: what is not followed never reads as clean."""
import glob
import json
import os
import re
import tempfile
import unittest

from support import OK, SOURCE, steptime

HEAD = "import torch\nfrom torch.utils.data import DataLoader\n\n\n"
TRAIN = "def train(model, loader, opt, flag):\n    for x, y in loader:\n        loss = model(x.cuda())\n        loss.backward()\n"


def lines(count, text, begin=0):
    return "".join(text.format(i, i + 1) for i in range(begin, count))


def net(count):
    return "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n\n" + "".join(count)


# By the id of the limit: a file that meets it, or files by name.
MEETS = {
    "statement-size": "x = [" + "1, " * 20_000 + "]\n",
    "nesting": "y = " + "(lambda: " * 450 + "1" + ")" * 450 + "\n",
    "uses": HEAD + "def f(a, n):\n    x = a.cuda()\n    for i in range(n):\n" + lines(70, "        print(x[{}].item())\n"),
    "fate": HEAD + TRAIN + "        v = loss.item()\n" + lines(70, "        print(v)\n"),
    "definitions": HEAD + "def f(model, loader, y):\n    a = torch.zeros(3)\n"
                   + lines(70, "    if y > {0}:\n        a = torch.zeros({0})\n")
                   + "    for x in loader:\n        model(x.cuda() + a.cuda()).backward()\n",
    "class-depth": HEAD + "class C0(torch.nn.Module):\n    def forward(self, x):\n        return x.cpu()\n"
                   + lines(70, "class C{1}(C{0}):\n    pass\n") + "def f(x):\n    return C70().other(x)\n",
    "overrides": HEAD + "class A:\n    def f(self, x):\n        return self.g(x)\n    def g(self, x):\n        return x\n"
                 + lines(257, "class B{0}(A):\n    def g(self, x):\n        return x.cuda()\n"),
    "many-callees": HEAD + lines(33, "def f{0}(x):\n    return x\n") + "table = {"
                    + lines(33, "{0}: f{0}, ") + "}\ndef g(x, i):\n    return table[i](x)\n",
    "made-by-name": HEAD + "import hydra\ndef main(cfg):\n    return hydra.utils.instantiate(cfg.model)\n",
    "fields": HEAD + "class A:\n" + lines(65, "    a{0}: int\n") + "a = A(" + "1, " * 65 + ")\n",
    "given-before": HEAD + "from functools import partial\ndef f(" + lines(40, "a{0}, ") + "):\n    return a0\n"
                    "g = partial(f, " + "1, " * 33 + ")\n",
    "moved-before": HEAD + "class Trainer:\n    def __init__(self, model, optimizer):\n        self.model = model.cuda()\n"
                    "        self.optimizer = optimizer\n\n    def update(self, data):\n"
                    "        batch = data.select('ids', 'labels').batch\n        for mini in batch.split(64):\n"
                    "            self.optimizer.zero_grad()\n            for part in mini.split(8):\n"
                    "                part = part.cuda()\n                loss = self.model(part['ids']).mean()\n"
                    "                loss.backward()\n            self.optimizer.step()\n\n\n"
                    "def work(model, optimizer, data):\n    trainer = Trainer(model, optimizer)\n"
                    "    data = data.to('cuda')\n" + lines(65, "    trainer.update(data)\n"),
    "path-depth": "import os\nimport sys\nsys.path.append(" + "os.path.dirname(" * 40 + "__file__" + ")" * 40 + ")\n",
    "bases": HEAD + lines(9, "class B{}:\n    pass\n") + "class C(" + ", ".join(f"B{i}" for i in range(9)) + "):\n    pass\n",
    "star-imports": {f"m{i}.py": f"from m{i + 1} import *\n" for i in range(8)} | {"m8.py": "a = 1\n"},
    "call-rounds": HEAD + lines(40, "def f{0}(loss):\n    f{1}(loss)\n") + "def f40(loss):\n    loss.backward()\n",
    "value-rounds": HEAD + lines(40, "def f{0}(x):\n    return f{1}(x)\n") + "def f40(x):\n    return torch.zeros(3).cuda()\n",
    "function-passes": HEAD + "def f(n, " + ", ".join(f"a{i}" for i in range(20)) + "):\n    for i in range(n):\n"
                       + lines(19, "        a{0} = a{1}\n") + "        a19 = torch.zeros(3).cuda()\n    return a0\n",
    "container-depth": HEAD + "def f(x):\n    return [[[[[[x.cuda()]]]]]]\n",
    "container-items": HEAD + "def f(x):\n    return (" + "x, " * 32 + "x.cuda())\n",
    "zip": HEAD + "def f(x):\n    return zip(" + ", ".join(["x"] * 33) + ")\n",
    "prepare": "from accelerate import Accelerator\naccelerator = Accelerator()\ny = accelerator.prepare("
               + ", ".join(["x"] * 33) + ")\n",
    "name-length": "import torch\nx = torch" + ".b" * 300 + "()\n",
    "parameters": HEAD + "def f(" + ", ".join(f"a{i}" for i in range(70)) + "):\n    return a0.cuda()\n",
    "from-parameter": HEAD + "def f(x0):\n" + lines(250, "    x{1} = x{0}\n") + "    return x250.cuda()\n",
    "gate": HEAD + lines(15, "def f{0}(loss, a):\n    f{1}(loss, a)\n")
            + "def f15(loss, a):\n    if a:\n        print(loss.item())\n" + TRAIN + "        f0(loss, flag)\n",
    "once": HEAD + TRAIN + "        if model.x is None and " + " + ".join(["y"] * 210)
            + ":\n            model.x = loss.item()\n",
    "branch": HEAD + TRAIN + "        if flag:\n            print(loss.item())\n" + lines(20, "        (loss * {}).backward()\n"),
    "modules-by-name": HEAD + "import importlib\n" + TRAIN
                       + lines(65, "def f{0}(name):\n    return importlib.import_module('nets.' + name)\n"),
    "modules-by-key": HEAD + net("nets = {" + ", ".join(f"'k{i}': Net()" for i in range(257)) + "}\n"),
    "action": HEAD + "def f(env, a0, n):\n    for i in range(n):\n" + lines(10, "        a{1} = a{0} + 1\n")
              + "        state, reward, done, info = env.step(a10)\n",
    "data-made": HEAD + "import random\ndef g(samples):\n    out = []\n    for s in samples:\n"
                 "        out.append([v + random.random() for v in s])\n    return out\n"
                 "def train(model, loader):\n    a0 = [[1, 2], [3, 4]]\n" + lines(20, "    a{1} = a{0}\n")
                 + "    for x in loader:\n        y = g(a20)\n        model(x.cuda()).backward()\n",
    "loader-use": HEAD + "def f(d, model):\n    l0 = DataLoader(d, shuffle=True)\n" + lines(70, "    l{1} = l{0}\n")
                  + "    for x in l70:\n        model(x.cuda()).backward()\n",
    "loader-function": HEAD + "def f(d, model):\n" + lines(5000, "    a = {} + 1\n")
                       + "    for x in DataLoader(d, shuffle=True):\n        model(x.cuda()).backward()\n",
    "loop-size": HEAD + TRAIN + "        z = x.cuda()\n        for i in range(len(z)):\n            y = z[i].cos()\n"
                 + lines(5000, "            a = {} + 1\n"),
    "loop-over-keys": HEAD + "def f(x):\n    x = x.cuda()\n    for i in x:\n        y = i + 1\n" + lines(5000, "        a = {} + 1\n"),
    "step-loop": HEAD + TRAIN + "        print(loss.item())\n" + lines(5000, "        a = {} + 1\n"),
    "called-function": HEAD + "def g(x):\n" + lines(5000, "    a = {} + 1\n")
                       + "def f(x, n):\n    x = x.cuda()\n    for i in range(n):\n        y = g(x[i])\n",
    "attribute-bindings": HEAD + "class A:\n    def __init__(self):\n" + lines(257, "        self.x = torch.zeros(3)\n")
                          + "    def step(self, model, y, opt):\n        model(self.x.cuda() + y).backward()\n        opt.step()\n"
                          + "def train(model, loader, opt):\n    a = A()\n    for y in loader:\n        a.step(model, y, opt)\n",
    "samples-loop": HEAD + "import numpy as np\ndef f(samples):\n    for s in samples:\n        a0 = np.unique(s)\n"
                    + lines(50, "        a{1} = np.unique(a{0})\n") + "def train(model, loader):\n    for x in loader:\n"
                    "        f([[1, 2], [3, 4]])\n        model(x.cuda()).backward()\n",
    "calls-of-loop": HEAD + "import numpy as np\n" + lines(5, "def f{0}(s):\n    return f{1}(s)\n")
                     + "def f5(s):\n    return np.unique(s)\ndef g(samples):\n    out = []\n    for s in samples:\n"
                       "        out.append(np.unique(f0(s)))\n    return out\ndef train(model, loader):\n    for x in loader:\n"
                       "        g([[1, 2], [3, 4]])\n        model(x.cuda()).backward()\n",
    "origin": HEAD + "def train(model, loader):\n    for x in loader:\n        x0 = model(x.cuda())\n        x0.sum().backward()\n"
              + lines(650, "        x{1} = x{0} + 1\n") + "        print(x650.sum().item())\n",
    "step-order": HEAD + TRAIN + "        print(loss.item())\n" + lines(8000, "        a{} = loss * {}\n"),
    "step-callers": HEAD + "@torch.no_grad()\ndef evaluate(model, x):\n    return model(x).sum().item()\n"
                    + lines(20, "def f{0}(loss):\n    f{1}(loss)\n") + "def f20(loss):\n    print(loss.item())\n"
                    + TRAIN + "        f0(loss)\n        evaluate(model, x)\n",
    "pace-calls": HEAD + lines(20, "def f{0}(model, x, opt):\n    f{1}(model, x, opt)\n")
                  + "def f20(model, x, opt):\n    loss = model(x.cuda())\n    loss.backward()\n    opt.step()\n"
                    "    print(loss.item())\n",
    "test-depth": HEAD + "def f(x, y, n):\n    for i in range(n):\n        if " + "y and (" * 30 + "y" + ")" * 30
                  + ":\n            print(x.item())\n",
    "wait-before": HEAD + lines(9, "def f{0}(loss):\n    f{1}(loss)\n") + "def f9(loss):\n    print(loss.item())\n" + TRAIN
                   + "        print(loss.mean().item())\n        f0(loss)\n",
    "tests-around": HEAD + "def f(x, n):\n    for i in range(n):\n        y = " + "torch.relu(" * 150
                    + "abs(" * 60 + "x" + ")" * 210 + ".item()\n",
    "handed": HEAD + "def train(model, stream, opt):\n    for b0 in stream:\n" + lines(20, "        b{1} = b{0}\n")
              + "        loss = model(b20.cuda())\n        loss.backward()\n        opt.step()\n",
    "measured": HEAD + "import time\n" + lines(8, "def f{0}(x):\n    return f{1}(x)\n")
                + "def f8(x):\n    start = time.time()\n    y = x.cuda().sum().item()\n    torch.cuda.synchronize()\n"
                  "    took = time.time() - start\n    return y\n" + TRAIN + "        f0(loss)\n",
    "network-steps": HEAD + lines(20, "def f{0}(net, x):\n    return f{1}(net, x)\n") + "def f20(net, x):\n    return net(x)\n"
                     "def train(net, loader, opt):\n    for x in loader:\n        f0(net, x.cuda()).backward()\n        opt.step()\n",
    "padded-rows": HEAD + "class Data:\n    def batch(self, i):\n" + lines(17, "        a{0} = self.a{0}[i]\n")
                   + "        return torch.tensor(a0).cuda()\n",
    "returned-by": HEAD + "def collate(rows):\n    ids = []\n" + lines(4_000, "    ids.append([{0}])\n") + "    return ids\n"
                   "torch.zeros(3).cuda()\nloader = DataLoader([1, 2], collate_fn=collate, num_workers=2)\n",
    "worker-lists": HEAD + "def collate(rows):\n    ids = []\n    for row in rows:\n        ids.append(row.ids)\n    return ids\n"
                    + lines(12, "def f{0}(b):\n    return f{1}(b)\n") + "def f12(b):\n    return torch.LongTensor(b).cuda()\n"
                      "def train(model, data):\n    for b in DataLoader(data, collate_fn=collate, num_workers=2):\n"
                      "        model(f0(b)).backward()\n",
    "made-by": HEAD + "import numpy as np\nclass Data:\n    def __init__(self, rows, most):\n"
               "        self.rows = np.array([r + [0] * (most - len(r)) for r in rows])\n"
               "        m0 = [[1] * len(r) + [0] * (most - len(r)) for r in rows]\n" + lines(12, "        m{1} = m{0}\n")
               + "        self.mask = np.array(m12)\n    def batch(self, i):\n        rows, mask = self.rows[i], self.mask[i]\n"
                 "        return torch.tensor([r.sum() for r in rows]).cuda() * mask\n",
    "once-calls": HEAD + "def train(model, x, opt):\n    loss = model(x.cuda())\n    loss.backward()\n    opt.step()\n"
                  "    print(loss.item())\n" + lines(9, "def g{0}(model, x, opt):\n    train(model, x, opt)\n"),
}


# Limits that only a file beyond all measure meets.
NOT_MADE = {"values": "16 million values", "evaluation-callers": "1,000 calls of a method, all behind .eval()"}
ROW = re.compile(r'struct limit \w+ =\s*\{\s*"([a-z-]+)"')


def in_sources():
    found = set()
    for path in glob.glob(os.path.join(SOURCE, "src", "**", "*.[ch]"), recursive=True):
        with open(path, encoding="utf-8") as text:
            found |= set(ROW.findall(text.read()))
    return found


class Told(unittest.TestCase):
    def limits(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in ({"shape.py": files} if isinstance(files, str) else files).items():
                with open(os.path.join(folder, name), "w", encoding="ascii") as out:
                    out.write(text)
            run = steptime("lint", "--format", "json", "--fail-on", "never", folder)
        self.assertEqual(run.code, OK, run.err)
        result = json.loads(run.out)
        (summary,) = [section for section in result["sections"] if section["id"] == "lint"]
        tables = [table for table in summary.get("tables", []) if table["id"] == "limits"]
        rows = [dict(zip(("limit", "file", "line", "what"), row)) for row in tables[0]["rows"]] if tables else []
        return result["warnings"], rows

    def test_each(self):
        for limit, files in MEETS.items():
            with self.subTest(limit):
                warnings, rows = self.limits(files)
                met = [row for row in rows if row["limit"] == limit]
                self.assertTrue(met, f"{limit}: told are {sorted({row['limit'] for row in rows})}")
                self.assertGreaterEqual(met[0]["line"], 1)
                self.assertTrue([warning for warning in warnings if met[0]["what"] in str(warning)], warnings)

    def test_ways_that_are_not_gone_leave_no_definition_as_the_only_one(self):
        changes = lines(4200, "        if flag:\n            y[0] = {}\n")
        shape = (HEAD + "def train(model, loader, flag):\n    y = torch.zeros(3)\n    for x in loader:\n" + changes
                 + "        model(x.cuda() + y.cuda()).backward()\n")
        self.assertIn("definitions", {row["limit"] for row in self.limits(shape)[1]})

    def test_what_returns_early_in_eight_places_is_looked_at_to_its_end(self):
        def shape(count):
            return (HEAD + "class A:\n    def f(self, x):\n" + lines(count, "        if x == {0}:\n            return {0}\n")
                    + "        self.y = x.item()\n" + TRAIN + "        A().f(loss)\n")
        self.assertNotIn("once", {row["limit"] for row in self.limits(shape(8))[1]})
        self.assertIn("once", {row["limit"] for row in self.limits(shape(9))[1]})

    def test_each_limit_of_the_sources_is_met_here_and_documented(self):
        self.assertEqual(in_sources(), set(MEETS) | set(NOT_MADE))
        with open(os.path.join(SOURCE, "doc", "rules.md"), encoding="utf-8") as text:
            documented = set(re.findall(r"^\| `([a-z-]+)` \|", text.read(), re.MULTILINE))
        self.assertLessEqual(in_sources(), documented)

    def test_a_step_of_more_waits_than_are_kept(self):
        def shape(count):
            return (HEAD + "def show(x):\n" + lines(count, "    x = x @ x\n    print(x.sum().item())\n") + TRAIN
                    + "        show(loss)\n")
        self.assertNotIn("step-order", {row["limit"] for row in self.limits(shape(60))[1]})
        self.assertIn("step-order", {row["limit"] for row in self.limits(shape(70))[1]})

    def test_a_step_of_more_calls_in_one_another_than_are_gone_into(self):
        def shape(count):
            return (HEAD + lines(count, "def f{0}(loss):\n    f{1}(loss)\n") + f"def f{count}(loss):\n    print(loss.item())\n"
                    + TRAIN + "        print(loss.mean().item())\n        f0(loss)\n")
        self.assertNotIn("step-order", {row["limit"] for row in self.limits(shape(7))[1]})
        self.assertIn("step-order", {row["limit"] for row in self.limits(shape(8))[1]})

    def test_a_step_of_more_loops_in_one_another_than_are_gone_through_twice(self):
        def shape(count):
            deep = "        " + "    " * count
            rounds = "".join("        " + "    " * i + f"for i{i} in range(2):\n" for i in range(count))
            return HEAD + TRAIN + rounds + deep + "print(loss.mean().item())\n" + deep + "print(loss.sum().item())\n"
        self.assertNotIn("step-order", {row["limit"] for row in self.limits(shape(4))[1]})
        self.assertIn("step-order", {row["limit"] for row in self.limits(shape(8))[1]})

    def test_what_stands_before_a_function_of_many_callers_or_large_ones(self):
        def shape(callers, nodes):
            other = lines(nodes, "    a = {} + 1\n")
            return (HEAD + "def f(loss):\n    print(loss.item())\n" + lines(callers - 1, "def g{}(loss):\n" + other + "    f(loss)\n")
                    + TRAIN + "        print(loss.mean().item())\n        f(loss)\n"
                    + lines(callers - 1, "        g{}(loss)\n"))
        self.assertNotIn("wait-before", {row["limit"] for row in self.limits(shape(4, 1))[1]})
        self.assertIn("wait-before", {row["limit"] for row in self.limits(shape(5, 1))[1]})
        self.assertIn("wait-before", {row["limit"] for row in self.limits(shape(2, 2000))[1]})

    def test_a_wait_behind_a_call_that_is_too_far_to_look_at(self):
        def shape(rest, between=""):
            return (HEAD + "def f(loss):\n" + lines(rest, "    a = {} + 1\n") + "    print(loss.item())\n" + TRAIN
                    + "        f(loss)\n" + between + "        print(loss.sum().item())\n")
        self.assertNotIn("wait-before", {row["limit"] for row in self.limits(shape(3))[1]})
        self.assertIn("wait-before", {row["limit"] for row in self.limits(shape(2000))[1]})
        work = "        z = model(x.cuda(non_blocking=True))\n        z.backward()\n"
        self.assertNotIn("wait-before", {row["limit"] for row in self.limits(shape(2000, work))[1]})

    def test_a_test_of_what_many_callers_give_ends_at_one_of_which_nobody_knows(self):
        def shape(given):
            return (HEAD + "def f(loss, kind):\n    if kind == 'a':\n        print(loss.item())\n" + TRAIN
                    + "        f(loss, 'b')\n" + lines(600, f"def g{{0}}(loss, kind):\n    f(loss, {given})\n"))
        self.assertNotIn("gate", {row["limit"] for row in self.limits(shape("kind"))[1]})
        self.assertIn("gate", {row["limit"] for row in self.limits(shape("'b'"))[1]})

    def test_a_network_that_is_made_through_many_functions(self):
        def shape(count):
            return (HEAD + "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                    "    def forward(self, x):\n        y = x.cuda()\n        print(y.sum().item())\n        return y\ndef m0():\n    return Net()\n"
                    + lines(count, "def m{1}():\n    return m{0}()\n"))
        self.assertNotIn("network-steps", {row["limit"] for row in self.limits(shape(40))[1]})
        self.assertIn("network-steps", {row["limit"] for row in self.limits(shape(70))[1]})

    def test_names_that_lead_in_a_circle_end(self):
        circle = (HEAD + "class Net(LightningModule):\n    def training_step(self, a, n):\n        for i in range(n):\n"
                  "            b = a\n            a = b\n        self.log('loss', a, prog_bar=True)\n        return a\n")
        self.assertEqual(self.limits(circle)[1], [])

    def test_more_beside_the_sources_than_is_read(self):
        def told(size, count=1):
            files = {f"s{i}.json": '{"a": "' + "x" * size + '"}\n' for i in range(count)}
            return [w for w in self.limits({"shape.py": HEAD + TRAIN} | files)[0] if "beside the sources" in str(w)]
        self.assertEqual(told(1 << 20), [])
        self.assertEqual(len(told(5 << 20)), 1)
        self.assertIn("s0.json", str(told(5 << 20)))
        self.assertEqual(len(told(1, 2049)), 1)

    def test_ordinary_code_meets_none(self):
        names = "NAMES = [" + ", ".join(f"'class {i}'" for i in range(80)) + "]\n"
        self.assertEqual(self.limits(HEAD + names + TRAIN + "        print(loss.item())\n")[1], [])


if __name__ == "__main__":
    unittest.main()
