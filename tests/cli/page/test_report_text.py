# SPDX-License-Identifier: Apache-2.0
"""Text on the page of steptime report: none is cut off, at the width of a phone and of a screen, and names that are markup, control
characters or marks of direction stay text in every view."""
import os
import unittest

from pages import HOSTILE, ON_GPU, Browsing
from support import SOURCE, span, training_steps, write_trace

PROGRAM = os.path.join(SOURCE, "examples", "antipatterns", "session_gnn")

# Texts that reach out of the window where nothing scrolls, out of their figure, or out of a box that hides what is too long for it.
# Boxes of the calls are as wide as their time: they tell their name to the pointer and to readers of the screen.
CUT_OFF = """() => {
    const found = [], scrolls = (element) => {
      for (let up = element; up && up !== document.body; up = up.parentElement) if (["auto", "scroll"].includes(getComputedStyle(up).overflowX)) return true;
      return false; };
    for (const element of document.querySelectorAll("body *")) {
      const text = element.textContent.slice(0, 60);
      if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) || !element.checkVisibility({visibilityProperty: true})) continue;
      if (element.closest(".boxes, script, style")) continue;
      const range = document.createRange(), own = element.getBoundingClientRect(), drawing = element.closest("svg");
      range.selectNodeContents(element);
      const {left, right, width} = range.getBoundingClientRect();
      if (drawing) {
        const all = drawing.getBoundingClientRect();
        if (own.left < all.left - 1 || own.right > all.right + 1 || own.top < all.top - 1 || own.bottom > all.bottom + 1) found.push(["figure", text]);
      } else if (width && (right > innerWidth + 1 || left < -1) && !scrolls(element)) found.push(["window", text]);
      else if (width && getComputedStyle(element).overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1) found.push(["box", text]);
    }
    return found; }"""

# Where a mark of direction or a control character stands as itself.
RAW = """() => {
    const bad = /[\\u202a-\\u202e\\u2066-\\u2069\\u0000-\\u0008\\u000e-\\u001f]/, found = [];
    for (const element of document.querySelectorAll("*")) {
      for (const {name, value} of element.attributes) if (bad.test(value)) found.push([element.tagName, name, value.slice(0, 60)]);
      for (const node of element.childNodes) if (node.nodeType === 3 && bad.test(node.textContent)) found.push([element.tagName, node.textContent.slice(0, 60)]);
    }
    return found; }"""


def hostile(events):
    return [{**event, "name": event["name"] + ("" if event["name"].startswith("ProfilerStep") else HOSTILE)} for event in events]

# Labels of one drawing that cover each other by more than a hair.
OVERLAPS = """() => [...document.querySelectorAll(".plot svg")].flatMap((svg) => {
  const boxes = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width);
  return boxes.flatMap(([text, a], i) => boxes.slice(i + 1)
    .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
    .map(([other]) => [text, other])); })"""


class Text(Browsing):
    def whole(self, path, width):
        page = self.open(path, width=width)
        page.evaluate("document.getElementById('flame').scrollIntoView()")
        self.until(page, "typeof Flame === 'object' && Flame.ready > 0")
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, page.evaluate(CUT_OFF))
        return page

    def events(self, rank):
        """With threads, frames, memory and a step that is longer on one rank."""
        events = hostile(training_steps(3))
        for i in range(3):
            events.append(span(f"train{HOSTILE}.py(7): step{HOSTILE}", 1000 * i + 5, 900 + 20 * rank, cat="python_function", **{"Python id": 2 * i + 1}))
            events.append(span(f"nn.Module: Net{HOSTILE}_0", 1000 * i + 8, 800, cat="python_function", **{"Python id": 2 * i + 2, "Python parent id": 2 * i + 1}))
            events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1000 * i + 100,
                           "args": {"Addr": 4096 * (1 + i), "Bytes": 1 << 20, "Device Type": 1, "Device Id": 0, "Ev Idx": 1, "Total Allocated": (1 + i) << 20,
                                    "Total Reserved": 1 << 24}})
        for kind, name in (("process_name", "python"), ("thread_name", "main")):
            events.append({"ph": "M", "name": kind, "pid": 1, "tid": 1, "args": {"name": name + HOSTILE}})
        return events

    def job(self, ranks=2):
        folder = os.path.join(self.folder, "job")
        os.makedirs(folder)
        for rank in range(ranks):
            write_trace(os.path.join(folder, f"rank{rank}<b>'.json"), self.events(rank), distributedInfo={"rank": rank, "world_size": ranks})
        return folder

    def test_nothing_is_cut_off(self):
        for name, arguments in (("one", ("--source", PROGRAM, ON_GPU)), ("job", (self.job(3),))):
            path = self.page(*arguments)
            for width in (390, 1280):
                with self.subTest(page=name, width=width):
                    page = self.whole(path, width)
                    self.assertEqual(page.evaluate(CUT_OFF), [])
        page.evaluate("""() => { const p = document.querySelector("#first p"); p.style.whiteSpace = "nowrap"; p.textContent = "too long ".repeat(99);
            document.querySelector("#section-steps svg text").setAttribute("x", -30); }""")
        self.assertEqual({kind for kind, _ in page.evaluate(CUT_OFF)}, {"window", "figure"})

    def test_figures_fit_and_their_labels_keep_off_each_other(self):
        path = self.page(ON_GPU)
        for width in (390, 768, 1280):
            page = self.whole(path, width)
            self.assertGreater(page.locator(".plot svg:visible").count(), 2)
            self.assertEqual(page.evaluate("[...document.querySelectorAll('.plot')].filter((plot) => plot.scrollWidth > plot.clientWidth).length"), 0)
            self.assertEqual(page.evaluate(OVERLAPS), [])
        page.evaluate("""() => { const [a, b] = document.querySelectorAll("figure.roofline svg.wide .label");
            b.setAttribute("x", a.getAttribute("x")); b.setAttribute("y", a.getAttribute("y")); b.setAttribute("text-anchor", a.getAttribute("text-anchor")); }""")
        self.assertNotEqual(page.evaluate(OVERLAPS), [])

    def test_hostile_names_stay_text_in_every_view(self):
        source = os.path.join(self.folder, "src<b>&\"'")
        os.makedirs(source)
        with open(os.path.join(source, "train.py"), "w", encoding="utf-8") as file:
            file.write("import torch\n\n\ndef train(model, loader):\n    for x in loader:\n        loss = model(x.cuda())\n"
                       f"        print(loss.item(), {HOSTILE[:60]!r})\n        loss.backward()\n")
        one = write_trace(os.path.join(self.folder, "one.json"), self.events(0))
        for arguments in (("--source", source, one), (self.job(2),)):
            path = self.page(*arguments)
            for section in ("steps", "memory", *(["lint"] if "--source" in arguments else ["ranks"])):
                self.assertIn(f'<section id="section-{section}">', self.text)
            for width in (390, 1280):
                page = self.whole(path, width)
                for stacks in ("operators", "modules", "python"):
                    page.select_option("#flame select[aria-label='what stacks are made of']", stacks)
                    self.assertIn("</script>", page.inner_text("#flame .boxes"))
                page.fill("#timeline-find", "</script>")
                self.until(page, "Timeline.view.state.marks && Timeline.view.state.marks.whole && Timeline.view.state.marks.count > 9")
                page.press("#timeline-find", "Enter")
                self.until(page, "Timeline.view.state.selected")
                self.assertIn("</script>", page.inner_text("#timeline-told"))
                self.assertEqual(page.evaluate(RAW), [])
                self.assertEqual(page.evaluate("[document.images.length, document.querySelectorAll('b b, script:not([type])').length]"), [0, 1 + 2])
                self.assertEqual(page.evaluate(CUT_OFF), [])
                self.assertEqual(self.troubles, [])
        page.evaluate("document.querySelector('#flame .told').title = '\\u202e'")
        self.assertEqual(len(page.evaluate(RAW)), 1)


del Browsing


if __name__ == "__main__":
    unittest.main()
