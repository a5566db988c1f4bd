# SPDX-License-Identifier: Apache-2.0
"""Places among distinct values by binary search: safe where the text proves them, and the same to the type where it runs."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import steptime

PROGRAM = '''\
import numpy as np
import torch
model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.Adam(model.parameters())
def prepare(rows):
    links, places = [], []
    for row in rows:
{lines}
    return links, places
def train(batches):
    for i in range(len(batches)):
        links, places = prepare(batches[i])
        loss = model(torch.Tensor(links).cuda()).sum()
        loss.backward()
        optimizer.step()
train([np.load("rows.npy")])
'''
DISTINCT = "node = np.unique(row)"
LOOP = '''for i in range(len(row) - 1):
    if row[i + 1] == 0:
        break
    u = np.where(node == row[i])[0][0]
    v = np.where(node == row[i + 1])[0][0]
    links.append((u, v))'''
ALL = "places.append([np.where(node == item)[0][0] for item in row])"
# Of each what stands around the look-ups; none is to be rewritten without being asked for unsafe ones.
TRAPS = {
    "elements are changed": f"{DISTINCT}\nnode[len(row) - 1] = 0\n{LOOP}",
    "shuffled": f"{DISTINCT}\nnp.random.shuffle(node)\n{LOOP}",
    "known by another name": f"{DISTINCT}\nother = node\nother[0] = 7\n{LOOP}",
    "its shape is set": f"{DISTINCT}\nnode.shape = (-1, 1)\n{LOOP}",
    "handed on": f"{DISTINCT}\nplaces.append(node)\n{LOOP}",
    "rows of rows, perhaps": f"{DISTINCT}\n{ALL}",
    "what is not in it is caught": f"{DISTINCT}\ntry:\n    " + LOOP.replace("\n", "\n    ") + "\nexcept IndexError:\n    pass",
}
# What could be kept of a sample as well (ST303).
KEEPABLE = '''\
import numpy as np
import torch
model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.Adam(model.parameters())
class Data:
    def __init__(self, rows):
        self.rows = rows

    def prepare(self, rows):
        nodes, links, places = [], [], []
        most = max([len(np.unique(row)) for row in rows])
        for row in rows:
            node = np.unique(row)
            nodes.append(node.tolist() + (most - len(node)) * [0])
            link = np.zeros((most, most))
            for i in range(len(row) - 1):
                if row[i + 1] == 0:
                    break
                u = np.where(node == row[i])[0][0]
                v = np.where(node == row[i + 1])[0][0]
                link[u][v] = 1
            links.append(link)
            places.append([np.where(node == item)[0][0] for item in row])
        return nodes, links, places
data = Data(np.zeros((8, 4, 4), dtype=np.int64))
def step(i):
    nodes, links, places = data.prepare(data.rows[i])
    loss = model(torch.from_numpy(np.asarray(links)).cuda()).sum()
    loss.backward()
    optimizer.step()
for i in range(8):
    step(i)
'''
CALLED = "\nimport pickle, sys\nsys.stdout.buffer.write(pickle.dumps([prepare(rows) for rows in {rows}]))\n"
ROWS = ('[np.array([[3, 9, 3, 5, 0, 0], [1, 1, 0, 0, 0, 0], [7, 6, 5, 4, 3, 2]]), [[2, 8, 2], [5], [4, 4, 4, 0]], '
        'np.array([[0.5, -0.0, 0.0, 2.5], [1e300, 3.0, 1.0, 1e300]]), np.array([[250, 3, 250, 9]], dtype=np.uint8)]')


def program(lines):
    return PROGRAM.format(lines="\n".join("        " + line for line in lines.split("\n")))


class LookUps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def fixed(self, text, *options):
        path = os.path.join(self.folder, "train.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        steptime("fix", "--write", "--select", "ST302", *options, path)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def called(self, text):
        """What prepare() makes, with all types, as bytes."""
        whole = text[text.index("def prepare"):text.index("def train")]
        done = subprocess.run([sys.executable, "-c", "import numpy as np\n" + whole + CALLED.format(rows=ROWS)],
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_tested_elements_are_safe(self):
        after = self.fixed(program(f"{DISTINCT}\n{LOOP}\n{ALL}"))
        self.assertEqual(after.count("np.where"), 0, after)
        self.assertEqual(after.count("node.searchsorted("), 3)

    def test_traps_are_not_safe(self):
        for name, lines in TRAPS.items():
            with self.subTest(trap=name):
                text = program(lines)
                self.assertEqual(self.fixed(text), text)
                self.assertIn("searchsorted", self.fixed(text, "--unsafe"), "it is looked at, and left")

    def test_unsafe_ones_are_made_when_asked_for(self):
        text = program(TRAPS["rows of rows, perhaps"])
        self.assertIn("list(node.searchsorted(row))", self.fixed(text, "--unsafe"))

    def test_both_forms_make_the_same_bytes(self):
        try:
            import numpy  # pylint: disable=import-outside-toplevel,unused-import
        except ImportError:
            self.skipTest("no NumPy")
        before = program(f"{DISTINCT}\n{LOOP}\n{ALL}")
        after = self.fixed(before)
        self.assertNotEqual(after, before)
        self.assertEqual(self.called(before), self.called(after))

    def test_what_searches_goes_before_what_keeps(self):
        """ST303 would keep what the look-ups give for each sample: they are made faster first, and it is asked again of what is left."""
        path = os.path.join(self.folder, "train.py")
        for options, first in ((["--select", "ST303"], {"ST303"}), ([], {"ST302"})):
            with open(path, "w", encoding="utf-8") as file:
                file.write(KEEPABLE)
            said = steptime("fix", "--format", "json", *options, path).json
            rows = [dict(zip([c["id"] for c in table["columns"]], row)) for section in said["sections"]
                    for table in section["tables"] if table["id"] == "rewrites" for row in table["rows"]]
            self.assertEqual({row["rule"] for row in rows if row["round"] == 1}, first)


if __name__ == "__main__":
    unittest.main()
