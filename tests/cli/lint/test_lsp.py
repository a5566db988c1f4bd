# SPDX-License-Identifier: Apache-2.0
"""`steptime lsp` as bytes: what an editor sends, and what it must bear."""
import json
import os
import queue
import subprocess
import threading
import time
import unittest

from support import PROGRAM, SANITIZED, SOURCE, Folder, steptime

TRAINING = """\
import torch


def train(model, loader, optimizer, criterion, device):
    model.to(device)
    for x, y in loader:
        noise = torch.zeros(3).to(device)
        loss = criterion(model(x.to(device)) + noise, y.to(device))
        loss.backward()
        optimizer.step()
        print(loss.item())
"""
READ = 10  # the line of loss.item(), from 0
ANSWER_S = 20


class Client:
    """Reads on a thread, so that nothing waits for ever."""

    def __init__(self, env=None):
        self.child = subprocess.Popen([PROGRAM, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, env={**os.environ, **(env or {})})
        self.messages = queue.Queue()
        self.kept = []
        self.next_id = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.child.stdout
        while True:
            length = None
            for line in iter(out.readline, b"\r\n"):
                if not line:
                    self.messages.put(None)
                    return
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            self.messages.put(json.loads(out.read(length)))

    def raw(self, data):
        self.child.stdin.write(data)
        self.child.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def wait(self, wanted):
        """The next message that is wanted; others are kept for later."""
        for message in self.kept:
            if wanted(message):
                self.kept.remove(message)
                return message
        end = time.monotonic() + ANSWER_S
        while True:
            message = self.messages.get(timeout=max(0.01, end - time.monotonic()))
            if message is None:
                raise AssertionError("the server ended")
            if wanted(message):
                return message
            self.kept.append(message)

    def ask(self, method, params=None):
        self.next_id += 1
        number = self.next_id
        self.send({"id": number, "method": method, "params": params})
        return self.wait(lambda message: message.get("id") == number)

    def result(self, method, params=None):
        answer = self.ask(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def published(self, uri=None):
        message = self.wait(lambda message: message.get("method") == "textDocument/publishDiagnostics" and
                            uri in (None, message["params"]["uri"]))
        return message["params"]

    def end(self):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass


class Served(Folder):
    """A server with a folder, whose client says what it can."""

    CAPABILITIES = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}},
                    "workspace": {"workspaceEdit": {"documentChanges": True}}}

    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)
        self.client = Client()
        self.addCleanup(self.client.end)

    def uri(self, name):
        return f"file://{self.folder}/{name}"

    def write(self, name, text=TRAINING):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def begin(self, capabilities=None, **more):
        result = self.client.result("initialize", {
            "processId": None, "rootUri": None, "capabilities": capabilities or self.CAPABILITIES,
            "workspaceFolders": [{"uri": f"file://{self.folder}", "name": "w"}], **more})
        self.client.notify("initialized", {})
        return result["capabilities"]

    def open(self, name="train.py", text=TRAINING, version=1):
        self.client.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(name), "languageId": "python", "version": version, "text": text}})

    def change(self, changes, name="train.py", version=2):
        self.client.notify("textDocument/didChange", {"textDocument": {"uri": self.uri(name), "version": version},
                                                      "contentChanges": changes})

    def codes(self, diagnostics):
        return sorted(one["code"] for one in diagnostics)

    def actions(self, line, only=None, name="train.py"):
        place = {"line": line, "character": 20}
        return self.client.result("textDocument/codeAction", {
            "textDocument": {"uri": self.uri(name)}, "range": {"start": place, "end": place},
            "context": {"diagnostics": [], **({"only": only} if only else {})}})

    def applied(self, text, edits):
        """Edits of UTF-16 positions, from the last to the first."""
        lines = [line.encode("utf-16-le") for line in text.splitlines(keepends=True)] + [b""]
        for edit in sorted(edits, key=lambda edit: (edit["range"]["start"]["line"], edit["range"]["start"]["character"]), reverse=True):
            begin, end = edit["range"]["start"], edit["range"]["end"]
            head, tail = lines[begin["line"]][:2 * begin["character"]], lines[end["line"]][2 * end["character"]:]
            lines[begin["line"]:end["line"] + 1] = [head + edit["newText"].encode("utf-16-le") + tail]
        return b"".join(lines).decode("utf-16-le")


class Findings(Served):
    def test_what_is_offered(self):
        offered = self.begin()
        self.assertEqual(offered["positionEncoding"], "utf-16")
        self.assertEqual(offered["textDocumentSync"]["change"], 2)
        self.assertIn("source.fixAll.steptime", offered["codeActionProvider"]["codeActionKinds"])
        self.assertTrue(offered["hoverProvider"] and offered["diagnosticProvider"])

    def test_diagnostics_are_what_lint_finds(self):
        self.write("train.py")
        self.begin()
        self.open()
        published = self.client.published()
        self.assertEqual((published["uri"], published["version"]), (self.uri("train.py"), 1))
        found = steptime("lint", "--format", "json", os.path.join(self.folder, "train.py")).json["findings"]
        self.assertEqual(self.codes(published["diagnostics"]), sorted(one["rule"] for one in found))
        (read,) = [one for one in published["diagnostics"] if one["code"] == "ST401"]
        line = TRAINING.splitlines()[READ]
        begin = line.index("loss.item()")
        self.assertEqual(read["range"], {"start": {"line": READ, "character": begin},
                                         "end": {"line": READ, "character": begin + len("loss.item()")}})
        self.assertEqual(read["source"], "steptime")
        self.assertIn(read["severity"], (2, 3))
        self.assertTrue(read["relatedInformation"])
        self.assertEqual(read["data"]["id"], [one["id"] for one in found if one["rule"] == "ST401"][0])

    def test_the_open_text_counts_not_the_disk(self):
        self.write("train.py", "print(1)\n")
        self.begin()
        self.open()
        self.assertIn("ST401", self.codes(self.client.published()["diagnostics"]))
        self.change([{"text": "print(2)\n"}])
        self.assertEqual(self.client.published()["diagnostics"], [])

    def test_a_file_that_is_not_on_disk(self):
        self.begin()
        self.open("new.py")
        self.assertIn("ST401", self.codes(self.client.published()["diagnostics"]))

    def test_without_folder(self):
        self.write("train.py")
        self.begin(workspaceFolders=None)
        self.open()
        self.assertIn("ST401", self.codes(self.client.published()["diagnostics"]))

    def test_other_files_count_as_they_are_open(self):
        self.write("part.py", "def up(x, device):\n    return x\n")
        text = TRAINING.replace("import torch\n", "import torch\nfrom part import show\n").replace("print(loss.item())", "show(loss)")
        self.write("train.py", text)
        self.begin()
        self.open("train.py", text)
        before = self.client.published(self.uri("train.py"))["diagnostics"]
        self.open("part.py", "def show(loss):\n    print(loss.item())\n")
        found = self.client.published(self.uri("part.py"))["diagnostics"]
        self.assertEqual(self.codes(found), ["ST401"])
        self.assertNotIn("ST401", self.codes(before))

    def test_incremental_changes(self):
        self.begin()
        self.open("train.py", "")
        self.assertEqual(self.client.published()["diagnostics"], [])
        text = ""
        pieces = [TRAINING[:50], "\U0001F600\u00e9#", TRAINING[50:]]
        for version, piece in enumerate(pieces, 2):  # each behind what is there
            end = {"line": text.count("\n"), "character": len(text.rpartition("\n")[2].encode("utf-16-le")) // 2}
            self.change([{"range": {"start": end, "end": end}, "text": piece}], version=version)
            text += piece
        line = TRAINING[:50].count("\n")
        column = len(TRAINING[:50].rpartition("\n")[2])
        self.change([{"range": {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 4}}, "text": ""}],
                    version=9)
        self.assertIn("ST401", self.codes(self.client.published()["diagnostics"]))
        hover = self.client.result("textDocument/hover", {"textDocument": {"uri": self.uri("train.py")},
                                                          "position": {"line": READ, "character": 16}})
        self.assertIn("loss.item()", hover["contents"]["value"])

    def test_positions_count_what_was_agreed(self):
        line = TRAINING.splitlines()[READ]
        text = TRAINING.replace(line, line.replace("print(", "print('\U0001F600\u00e9', "))
        changed = text.splitlines()[READ]
        before = changed[:changed.index("loss.item")]
        for encodings, encoding, column in ((None, "utf-16", len(before.encode("utf-16-le")) // 2),
                                            (["utf-8", "utf-16"], "utf-8", len(before.encode()))):
            client, self.client = self.client, Client()
            client.end()
            self.addCleanup(self.client.end)
            offered = self.begin({"general": {"positionEncodings": encodings}} if encodings else {})
            self.assertEqual(offered["positionEncoding"], encoding)
            self.open(text=text)
            (read,) = [one for one in self.client.published()["diagnostics"] if one["code"] == "ST401"]
            self.assertEqual(read["range"]["start"], {"line": READ, "character": column})

    def test_pulled_diagnostics_are_not_published_too(self):
        self.begin({"textDocument": {"diagnostic": {}}})
        self.open()
        report = self.client.result("textDocument/diagnostic", {"textDocument": {"uri": self.uri("train.py")}})
        self.assertEqual(report["kind"], "full")
        self.assertIn("ST401", self.codes(report["items"]))
        time.sleep(0.5)
        self.client.result("textDocument/hover", {"textDocument": {"uri": "file:///nothing"}, "position": {"line": 0, "character": 0}})
        self.assertEqual([message for message in self.client.kept if message.get("method", "").startswith("textDocument/")], [])

    def test_closing_takes_them_away(self):
        self.begin()
        self.open()
        self.assertTrue(self.client.published()["diagnostics"])
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri("train.py")}})
        self.assertEqual(self.client.published()["diagnostics"], [])

    def test_saving_reads_the_configuration_again(self):
        self.begin()
        self.open()
        self.assertIn("ST401", self.codes(self.client.published()["diagnostics"]))
        self.write("pyproject.toml", '[tool.steptime]\nignore = ["ST"]\n')
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri("pyproject.toml")}})
        self.assertEqual(self.client.published()["diagnostics"], [])

    def test_a_broken_configuration_is_told_once(self):
        self.write("pyproject.toml", "[tool.steptime]\nignore = 3\n")
        self.begin()
        self.open()
        told = self.client.wait(lambda message: message.get("method") == "window/showMessage")
        self.assertIn("pyproject.toml", told["params"]["message"])
        self.change([{"text": TRAINING + "\n"}])
        self.client.result("textDocument/hover", {"textDocument": {"uri": self.uri("train.py")}, "position": {"line": 0, "character": 0}})
        self.assertFalse([message for message in self.client.kept if message.get("method") == "window/showMessage"])

    def shown(self):
        return self.client.wait(lambda message: message.get("method") == "window/showMessage")["params"]["message"]

    def test_more_folders_than_are_looked_at_are_told(self):
        self.begin(workspaceFolders=[{"uri": f"file://{self.folder}/{i}", "name": str(i)} for i in range(65)])
        self.assertIn("64 folders", self.shown())

    def test_more_open_files_than_are_held_are_told(self):
        self.begin()
        for i in range(4097):
            self.client.notify("textDocument/didOpen", {"textDocument": {
                "uri": self.uri(f"{i}.txt"), "languageId": "text", "version": 1, "text": ""}})
        self.assertIn("4,096 open files", self.shown())

    def test_rules_of_the_editor(self):
        self.begin(initializationOptions={"select": "ST401"})
        self.open()
        self.assertEqual(set(self.codes(self.client.published()["diagnostics"])), {"ST401"})

    def test_hover_says_why(self):
        self.begin()
        self.open()
        value = self.client.result("textDocument/hover", {"textDocument": {"uri": self.uri("train.py")},
                                                          "position": {"line": READ, "character": 16}})["contents"]["value"]
        self.assertIn("## ST401", value)
        self.assertIn("**device**", value)

    def test_a_notebook_as_text(self):
        text = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": TRAINING.splitlines(keepends=True)}]}, indent=1)
        self.begin()
        self.open("n.ipynb", text)
        (read,) = [one for one in self.client.published()["diagnostics"] if one["code"] == "ST401"]
        line = text.splitlines()[read["range"]["start"]["line"]]
        self.assertEqual(line[read["range"]["start"]["character"]:read["range"]["end"]["character"]], "loss.item()")


class Actions(Served):
    def setUp(self):
        super().setUp()
        self.begin()
        self.open()
        self.client.published()

    def test_a_quick_fix(self):
        (action,) = self.actions(6)
        self.assertEqual((action["kind"], action["isPreferred"]), ("quickfix", True))
        self.assertEqual(action["diagnostics"][0]["code"], "ST601")
        (change,) = action["edit"]["documentChanges"]
        self.assertEqual(change["textDocument"], {"uri": self.uri("train.py"), "version": 1})
        text = self.applied(TRAINING, change["edits"])
        self.assertIn("noise = torch.zeros(3, device=device)\n", text)
        self.change([{"text": text}])
        self.assertNotIn("ST601", self.codes(self.client.published()["diagnostics"]))

    def test_nothing_where_nothing_is_found(self):
        self.assertEqual(self.actions(0), [])
        self.assertEqual(self.actions(6, ["refactor"]), [])
        self.assertEqual(self.actions(6, name="other.py"), [])

    def test_all_safe_rewrites_are_those_of_fix(self):
        (action,) = self.actions(0, ["source.fixAll"])
        self.assertEqual(action["kind"], "source.fixAll.steptime")
        text = self.applied(TRAINING, action["edit"]["documentChanges"][0]["edits"])
        self.write("train.py")
        steptime("fix", "--write", "train.py", cwd=self.folder)
        with open(os.path.join(self.folder, "train.py"), encoding="utf-8") as file:
            self.assertEqual(text, file.read())

    def test_they_are_of_the_text_as_it_is_now(self):
        self.change([{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "# a line\n"}])
        (action,) = self.actions(7)
        self.assertEqual(action["edit"]["documentChanges"][0]["textDocument"]["version"], 2)
        self.assertIn("torch.zeros(3, device=device)", self.applied("# a line\n" + TRAINING, action["edit"]["documentChanges"][0]["edits"]))


class Protocol(Served):
    def error(self, message):
        self.assertIn("error", message, message)
        return message["error"]["code"]

    def test_the_order_of_a_life(self):
        self.assertEqual(self.error(self.client.ask("textDocument/hover", {})), -32002)
        self.begin()
        self.assertEqual(self.error(self.client.ask("initialize", {})), -32600)
        self.assertEqual(self.error(self.client.ask("no/such", {})), -32601)
        self.client.notify("no/such", {})
        self.client.notify("$/setTrace", {"value": "off"})
        self.assertIsNone(self.client.result("shutdown"))
        self.assertEqual(self.error(self.client.ask("textDocument/hover", {})), -32600)
        self.client.notify("exit", None)
        self.assertEqual(self.client.child.wait(ANSWER_S), 0)

    def test_an_exit_without_shutdown(self):
        self.begin()
        self.client.notify("exit", None)
        self.assertEqual(self.client.child.wait(ANSWER_S), 1)

    def test_what_came_before_the_end_counts(self):
        with open(os.path.join(SOURCE, "tests", "fuzz", "corpus", "lsp", "life"), "rb") as file:
            run = steptime("lsp", stdin=file.read())
        self.assertEqual(run.code, 0, run.err)
        self.assertEqual(run.out.count("Content-Length: "), 7)

    def test_an_end_without_exit(self):
        self.client.child.stdin.close()
        self.assertEqual(self.client.child.wait(ANSWER_S), 1)

    def test_what_is_wrong_is_told_and_survived(self):
        self.begin()
        for data, code in ((b"Content-Length: 3\r\n\r\n{]}", -32700), (b"Content-Length: x\r\n\r\n", -32700),
                           (b"Nonsense: 1\r\n\r\n", -32700), (b"Content-Length: 2\r\n\r\n[]", -32600),
                           (b"Content-Length: 12\r\n\r\n{\"id\": null}", -32600), (b"x" * 5000, -32700)):
            self.client.raw(data)
            self.assertEqual(self.error(self.client.wait(lambda message: "error" in message)), code, data)
        self.assertIsNone(self.client.result("shutdown"))

    def test_a_body_that_is_too_large_is_passed_over(self):
        self.begin()
        length = 65 << 20
        self.client.raw(b"Content-Length: %d\r\n\r\n" % length)
        for _ in range(65):
            self.client.raw(b" " * (1 << 20))
        self.assertEqual(self.error(self.client.wait(lambda message: "error" in message)), -32700)
        self.assertIsNone(self.client.result("shutdown"))

    def test_heads_with_other_members_in_pieces(self):
        body = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"capabilities": {}}}).encode()
        data = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:%d\r\n\r\n" % len(body) + body
        for at in range(0, len(data), 7):
            self.client.raw(data[at:at + 7])
        self.assertIn("capabilities", self.client.wait(lambda message: message.get("id") == "a")["result"])

    def test_a_cancelled_request(self):
        self.begin()
        bodies = [{"id": 71, "method": "textDocument/hover", "params": {}}, {"method": "$/cancelRequest", "params": {"id": 71}},
                  {"id": 72, "method": "textDocument/hover", "params": {}}]
        data = b""
        for body in bodies:
            text = json.dumps({"jsonrpc": "2.0", **body}).encode()
            data += b"Content-Length: %d\r\n\r\n" % len(text) + text
        self.client.raw(data)
        answers = {number: self.client.wait(lambda message, number=number: message.get("id") == number) for number in (71, 72)}
        self.assertEqual(self.error(answers[71]), -32800)
        self.assertIsNone(answers[72]["result"])

    def test_odd_parameters(self):
        self.begin()
        for method in ("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "workspace/didChangeWorkspaceFolders"):
            for params in (None, [], {}, 3, {"textDocument": 3}, {"textDocument": {"uri": 3}}, {"event": []}):
                self.client.notify(method, params)
        self.open()
        for changes in (None, [], [3], [{"range": 3, "text": "x"}], [{"range": {"start": {"line": -1, "character": 1e30}, "end": {}}, "text": 1}]):
            self.change(changes)
        for params in (None, {}, {"textDocument": {"uri": self.uri("train.py")}, "range": 3, "context": {"only": [3, "", "x"]}}):
            self.client.ask("textDocument/codeAction", params)
            self.client.ask("textDocument/hover", params)
        self.assertIsNone(self.client.result("shutdown"))

    def test_changes_are_looked_at_once_they_pause(self):
        self.begin()
        self.open(version=0)
        for version in range(1, 200):
            self.change([{"text": TRAINING + "#" * version}], version=version)
        while self.client.published()["version"] < 199:
            pass
        published = 1 + sum(message.get("method") == "textDocument/publishDiagnostics" for message in self.client.kept)
        self.assertLess(published, 20)

    def processes(self, pid):
        """It and those below it: the one that works is a child of the one that was started."""
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [pid] + [one for child in file.read().split() for one in self.processes(int(child))]

    def peak_kb(self, pid):
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

    @unittest.skipIf(SANITIZED, "the sanitizers take their time")
    def test_answers_are_soon_and_memory_stays(self):
        for i in range(10):
            self.write(f"part{i}.py")
        self.begin()
        self.open()
        self.client.published()
        times = []
        for version in range(2, 60):
            self.change([{"text": TRAINING + f"# {version}\n"}], version=version)
            begin = time.monotonic()
            self.actions(6)
            times.append(time.monotonic() - begin)
        self.assertLess(sorted(times)[len(times) // 2], 0.2)
        self.assertLess(max(map(self.peak_kb, self.processes(self.client.child.pid))), 200_000)


if __name__ == "__main__":
    unittest.main()
