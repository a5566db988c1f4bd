# SPDX-License-Identifier: Apache-2.0
"""What it costs to lint: a million lines of real Python in one run, and how the cost of hostile shapes grows.

Real Python is the torch package (STEPTIME_TORCH, else the one of this interpreter) and the repositories of
STEPTIME_PUBLIC_CODE; where that is less than LINES_ENOUGH, the figure is missing.
"""
import importlib.util
import os

from inputs import Missing
from measure import compare, median, run

MILLION, LINES_ENOUGH = 1_000_000, 500_000
SECONDS, GIB = 15, 1 << 30
LINEAR = 1.3  # how much dearer a byte may be in an input ten times as large


def real_python():
    """Folders of Python that people wrote, and how many lines they hold."""
    torch = os.environ.get("STEPTIME_TORCH")
    if not torch:
        found = importlib.util.find_spec("torch")
        torch = os.path.dirname(found.origin) if found and found.origin else None
    folders = [folder for folder in (torch, os.environ.get("STEPTIME_PUBLIC_CODE")) if folder and os.path.isdir(folder)]
    return folders, sum(lines_below(folder) for folder in folders)


def lines_below(folder):
    count = 0
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(at, name), "rb") as text:
                    count += text.read().count(b"\n")
    return count


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
    yield from (f"class C{i}(C{i - 1}):\n    def run(self, x):\n        return self.forward(x)\n" for i in range(1, count))


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


# What each shape is made with: the small size; the large one is ten times that, and below the 8 MB that are read.
SHAPES = {trainers: 1_500, functions: 10_000, statements: 10_000, attributes: 5_000, subclasses: 2_000, rebound: 5_000,
          ifs: 2_000, dictionary: 15_000, operands: 10_000, parentheses: 1_000, lists: 1_000, blocks: 200,
          calls: 1_000, methods: 1_000}


def shape(work, make, size):
    folder = os.path.join(work, "shapes")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{make.__name__}{size}.py")
    if not os.path.exists(path):
        with open(path + ".part", "w", encoding="ascii") as out:
            out.writelines(make(size))
        os.replace(path + ".part", path)
    return path


def linting(figures, program, work):
    """A million lines in one run on two cores; hostile shapes, ten times as large for ten times the cost."""
    command = [program, "lint", "--format", "json", "--fail-on", "never"]
    for make, size in SHAPES.items():
        sizes = {"small": size, "large": 10 * size}
        paths = {name: shape(work, make, count) for name, count in sizes.items()}
        costs = compare({name: command + [path] for name, path in paths.items()}, figures.times, cores=2)
        small, large = costs["small"], costs["large"]
        each = [max(cost.cpu_s, 0.01) / os.path.getsize(paths[name]) for name, cost in costs.items()]
        figures.add(f"lint.shape.{make.__name__}", each[1] / each[0], "a byte, of ten times as much", ("<=", LINEAR),
                    small_s=small.cpu_s, large_s=large.cpu_s, large_bytes=large.peak_bytes)
    folders, lines = real_python()
    if lines < LINES_ENOUGH:
        raise Missing(f"{lines} lines of Python are here: STEPTIME_TORCH, STEPTIME_PUBLIC_CODE name no folders")
    cost = median([run(command + folders, cores=2) for _ in range(figures.times)])
    figures.add("lint.million_lines", cost.wall_s * MILLION / lines, "s", ("<=", SECONDS), lines=lines,
                wall_s=cost.wall_s, cpu_s=cost.cpu_s)
    figures.add("lint.memory", cost.peak_bytes / GIB * MILLION / lines, "GiB", ("<=", 1.0), lines=lines,
                peak_bytes=cost.peak_bytes)
