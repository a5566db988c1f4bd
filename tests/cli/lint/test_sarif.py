# SPDX-License-Identifier: Apache-2.0
"""SARIF 2.1.0: what the standard asks for, as far as this program writes it."""
import json
import os
import re
import unittest
from urllib.parse import unquote

from support import JUDGED, OK, SOURCE, Folder, recorded, steptime

from test_lint import READ, TRAINING
from test_notebook import notebook

LINE = "        total += loss.item()\n"


class Case(Folder):
    def sarif(self, name="train.py", text=TRAINING, paths=(".",)):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        run = steptime("lint", "--format", "sarif", *paths, cwd=self.folder)
        self.assertIn(run.code, (OK, JUDGED), run.err)
        (only,) = run.json["runs"]
        return run.json, only

    def reads(self, run):
        return [result for result in run["results"] if result["ruleId"] == "ST401"]


class Sarif(Case):
    def test_the_frame(self):
        log, run = self.sarif()
        self.assertEqual(log["version"], "2.1.0")
        self.assertRegex(log["$schema"], r"^https://.*sarif.*2\.1\.0.*\.json$")
        self.assertEqual(run["tool"]["driver"]["name"], "steptime")
        self.assertEqual(run["columnKind"], "utf16CodeUnits")

    def test_rules_have_help_and_results_point_to_them(self):
        _, run = self.sarif()
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual(len({rule["id"] for rule in rules}), len(rules))
        for rule in rules:
            for part in ("shortDescription", "fullDescription", "help"):
                self.assertTrue(rule[part]["text"], rule["id"])
            self.assertIn("```python", rule["help"]["markdown"])
            self.assertIn(rule["defaultConfiguration"]["level"], ("note", "warning", "error"))
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertIn(result["level"], ("note", "warning", "error"))

    def test_places(self):
        _, run = self.sarif()
        (read,) = self.reads(run)
        (location,) = read["locations"]
        place = location["physicalLocation"]
        column = TRAINING.splitlines()[READ - 1].index("loss.item()") + 1
        self.assertEqual(place["artifactLocation"], {"uri": "train.py", "uriBaseId": "%SRCROOT%"})
        self.assertEqual(place["region"], {"startLine": READ, "startColumn": column, "endLine": READ,
                                           "endColumn": column + len("loss.item()")})

    def test_uris_are_relative_and_encoded(self):
        name = "dir with space/é#%?[1].py"
        _, run = self.sarif(name)
        uri = self.reads(run)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertRegex(uri, r"^[A-Za-z0-9._~/%-]+$")
        self.assertEqual(unquote(uri), name)

    def test_an_absolute_path_is_a_file_uri(self):
        _, run = self.sarif(paths=(self.folder,))
        uri = self.reads(run)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertEqual(uri, f"file://{self.folder}/train.py")

    def test_the_root_is_the_folder_it_runs_in(self):
        _, run = self.sarif()
        self.assertEqual(run["originalUriBaseIds"], {"%SRCROOT%": {"uri": f"file://{os.path.realpath(self.folder)}/"}})
        _, run = self.sarif(paths=(self.folder,))
        self.assertNotIn("uriBaseId", self.reads(run)[0]["locations"][0]["physicalLocation"]["artifactLocation"])

    def test_columns_count_utf_16_units(self):
        text = TRAINING.replace(LINE, "        names = '\U0001F600é'; total += loss.item()\n")
        _, run = self.sarif(text=text)
        region = self.reads(run)[0]["locations"][0]["physicalLocation"]["region"]
        before = text.splitlines()[READ - 1].partition("loss.item")[0]
        self.assertEqual(region["startColumn"], len(before.encode("utf-16-le")) // 2 + 1)

    def test_fingerprints_outlive_lines_above(self):
        _, before = self.sarif()
        _, after = self.sarif(text="# a line\n" + TRAINING)
        prints = [[r["partialFingerprints"]["steptime/v1"] for r in run["results"]] for run in (before, after)]
        self.assertEqual(*prints)
        self.assertEqual(len(set(prints[0])), len(prints[0]))

    def test_suppressed_results_stay_with_their_reason(self):
        _, run = self.sarif(text=TRAINING.replace(LINE, LINE.replace("\n", "  # steptime: ignore[ST401] wanted\n")))
        (read,) = self.reads(run)
        self.assertEqual(read["suppressions"], [{"kind": "inSource", "justification": "wanted"}])
        _, run = self.sarif()
        self.assertEqual(self.reads(run)[0]["suppressions"], [])

    def test_fixes_are_replacements(self):
        text = TRAINING.replace("        loss = ", "        é = torch.zeros(3).to(device)\n        loss = ")
        _, run = self.sarif(text=text)
        (made,) = [result for result in run["results"] if result["ruleId"] == "ST601"]
        (fix,) = made["fixes"]
        (change,) = fix["artifactChanges"]
        self.assertEqual(change["artifactLocation"], {"uri": "train.py", "uriBaseId": "%SRCROOT%"})
        lines = text.splitlines()
        for part in reversed(change["replacements"]):
            region = part["deletedRegion"]
            self.assertEqual(region["startLine"], region["endLine"])
            line = lines[region["startLine"] - 1]
            lines[region["startLine"] - 1] = (line[:region["startColumn"] - 1] + part["insertedContent"]["text"] +
                                              line[region["endColumn"] - 1:])
        self.assertIn("        é = torch.zeros(3, device=device)", lines)

    def test_faults_are_notifications(self):
        with open(os.path.join(self.folder, "fault.py"), "wb") as file:
            file.write(b"\xff\n")
        _, run = self.sarif()
        (invocation,) = run["invocations"]
        self.assertTrue(invocation["executionSuccessful"])
        (told,) = invocation["toolExecutionNotifications"]
        self.assertTrue(re.search("UTF-8", told["message"]["text"]))
        self.assertEqual(told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "fault.py")


SCHEMA = os.environ.get("STEPTIME_SARIF_SCHEMA", "")  # sarif-schema-2.1.0.json of OASIS; its licence keeps it out of this tree


class Schema(Case):
    """What the standard's own schema says."""

    def setUp(self):
        super().setUp()
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is not installed")
        if not os.path.exists(SCHEMA):
            self.skipTest("STEPTIME_SARIF_SCHEMA names no sarif-schema-2.1.0.json")
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        self.validator = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())

    def valid(self, log):
        self.assertEqual([f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in self.validator.iter_errors(log)], [])

    def test_findings_fixes_and_proofs(self):
        log, run = self.sarif(text=TRAINING.replace("        loss = ", "        new = torch.zeros(3).to(device)\n        loss = "))
        self.assertTrue(any("fixes" in result for result in run["results"]))
        self.valid(log)

    def test_silenced_ones_and_faults(self):
        with open(os.path.join(self.folder, "fault.py"), "wb") as file:
            file.write(b"\xff\n")
        log, run = self.sarif(text=TRAINING.replace(LINE, LINE.replace("\n", "  # steptime: ignore[ST401] wanted\n")))
        self.assertTrue(run["invocations"][0]["toolExecutionNotifications"])
        self.valid(log)

    def test_notebooks(self):
        log, run = self.sarif("n.ipynb", json.dumps(notebook(), indent=1))
        self.assertTrue(run["results"])
        self.valid(log)

    def test_nothing_found_and_odd_paths(self):
        self.valid(self.sarif(text="print(1)\n")[0])
        self.valid(self.sarif("dir with space/\u00e9#%?[1].py")[0])

    def test_findings_of_traces(self):
        trace = recorded("session-gnn-cpu-stack.json.gz")
        log = steptime("lint", "--format", "sarif", "--trace", trace, os.path.join(SOURCE, "examples", "antipatterns", "session_gnn")).json
        self.valid(log)


if __name__ == "__main__":
    unittest.main()
