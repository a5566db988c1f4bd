# SPDX-License-Identifier: Apache-2.0
"""--format html: one well-formed page that needs nothing else and lets nothing of a trace become markup."""
import base64
import hashlib
import os
import re
import unittest
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

from support import JUDGED, OK, Folder, recorded, span, steptime, trace_commands, training_steps, write_trace

VOID = {"meta", "input", "br"}
HOSTILE = "</script><script>alert(1)</script><img src=x onerror='alert(1)'>\"'&amp;\u202e\x1b[31m\ufffe"


class Page(HTMLParser):
    """Reads a page strictly: tags are balanced, ids are unique; keeps what tests ask for."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.tags, self.links, self.text, self.scripts = [], [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open
        assert len(self.ids) == len(set(self.ids)), "an id comes twice"

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.note(tag, attributes)

    def handle_startendtag(self, tag, attributes):
        self.note(tag, attributes)

    def note(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name == "href":
                self.links.append(value)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        (self.scripts if self.open and self.open[-1] == "script" else self.text).append(data)


class Html(Folder):
    def page(self, *arguments, code=OK, **more):
        run = steptime(*arguments, "--format", "html", **more)
        self.assertEqual(run.code, code, run.err)
        return run.out

    def check(self, text):
        page = Page(text)
        for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
            root = xml.fromstring(svg)
            self.assertEqual(root.get("role"), "img")
            self.assertTrue(root.find("title").text)
            self.assertTrue(root.find("desc").text)
        for link in page.links:
            self.assertIn(link.removeprefix("#"), page.ids)
        for tag, attributes in page.tags:
            self.assertFalse({"src", "srcset", "action", "data"} & set(attributes), tag)
            self.assertFalse([name for name in attributes if name.startswith("on")], tag)
        self.assertNotIn("://", "".join(page.scripts))
        self.assertNotIn("url(", text)
        self.assertNotIn("@import", text)
        return page

    def trace(self, events=None):
        return write_trace(os.path.join(self.folder, "trace.json"), events or training_steps(count=3))

    def test_every_command_on_traces_writes_a_page(self):
        for trace in (self.trace(), recorded("dlrm-cpu.json.gz"), recorded("session-gnn-cpu-stack.json.gz")):
            for command in trace_commands():
                with self.subTest(command=command, trace=trace):
                    page = self.check(self.page(command, trace))
                    self.assertIn(os.path.basename(trace), "".join(page.text))

    def test_its_policy_allows_the_page_s_own_script_and_no_other(self):
        text = self.page("summary", self.trace())
        script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy = re.search(r'Content-Security-Policy" content="(.*?)"', text)[1]
        self.assertIn("default-src 'none'", policy)
        self.assertIn(f"script-src 'sha256-{digest}'", policy)
        self.assertEqual(text.count("<script"), 1)

    def test_names_stay_text(self):
        events = training_steps(count=3)
        for event in events:
            if not event["name"].startswith("ProfilerStep"):
                event["name"] = HOSTILE + event["name"]
        for command in trace_commands():
            with self.subTest(command=command):
                text = self.page(command, self.trace(events))
                page = self.check(text)
                self.assertEqual(text.count("<script"), 1)
                self.assertNotIn("\x1b", text)
                self.assertNotIn("\ufffe", text)
        self.assertIn("onerror='alert(1)'", "".join(Page(self.page("ops", self.trace(events))).text))
        self.assertFalse([tag for tag, _ in page.tags if tag == "img"])

    def test_a_file_s_name_stays_text(self):
        path = os.path.join(self.folder, "<b>&'\".json")
        os.rename(self.trace(), path)
        page = self.check(self.page("summary", path))
        self.assertIn("<b>&'\".json", "".join(page.text))

    def test_a_figure_has_axis_title_and_words(self):
        text = self.page("breakdown", self.trace())
        svg = xml.fromstring(re.search(r"<svg.*?</svg>", text, re.DOTALL)[0])
        self.assertTrue(svg.findall(".//text[@class='tick']"))
        self.assertTrue([part for part in svg.findall(".//rect") if part.find("title").text])
        self.assertIn("%", svg.find("desc").text)

    def test_long_tables_are_folded_and_whole_when_asked(self):
        events = training_steps(count=3, kernels=1)
        events += [span(f"op{i}", 10 + 10 * i, 5, tid=2) for i in range(60)]
        trace = self.trace(events)
        folded = self.page("ops", trace)
        self.assertIn('<tr class="more">', folded)
        self.assertRegex(folded, r"all \d+ rows")
        whole = self.page("ops", "--rows", "0", trace)
        self.assertNotIn('<tr class="more">', whole)
        self.assertEqual(whole.count("<tr"), folded.count("<tr"))

    def test_one_table_alone(self):
        text = self.page("kernels", "--table", "kernels", self.trace())
        self.check(text)
        self.assertEqual(text.count("<table"), 1)

    def test_findings_show_the_marked_source_and_escape_it(self):
        path = os.path.join(self.folder, "train.py")
        with open(path, "w", encoding="utf-8") as out:
            out.write("import torch\n\n\ndef train(model, loader, optimizer, device):\n    model.to(device)\n"
                      "    total = 0.0\n    for x, y in loader:\n        x, y = x.to(device), y.to(device)\n"
                      "        loss = model(x, y)\n        optimizer.zero_grad()\n        loss.backward()\n"
                      "        optimizer.step()\n        total += loss.item() + len('<b>&')\n    return total\n")
        text = self.page("lint", path, code=JUDGED)
        page = self.check(text)
        self.assertIn("finding", text)
        self.assertRegex(text, r"<mark>[^<]*item\(\)")
        self.assertNotIn("<b>&'", text)
        self.assertIn("'<b>&'", "".join(page.text))


if __name__ == "__main__":
    unittest.main()
