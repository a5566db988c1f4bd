# SPDX-License-Identifier: Apache-2.0
"""steptime mcp: the protocol line by line, hostile lines, and a conversation of the official client from traces to a diff."""
import asyncio
import json
import os
import re
import shutil
import subprocess
import unittest

from support import PROGRAM, SOURCE, Folder, recorded

try:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
except ImportError:
    ClientSession = None

BEGIN = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
         "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}


def talk(*lines, cwd=None):
    """What is answered to lines, each a message or the text of one."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = subprocess.run([PROGRAM, "mcp"], input=text.encode(), capture_output=True, timeout=120, check=False, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def call(name, number=1, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


class Protocol(Folder):
    def answer(self, request):
        answers = talk(BEGIN, request, cwd=self.folder)
        self.assertEqual([answer["id"] for answer in answers], [0, request["id"]])
        return answers[1]

    def test_tools_take_what_commands_take(self):
        tools = {tool["name"]: tool for tool in self.answer({"jsonrpc": "2.0", "id": "a", "method": "tools/list"})["result"]["tools"]}
        self.assertLessEqual({"summary", "diff", "lint", "fix", "ranks", "predict", "kernels"}, set(tools))
        self.assertFalse({"record", "tune", "verify", "mcp", "lsp"} & set(tools))
        for tool in tools.values():
            options = tool["inputSchema"]["properties"]
            self.assertFalse({"output", "write", "save", "color"} & set(options), tool["name"])
        self.assertIn("markdown", tools["summary"]["inputSchema"]["properties"]["format"]["enum"])
        self.assertEqual(tools["summary"]["inputSchema"]["properties"]["skip-warmup"]["type"], "boolean")

    def test_an_answer_and_an_error(self):
        found = self.answer(call("summary", inputs=[recorded("dlrm-cpu.json.gz")], findings=1))["result"]
        self.assertFalse(found["isError"])
        self.assertIn("What a step costs", found["content"][0]["text"])
        for arguments in ({"inputs": ["nowhere.json"]}, {"inputs": []}, {"inputs": "x"}, {"wrong": 1}, {"output": "x"},
                          {"steps": "many", "inputs": ["x"]}, {"inputs": ["--output=stolen", "x"]}, {"skip-warmup": "perhaps"}):
            with self.subTest(arguments=arguments):
                found = self.answer(call("summary", **arguments))["result"]
                self.assertTrue(found["isError"], found)
                self.assertTrue(found["content"][0]["text"])
        self.assertEqual(os.listdir(self.folder), [])

    def test_standard_input_is_the_protocols(self):
        answers = talk(BEGIN, call("summary", 1, inputs=["-"]), call("lint", 2, inputs=["x.py"], trace="-"),
                       {"jsonrpc": "2.0", "id": 3, "method": "ping"})
        self.assertEqual([answer["id"] for answer in answers], [0, 1, 2, 3])
        for answer in answers[1:3]:
            self.assertTrue(answer["result"]["isError"])
            self.assertIn("name a file", answer["result"]["content"][0]["text"])

    def test_pages_that_are_none(self):
        for page, word in ((99, "no page 99"), (0, "no page 0"), ("2", "a number from 1 on")):
            found = self.answer(call("rules", inputs=["show", "ST401"], page=page))["result"]
            self.assertTrue(found["isError"], page)
            self.assertIn(word, found["content"][0]["text"])

    def test_pages(self):
        arguments = {"inputs": [recorded("dlrm-cpu.json.gz")], "table": "operators", "by": "python", "rows": "0"}
        whole = subprocess.run([PROGRAM, "ops", "--format", "json", arguments["inputs"][0]], capture_output=True, check=True)
        first = self.answer(call("ops", inputs=arguments["inputs"], format="json"))["result"]["content"][0]["text"]
        pages = int(re.search(r"page 1 of (\d+)", first)[1])
        self.assertGreater(pages, 1)
        answers = talk(BEGIN, *(call("ops", page, inputs=arguments["inputs"], format="json", page=page)
                                for page in range(1, pages + 2)))[1:]
        texts = [answer["result"]["content"][0]["text"] for answer in answers]
        self.assertIn("There is no page", texts.pop())
        joined = "".join(re.sub(r"\n\n\(page .*\)$", "", text) for text in texts)
        self.assertEqual(json.loads(joined)["sections"], json.loads(whole.stdout)["sections"])

    def test_hostile_lines(self):
        answers = talk("", "{", "[]", "\"x\"", "{\"jsonrpc\": \"2.0\"}", call("summary", 5), BEGIN, "\0\0", '{"id":1,"method":3}',
                       {"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": []},
                       {"jsonrpc": "2.0", "id": 7, "method": "nothing"}, {"jsonrpc": "2.0", "method": "notifications/initialized"},
                       {"jsonrpc": "2.0", "id": 8, "method": "prompts/get", "params": {"name": "none"}},
                       {"jsonrpc": "2.0", "id": 9, "method": "ping"}, "[" * 100000)
        by_id = {answer["id"]: answer for answer in answers}
        self.assertIn("initialize", by_id[5]["error"]["message"])
        self.assertEqual(by_id[7]["error"]["code"], -32601)
        self.assertIn("error", by_id[6])
        self.assertIn("error", by_id[8])
        self.assertEqual(by_id[9]["result"], {})

    def test_prompts(self):
        listed = self.answer({"jsonrpc": "2.0", "id": 3, "method": "prompts/list"})["result"]["prompts"]
        for prompt in listed:
            names = [argument["name"] for argument in prompt["arguments"]]
            given = {name: f"/some/{name} \"x\"" for name in names}
            text = self.answer({"jsonrpc": "2.0", "id": 4, "method": "prompts/get", "params": {
                "name": prompt["name"], "arguments": given}})["result"]["messages"][0]["content"]["text"]
            for value in given.values():
                self.assertIn(json.dumps(value), text)  # between quotes it stands as JSON has it
            less = {"jsonrpc": "2.0", "id": 5, "method": "prompts/get",
                    "params": {"name": prompt["name"], "arguments": {names[0]: "x"}}}
            self.assertEqual(self.answer(less)["error"]["code"], -32602)
            self.assertNotRegex(text, r"\{[a-z]+\}")


@unittest.skipUnless(ClientSession, "the client mcp (PyPI) is not installed")
class Official(Folder):
    """As an agent that knows nothing of steptime would go: the prompt, then the tools that it names."""

    async def conversation(self):
        source = os.path.join(self.folder, "session_gnn")
        shutil.copytree(os.path.join(SOURCE, "examples", "antipatterns", "session_gnn"), source)
        server = StdioServerParameters(command=PROGRAM, args=["mcp"], cwd=self.folder)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            begun = await session.initialize()
            about = getattr(begun, "server_info", None) or begun.serverInfo  # since version 2, and before
            self.assertEqual(about.name, "steptime")
            prompts = (await session.list_prompts()).prompts
            self.assertIn("trace_to_fix", [prompt.name for prompt in prompts])
            traces = recorded("dlrm-cpu.json.gz")
            guide = await session.get_prompt("trace_to_fix", {"traces": traces, "source": source})
            named = re.findall(r"Call `([a-z-]+)`", guide.messages[0].content.text)
            self.assertEqual(named[0], "summary")
            tools = {tool.name for tool in (await session.list_tools()).tools}
            self.assertLessEqual(set(named), tools)
            summary = await session.call_tool("summary", {"inputs": [traces]})
            self.assertIn("What a step costs", summary.content[0].text)
            lint = await session.call_tool("lint", {"inputs": [source]})
            self.assertIn("ST", lint.content[0].text)
            fix = await session.call_tool("fix", {"inputs": ["session_gnn"]})
            return fix.content[0].text

    def test_from_a_trace_to_a_diff_that_applies(self):
        diff = asyncio.run(self.conversation())
        self.assertIn("\n--- a/", diff)
        done = subprocess.run(["patch", "-p1", "--dry-run"], input=diff + "\n", text=True, cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
