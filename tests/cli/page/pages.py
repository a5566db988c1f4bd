# SPDX-License-Identifier: Apache-2.0
"""Pages that `steptime report` writes, for its tests: their data read anew, and a browser that shows them."""
import json
import os
import re
import struct
import time
import zlib

from browser import InBrowser
from support import OK, SOURCE, Folder, steptime, training_steps, write_trace

ON_GPU = os.path.join(SOURCE, "bench", "gpu", "measured", "h200", "naive.json.gz")
HOSTILE = "</script><script>alert(1)</script><img src=x onerror='alert(1)'>\"'&amp;\u202e\x1b[31m\ufffe"
CALL, WAIT, KERNEL, WORK = 1, 2, 5, 4  # enum page_class, enum nest


def column(data, at, count):
    """The numbers of a column, read anew from the description in src/page/column.h, and where it ends."""
    values, going, place = [0] * count, range(count), 0
    while going:
        for k, i in enumerate(going):
            values[i] |= (data[at + k] & 127) << place
        going, at, place = [i for k, i in enumerate(going) if data[at + k] > 127], at + len(going), place + 7
    return values, at


def signed(value):
    return value >> 1 ^ -(value & 1)


def running(steps, last=0):
    for step in steps:
        last += step
        yield last


class Data:
    """The data of a page, read anew from the description in src/page/timeline.h."""

    def __init__(self, data):
        self.bytes = data
        assert self.bytes[:4] == b"SPT2"
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
        values, self.at = column(self.bytes, self.at, count)
        return values

    def times(self, trace, count):
        return [value * trace["unit"] for value in self.take(count)]

    def trace(self, trace):
        events = []
        for lane in trace["lanes"]:
            for track in lane["tracks"]:
                n = track["count"]
                start, dur, name = list(running(self.times(trace, n))), self.times(trace, n), self.take(n)
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
        path, ends = [], {}
        for row, start, dur, *_ in events:
            ends[row] = (start + dur, start)
        n = trace["path"]
        gaps, told, _, rows = self.take(n), self.take(n), self.take(n), list(running(map(signed, self.take(n))))
        end = 0
        for i, (gap, how) in enumerate(zip(gaps, told)):
            start = end + signed(gap)
            end = start + how - 2 if how > 1 else ends[rows[i + how] - 1][how]
            path.append((start, end - start, rows[i] - 1))
        found = {one["id"]: list(running(map(signed, self.take(one["count"])))) for one in trace["found"]}
        return events, path, found


LETTERS = {chr(code): i for i, code in enumerate(code for code in range(33, 127) if chr(code) not in "<>&")}


def base91(text):
    """The bytes of a text, read anew from the description in src/text/base91.h."""
    bits = "".join(f"{LETTERS[a] * 91 + LETTERS[b]:013b}"[::-1] for a, b in zip(text[::2], text[1::2]))
    bits += f"{LETTERS[text[-1]]:06b}"[::-1] if len(text) % 2 else ""
    return bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits) - 7, 8))


def base91_of(data):
    """The text of the bytes, by the same description."""
    letters, bits = list(LETTERS), "".join(f"{byte:08b}"[::-1] for byte in data)
    groups = [int(bits[i:i + 13][::-1], 2) for i in range(0, len(bits), 13)]
    text = "".join(letters[group // 91] + letters[group % 91] for group in groups)
    return text[:-2] + text[-1] if 0 < len(bits) % 13 < 7 else text


def pieces(page):
    """What is packed in a page, as (kind, bytes), from the description in src/report/html_packed.c."""
    packed = zlib.decompress(base91(re.search(r'id="packed">([^<]*)<', page).group(1)))
    at = packed.index(b"\n") + 1
    found = []
    for kind, length in json.loads(packed[:at]):
        found.append((kind, packed[at:at + length]))
        at += length
    assert at == len(packed), "bytes are left"
    return found


class Report(Folder):
    def page(self, *arguments, code=OK):
        path = os.path.join(self.folder, "report.html")
        run = steptime("report", "-o", path, *arguments)
        self.assertEqual(run.code, code, run.err)
        with open(path, encoding="utf-8") as file:
            self.first = file.read()
        self.pieces = pieces(self.first)
        self.data = dict(self.pieces)["data"]
        body = dict(self.pieces)["body"].decode()
        self.text = re.sub(r'<p [^>]*id="unpacking".*?</script>', lambda _: body, self.first, count=1, flags=re.DOTALL)  # as it is once unpacked
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
