# SPDX-License-Identifier: Apache-2.0
"""Pages that `steptime report` writes, for its tests: their data read anew, and a browser that shows them."""
import base64
import gzip
import json
import os
import re
import struct
import time

from browser import InBrowser
from support import OK, SOURCE, Folder, steptime, training_steps, write_trace

ON_GPU = os.path.join(SOURCE, "bench", "gpu", "measured", "h200", "naive.json.gz")
HOSTILE = "</script><script>alert(1)</script><img src=x onerror='alert(1)'>\"'&amp;\u202e\x1b[31m\ufffe"
CALL, WAIT, KERNEL, WORK = 1, 2, 5, 4  # enum page_class, enum nest


def varints(data, at, count):
    values = []
    for _ in range(count):
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        values.append(value)
    return values, at


def signed(value):
    return value >> 1 ^ -(value & 1)


def running(steps, last=0):
    for step in steps:
        last += step
        yield last


class Data:
    """The data of a page, read anew from the description in src/page/timeline.h."""

    def __init__(self, page):
        packed = base64.b64decode(re.search(r'id="page-data">([^<]*)<', page).group(1), validate=True)
        self.bytes = gzip.decompress(packed)
        assert self.bytes[:4] == b"SPT1"
        length = struct.unpack_from("<I", self.bytes, 4)[0]
        self.head = json.loads(self.bytes[8:8 + length])
        self.at = 8 + length
        self.events, self.path, self.found = [], [], []  # of the first trace: (row, start, dur, name, class, cause, nest)
        for i, trace in enumerate(self.head["traces"]):
            events, path, found = self.trace(trace)
            if i == 0:
                self.events, self.path, self.found = events, path, found
        assert self.at == len(self.bytes), "bytes are left"

    def take(self, count):
        values, self.at = varints(self.bytes, self.at, count)
        return values

    def trace(self, trace):
        events = []
        for lane in trace["lanes"]:
            for track in lane["tracks"]:
                n = track["count"]
                start, dur, name = list(running(self.take(n))), self.take(n), self.take(n)
                row = list(running((signed(step) + 1 for step in self.take(n)), -1))
                cause = [None] * n
                if track["nest"] == WORK:
                    last = -1
                    for k, step in enumerate(map(signed, self.take(n))):
                        last += step
                        cause[k] = last if step else None
                for k in range(n):
                    text = trace["names"][name[k]]
                    events.append((row[k], start[k], dur[k], text[1:], ord(text[0]) - 48, cause[k], track["nest"]))
        n = trace["path"]
        gaps, lengths, _, rows = self.take(n), self.take(n), self.take(n), list(running(map(signed, self.take(n))))
        path, end = [], 0
        for gap, length, row in zip(gaps, lengths, rows):
            path.append((end + signed(gap), length, row - 1))
            end = path[-1][0] + length
        found = {one["id"]: list(running(map(signed, self.take(one["count"])))) for one in trace["found"]}
        return events, path, found


class Report(Folder):
    def page(self, *arguments, code=OK):
        path = os.path.join(self.folder, "report.html")
        run = steptime("report", "-o", path, *arguments)
        self.assertEqual(run.code, code, run.err)
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        return path

    def job(self, ranks=2):
        folder = os.path.join(self.folder, "job")
        os.makedirs(folder, exist_ok=True)
        for rank in range(ranks):
            write_trace(os.path.join(folder, f"rank{rank}.json"), training_steps(4), distributedInfo={"rank": rank, "world_size": ranks})
        return folder


class Browsing(InBrowser, Report):
    def open(self, path, width=1280, height=900, scheme="light", **more):
        page = self.show(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        self.troubles = []
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", lambda request: request.url.startswith("file:") or self.troubles.append(request.url))
        page.goto("file://" + path)
        self.until(page, "typeof Timeline === 'object' && Timeline.ready > 0")
        self.until(page, "Timeline.view.state.frames.length > 0")
        return page

    def until(self, page, expression, seconds=20):
        """wait_for_function evaluates inside the page, which the page's policy forbids."""
        end = time.monotonic() + seconds
        while not page.evaluate(expression):
            self.assertLess(time.monotonic(), end, f"{expression}: {self.troubles}")
            time.sleep(0.02)

    def trace(self, steps=4):
        return write_trace(os.path.join(self.folder, "t.json"), training_steps(steps))
