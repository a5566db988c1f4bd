# SPDX-License-Identifier: Apache-2.0
"""lint and fix over every odd place in which Python lets an expression stand: what trains and what reads back in
lambdas, decorators, class bodies, comprehensions, match statements, alone and in each other; and over the modules and
tests of the installed Python. One file must never take the run down."""
import glob
import os
import sysconfig
import tempfile
import unittest

from support import JUDGED, OK, SANITIZED, SHARED, steptime

HEAD = """import torch
dev = torch.device("cuda")
model = torch.nn.Linear(2, 2).to(dev)
opt = torch.optim.SGD(model.parameters(), 0.1)
def step():
    opt.step()
"""

EXPRESSIONS = (
    "step()", "opt.step()", "loss.backward()", "loss.item()", "float(model(x.to(dev)).sum())", "x.cpu().numpy()",
    "torch.tensor([1, 2], device=dev)", "torch.nonzero(x.cuda())", "super().step()", "(lambda: step())",
    "[y.item() for y in x.cuda()]", "(yield)", "torch.cat([x.to(dev) for x in loader])", "model", "x",
)

# {x}: an expression. Each is a whole statement, without indent.
STATEMENTS = (
    "f = lambda: {x}", "f = lambda a={x}, *b, **c: a", "f = lambda: (lambda: {x})", "f = [lambda: {x}]",
    "@d({x})\n@e\ndef f(): pass", "@d\nclass C:\n    a = {x}", "class C({x}, metaclass={x}):\n    def f(self): return {x}",
    "class C:\n    class D:\n        b = lambda: {x}", "[{x} for i in {x} if {x}]", "{{{x}: {x} for k in {x}}}", "{{{x}}}",
    "sum({x} for a, b in zip({x}, {x}) for c in a)", "async def f():\n    await {x}\n    async with {x} as a:\n        {x}",
    "async def f():\n    async for a in {x}:\n        {x}\n    return [b async for b in {x}]",
    "def f(a={x}, *b: {x}, c={x}, **d) -> {x}:\n    return {x}", "def f():\n    return (yield {x})", "yield_ = {x}",
    "match {x}:\n    case [a, *b] if {x}:\n        {x}\n    case {{'k': c, **rest}}:\n        {x}\n    case _:\n        {x}",
    "with {x} as a, {x} as (b, c):\n    {x}", "with torch.no_grad(), {x}:\n    {x}",
    "try:\n    {x}\nexcept {x} as e:\n    {x}\nelse:\n    {x}\nfinally:\n    {x}", "try:\n    {x}\nexcept* ValueError:\n    {x}",
    "for a in {x}:\n    {x}\nelse:\n    {x}", "for self.a[{x}] in {x}: {x}", "while {x}:\n    {x}\n    break\nelse: {x}",
    "if {x}: {x}\nelif {x}: {x}\nelse: {x}", "if not {x}:\n    {x}", "del a[{x}]", "assert {x}, {x}", "raise {x} from {x}",
    "a: {x} = {x}", "a: {x}", "a = b = c.d = {x}", "a, (b, *c) = {x}", "a += {x}", "a[{x}] += {x}", "a[{x}:{x}, {x}] = {x}",
    "(a := {x})", "{x} if {x} else {x}", "f'{{{x}}} {{{x}!r:>{{a}}}}'", "not {x}", "{x} and not {x} or {x}", "{x} < {x} in {x}",
    "print({x}, *{x}, **{x})", "{x}.a.b({x})[{x}]", "return_ = ({x},)", "-{x} @ ~{x} ** {x}", "{x}; {x}", "{x}",
    "global loss; loss = {x}", "import torch as t; from torch import *; {x}", "type A = {x}", "def f[T](a: T): return {x}",
    "total = 0\ntotal += {x}\nprint(total)", "a = {x}\ndel a", "a = {x}\na = {x}\nf(a)", "...", "'''doc'''", "{x}\\\n    .b()",
)

# {s}: the statement, at this indent.
PLACES = {
    "module": ("", "{s}"),
    "function": ("    ", "def run(x, loss, loader):\n{s}\n"),
    "loop": ("        ", "def run(loader):\n    for x in loader:\n{s}\n        loss = model(x.to(dev)).sum()\n        loss.backward()\n        opt.step()\nrun([])\n"),
    "method": ("        ", "class M(torch.nn.Module):\n    def forward(self, x, loss):\n{s}\nM().cuda()\n"),
    "class": ("    ", "class M:\n{s}\n    pass\n"),
    "inner": ("            ", "def run(x):\n    while x:\n        def inner(self, loss=x):\n{s}\n            return x\n        inner(1)\n"),
}


def program(place, statement, expression):
    indent, shape = PLACES[place]
    text = statement.format(x=expression)
    return HEAD + shape.format(s="\n".join(indent + line for line in text.split("\n")))


def programs():
    for place in PLACES:
        for s, statement in enumerate(STATEMENTS):
            for e, expression in enumerate(EXPRESSIONS):
                yield f"{place}_{s}_{e}.py", program(place, statement, expression)


class Corners(unittest.TestCase):
    def survives(self, command, paths):
        """The run ends in order; where it does not, the first file that ends it alone is named."""
        if steptime(command, *paths, stdout=open(os.devnull, "wb"), limit_s=500).code in (OK, JUDGED):
            return
        files = [f for path in paths for f in (glob.glob(path + "/**/*.py", recursive=True) if os.path.isdir(path) else [path])]
        for file in files:
            outcome = steptime(command, file)
            self.assertIn(outcome.code, (OK, JUDGED), f"{command} {file}: {outcome.err[-2000:]}\n{open(file).read()[:2000]}")
        self.fail(f"{command} over all of them, but none alone")

    def test_expressions_in_all_places(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in programs():
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            for command in ("lint", "fix"):
                with self.subTest(command=command):
                    self.survives(command, [folder])

    def test_the_lambda_that_calls_what_trains(self):
        path = os.path.join(SHARED, "data", "faults", "lint", "lambda_step.py")
        if not os.path.exists(path):
            self.skipTest("the shared inputs are not here")
        for command in ("lint", "fix"):
            self.assertIn(steptime(command, path).code, (OK, JUDGED))

    def test_the_modules_of_python(self):
        folder = sysconfig.get_paths()["stdlib"]
        whole = [f for f in sorted(glob.glob(folder + "/*.py") + glob.glob(folder + "/test/*.py"))]
        chosen = whole[::7] if SANITIZED else whole
        if not chosen:
            self.skipTest("the sources of Python are not here")
        for command in ("lint", "fix"):
            with self.subTest(command=command):
                self.survives(command, chosen)


if __name__ == "__main__":
    unittest.main()
