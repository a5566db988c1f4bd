# SPDX-License-Identifier: Apache-2.0
"""A report of a million events is quick in a browser. meson runs this file alone, so that frames are the page's and not a neighbour's."""
import gzip
import os
import unittest

from pages import Browsing

MEDIAN_MS, MOST_MS, READY_MS = 16, 50, 2000  # what a page must stay below: half of its frames, all but one in a hundred, its opening
ROUNDS = 5  # others at work can hold up a frame, and make none quick: the best round counts
ZOOMS = """async () => { const v = Timeline.view, s = v.state, frame = () => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
    for (const t of s.model.traces) for (const l of t.lanes) l.folded = false;
    v.lay(); v.size(); await frame(); s.frames.length = 0;
    for (let k = 0; k < 30; k++) { v.zoom(0.7); await frame(); }
    for (let k = 0; k < 30; k++) { v.zoom(1 / 0.7); await frame(); v.move(0.1); await frame(); }
    v.search("in3"); await frame(); v.all(); await frame();
    return {frames: s.frames.slice()}; }"""
SEARCHES = """async () => { const v = Timeline.view, s = v.state, find = document.getElementById("timeline-find"), told = [];
    const frame = () => new Promise((r) => requestAnimationFrame(() => r())), type = (words) => { find.value = words; find.dispatchEvent(new Event("input")); };
    s.frames.length = 0;
    let typed = 0;
    for (const words of ["e", "n", "in", "k", "op3", "a", "zzz"]) {
      for (let k = 1; k <= words.length; k++) {
        const began = performance.now(); type(words.slice(0, k)); typed = Math.max(typed, performance.now() - began); v.move(0.05); await frame(); }
      let rounds = 0;
      for (; !s.marks.whole; rounds++) { v.zoom(rounds % 2 ? 0.9 : 1 / 0.9); await frame(); }
      let sorted = true;
      for (let k = 1; k < s.marks.count; k++) sorted = sorted && s.marks.start[k - 1] <= s.marks.start[k];
      told.push([words, s.marks.count, s.marks.start.length, sorted, rounds]);
      await frame();
    }
    return {told, frames: s.frames.slice(), typed}; }"""
HITS = [["e", 750000], ["n", 750000], ["in", 250000], ["k", 500000], ["op3", 68750], ["a", 750000], ["zzz", 0]]


def million():
    """A quarter of a million times an operator, one within it, its launch and its kernel, on eight threads and a stream."""
    for i in range(250000):
        at, thread = 40 * i, 1 + i % 8
        yield f'{{"ph":"X","cat":"cpu_op","name":"aten::op{i % 40}","pid":1,"tid":{thread},"ts":{at},"dur":30,"args":{{}}}}'
        yield f'{{"ph":"X","cat":"cpu_op","name":"aten::in{i % 7}","pid":1,"tid":{thread},"ts":{at + 2},"dur":20,"args":{{}}}}'
        yield f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":{thread},"ts":{at + 5},"dur":5,"args":{{"correlation":{i + 1}}}}}'
        yield f'{{"ph":"X","cat":"kernel","name":"k{i % 90}","pid":0,"tid":7,"ts":{at + 20},"dur":35,"args":{{"correlation":{i + 1},"device":0,"stream":7}}}}'


def median_and_most(frames):
    """Half of the frames took less, and all but one in a hundred."""
    frames = sorted(frames)
    return frames[len(frames) // 2], frames[int(len(frames) * 0.99) - 1]


class Million(Browsing):
    def setUp(self):
        super().setUp()
        trace = os.path.join(self.folder, "m.json.gz")
        with gzip.open(trace, "wt", compresslevel=3) as out:
            out.write('{"traceEvents":[' + ",\n".join(million()) + "]}")
        path = self.page(trace)
        self.assertLess(os.path.getsize(path), os.path.getsize(trace))
        self.shown = self.open(path)

    def best(self, script):
        for _ in range(ROUNDS):
            answer = self.shown.evaluate(script)
            median, most = median_and_most(answer["frames"])
            print(f"# median frame {median:.1f} ms, of 99 in a hundred below {most:.1f} ms")
            if median < MEDIAN_MS and most < MOST_MS:
                break
        self.assertLess(median, MEDIAN_MS)
        self.assertLess(most, MOST_MS)
        return answer

    def test_it_opens_is_searched_and_is_moved_over(self):
        ready = self.shown.evaluate("Timeline.ready")
        print(f"# ready in {ready:.0f} ms")
        self.assertLess(ready, READY_MS)
        self.assertEqual(self.shown.evaluate("Timeline.tracksOf(Timeline.view.state.model).reduce((sum, track) => sum + track.count, 0)"), 1000000)
        self.best(ZOOMS)
        searched = self.best(SEARCHES)
        print(f"# a letter {searched['typed']:.1f} ms, up to {max(one[4] for one in searched['told'])} frames a search")
        self.assertEqual([[words, count] for words, count, *_ in searched["told"]], HITS)
        for words, count, marked, ascends, _ in searched["told"]:
            self.assertEqual(marked, count, words)
            self.assertTrue(ascends, words)
        self.assertEqual(self.troubles, [])


del Browsing


if __name__ == "__main__":
    unittest.main()
