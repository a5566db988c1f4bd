# SPDX-License-Identifier: Apache-2.0
"""The tree of Python files, node by node, against the one that Python itself makes of them.

A sample of the standard library; STEPTIME_SYNTAX_ALL=1 takes all of it, and minutes.
"""
import ast
import os
import subprocess
import sys
import sysconfig
import tempfile
import unittest

from support import BUILD

TREE = os.path.join(BUILD, "tests", "syntax_tree")
EVERY = 1 if os.environ.get("STEPTIME_SYNTAX_ALL") else 25
sys.setrecursionlimit(20000)


def trees(paths):
    """Of each path the count of errors and the nodes: (kind, begin, end, size)."""
    made = subprocess.run([TREE], input="".join(f"{path}\n" for path in paths), capture_output=True, text=True, check=True)
    errors = nodes = None
    for line in made.stdout.splitlines():
        if line[0] == "=":
            if nodes is not None:
                yield errors, nodes
            errors, nodes = int(line.split()[1]), []
        else:
            kind, begin, end, size, _ = line.split()
            nodes.append((kind, int(begin), int(end), int(size)))
    yield errors, nodes


class Expected:
    """Python's own tree in the layout of syntax.h. Places that Python does not tell, or tells wrong, are None."""

    LISTS = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}
    COMPREHENSIONS = {ast.ListComp: "list_comp", ast.SetComp: "set_comp", ast.GeneratorExp: "generator"}
    BARE = {ast.Pass: "pass", ast.Break: "break", ast.Continue: "continue"}
    WORDS = {True: "true", False: "false", None: "none", ...: "ellipsis"}

    def __init__(self, text):
        self.text = text
        self.lines = [0]
        for line in text.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.lines[0] = 3 if text.startswith(b"\xef\xbb\xbf") else 0  # Python does not count the mark
        self.nodes = []
        self.blind = 0  # inside of strings the places are those of a text of their own
        self.module(ast.parse(text))

    def place(self, node):
        if self.blind or node is None or not hasattr(node, "end_col_offset"):
            return None, None
        begin = self.lines[node.lineno - 1] + node.col_offset
        end = self.lines[node.end_lineno - 1] + node.end_col_offset
        return begin, begin + len(self.text[begin:end].rstrip(b"; "))  # a semicolon is no part of what it ends

    def add(self, kind, node, *parts):
        """A node and what is in it: nodes of Python, lists of them, or functions that add something."""
        at = len(self.nodes)
        self.nodes.append(None)
        for part in parts:
            self.part(part)
        self.nodes[at] = (kind, *self.place(node), len(self.nodes) - at)

    def part(self, part):
        if isinstance(part, list):
            for each in part:
                self.part(each)
        elif callable(part):
            part()
        else:
            getattr(self, "on_" + type(part).__name__)(part)

    def absent(self):
        self.add("absent", None)

    def maybe(self, node):
        return self.absent if node is None else node

    def name(self, word):
        return self.absent if word is None else lambda: self.add("name", None)

    def block(self, statements):
        return lambda: self.add("block", None, statements)

    def dotted(self, name):
        def make(parts):
            if len(parts) == 1:
                self.add("name", None)
            else:
                self.add("attribute", None, lambda: make(parts[:-1]), self.name(parts[-1]))
        return lambda: make(name.split("."))

    def module(self, tree):
        self.add("module", None, tree.body)

    # statements

    def function(self, node):
        self.add("function", node, self.name(node.name), self.parameters(node.args), self.maybe(node.returns),
                 self.block(node.body))

    def decorated(self, node, definition):
        if node.decorator_list:
            self.add("decorated", None, node.decorator_list, lambda: definition(node))
        else:
            definition(node)

    def on_FunctionDef(self, node):
        self.decorated(node, self.function)

    on_AsyncFunctionDef = on_FunctionDef

    def klass(self, node):
        arguments = self.arguments(node.bases, node.keywords)
        if not node.bases and not node.keywords:
            line = self.text[self.place(node)[0]:].split(b":")[0]
            arguments = self.arguments([], []) if b"(" in line else self.absent
        self.add("class", node, self.name(node.name), arguments, self.block(node.body))

    def on_ClassDef(self, node):
        self.decorated(node, self.klass)

    def otherwise(self, statements):
        return self.block(statements) if statements else self.absent

    def on_If(self, node):
        last = self.otherwise(node.orelse)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            if self.text[self.place(node.orelse[0])[0]:].startswith(b"elif"):
                last = node.orelse[0]
        self.add("if", node, node.test, self.block(node.body), last)

    def on_For(self, node):
        self.add("for", node, node.target, node.iter, self.block(node.body), self.otherwise(node.orelse))

    on_AsyncFor = on_For

    def on_While(self, node):
        self.add("while", node, node.test, self.block(node.body), self.otherwise(node.orelse))

    def on_With(self, node):
        items = [lambda item=item: self.add("with_item", None, item.context_expr, self.maybe(item.optional_vars))
                 for item in node.items]
        self.add("with", node, items, self.block(node.body))

    on_AsyncWith = on_With

    def on_Try(self, node):
        def clause(kind, statements):
            return (lambda: self.add(kind, None, self.block(statements))) if statements else self.absent
        self.add("try", node, self.block(node.body), node.handlers, clause("else", node.orelse),
                 clause("finally", node.finalbody))

    on_TryStar = on_Try

    def on_ExceptHandler(self, node):
        self.add("except", node, self.maybe(node.type), self.name(node.name), self.block(node.body))

    def on_Match(self, node):
        self.add("match", node, node.subject, node.cases)

    def on_match_case(self, node):
        self.add("case", None, lambda: self.add("other", None), self.maybe(node.guard), self.block(node.body))

    def on_Return(self, node):
        self.add("return", node, self.maybe(node.value))

    def on_Raise(self, node):
        self.add("raise", node, [each for each in (node.exc, node.cause) if each])

    def on_Delete(self, node):
        self.add("delete", node, node.targets)

    def on_Assert(self, node):
        self.add("assert", node, node.test, self.maybe(node.msg))

    def on_Assign(self, node):
        self.add("assign", node, node.targets, node.value)

    def on_AugAssign(self, node):
        self.add("aug_assign", node, node.target, node.value)

    def on_AnnAssign(self, node):
        self.add("ann_assign", node, node.target, node.annotation, self.maybe(node.value))

    def aliases(self, names):
        return [lambda alias=alias: self.add("alias", alias, self.dotted(alias.name), self.name(alias.asname))
                for alias in names]

    def on_Import(self, node):
        self.add("import", node, self.aliases(node.names))

    def on_ImportFrom(self, node):
        module = (lambda: self.add("other", None)) if node.level else self.dotted(node.module)
        self.add("from_import", node, module, self.aliases([alias for alias in node.names if alias.name != "*"]))

    def on_Global(self, node):
        self.add("global", node, [self.name(name) for name in node.names])

    def on_Nonlocal(self, node):
        self.add("nonlocal", node, [self.name(name) for name in node.names])

    def on_Expr(self, node):
        self.add("expr", node, node.value)

    # parameters and arguments

    def parameter(self, arg, default):
        return lambda: self.add("parameter", None, self.name(arg.arg), self.maybe(arg.annotation), self.maybe(default))

    def bare(self):
        self.add("parameter", None, self.absent, self.absent, self.absent)

    def parameters(self, args):
        plain = args.posonlyargs + args.args
        defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
        parts = [self.parameter(arg, default) for arg, default in zip(plain, defaults)]
        if args.posonlyargs:
            parts.insert(len(args.posonlyargs), self.bare)
        if args.vararg:
            parts.append(self.parameter(args.vararg, None))
        elif args.kwonlyargs:
            parts.append(self.bare)
        parts += [self.parameter(arg, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults)]
        if args.kwarg:
            parts.append(self.parameter(args.kwarg, None))
        return lambda: self.add("parameters", None, parts)

    def arguments(self, plain, keywords):
        both = sorted(plain + keywords, key=lambda each: (each.lineno, each.col_offset))
        return lambda: self.add("arguments", None, both)

    def on_keyword(self, node):
        if node.arg is None:
            self.add("double_starred", node, node.value)
        else:
            self.add("keyword", node, self.name(node.arg), node.value)

    # expressions

    def on_Name(self, node):
        self.add("name", node)

    def on_Attribute(self, node):
        self.add("attribute", node, node.value, self.name(node.attr))

    def on_Call(self, node):
        self.add("call", node, node.func, self.arguments(node.args, node.keywords))

    def on_Subscript(self, node):
        index = node.slice
        if isinstance(index, ast.Tuple) and len(index.elts) == 1 and self.place(index) == self.place(index.elts[0]):
            index = index.elts[0]  # a[*b]: a tuple without a comma
        self.add("subscript", node, node.value, index)

    def on_Slice(self, node):
        self.add("slice", node, *[self.maybe(each) for each in (node.lower, node.upper, node.step)])

    def on_BinOp(self, node):
        self.add("binary", node, node.left, node.right)

    def on_UnaryOp(self, node):
        self.add("not" if isinstance(node.op, ast.Not) else "unary", node, node.operand)

    def on_BoolOp(self, node):
        def make(values):
            if len(values) == 1:
                self.part(values[0])
            else:
                self.add("bool", None, lambda: make(values[:-1]), values[-1])
        make(node.values)

    def on_Compare(self, node):
        self.add("compare", node, node.left, node.comparators)

    def on_IfExp(self, node):
        self.add("conditional", node, node.body, node.test, node.orelse)

    def on_Lambda(self, node):
        self.add("lambda", node, self.parameters(node.args), node.body)

    def on_NamedExpr(self, node):
        self.add("named", node, node.target, node.value)

    def on_List(self, node):
        self.add(self.LISTS[type(node)], node, node.elts)

    on_Tuple = on_Set = on_List

    def on_Dict(self, node):
        def item(key, value):
            if key is None:
                return lambda: self.add("double_starred", None, value)
            return lambda: self.add("pair", None, key, value)
        self.add("dict", node, [item(key, value) for key, value in zip(node.keys, node.values)])

    def comprehensions(self, node):
        for each in node.generators:
            self.add("comp_for", None, each.target, each.iter)
            for test in each.ifs:
                self.add("comp_if", None, test)

    def on_ListComp(self, node):
        self.add(self.COMPREHENSIONS[type(node)], node, node.elt, lambda: self.comprehensions(node))

    on_SetComp = on_GeneratorExp = on_ListComp

    def on_DictComp(self, node):
        self.add("dict_comp", node, lambda: self.add("pair", None, node.key, node.value), lambda: self.comprehensions(node))

    def on_Constant(self, node):
        kind = "integer"
        if isinstance(node.value, (str, bytes)):
            kind = "string"
        elif isinstance(node.value, (float, complex)):
            kind = "float"
        elif node.value is True or node.value is False or node.value is None or node.value is ...:
            kind = self.WORDS[node.value]
        self.add(kind, node)

    def on_JoinedStr(self, node):
        self.add("string", node, [each for each in node.values if isinstance(each, ast.FormattedValue)])

    def on_FormattedValue(self, node):
        self.blind += 1
        self.add("interpolation", None, node.value)
        self.blind -= 1

    def on_Starred(self, node):
        self.add("starred", node, node.value)

    def on_Await(self, node):
        self.add("await", node, node.value)

    def on_Yield(self, node):
        self.add("yield", node, self.maybe(node.value))

    on_YieldFrom = on_Yield


for name, kind in Expected.BARE.items():
    setattr(Expected, "on_" + name.__name__, lambda self, node, kind=kind: self.add(kind, node))


def first_difference(expected, nodes):
    """Kinds and places first: a node too many shows in the sizes of all around it."""
    for parts in slice(3), slice(4):
        for wanted, got in zip(expected, nodes):
            if any(w is not None and w != g for w, g in zip(wanted[parts], got[parts])):
                return wanted, got
    return None if len(expected) == len(nodes) else (len(expected), len(nodes))


# What the grammar takes otherwise: a ^ b & c as (a ^ b) & c; print >>a, b as the statement it was; a future that is none.
KNOWN = {"test_grammar.py", "test_print.py", "badsyntax_future8.py"}


def standard_library():
    """Files that this Python takes, without those of its tests that are broken on purpose."""
    root = sysconfig.get_paths()["stdlib"]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - {"site-packages", "dist-packages", "__pycache__", "lib2to3"})
        found += [os.path.join(folder, name) for name in sorted(names)
                  if name.endswith(".py") and name not in KNOWN]
    return found


@unittest.skipUnless(os.path.exists(TREE), "the helper is not built")
class AgainstPython(unittest.TestCase):
    def check(self, paths):
        texts = {}
        for path in paths:
            with open(path, "rb") as file:
                text = file.read()
            try:
                text.decode("utf-8")
                texts[path] = Expected(text).nodes
            except (SyntaxError, ValueError, UnicodeDecodeError):
                continue
        self.assertTrue(texts)
        for (path, expected), (errors, nodes) in zip(texts.items(), trees(texts)):
            with self.subTest(path):
                self.assertEqual(errors, 0)
                self.assertIsNone(first_difference(expected, nodes))

    def text(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, text in enumerate(texts):
                paths.append(os.path.join(folder, f"{i}.py"))
                with open(paths[-1], "wb") as file:
                    file.write(text)
            self.check(paths)

    def test_the_standard_library_reads_the_same(self):
        found = standard_library()
        self.check(found[::EVERY])

    def test_line_ends_and_indents_of_all_kinds(self):
        text = b"if a:\n    # c\n    for b in (c,\n  d):  # e\n        f = '''g\n#h'''; i\n\n    else:\n        j\nk\n"
        self.text(text, text.replace(b"\n", b"\r\n"), text.replace(b"\n", b"\r"), text.replace(b"    ", b"\t"),
                  b"\xef\xbb\xbf" + text, b"if a:\n  \tb\n        c\nif d:\n\te\n        f\n", text.rstrip(b"\n"),
                  b"if a:\n" + b" " * 300 + b"if b:\n" + b" " * 600 + b"c\n" + b" " * 600 + b"d\ne\n",
                  b"a = 1 + \\\n  2\nif \\\n  a:\n  b\n\x0cc\n")

    def test_expressions_without_parentheses(self):
        self.text(b"a, b = c, = d, *e\nfor f, in g, h: i, j\nreturn_ = [k, (l), ((m, n))]\no[p, q:r, ::s] = t[u,]\nv[w:x]\n",
                  b"def f(): return a, b\ndef g(): yield a, b\ndef h():\n    a = yield\n    (yield a), (yield)\n",
                  b"x: (int) = (1)\ny: a.b[c, d] = e\ndel (a), b\nassert (a), (b)\nraise (a) from (b)\n",
                  b"with (a) as b, (c, d) as e: pass\nwith (open(a) as f, open(b)): pass\nwith (a, b): pass\n")

    def test_stars_names_and_words(self):
        self.text(b"a = *b.c(d)[e, f].g, *h | i, *j\nk = {*l(m)(n)}, [*o[p:q, r]]\ns(*t.u(), *(v).w, **x.y())\n",
                  b"(a) = b\n(c.d), (e) = f\nfor (g) in h: pass\nwith i as (j): pass\n(k) += 1\n[(l) for (l) in m]\n",
                  b"type(a).b = c\ntype (a).b += c\nprint(a, *b.c()); print (a).b\nexec(a)\ntype = 1; print = type.mro\n",
                  b"try: pass\nexcept (a, b) as c: pass\nexcept d: pass\nelse: pass\nfinally: pass\n",
                  b"def f(a, /, b: c = d, *e: g, h, i=j, **k): pass\ndef l(*, m): pass\nlambda *, n, **o: p\n",
                  b"@a\n# b\n@c.d(e)\nasync def f():\n    async with g as h, i: await j\n    async for k in l: pass\n")

    def test_strings_and_what_is_in_them(self):
        self.text(b"f'{a!r:>{b}} {{c}} {d=}' 'e' f\"{f['#']}\" # g\nf'''{\nh  }'''\nrb'\\'#' b'i' # j\nf'\\N{DASH}{k}'\n'\\\n#l'\n",
                  b"f'{a:{b}#{c}}' # d\nf'{lambda_ and (lambda: 1)}{e,f}'\nu'g' R'\\' # h'\n")


if __name__ == "__main__":
    unittest.main()
