# SPDX-License-Identifier: Apache-2.0
"""Python of hostile shapes, to any size: what could cost more a line the more lines there are."""


def functions(count):
    """Functions that hand their argument down a chain of calls, one of them uploading it."""
    yield "import torch\ndef f0(x):\n    return x.cuda()\n"
    for i in range(1, count):
        yield f"def f{i}(x):\n    y = f{i - 1}(x)\n    return y + {i}\n"
    yield f"def train(model, loader):\n    for x in loader:\n        model(f{count - 1}(x)).backward()\n"


def statements(count):
    """One function of many statements, each reading what the one before it wrote."""
    yield "import torch\ndef step(a0, loss):\n    loss.backward()\n"
    for i in range(1, count):
        yield f"    a{i} = a{i - 1}.cuda() if a{i - 1} > {i} else torch.zeros({i})\n"


def attributes(count):
    """A module with many attributes, all set in one method and read in another."""
    yield "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
    yield from (f"        self.a{i} = torch.zeros({i})\n" for i in range(count))
    yield "    def forward(self, x):\n"
    yield from (f"        x = x + self.a{i}.to(x.device)\n" for i in range(count))
    yield "        return x\n"


def subclasses(count):
    """Classes that inherit from one another."""
    yield "import torch\nclass C0(torch.nn.Module):\n    def forward(self, x):\n        return x.cpu()\n"
    yield from (f"class C{i}(C{i - 1}):\n    def run(self, x):\n        return self.forward(x)\n"
                f"" for i in range(1, count))


def diamonds(count):
    """Classes of several bases that pass calls on."""
    yield "import torch\nclass Base:\n    def go(self, x):\n        return x.cpu()\n"
    yield from (f"class A{i}(Base):\n    def go(self, x):\n        return super().go(x)\n"
                f"class B{i}(Base):\n    def go(self, x):\n        return super().go(x.cuda())\n"
                f"class C{i}(A{i}, B{i}):\n    pass\nC{i}().go(1)\n" for i in range(count))


def overrides(count):
    """Classes that override what their base calls on itself."""
    yield "import torch\nclass Base:\n    def run(self, x):\n        return self.go(x)\n"
    yield from (f"class C{i}(Base):\n    def go(self, x):\n        return x.cuda()\nC{i}().run(1)\n" for i in range(count))


def registered(count):
    """Functions that a decorator keeps in one table."""
    yield "import torch\ntable = {}\ndef keep(f):\n    table[f.__name__] = f\n    return f\n"
    yield from (f"@keep\ndef f{i}(x):\n    return x.cuda()\n" for i in range(count))
    yield from (f"y{i} = table[{i}](x)\n" for i in range(count))


def records(count):
    """Dataclasses, and what is made of them."""
    yield "import torch\nfrom dataclasses import dataclass\n"
    yield from (f"@dataclass\nclass R{i}:\n    a: int\n    b: object\ndef f{i}(x):\n    return R{i}(1, x.cuda()).b.item()\n"
                f"" for i in range(count))


def scripts(count):
    """Scripts that put folders on their path."""
    for i in range(count):
        yield f"s{i}.py", (f"import os\nimport sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))\n"
                           f"from s{(i + 1) % count} import f{(i + 1) % count}\n\n\ndef f{i}(x):\n    return x.cuda()\n")


def rebound(count):
    """One name bound again and again in a loop."""
    yield "import torch\ndef train(x, loader):\n    for batch in loader:\n"
    yield from (f"        x = x.to(batch.device) + {i}\n" for i in range(count))
    yield "        x.backward()\n"


def ifs(count):
    """Ifs in one loop, each of which may bind what the others read."""
    yield "import torch\ndef train(x, y, loader):\n    for batch in loader:\n"
    yield from (f"        if x > {i}:\n            y = x.cpu()\n            x = y.cuda()\n" for i in range(count))
    yield "        x.backward()\n"


def elifs(count):
    """One chain of tests in a loop, with calls in each of its branches."""
    yield "import torch\ndef train(x, kind, loader):\n    for batch in loader:\n        if kind == -1:\n            y = x.cpu()\n"
    yield from (f"        elif kind == {i}:\n            y = x.cpu()\n            x = y.cuda()\n" for i in range(count))
    yield "        x.backward()\n"


def dictionary(count):
    yield "table = {\n"
    yield from (f"    'key{i}': [{i}, {i + 1}, 'text'],\n" for i in range(count))
    yield "}\n"


def operands(count):
    """One expression, as deep as it is long where operators nest to the left."""
    yield "total = 0" + "".join(f" + a{i}" for i in range(count)) + "\n"


def parentheses(count):
    yield "x = " + "(" * count + "1" + ")" * count + "\n"


def lists(count):
    yield "x = " + "[" * count + "]" * count + "\n"


def blocks(count):
    yield from (" " * i + "if a:\n" for i in range(count))
    yield " " * count + "pass\n"


def calls(count):
    yield "import torch\ny = " + "f(" * count + "torch.zeros(1)" + ".cuda())" * count + "\n"


def methods(count):
    """A chain of method calls on one tensor."""
    yield "import torch\ndef train(x):\n    y = x.cuda()" + ".view(1).item()" * count + "\n    y.backward()\n"


def trainers(count):
    """Ordinary training loops, each with findings."""
    text = ("def train{0}(model, loader, optimizer):\n    total = 0.0\n    for x, y in loader:\n"
            "        x, y = x.cuda(), y.cuda()\n        loss = model(x, y)\n        optimizer.zero_grad()\n"
            "        loss.backward()\n        optimizer.step()\n        total += loss.item()\n    return total\n\n\n")
    yield "import torch\n"
    yield from (text.format(i) for i in range(count))


def uploads(count):
    """Uploads that give the same each round, in one loop."""
    yield "import torch\ndef train(model, loader, opt, device):\n    for x, y in loader:\n"
    yield from (f"        a{i} = torch.tensor([{i}.0]).to(device)\n" for i in range(count))
    yield "        loss = model(x.to(device))\n        loss.backward()\n        opt.step()\n"


def uploads_self(count):
    """Uploads of attributes beside calls that bind others."""
    yield ("import torch\nclass T(torch.nn.Module):\n    def note(self, v):\n"
           "        self.count = v\n    def train(self, loader):\n      for x in loader:\n")
    yield from (f"        a{i} = self.t{i}.to(self.device)\n        self.note(a{i})\n" for i in range(count))
    yield "        self(x).backward()\n"


def attribute_chain(count):
    """One name with many attributes behind it."""
    yield "import torch\nx = a" + ".b"*count + ".cuda()\n"


def numbers(count):
    """Many numbers in one list that is moved."""
    yield "import torch\nx = torch.tensor([" + ", ".join(f"{i}.0" for i in range(count)) + "]).cuda()\n"


def classes(count):
    """Modules that nobody relates."""
    yield "import torch\nfrom torch import nn\n"
    yield from (f"class M{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                f"        self.l = nn.Linear(3, 4)\n    def forward(self, x):\n        return self.l(x).cuda()\n" for i in range(count))


def same_method(count):
    """Classes with a method of one name, called where nobody knows the class."""
    yield "import torch\n"
    yield from (f"class A{i}:\n    def get(self, x):\n        return x.cuda()\n" for i in range(count))
    yield from (f"def g{i}(o, x):\n    return o.get(x)\n" for i in range(count))


def callers(count):
    """Callers of one function."""
    yield "import torch\ndef h(x):\n    return x.item()\n"
    yield from (f"def g{i}(x):\n    for k in range(3):\n        y = h(x.cuda())\n    return y\n" for i in range(count))


def circles(count):
    """Functions that call one another in circles."""
    yield "import torch\n"
    yield from (f"def g{i}(x):\n    return g{(i*7+1)%count}(x.cuda()) + g{(i+1)%count}(x)\n" for i in range(count))


def variables(count):
    """Many variables of a module, all read in one loop."""
    yield "import torch\n"+"".join(f"v{i} = torch.zeros({i+1}).cuda()\n" for i in range(count))
    yield "def f():\n    for i in range(10):\n"+"".join(f"        print(v{i}.item())\n" for i in range(count))


def excepts(count):
    """Handlers of one try."""
    yield "import torch\ndef f(x):\n    try:\n        y = x.cuda().item()\n"
    yield from (f"    except E{i}:\n        y = x\n" for i in range(count))
    yield "    print(y)\n"


def comprehensions(count):
    """Comprehensions."""
    yield "import torch\n"+"".join(f"x{i} = [y.cuda() for y in zs if y > {i}]\n" for i in range(count))


def parameters(count):
    """A function of many parameters."""
    yield "import torch\ndef f(" + ", ".join(f"a{i}={i}" for i in range(count)) + "):\n    return a1.cuda()\n"
    yield "f(" + ", ".join(f"a{i}={i}" for i in range(count)) + ")\n"


def targets(count):
    """Many targets of one assignment."""
    yield "import torch\n" + ", ".join(f"a{i}" for i in range(count)) + " = f(x)\n"


def stars(count):
    """Imports of all names, and names that nobody binds."""
    yield "".join(f"from p{i} import *\n" for i in range(count)) + "".join(f"x = name{i}(3)\n" for i in range(count))


def loops(count):
    """Training loops in one function."""
    yield "import torch\ndef train(model, loader, opt):\n"
    yield from (f"    for x in loader:\n        loss = model(x.cuda())\n        loss.backward()\n"
                f"        t{i} = loss.item()\n" for i in range(count))


def reads(count):
    """Reads of one value in one step."""
    yield ("import torch\ndef train(model, loader, opt):\n    for x, y in loader:\n"
           "        loss = model(x.cuda())\n        loss.backward()\n")
    yield from (f"        print(loss.item(), {i})\n" for i in range(count))


def guards(count):
    """Rounds that are left early."""
    yield ("import torch\ndef train(model, loader):\n    for x in loader:\n        loss = model(x)\n"
           "        loss.backward()\n")
    yield from (f"        if x > {i}:\n            continue\n        print(loss.item())\n" for i in range(count))


def bound_attributes(count):
    """Methods that bind and read attributes."""
    yield "import torch\nclass A:\n"
    yield from (f"    def m{i}(self, x):\n        self.a{i} = x.cuda()\n"
                f"        for k in range(3):\n            y = self.a{i}.item()\n        return self.a{max(i-1,0)}\n" for i in range(count))


def own_attribute(count):
    """Reads of what one attribute gives, in one method."""
    yield ("import torch\nclass T:\n    def __init__(self, net):\n        self.net = net.cuda()\n"
           "    def run(self, loader):\n        for x in loader:\n            self.net(x.cuda()).backward()\n")
    yield from (f"            a{i} = self.net(x.cuda())\n            print(a{i}.sum().item())\n" for i in range(count))


def returns(count):
    """A function that returns in many places."""
    yield "import torch\ndef f(x):\n"
    yield from (f"    if x == {i}:\n        return x.cuda()\n" for i in range(count))
    yield "".join(f"y{i} = f(x).item()\n" for i in range(count))


def imports(count):
    """A package of files that import one another."""
    for i in range(count):
        yield f"m{i}.py", (f"from m{(i * 7 + 1) % count} import f{(i * 7 + 1) % count}\n"
                           f"from m{(i + 1) % count} import *\n\n\ndef f{i}(x):\n"
                           f"    return f{(i * 7 + 1) % count}(x.cuda())\n")


# What each shape is made with: the small size; the large one is four times that. Some pass limits, which are told.
SMALL = {trainers: 200, functions: 500, statements: 750, attributes: 400, subclasses: 300, rebound: 750, ifs: 350, elifs: 200,
         dictionary: 300, operands: 1500, parentheses: 1000, lists: 1000, blocks: 20, calls: 250, methods: 200,
         uploads: 400, uploads_self: 250, attribute_chain: 1500, numbers: 750, classes: 200, same_method: 250,
         callers: 350, circles: 400, variables: 350, excepts: 750, comprehensions: 450, parameters: 200,
         targets: 1250, stars: 150, loops: 250, reads: 500, guards: 300, bound_attributes: 250, returns: 350,
         imports: 100, diamonds: 60, overrides: 50, registered: 150, records: 150, scripts: 60,
         own_attribute: 400}

# Shapes of SMALL that pass a limit, which may end an analysis early: the size at which they pass none. They are
# measured in copies, too.
WITHIN = {own_attribute: 8, uploads: 20, functions: 4, callers: 4, statements: 15, subclasses: 15, ifs: 15, elifs: 12, lists: 3, methods: 11,
          attribute_chain: 100, parameters: 50, reads: 12, returns: 6, imports: 4, registered: 20, overrides: 2}
COPIES = 30
