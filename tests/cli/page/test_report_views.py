# SPDX-License-Identifier: Apache-2.0
"""steptime report, below the timeline: step over step, what-if curves, roofline, ranks, calls inside calls, the source."""
import os
import re
import unittest
from html import unescape

from pages import HOSTILE, ON_GPU, Browsing, Data, Report
from support import OK, SOURCE, span, steptime, training_steps, write_trace

try:
    from axe_playwright_python.sync_playwright import Axe
except ImportError:
    Axe = None

PROGRAM_OF_IT = os.path.join(SOURCE, "examples", "antipatterns", "session_gnn")


PREFIXES = {prefix: 1000 ** i for i, prefix in enumerate(("", "k", "M", "G", "T", "P", "E"))}
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, **{f"{prefix}{unit}": size for prefix, size in PREFIXES.items() for unit in ("FLOP", "FLOP/s", "B/s")}}


class Shown(float):
    """A number of a cell in the unit of its heading, with what one at its last digit would be."""

    def __new__(cls, text, unit):
        digits = re.sub("[<>,%]", "", text)
        size = (0.01 if text.endswith("%") else 1) * UNITS.get(unit, 1)
        number = super().__new__(cls, float(digits) * size / (2 if text[0] in "<>" else 1))
        number.step = 10 ** -len(digits.partition(".")[2]) * size if float(digits) else size
        return number

    def tells(self, value):
        return abs(self - value) <= self.step * 0.51


def heads(page, section):
    head = re.search(rf'<section id="section-{section}">.*?<thead>(.*?)</thead>', page, re.DOTALL).group(1)
    return [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<th[^>]*>.*?</th>", head, re.DOTALL)]


def rows(page, section):
    """Rows of the first table of a section: numbers as shown, and texts."""
    part = re.search(rf'<section id="section-{section}">.*?</section>', page, re.DOTALL).group(0)
    body = re.search(r"<tbody>(.*?)</tbody>", part, re.DOTALL).group(1)
    units = [re.sub(r".*\((.*)\)$|.*", r"\1", title) for title in heads(page, section)]
    lines = []
    for line in re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL):
        cells = [unescape(re.sub("<[^>]*>", "", text)) for text in re.findall(r"<td[^>]*>(.*?)</td>", line, re.DOTALL)]
        lines.append([Shown(text, unit) if re.fullmatch(r"[<>]?-?[\d.,]+%?", text) else text for text, unit in zip(cells, units, strict=True)])
    return lines


def table_of(trace, command, table, *arguments):
    told = steptime(command, "--format", "json", *arguments, trace).json
    return next(t for section in told["sections"] for t in section["tables"] if t["id"] == table)


def dicts(table):
    names = [column["id"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


class Views(Report):
    def test_the_curves_meet_the_experiments_of_the_verdict(self):
        self.page(ON_GPU)
        told = {row["resource"]: row for row in dicts(table_of(ON_GPU, "summary", "experiments"))}
        names = [title.replace(" (ms)", "") for title in heads(self.text, "curves")]
        curves = rows(self.text, "curves")
        self.assertEqual([row[0] for row in curves], [0, 0.25, 0.5, 0.75, 1, 1.5, 2])
        self.assertIn("host", names)
        self.assertIn("device", names)
        for name in ("host", "device"):
            at = names.index(name)
            none, quarter, half, most, whole, more, double = (row[at] for row in curves)
            self.assertEqual(sorted([none, quarter, half, most, whole, more, double]), [none, quarter, half, most, whole, more, double])
            self.assertAlmostEqual(whole - half, told[name]["saved_ns"], delta=whole.step)
            self.assertAlmostEqual(whole - none, told[name]["removed_ns"], delta=whole.step)
        host = [row[names.index("host")] for row in curves]
        self.assertGreater(host[-1] - host[4], 0.5 * host[4], "a step that its host bounds is slower with a slower one")

    def test_the_roofline_is_made_of_the_numbers_of_ops(self):
        self.page(ON_GPU)
        told = {row["title"]: row for row in dicts(table_of(ON_GPU, "ops", "operators"))}
        roofs = rows(self.text, "roofline")
        self.assertGreater(len(roofs), 10)
        known = 0
        for name, per_byte, rate, peak, memory, ns, share, bound in roofs:
            row = told[name]
            intensity = row["flops"] / row["bytes"]
            self.assertTrue(per_byte.tells(intensity), name)
            self.assertTrue(rate.tells(row["flop_per_s"]), name)
            if not bound:
                continue
            known += 1
            roof = min(peak, intensity * memory)
            self.assertAlmostEqual(share, row["flop_per_s"] / roof, delta=share.step + 0.002)  # memory and peak are rounded, too
            self.assertEqual(bound, "memory" if intensity * memory < peak else "arithmetic")
        self.assertGreater(known, 5)
        self.assertEqual([row[5] for row in roofs], sorted((row[5] for row in roofs), reverse=True))
        drawn = re.search(r'<figure class="plot roofline">.*?</figure>', self.text, re.DOTALL).group(0)
        drawn = drawn.partition("</svg>")[0]  # for windows; the one for telephones has the same
        self.assertEqual(len(re.findall('<circle class="(?:ring|disc)"', drawn)), known)
        self.assertEqual(len(re.findall('<rect class="unroofed"', drawn)), len(roofs) - known)

    def test_steps_are_those_of_breakdown(self):
        self.page(ON_GPU)
        told = [row["wall_ns"] for row in dicts(table_of(ON_GPU, "breakdown", "steps"))]
        at = next(i for i, title in enumerate(heads(self.text, "steps")) if title.startswith("step time"))
        for ns, row in zip(told, rows(self.text, "steps"), strict=True):
            self.assertTrue(row[at].tells(ns), (ns, row))
        self.assertIn('<figure class="plot lines">', re.search(r'<section id="section-steps">.*?</section>', self.text, re.DOTALL).group(0))

    def test_a_job_has_its_ranks_and_the_path_across_them(self):
        self.page(self.job(3))
        for section in ("ranks", "steps"):
            self.assertIn(f'<section id="section-{section}">', self.text)

    def test_a_job_has_its_distributions(self):
        """Of each chart the median that it tells is that of all steps of all ranks."""
        folder = self.job(3)
        slow = training_steps(4)
        for event in slow:
            event["dur"] = 150 if event["name"].startswith("sgemm") else event["dur"]
        write_trace(os.path.join(folder, "rank1.json"), slow, distributedInfo={"rank": 1, "world_size": 3})
        self.page(folder)
        part = re.search(r'<section id="section-steps">.*?</section>', self.text, re.DOTALL).group(0)
        figures = [unescape(re.sub("<[^>]*>", " ", figure)) for figure in re.findall(r"<figure.*?</figure>", part, re.DOTALL)]
        self.assertTrue(2 <= len(figures) <= 3, figures)
        for figure in figures:
            self.assertIn("distribution of 12 values", figure)
        self.assertIn("median: 1.000 ms", figures[0])
        steps = dicts(table_of(folder, "breakdown", "steps"))
        self.assertEqual(sorted(row["compute_ns"] for row in steps), [300000] * 8 + [450000] * 4)
        compute = next(figure for figure in figures if "compute" in figure)
        self.assertIn("median: 300", compute)

    def test_memory_is_there_where_it_was_recorded(self):
        events = training_steps(2)
        for i, size in enumerate((1 << 20, 1 << 20, -(1 << 20), 1 << 20)):
            events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 100 + 400 * i,
                           "args": {"Addr": 4096 * (1 + i % 2), "Bytes": size, "Device Type": 1, "Device Id": 0, "Ev Idx": 1,
                                    "Total Allocated": size * (i + 1), "Total Reserved": 1 << 24}})
        for trace, has in ((write_trace(os.path.join(self.folder, "m.json"), events), True), (ON_GPU, False)):
            self.page(trace)
            for name in ("memory", "memory_lines", "memory_devices"):
                self.assertEqual(f'<section id="section-{name}">' in self.text, has, (trace, name))
            self.assertNotIn("allocator", re.search(r"<header class=.masthead.*?</header>", self.text, re.DOTALL).group(0))

    def test_a_trace_without_anything_has_none_of_it(self):
        self.page(write_trace(os.path.join(self.folder, "t.json"), [span("aten::add", 5, 1)]))
        self.assertNotIn('id="section-roofline"', self.text)


class Source(Report):
    def test_findings_have_line_events_and_diff(self):
        self.page("--source", PROGRAM_OF_IT, ON_GPU)
        told = steptime("lint", "--format", "json", "--fail-on", "never", "--trace", ON_GPU, PROGRAM_OF_IT).json["findings"]
        data = Data(self.data)
        events = {one["id"]: one["events"] for one in told if one["events"]}
        self.assertTrue(events)
        self.assertEqual({id: data.found.get(id) for id in events}, events)
        diff = steptime("fix", "--unsafe", PROGRAM_OF_IT).out
        shown = 0
        for one in told:
            card = re.search(rf'<article [^>]*data-id="{re.escape(one["id"])}".*?</article>', self.text, re.DOTALL).group(0)
            self.assertIn(f':{one["line"]}</span>', card)
            for new in re.findall(r"<ins>(.*?)</ins>", card, re.DOTALL):
                self.assertIn("+" + unescape(new), diff)
                shown += 1
        self.assertGreater(shown, 2)

    def test_the_costliest_come_first(self):
        self.page("--source", PROGRAM_OF_IT, ON_GPU)
        saving = re.findall(r'<article [^>]*>.*?saves up to <b>([0-9.]+)\s*(\S+)</b>', self.text, re.DOTALL)
        unit = {"ns": 1, "us": 1e3, "\u00b5s": 1e3, "ms": 1e6}
        values = [float(number) * unit[word] for number, word in saving]
        self.assertGreater(len(values), 3)
        self.assertEqual(values, sorted(values, reverse=True))

    def test_a_source_that_is_not_there(self):
        trace = write_trace(os.path.join(self.folder, "t.json"), training_steps(2))
        out = os.path.join(self.folder, "r.html")
        run = steptime("report", "--source", os.path.join(self.folder, "none"), "-o", out, trace)
        self.assertNotEqual(run.code, OK)
        self.assertIn("none", run.err)
        self.assertFalse(os.path.exists(out))


class Tables(Browsing):
    def test_columns_sort_by_what_they_show(self):
        """Sizes with a unit each, shares, numbers below what is shown, and cells without any, which are less than all."""
        page = self.open(self.page(ON_GPU))
        for ascending in (["-", "0", "<0.01 B", "512 B", "1,023 B", "3.5 KiB", "1.2 MiB"], ["-", ">-0.1", "0", "<0.01", "0.01", "9.5", "1,000"],
                          ["0%", "<0.1%", "9.9%", "10.0%"], ["1 ns", "3 us", "20 ms", "1 s"], ["2 FLOP/s", "1 kFLOP/s", "3.1 EFLOP/s"]):
            with self.subTest(cells=ascending):
                got = page.evaluate("""([cells, at]) => { const table = document.querySelector("#section-kernels table"), head = table.tHead.rows[0].cells[at];
                    [...table.tBodies[0].rows].forEach((row, i) => { row.cells[at].textContent = cells[i * 5 % cells.length]; });
                    if (head.hasAttribute("aria-sort")) throw new Error("sorted before");
                    const read = () => { head.click(); return [head.getAttribute("aria-sort"), [...table.tBodies[0].rows].map((row) => row.cells[at].textContent)]; };
                    return [read(), read(), read()[0]]; }""", [ascending, 3])
                (first, down), (second, up), third = got
                self.assertEqual((first, second, third), ("descending", "ascending", None))
                self.assertEqual([one for i, one in enumerate(up) if up.index(one) == i], ascending)
                self.assertEqual([one for i, one in enumerate(down) if down.index(one) == i], ascending[::-1])


class Flame(Browsing):
    def flame(self, page):
        page.evaluate("document.getElementById('flame').scrollIntoView()")
        self.until(page, "typeof Flame === 'object' && Flame.ready > 0")
        return page

    def totals(self, page, by):
        """Of each path of names its time, from the tree in the page."""
        return dict(page.evaluate("""(by) => { const all = [], walk = (node, path) => { for (const child of node.children.values()) {
            if (child[by] > 0) all.push([[...path, child.name].join(" > "), [child[by], child.times]]); walk(child, [...path, child.name]); } };
            walk(Flame.view.top, []); return all; }""", by))

    def test_times_are_added_up_by_path(self):
        page = self.flame(self.open(self.page(self.trace())))
        self.assertEqual(self.totals(page, "host"), {"aten::mm": [600e3, 12], "aten::mm > cudaLaunchKernel": [120e3, 12]})
        self.assertEqual(self.totals(page, "device"), {"aten::mm": [1200e3, 12], "aten::mm > cudaLaunchKernel": [1200e3, 12],
                                                       "aten::mm > cudaLaunchKernel > sgemm_128x64": [1200e3, 12]})
        page.evaluate("Timeline.view.show(1e6, 2e6)")
        page.select_option("#flame select[aria-label='of which time']", "sight")
        self.assertEqual(self.totals(page, "device")["aten::mm"], [300e3, 3])
        self.assertEqual(self.troubles, [])

    def test_all_device_time_is_there_on_a_real_trace(self):
        page = self.flame(self.open(self.page(ON_GPU)))
        work = sum(one[2] for one in Data(self.data).events if one[6] == 4)
        for stacks in ("operators", "modules", "python"):
            page.select_option("#flame select[aria-label='what stacks are made of']", stacks)
            self.assertEqual(page.evaluate("Flame.view.top.device"), work)
            widths = page.evaluate("Flame.boxes(Flame.view.top, 'device', 0).filter((box) => box.depth === 0).reduce((sum, box) => sum + box.width, 0)")
            self.assertAlmostEqual(widths, 1, delta=1e-6)

    def test_pointer_and_keys(self):
        page = self.flame(self.open(self.page(self.trace())))
        page.locator("#flame .boxes button").first.focus()
        page.keyboard.press("ArrowDown")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "cudaLaunchKernel")
        page.keyboard.press("Enter")
        self.assertEqual(page.locator("#flame .above button").all_inner_texts(), ["all", "aten::mm", "cudaLaunchKernel"])
        page.keyboard.press("Escape")
        self.assertEqual(page.locator("#flame .above button").all_inner_texts(), ["all", "aten::mm"])
        page.locator("#flame .above button").first.click()
        self.assertEqual(page.locator("#flame .above button").all_inner_texts(), ["all"])
        page.locator("#flame .boxes button").first.focus()
        page.click("#flame .told button")
        self.until(page, "Timeline.view.state.marks && Timeline.view.state.marks.whole && Timeline.view.state.marks.count === 12")
        self.assertEqual(self.troubles, [])

    def test_hostile_names_and_a_phone(self):
        events = training_steps(2)
        for event in events:
            event["name"] += HOSTILE if not event["name"].startswith("Prof") else ""
        path = self.page(write_trace(os.path.join(self.folder, "h.json"), events))
        page = self.flame(self.open(path, width=390, height=800))
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
        text = page.inner_text("#flame")
        self.assertIn("</script>", text)
        self.assertNotIn("\u202e", text)
        self.assertEqual(page.locator("img").count(), 0)
        page.emulate_media(media="print")
        self.assertFalse(page.locator("#flame .tools").is_visible())
        self.assertEqual(self.troubles, [])

    @unittest.skipUnless(Axe, "axe-playwright-python is not here")
    def test_axe_finds_nothing(self):
        pages = {"one": [("--source", PROGRAM_OF_IT, ON_GPU), (1280, 390)], "job": [(self.job(3),), (1280,)]}
        for name, (arguments, widths) in pages.items():
            path = self.page(*arguments)
            for scheme, width in ((scheme, width) for scheme in ("light", "dark") for width in widths):
                with self.subTest(page=name, scheme=scheme, width=width):
                    page = self.open(path, width=width, scheme=scheme, bypass_csp=True)
                    self.flame(page)
                    found = Axe().run(page).response["violations"]
                    self.assertEqual([(one["id"], one["nodes"][0]["html"][:200]) for one in found], [])


del Report, Browsing


if __name__ == "__main__":
    unittest.main()
