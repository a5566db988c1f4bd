# SPDX-License-Identifier: Apache-2.0
"""Notebooks: findings by cell and line, fixes written back, hostile files."""
import csv
import io
import json
import os
import shutil
import subprocess
import unittest

from support import INPUT, JUDGED, OK, Folder, steptime

IMPORTS = "%matplotlib inline\nimport torch\n!pip install torch"
MODEL = """\
%%time
model = torch.nn.Linear(3, 3).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"""
TRAIN = """\
def train(loader):
    total = 0.0
    for x, y in loader:
        loss = model(x.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        total += loss.item()  # \u03c0
    return total"""
RUN = "model?\nfiles = !ls\n%time train(loader)"
CELLS = [("markdown", "# Training"), ("code", IMPORTS), ("code", MODEL), ("code", "%%bash\nls -l"), ("code", TRAIN), ("code", RUN)]
CELL, LINE = 5, 7


def notebook(cells=CELLS, as_text=False, outputs=(), **more):
    """As nbformat writes it."""
    made = []
    for kind, source in cells:
        cell = {"cell_type": kind, "metadata": {}, "source": source if as_text else source.splitlines(keepends=True)}
        if kind == "code":
            cell.update(execution_count=None, outputs=list(outputs))
        made.append(cell)
    return {"cells": made, "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
            "nbformat": 4, "nbformat_minor": 5, **more}


class Notebooks(Folder):
    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, content, name="n.ipynb", indent=1, ascii_only=False):
        text = content if isinstance(content, str) else json.dumps(content, indent=indent, ensure_ascii=ascii_only) + "\n"
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return text

    def read(self, name="n.ipynb"):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def lint(self, *arguments, name="n.ipynb"):
        run = steptime("lint", *arguments, name, cwd=self.folder)
        self.assertIn(run.code, (OK, JUDGED), run.err)
        return run

    def findings(self, name="n.ipynb"):
        return self.lint("--format", "json", name=name).json["findings"]

    def warnings(self, *names):
        run = steptime("lint", "--format", "json", *names, cwd=self.folder)
        return run.code, [warning["message"] for warning in run.json["warnings"]]

    def sources(self, name="n.ipynb"):
        return ["".join(cell["source"]) for cell in json.loads(self.read(name))["cells"]]

    # ---- what is told ----

    def test_findings_have_cell_and_line(self):
        self.write(notebook())
        (finding,) = self.findings()
        self.assertEqual((finding["file"], finding["cell"], finding["line"], finding["end_line"]), ("n.ipynb", CELL, LINE, LINE))
        self.assertEqual(finding["column"], TRAIN.splitlines()[LINE - 1].index("loss.item()") + 1)

    def test_the_screen(self):
        self.write(notebook())
        self.assertIn("n.ipynb:cell 5:7:18: ST401", self.lint().out)

    def test_other_files_have_no_cell(self):
        self.write("import torch\n" + TRAIN.replace("model(x.cuda(non_blocking=True))", "torch.ones(3).cuda()"), "t.py")
        for finding in self.findings("t.py"):
            self.assertIsNone(finding["cell"])

    def test_csv_has_the_cell(self):
        self.write(notebook())
        rows = list(csv.DictReader(io.StringIO(self.lint("--format", "csv", "--table", "findings").out)))
        self.assertEqual([(row["cell"], row["line"]) for row in rows], [("5", "7")])

    def test_code_hosts_get_lines_of_the_file(self):
        text = self.write(notebook())
        line = next(i for i, one in enumerate(text.splitlines(), 1) if "loss.item()" in one)
        column = text.splitlines()[line - 1].index("loss.item()") + 1
        (result,) = self.lint("--format", "sarif").json["runs"][0]["results"]
        (location,) = result["locations"]
        self.assertEqual(location["physicalLocation"]["region"],
                         {"startLine": line, "startColumn": column, "endLine": line, "endColumn": column + len("loss.item()")})
        self.assertEqual(location["logicalLocations"][0]["fullyQualifiedName"], "cell 5:7:18")
        self.assertIn(f"::warning file=n.ipynb,line={line},endLine={line},col={column},", self.lint("--format", "github").out)

    def test_fixes_of_sarif_fit_the_file(self):
        text = self.write(notebook(), ascii_only=True)
        (result,) = self.lint("--format", "sarif").json["runs"][0]["results"]
        lines = text.splitlines(keepends=True)
        for change in reversed(result["fixes"][0]["artifactChanges"][0]["replacements"]):
            region = change["deletedRegion"]
            self.assertEqual(region["startLine"], region["endLine"])
            line = lines[region["startLine"] - 1]
            lines[region["startLine"] - 1] = (line[:region["startColumn"] - 1] + change["insertedContent"]["text"] +
                                              line[region["endColumn"] - 1:])
        steptime("fix", "--write", "n.ipynb", cwd=self.folder)
        self.assertEqual("".join(lines), self.read())

    def test_comments_silence(self):
        self.write(notebook([*CELLS[:4], ("code", TRAIN.replace("# \u03c0", "# steptime: ignore[ST401]")), CELLS[5]]))
        self.assertEqual(self.findings(), [])

    def test_folders(self):
        self.write(notebook(), "a/n.ipynb")
        self.write(notebook(), "a/.ipynb_checkpoints/n-checkpoint.ipynb")
        self.assertEqual([finding["file"] for finding in self.findings("a")], ["a/n.ipynb"])

    # ---- fixes ----

    def changed_lines(self, before, after):
        gone = [line for line in before.splitlines() if line not in after.splitlines()]
        came = [line for line in after.splitlines() if line not in before.splitlines()]
        return gone, came

    def check_fix(self, before):
        run = steptime("fix", "--write", "n.ipynb", cwd=self.folder)
        self.assertEqual(run.code, OK, run.err)
        after = self.read()
        old, new = json.loads(before), json.loads(after)
        for cell in (*old["cells"], *new["cells"]):
            cell["source"] = "".join(cell["source"])
        self.assertNotIn(".item()", new["cells"][CELL - 1]["source"])
        old["cells"][CELL - 1]["source"] = new["cells"][CELL - 1]["source"]
        self.assertEqual(old, new)
        self.assertEqual(steptime("fix", "n.ipynb", cwd=self.folder).out, "")
        return after

    def test_only_the_lines_of_the_source_change(self):
        before = self.write(notebook(outputs=[{"output_type": "stream", "name": "stdout", "text": ["loss.item()\n"]}]))
        gone, came = self.changed_lines(before, self.check_fix(before))
        self.assertEqual(gone, ['    "        total += loss.item()  # \u03c0\\n",'])
        self.assertTrue(came and all(line.startswith('    "') and line.endswith('\\n",') for line in came), came)

    def test_one_text(self):
        before = self.write(notebook(as_text=True), indent=None)
        self.assertIsInstance(json.loads(self.check_fix(before))["cells"][CELL - 1]["source"], str)

    def test_escapes_stay(self):
        before = self.write(notebook(), indent="\t", ascii_only=True)
        self.assertIn("# \\u03c0\\n", self.check_fix(before))

    def test_the_third_format(self):
        cells = [{"cell_type": "code", "language": "python", "input": text.splitlines(keepends=True), "outputs": []}
                 for kind, text in CELLS if kind == "code"]
        self.write({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]})
        (finding,) = self.findings()
        self.assertEqual((finding["cell"], finding["line"]), (4, LINE))
        self.assertEqual(steptime("fix", "--write", "n.ipynb", cwd=self.folder).code, OK)
        self.assertNotIn("loss.item()", self.read())

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_git_applies_the_diff(self):
        for arguments in ({}, {"as_text": True}):
            self.write(notebook(**arguments))
            diff = steptime("fix", "n.ipynb", cwd=self.folder).out
            self.assertIn("# cell 5, line 7: ST401 scalar-read-back", diff)
            done = subprocess.run(["git", "apply", "-"], input=diff, cwd=self.folder, text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            by_diff = self.read()
            self.write(notebook(**arguments))
            steptime("fix", "--write", "n.ipynb", cwd=self.folder)
            self.assertEqual(by_diff, self.read())

    def test_nbformat_takes_what_was_written(self):
        try:
            import nbformat
        except ImportError:
            self.skipTest("nbformat is not installed")
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for kind, text in CELLS if kind == "code"])
        nbformat.write(made, self.path("n.ipynb"))
        self.assertEqual(steptime("fix", "--write", "n.ipynb", cwd=self.folder).code, OK)
        again = nbformat.read(self.path("n.ipynb"), as_version=4)
        nbformat.validate(again)
        self.assertEqual(nbformat.writes(again) + "\n", self.read())
        self.assertNotIn("loss.item()", again.cells[3].source)

    def test_standard_input(self):
        text = self.write(notebook())
        run = steptime("fix", "--write", "-", "--stdin-filename", "x.ipynb", stdin=text.encode(), cwd=self.folder)
        steptime("fix", "--write", "n.ipynb", cwd=self.folder)
        self.assertEqual(run.out, self.read(), run.err)

    def test_edits_as_json(self):
        text = self.write(notebook())
        document = steptime("fix", "--format", "json", "n.ipynb", cwd=self.folder).json
        tables = {table["id"]: table for section in document["sections"] for table in section["tables"]}
        (rewrite,) = tables["rewrites"]["rows"]
        column = {one["id"]: i for i, one in enumerate(tables["rewrites"]["columns"])}
        self.assertEqual((rewrite[column["cell"]], rewrite[column["line"]]), (CELL, LINE))
        lines = text.splitlines()
        line = tables["edits"]["rows"][0][1]
        self.assertIn("loss.item()", lines[line - 1])

    # ---- hostile files ----

    def test_a_broken_notebook_costs_itself_and_is_named(self):
        whole = self.write(notebook(), "good.ipynb")
        self.write(whole[:len(whole) // 2], "half.ipynb")
        self.write("[]", "list.ipynb")
        self.write(notebook(metadata={"kernelspec": {"language": "julia"}}), "julia.ipynb")
        code, warnings = self.warnings(".")
        self.assertEqual(code, JUDGED)
        self.assertEqual(len(warnings), 3)
        self.assertRegex(warnings[0], r"^line \d+: is no notebook, for the JSON is broken here$")
        self.assertIn("notebook of julia", warnings[1])
        self.assertIn("is no notebook", warnings[2])
        self.assertEqual(steptime("lint", "half.ipynb", cwd=self.folder).code, INPUT)

    def test_bad_cells_cost_themselves_and_are_named(self):
        made = notebook([*CELLS, ("code", "for x in :\n"), ("code", "x = 1"), ("code", "x = 1")])
        made["cells"][7]["source"] = 17
        del made["cells"][8]["source"]
        self.write(made)
        self.assertEqual(len(self.findings()), 1)
        self.assertEqual(sorted(self.warnings("n.ipynb")[1]), [
            "cell 7, line 1: it does not parse as Python; the cell is left out",
            "cell 8: its source is no text; the cell is left out", "cell 9: it has no source; the cell is left out"])

    def test_no_cells(self):
        self.write(notebook([]))
        self.assertEqual(self.findings(), [])

    def test_many_cells(self):
        self.write(notebook([*CELLS, *[("code", f"v{i} = {i}\n%time v{i}") for i in range(100_000)]]), indent=None)
        run = self.lint("--format", "json")
        self.assertEqual([finding["cell"] for finding in run.json["findings"]], [CELL])
        self.assertLess(run.seconds, 30)

    def test_large_outputs(self):
        picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo" * 2_500_000}}
        made = notebook(outputs=[picture])
        self.write(made)
        self.assertGreater(os.path.getsize(self.path("n.ipynb")), 100_000_000)
        run = self.lint("--format", "json")
        self.assertEqual(len(run.json["findings"]), 1)
        self.assertLess(run.seconds, 10)
        self.assertEqual(steptime("fix", "--write", "n.ipynb", cwd=self.folder).code, OK)
        self.assertEqual(self.findings(), [])


if __name__ == "__main__":
    unittest.main()
