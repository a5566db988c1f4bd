# SPDX-License-Identifier: Apache-2.0
"""steptime report: the page holds every event of the traces, and does in a browser what doc/report.md says."""
import base64
import gzip
import hashlib
import json
import os
import re
import unittest

from pages import CALL, HOSTILE, KERNEL, ON_GPU, WAIT, WORK, Browsing, Data, Report, base91_of
from support import INPUT, OK, USAGE, recorded, span, steptime, training_steps, write_trace


class Written(Report):
    def test_every_event_is_there_with_its_times_and_cause(self):
        events = training_steps(4)
        self.page(write_trace(os.path.join(self.folder, "t.json"), events))
        data = Data(self.data)
        got = sorted((row, start, dur, name) for row, start, dur, name, *_ in data.events)
        self.assertEqual(got, [(row, round(one["ts"] * 1000), round(one["dur"] * 1000), one["name"]) for row, one in enumerate(events)])
        kernels = [one for one in data.events if one[6] == WORK]
        self.assertEqual(len(kernels), 12)
        for row, _, _, _, kind, cause, _ in kernels:
            self.assertEqual(kind, KERNEL)
            self.assertEqual(events[cause]["name"], "cudaLaunchKernel")
            self.assertEqual(events[cause]["args"]["correlation"], events[row]["args"]["correlation"])

    def test_a_recorded_trace_keeps_its_critical_path_and_findings(self):
        for trace in (recorded("session-gnn-cpu-stack.json.gz"), ON_GPU):
            with self.subTest(trace=trace):
                self.page(trace)
                self.check_marks(trace, Data(self.data))

    def check_marks(self, trace, data):
        rows = {one[0]: one for one in data.events}
        self.assertTrue(data.path)
        self.assertEqual(data.path, sorted(data.path))
        known = [(start, length, rows[row]) for start, length, row in data.path if row >= 0]
        self.assertTrue(known)
        for found in data.found.values():
            self.assertTrue(set(found) <= set(rows))
        told = steptime("summary", "--format", "json", "--findings", "50", trace).json["findings"]
        self.assertEqual({one["id"]: one["events"] for one in told if one["events"]}, data.found)

    def test_the_first_screen_says_what_summary_says(self):
        trace = ON_GPU
        self.page(trace)
        first = re.search(r'<section id="first">.*?</section>', self.text, re.DOTALL).group(0)
        told = steptime("summary", "--format", "json", trace).json["findings"][:3]
        self.assertEqual(re.findall(r'<li data-id="([^"]*)"', first), [one["id"] for one in told])
        self.assertIn("<svg", first)
        self.assertIn('class="lead"', first)

    def test_several_ranks_share_a_clock_where_they_tell_the_time(self):
        folder = self.job()
        self.page(folder)
        self.assertEqual([trace["rank"] for trace in Data(self.data).head["traces"]], [0, 1])

    def test_names_stay_names(self):
        events = training_steps(2)
        for event in events:
            if not event["name"].startswith("ProfilerStep"):
                event["name"] += HOSTILE
        self.page(write_trace(os.path.join(self.folder, "h.json"), events))
        self.assertNotIn("<script>alert", self.text)
        self.assertNotIn("\u202e", self.text)
        self.assertNotIn("\x1b", self.text)
        names = "".join(Data(self.data).head["traces"][0]["names"])
        self.assertIn("</script>", names)
        self.assertIn("\\u202e", names)
        self.assertNotIn("\u202e", names)

    def test_its_policy_allows_its_own_scripts_and_no_other(self):
        self.page(write_trace(os.path.join(self.folder, "t.json"), training_steps(2)))
        packed = [text for kind, text in self.pieces if kind == "script"]
        own = [text.encode() for text in re.findall(r"<script>(.*?)</script>", self.first, re.DOTALL)]
        policy = re.search(r'Content-Security-Policy" content="(.*?)"', self.text).group(1)
        self.assertEqual((len(packed), len(own)), (2, 1))
        self.assertEqual(sorted(re.findall(r"'sha256-([^']*)'", policy)),
                         sorted(base64.b64encode(hashlib.sha256(text).digest()).decode() for text in own + packed))

    def test_calls_that_wait_are_those_that_block_the_host(self):
        """As breakdown has them: what frees memory and plain copies wait, too; a copy that is asynchronous and pinned does not."""
        calls = {"cudaDeviceSynchronize": WAIT, "cudaFree": WAIT, "cudaMemcpy": WAIT, "cudaMemcpyAsync": CALL, "cudaFreeAsync": CALL,
                 "cudaLaunchKernel": CALL}
        self.page(write_trace(os.path.join(self.folder, "t.json"),
                              [span(name, 10 * i, 5, cat="cuda_runtime") for i, name in enumerate(calls)]))
        self.assertEqual({one[3]: one[4] for one in Data(self.data).events}, calls)

    def test_wrong_words(self):
        self.assertEqual(steptime("report").code, USAGE)
        self.assertEqual(steptime("report", "-o", os.path.join(self.folder, "x.html"), "/nowhere.json").code, INPUT)
        trace = write_trace(os.path.join(self.folder, "t.json"), training_steps(2))
        self.assertNotEqual(steptime("report", "-o", trace, trace).code, OK)

    def test_what_is_wrong_with_a_file_is_told_on_the_terminal_too(self):
        whole = json.dumps({"traceEvents": training_steps(3)})
        cut, page = os.path.join(self.folder, "cut.json"), os.path.join(self.folder, "page.html")
        for text, told in ((whole, ""), (whole[:-40], "breaks off")):
            with self.subTest(told=told), open(cut, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                done = steptime("report", "-o", page, cut)
                self.assertEqual(done.code, OK)
                self.assertIn(told, done.err)
                self.assertEqual(bool(told), bool(done.err), done.err)

    def test_a_page_is_smaller_than_the_trace(self):
        """From 70 kB of gzip on; one event makes a page of less than 45 kB."""
        for name in ("dlrm-cpu.json.gz", "session-gnn-cpu-stack.json.gz"):
            path = self.page(recorded(name))
            self.assertLess(os.path.getsize(path), 0.75 * os.path.getsize(recorded(name)), name)
        path = self.page(write_trace(os.path.join(self.folder, "t.json"), [span("aten::add", 5, 1)]))
        self.assertLess(os.path.getsize(path), 45000)

    def test_times_that_are_no_whole_microseconds_keep_their_digits(self):
        for unit, step in ((1, 0.001), (500, 0.5), (1000, 1), (30000, 30)):
            self.page(write_trace(os.path.join(self.folder, "t.json"), [span(f"op{i % 3}", 7 * i * step, (i % 5 + 1) * step) for i in range(40)]))
            data = Data(self.data)
            self.assertEqual(data.head["traces"][0]["unit"], unit)
            self.assertEqual([(start, dur) for _, start, dur, *_ in data.events],
                             [(round(7000 * i * step), round(1000 * (i % 5 + 1) * step)) for i in range(40)])

    def test_an_empty_trace_gives_a_page(self):
        trace = write_trace(os.path.join(self.folder, "t.json"), [span("aten::add", 5, 1)])
        self.page(trace)
        self.assertEqual(len(Data(self.data).events), 1)

class InBrowser(Browsing):
    def test_a_kernel_is_drawn_where_it_was(self):
        page = self.open(self.page(self.trace()))
        inside, behind, tone, wash = page.evaluate("""() => { const s = Timeline.view.state, t = Timeline.tracksOf(s.model).find((t) => t.cause);
            const at = (time) => s.words[Math.round(Timeline.x(s, time) - s.left) + Math.round(Timeline.y(s, t, 0) + 3 - Timeline.AXIS) * s.image.width];
            return [at(t.start[0] + t.dur[0] / 2), at(t.start[0] + t.dur[0] + 20000), s.colours.tones[5 * 32 + 31], s.colours.wash]; }""")
        self.assertEqual((inside, behind), (tone, wash))
        self.assertNotEqual(tone, wash)
        self.assertEqual(self.troubles, [])

    def test_what_is_drawn_is_what_was_there(self):
        """Fullness of each pixel by prefix sums, against all events one by one."""
        page = self.open(self.page(ON_GPU))
        worst = page.evaluate("""() => { const s = Timeline.view.state, width = 300, sums = new Float64Array(Timeline.classes.length); let worst = 0;
            const colours = {edges: Uint32Array.from({length: 10}, (_, k) => 1000 + k), tones: Uint32Array.from({length: 320}, (_, k) => k + 1)};
            for (const [from, to] of [[0, 1], [0.3, 0.4], [0.31, 0.3101]]) {
              const all = s.model.end - s.model.start, view = {start: s.model.start + from * all, end: s.model.start + to * all}, per = (view.end - view.start) / width;
              for (const {line} of s.layout.rows) {
                const row = new Uint32Array(width);
                Timeline.fillRow(line, view, colours, row, sums);
                for (let x = 0; x < width; x++) {
                  let busy = 0, any = false; const a = view.start + x * per, b = a + per;
                  for (let i = 0; i < line.count; i++) {
                    busy += Math.max(0, Math.min(line.end[i], b) - Math.max(line.start[i], a));
                    any = any || (line.start[i] >= a && line.start[i] < b) || (line.start[i] < a && line.end[i] > a);
                  }
                  if (any !== row[x] > 0) worst = Math.max(worst, 99);
                  if (row[x] > 0 && row[x] < 1000) worst = Math.max(worst, Math.abs((row[x] - 1) % 32 - Math.min(31, Math.max(6, 31 * busy / per))));
                } } }
            return worst; }""")
        self.assertLessEqual(worst, 0.51)

    def test_search_selection_and_arrows(self):
        page = self.open(self.page(self.trace()))
        page.fill("#timeline-find", "sgemm")
        self.until(page, "Timeline.view.state.marks && Timeline.view.state.marks.whole && Timeline.view.state.marks.count === 12")
        self.assertEqual(page.inner_text("#timeline-hits"), "12 events")
        page.press("#timeline-find", "Enter")
        told = page.inner_text("#timeline-told")
        self.assertIn("sgemm_128x64", told)
        self.assertIn("launched by cudaLaunchKernel", told)
        self.assertEqual(page.evaluate("Timeline.view.state.selected.links.length"), 1)
        page.fill("#timeline-find", "aten::mm")
        self.until(page, "Timeline.view.state.marks.whole && Timeline.view.state.marks.what === 'aten::mm'")
        page.press("#timeline-find", "Enter")
        self.assertIn("launches 1 on the device", page.inner_text("#timeline-told"))
        page.focus("#timeline-canvas")
        page.keyboard.press("Escape")
        self.assertEqual(page.evaluate("[Timeline.view.state.selected, Timeline.view.state.marks]"), [None, None])

    def test_keys_wheel_and_drag(self):
        page = self.open(self.page(self.trace()))
        view = lambda: page.evaluate("({...Timeline.view.state.view})")
        whole = view()
        page.focus("#timeline-canvas")
        for _ in range(4):
            page.keyboard.press("w")
        near = view()
        self.assertLess(near["end"] - near["start"], (whole["end"] - whole["start"]) / 4)
        page.keyboard.press("d")
        self.assertGreater(view()["start"], near["start"])
        page.keyboard.press("0")
        self.assertAlmostEqual(view()["end"] - view()["start"], whole["end"] - whole["start"], delta=1)
        page.keyboard.press("t")
        step = view()
        self.assertLess(step["end"] - step["start"], 1.2e6)
        box = page.locator("#timeline-canvas").bounding_box()
        page.mouse.move(box["x"] + 600, box["y"] + 60)
        page.keyboard.down("Control")
        page.mouse.wheel(0, -400)
        page.keyboard.up("Control")
        self.until(page, f"Timeline.view.state.view.end - Timeline.view.state.view.start < {step['end'] - step['start'] - 1}")
        before = view()
        page.mouse.down()
        page.mouse.move(box["x"] + 500, box["y"] + 60, steps=4)
        page.mouse.up()
        self.assertGreater(view()["start"], before["start"])
        self.assertEqual(self.troubles, [])

    def test_a_click_on_a_finding_goes_to_its_events(self):
        page = self.open(self.page(ON_GPU))
        data = Data(self.data)
        buttons = page.locator("button.go")
        self.assertGreater(buttons.count(), 0)
        wanted = data.found[buttons.first.get_attribute("data-finding")]
        buttons.first.click()
        self.until(page, "Timeline.view.state.selected")
        row = page.evaluate("Timeline.view.state.selected.track.row[Timeline.view.state.selected.i]")
        self.assertIn(row, wanted)
        self.assertEqual(page.evaluate("Timeline.view.state.marks.count"), len(wanted))
        inside = page.evaluate("""() => { const s = Timeline.view.state, a = s.selected, x = Timeline.x(s, a.track.start[a.i]);
            return x >= s.left - 1 && x < s.width && Timeline.y(s, a.track, a.i) < s.height; }""")
        self.assertTrue(inside)

    def test_nothing_is_cut_off_on_a_phone_and_hostile_names_stay_names(self):
        events = training_steps(2)
        for event in events:
            event["name"] += HOSTILE if not event["name"].startswith("Prof") else ""
        path = self.page(write_trace(os.path.join(self.folder, "h.json"), events))
        for scheme in ("light", "dark"):
            page = self.open(path, width=390, height=800, scheme=scheme)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
            page.fill("#timeline-find", "sgemm")
            page.press("#timeline-find", "Enter")
            self.until(page, "Timeline.view.state.selected")
            self.assertIn("</script>", page.inner_text("#timeline-told"))
            self.assertNotIn("\u202e", page.inner_text("#timeline-told"))
            self.assertEqual(page.locator("img").count(), 0)
            self.assertEqual(self.troubles, [])

    def test_ranks_lie_below_each_other(self):
        page = self.open(self.page(self.job(3)))
        self.assertEqual(page.evaluate("Timeline.view.state.model.traces.map((t) => t.rank)"), [0, 1, 2])
        tops = page.evaluate("Timeline.view.state.model.traces.map((t) => t.top)")
        self.assertEqual(tops, sorted(set(tops)))

    def test_the_heat_map_has_what_ran_in_each_step(self):
        folder = self.job(3)
        slow = training_steps(4)
        for event in slow:
            event["dur"] = 150 if event["name"].startswith("sgemm") and 2000 <= event["ts"] < 3000 else event["dur"]
        write_trace(os.path.join(folder, "rank1.json"), slow, distributedInfo={"rank": 1, "world_size": 3})
        page = self.open(self.page(folder))
        page.select_option("#timeline-ranks select", "kernel")
        cells = page.evaluate("Array.from(document.querySelectorAll('.heat tbody tr'), (row) => Array.from(row.cells, (cell) => cell.textContent))")
        usual = ["300 \u00b5s"] * 4
        self.assertEqual(cells, [["0", *usual], ["1", *usual[:2], "450 \u00b5s", usual[3]], ["2", *usual]])
        page.locator(".heat tbody tr").nth(1).locator("td").nth(2).click()
        self.assertEqual(page.evaluate("(({start, end}) => [start, end])(Timeline.view.state.view)"), [2e6, 3e6])

    def test_a_cell_stands_below_the_number_of_its_step(self):
        """Ranks recorded other steps: 1 to 3, 2 and 3, and 0 twice."""
        folder = os.path.join(self.folder, "job")
        os.makedirs(folder)
        for rank, numbers in enumerate([(1, 2, 3), (2, 3), (0, 0, 3)]):
            events = [{**event, "name": f"ProfilerStep#{numbers[event['ts'] // 1000]}"} if event["name"].startswith("ProfilerStep") else event
                      for event in training_steps(len(numbers))]
            write_trace(os.path.join(folder, f"rank{rank}.json"), events, distributedInfo={"rank": rank, "world_size": 3})
        page = self.open(self.page(folder))
        rows = page.evaluate("Array.from(document.querySelectorAll('.heat tr'), (row) => Array.from(row.cells, (cell) => cell.textContent))")
        self.assertEqual(rows[0], ["rank", "0", "0", "1", "2", "3"])
        self.assertEqual([[text != "\u2013" for text in row] for row in rows[1:]],
                         [[True, False, False, True, True, True], [True, False, False, False, True, True], [True, True, True, False, False, True]])
        titles = page.evaluate("Array.from(document.querySelectorAll('.heat tbody tr')[1].querySelectorAll('td'), (cell) => cell.title)")
        self.assertEqual(titles, [f"rank 1, step {step}" for step in (0, 0, 1, 2, 3)])

    def test_a_browser_that_cannot_unpack_says_so_and_has_the_first_screen(self):
        page = self.browser.new_page()
        self.addCleanup(page.close)
        page.add_init_script("delete globalThis.DecompressionStream")
        page.goto("file://" + self.page(self.trace()))
        self.troubles = []
        self.until(page, "document.getElementById('unpacking').textContent.startsWith('What stands below could not be unpacked: ')")
        self.assertIn("What bounds a step", page.inner_text("#first"))

    def test_without_scripts_the_first_screen_is_there(self):
        page = self.show(java_script_enabled=False)
        page.goto("file://" + self.page(ON_GPU))
        words = page.inner_text("body")
        for part in ("What bounds a step", "What to do first", "needs JavaScript", "host"):
            self.assertIn(part, words)
        self.assertTrue(page.locator("#first svg.wide").is_visible())
        self.assertEqual(page.locator("table").count(), 0)
        self.assertFalse(page.locator("nav").is_visible())

    def test_what_was_packed_is_what_is_unpacked(self):
        """Of every length that the last characters can hold; and where the address names a part of what was packed, it is in sight."""
        page = self.open(self.page(ON_GPU) + "#section-roofline")
        for length in range(30):
            data = bytes(251 * i * i % 256 for i in range(length))
            self.assertEqual(page.evaluate("(text) => Array.from(Packed.bytesOf(text))", base91_of(data)), list(data), length)
        self.until(page, "Math.abs(document.getElementById('section-roofline').getBoundingClientRect().top) < 200")
        self.assertEqual(page.locator("#unpacking, #packed").count(), 0)


del Report, Browsing


if __name__ == "__main__":
    unittest.main()
