# SPDX-License-Identifier: Apache-2.0
"""`steptime lsp` and notebooks that the editor shows cell by cell (`notebookDocument` of the protocol)."""
import json
import os
import unittest

from support import SOURCE, steptime

from test_lsp import TRAINING, Served

IMPORTS = "%matplotlib inline\nimport torch\n"
FUNCTION = TRAINING[TRAINING.index("def train"):]
READ, MADE = 7, 3  # lines of loss.item() and of torch.zeros(3).to(device) in the cell, from 0
PYTHON, SHELL, MARKUP = ("python", 2), ("shellscript", 2), ("markdown", 1)


class Cells(Served):
    NAME = "n.ipynb"

    def cell(self, name):
        return f"vscode-notebook-cell:{self.folder}/{self.NAME}#{name}"

    def notebook_uri(self):
        return self.uri(self.NAME)

    def entry(self, name, kind=PYTHON):
        return {"kind": kind[1], "document": self.cell(name)}

    def item(self, name, text, kind=PYTHON, version=1):
        return {"uri": self.cell(name), "languageId": kind[0], "version": version, "text": text}

    def open_cells(self, cells, kinds=None, **more):
        """Cells by name, in order."""
        kinds = kinds or {}
        self.client.notify("notebookDocument/didOpen", {
            "notebookDocument": {"uri": self.notebook_uri(), "notebookType": "jupyter-notebook", "version": 1,
                                 "metadata": {"language_info": {"name": "python"}},
                                 "cells": [self.entry(name, kinds.get(name, PYTHON)) for name in cells], **more},
            "cellTextDocuments": [self.item(name, text, kinds.get(name, PYTHON)) for name, text in cells.items()]})

    def change_cells(self, change, version=2):
        self.client.notify("notebookDocument/didChange", {
            "notebookDocument": {"uri": self.notebook_uri(), "version": version}, "change": {"cells": change}})

    def change_text(self, name, changes, version=2):
        self.change_cells({"textContent": [{"document": {"uri": self.cell(name), "version": version}, "changes": changes}]}, version)

    def splice(self, start, out, names=(), texts=None, closed=()):
        self.change_cells({"structure": {
            "array": {"start": start, "deleteCount": out, "cells": [self.entry(name) for name in names]},
            "didOpen": [self.item(name, text) for name, text in (texts or {}).items()],
            "didClose": [{"uri": self.cell(name)} for name in closed]}})

    def found(self, name):
        published = self.client.published(self.cell(name))
        return {one["code"]: one for one in published["diagnostics"]}

    def ask_cell(self, method, name, line, **more):
        place = {"line": line, "character": 20}
        return self.client.result(f"textDocument/{method}", {
            "textDocument": {"uri": self.cell(name)}, "position": place, "range": {"start": place, "end": place}, **more})

    def cell_actions(self, name, line, only=None):
        return self.ask_cell("codeAction", name, line, context={"diagnostics": [], **({"only": [only]} if only else {})})

    def edited(self, texts, edit):
        """The texts of the cells after an edit of a workspace."""
        texts = dict(texts)
        for change in edit["documentChanges"]:
            (name,) = [name for name in texts if self.cell(name) == change["textDocument"]["uri"]]
            texts[name] = self.applied(texts[name], change["edits"])
        return texts


class Diagnostics(Cells):
    def test_what_is_offered(self):
        (selector,) = self.begin()["notebookDocumentSync"]["notebookSelector"]
        self.assertEqual(selector, {"notebook": "jupyter-notebook", "cells": [{"language": "python"}]})

    def test_findings_lie_in_their_cell(self):
        self.begin()
        self.open_cells({"a": IMPORTS, "b": FUNCTION})
        self.assertEqual(self.found("a"), {})
        found = self.found("b")
        line = FUNCTION.splitlines()[READ]
        begin = line.index("loss.item()")
        self.assertEqual(found["ST401"]["range"], {"start": {"line": READ, "character": begin},
                                                   "end": {"line": READ, "character": begin + len("loss.item()")}})
        places = {one["location"]["uri"] for one in found["ST401"]["relatedInformation"]}
        self.assertEqual(places, {self.cell("b")})

    def test_they_are_those_of_the_file(self):
        self.begin()
        self.open_cells({"a": IMPORTS, "b": FUNCTION})
        self.write(self.NAME, json.dumps({"cells": [{"cell_type": "code", "source": text} for text in (IMPORTS, FUNCTION)]}))
        found = steptime("lint", "--format", "json", os.path.join(self.folder, self.NAME)).json["findings"]
        self.assertEqual(sorted(self.found("b")), sorted(one["rule"] for one in found))

    def test_the_cells_count_not_the_disk(self):
        self.write(self.NAME, json.dumps({"cells": [{"cell_type": "code", "source": TRAINING}]}))
        self.begin()
        self.open_cells({"a": "print(1)\n"})
        self.assertEqual(self.found("a"), {})

    def test_other_cells_than_code_of_python(self):
        self.begin()
        self.open_cells({"m": FUNCTION, "s": FUNCTION, "b": TRAINING}, {"m": MARKUP, "s": SHELL})
        self.assertEqual(self.found("m"), {})
        self.assertEqual(self.found("s"), {})
        self.assertIn("ST401", self.found("b"))

    def test_a_notebook_that_was_never_saved(self):
        self.begin(workspaceFolders=None)
        self.notebook_uri = lambda: "untitled:Untitled-1.ipynb?jupyter-notebook"
        self.open_cells({"a": TRAINING})
        self.assertIn("ST401", self.found("a"))

    def test_columns_are_utf_16(self):
        line = FUNCTION.splitlines()[READ]
        changed = line.replace("print(", "print('\U0001F600\u00e9\\n', ")
        self.begin()
        self.open_cells({"a": IMPORTS, "b": FUNCTION.replace(line, changed)})
        before = changed[:changed.index("loss.item")]
        self.assertEqual(self.found("b")["ST401"]["range"]["start"], {"line": READ, "character": len(before.encode("utf-16-le")) // 2})

    def test_pulled_diagnostics(self):
        self.begin({"textDocument": {"diagnostic": {}}})
        self.open_cells({"a": IMPORTS, "b": FUNCTION})
        self.assertEqual(self.ask_cell("diagnostic", "a", 0)["items"], [])
        self.assertIn("ST401", self.codes(self.ask_cell("diagnostic", "b", 0)["items"]))

    def test_hover(self):
        self.begin()
        self.open_cells({"a": IMPORTS, "b": FUNCTION})
        self.assertIn("## ST401", self.ask_cell("hover", "b", READ)["contents"]["value"])
        self.assertIsNone(self.ask_cell("hover", "a", READ))


class Changes(Cells):
    def setUp(self):
        super().setUp()
        self.begin()
        self.open_cells({"a": IMPORTS, "b": FUNCTION})
        self.assertIn("ST401", self.found("b"))

    def test_a_text(self):
        zero = {"line": 0, "character": 0}
        self.change_text("b", [{"range": {"start": zero, "end": zero}, "text": "# \U0001F600 \"\\\n"}], version=7)
        published = self.client.published(self.cell("b"))
        self.assertEqual(published["version"], 7)
        (read,) = [one for one in published["diagnostics"] if one["code"] == "ST401"]
        self.assertEqual(read["range"]["start"]["line"], READ + 1)
        self.change_text("b", [{"text": "print(1)\n"}], version=8)
        self.assertEqual(self.found("b"), {})

    def test_a_cell_before(self):
        self.splice(0, 0, ["c"], {"c": "x = 1\n"})
        self.assertEqual(self.found("c"), {})
        self.assertEqual(self.found("b")["ST401"]["range"]["start"]["line"], READ)

    def test_a_cell_taken_out_says_nothing_more(self):
        self.splice(1, 1, closed=["b"])
        self.assertEqual(self.found("b"), {})
        self.assertIsNone(self.ask_cell("hover", "b", READ))

    def test_a_moved_cell_keeps_its_text(self):
        self.splice(0, 2, ["b", "a"])
        self.assertIsNotNone(self.ask_cell("hover", "b", READ))
        edit = self.cell_actions("b", MADE)[0]["edit"]
        self.assertIn("torch.zeros(3, device=device)", self.edited({"b": FUNCTION}, edit)["b"])

    def test_a_cell_becomes_text(self):
        self.change_cells({"data": [self.entry("b", MARKUP)]})
        self.assertEqual(self.found("b"), {})

    def test_metadata_alone(self):
        self.client.notify("notebookDocument/didChange", {
            "notebookDocument": {"uri": self.notebook_uri(), "version": 2}, "change": {"metadata": {"x": [1]}}})
        self.assertIsNotNone(self.ask_cell("hover", "b", READ))

    def test_saving_reads_the_configuration_again(self):
        self.write("pyproject.toml", '[tool.steptime]\nignore = ["ST"]\n')
        self.client.notify("notebookDocument/didSave", {"notebookDocument": {"uri": self.notebook_uri()}})
        self.assertEqual(self.found("b"), {})

    def test_closing_takes_them_away(self):
        self.client.notify("notebookDocument/didClose", {
            "notebookDocument": {"uri": self.notebook_uri()}, "cellTextDocuments": [{"uri": self.cell("a")}, {"uri": self.cell("b")}]})
        self.assertEqual(self.found("b"), {})
        self.assertIsNone(self.ask_cell("hover", "b", READ))

    def test_the_file_as_text_does_not_take_its_place(self):
        self.open(self.NAME, "{}")
        self.change([{"text": "[]"}], self.NAME)
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.notebook_uri()}})
        self.assertIsNotNone(self.ask_cell("hover", "b", READ))


class Rewrites(Cells):
    TEXTS = {"a": IMPORTS, "m": "# \"text\" \\ \U0001F600\n", "b": FUNCTION.replace("print(", "print('\U0001F600\\t', "),
             "c": "train(model, loader, optimizer, criterion, 'cuda')"}

    def setUp(self):
        super().setUp()
        self.begin()
        self.open_cells(self.TEXTS, {"m": MARKUP})
        self.client.published(self.cell("b"))

    def test_a_quick_fix(self):
        (action,) = self.cell_actions("b", MADE)
        self.assertEqual((action["kind"], action["diagnostics"][0]["code"]), ("quickfix", "ST601"))
        (change,) = action["edit"]["documentChanges"]
        self.assertEqual(change["textDocument"], {"uri": self.cell("b"), "version": 1})
        line = self.TEXTS["b"].splitlines()[MADE]
        self.assertEqual(self.edited(self.TEXTS, action["edit"])["b"],
                         self.TEXTS["b"].replace(line, line.replace("torch.zeros(3).to(device)", "torch.zeros(3, device=device)")))

    def test_all_safe_rewrites_of_the_notebook(self):
        path = os.path.join(self.folder, self.NAME)
        self.write(self.NAME, json.dumps({"cells": [
            {"cell_type": "markdown" if name == "m" else "code", "source": text} for name, text in self.TEXTS.items()]}))
        (action,) = self.cell_actions("a", 0, "notebook.source.fixAll")
        self.assertEqual(action["kind"], "notebook.source.fixAll.steptime")
        steptime("fix", "--write", path)
        with open(path, encoding="utf-8") as file:
            fixed = dict(zip(self.TEXTS, ("".join(cell["source"]) for cell in json.load(file)["cells"])))
        self.assertEqual(self.edited(self.TEXTS, action["edit"]), fixed)
        self.assertNotEqual(fixed, self.TEXTS)

    def test_cells_do_not_each_rewrite_all(self):
        self.assertEqual(self.cell_actions("b", MADE, "source.fixAll"), [])


class RewritesWithoutVersions(Cells):
    def test_edits_by_uri(self):
        self.begin({"textDocument": {}})
        self.open_cells({"a": IMPORTS, "b": FUNCTION})
        (action,) = self.cell_actions("b", MADE)
        self.assertEqual(list(action["edit"]["changes"]), [self.cell("b")])


class Hostile(Cells):
    def alive(self):
        self.assertIsNone(self.client.result("shutdown"))

    def test_odd_parameters(self):
        self.begin()
        methods = [f"notebookDocument/did{what}" for what in ("Open", "Change", "Save", "Close")]
        odd = (None, [], {}, 3, {"notebookDocument": 3}, {"notebookDocument": {"uri": 3, "cells": 4}, "change": 5},
               {"notebookDocument": {"uri": self.notebook_uri(), "cells": [3, {}, {"document": 3, "kind": "x"}]}, "cellTextDocuments": [3, {}]})
        for method in methods + methods[::-1]:
            for params in odd:
                self.client.notify(method, params)
        self.alive()

    def test_a_change_before_it_is_open(self):
        self.begin()
        self.splice(0, 0, ["a"], {"a": TRAINING})
        self.change_text("a", [{"text": TRAINING}])
        self.assertIsNone(self.ask_cell("hover", "a", READ))
        self.alive()

    def test_changes_out_of_range_change_nothing(self):
        self.begin()
        self.open_cells({"a": IMPORTS, "b": FUNCTION})
        for start, out in ((-1, 1), (3, 0), (1 << 40, 1), (0, -1), ("x", 1)):
            self.splice(start, out, ["c"], {"d": "x"}, closed=["e"])
        self.change_text("none", [{"text": "x"}])
        self.change_cells({"data": [{"kind": 1, "document": "none"}, {"kind": 1}], "textContent": [{"document": {}, "changes": 3}]})
        self.change_cells(None)
        self.assertIsNotNone(self.ask_cell("hover", "b", READ))
        self.splice(1, 1 << 40)
        self.assertIsNone(self.ask_cell("hover", "b", READ))
        far = {"start": {"line": 1 << 40, "character": 1}, "end": {"line": 0, "character": -3}}
        self.change_text("a", [{"range": far, "text": "x"}])
        self.alive()

    def test_one_uri_twice(self):
        self.begin()
        self.open_cells({"a": TRAINING})
        self.splice(0, 0, ["a", "a"])
        self.splice(1, 1)
        self.splice(0, 2, ["a"])
        self.alive()

    def test_more_cells_than_are_kept_are_told(self):
        self.begin()
        self.open_cells({str(i): "" for i in range(5000)} | {"b": TRAINING})
        told = self.client.wait(lambda message: message.get("method") == "window/showMessage")
        self.assertIn("4096 cells", told["params"]["message"])
        self.splice(0, 4096, ["c"], {"c": TRAINING})
        self.assertIsNone(self.ask_cell("hover", "c", READ + 2))
        self.alive()

    def test_a_life_as_bytes(self):
        with open(os.path.join(SOURCE, "tests", "fuzz", "corpus", "lsp", "cells"), "rb") as file:
            run = steptime("lsp", stdin=file.read())
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("vscode-notebook-cell:", run.out)


if __name__ == "__main__":
    unittest.main()
