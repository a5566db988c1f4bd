# SPDX-License-Identifier: Apache-2.0
"""What a page of steptime report looks like, against stored pictures. Both are boiled down to cells of colour without any letters, so that
fonts do not count, but a lane, a colour or a curve that is gone or elsewhere does.

    STEPTIME_WRITE_PICTURES=1 tests/run.py tests/cli/page/test_report_pictures.py    writes the pictures anew: look at them
"""
import base64
import os
import unittest

from pages import ON_GPU, Browsing
from support import SOURCE

PICTURES = os.path.join(SOURCE, "tests", "data", "pictures")
WRITE = os.environ.get("STEPTIME_WRITE_PICTURES")
WIDTH = 96  # cells
# Of 255, the root of the mean square over cells and colours: 0 with the same fonts, up to 5 (of the bar, whose words have columns, 7) with
# a serif face; what must be seen (below) makes 8 and more, of the bar 50.
MOST = 6.0
MOST_OF = {"parts": 12.0}

# Without letters, and without what their widths move.
NO_LETTERS = """() => {
    CanvasRenderingContext2D.prototype.fillText = () => {};
    const style = document.createElement("style");
    style.textContent = "nav { display: none !important } .page { display: block !important } svg text { visibility: hidden } .boxes button { color: transparent !important }";
    document.head.append(style); }"""

BOIL = """async ([shot, width]) => {
    const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64," + shot)).blob()), height = Math.max(1, Math.round(width * bitmap.height / bitmap.width));
    const canvas = Object.assign(document.createElement("canvas"), {width: bitmap.width, height: bitmap.height}), pen = canvas.getContext("2d");
    pen.drawImage(bitmap, 0, 0);
    const {data} = pen.getImageData(0, 0, bitmap.width, bitmap.height), sums = new Float64Array(width * height * 4);
    for (let y = 0; y < bitmap.height; y++)
      for (let x = 0; x < bitmap.width; x++) {
        const cell = 4 * (Math.floor(y * height / bitmap.height) * width + Math.floor(x * width / bitmap.width)), at = 4 * (y * bitmap.width + x);
        for (let c = 0; c < 3; c++) sums[cell + c] += data[at + c];
        sums[cell + 3]++;
      }
    const small = new ImageData(width, height);
    for (let k = 0; k < sums.length; k += 4) { for (let c = 0; c < 3; c++) small.data[k + c] = Math.round(sums[k + c] / sums[k + 3]); small.data[k + 3] = 255; }
    const out = Object.assign(document.createElement("canvas"), {width, height});
    out.getContext("2d").putImageData(small, 0, 0);
    return out.toDataURL("image/png").split(",")[1]; }"""

APART = """async (shots) => {
    const [a, b] = await Promise.all(shots.map(async (shot) => {
      const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64," + shot)).blob()), {width, height} = bitmap;
      const pen = Object.assign(document.createElement("canvas"), {width, height}).getContext("2d");
      pen.drawImage(bitmap, 0, 0);
      return {width, height, data: pen.getImageData(0, 0, width, height).data}; }));
    if (a.width !== b.width || Math.abs(a.height - b.height) > 1) return 255;
    const count = Math.min(a.data.length, b.data.length);
    let sum = 0;
    for (let k = 0; k < count; k++) sum += (a.data[k] - b.data[k]) ** 2;
    return Math.sqrt(sum / (count * 3 / 4)); }"""


class Looks(Browsing):
    def setUp(self):
        super().setUp()
        self.judge = self.browser.new_page()  # a page of its own, without the policy of the report
        self.addCleanup(self.judge.close)

    def boiled(self, element):
        shot = base64.b64encode(element.screenshot(animations="disabled")).decode()
        return self.judge.evaluate(BOIL, [shot, WIDTH])

    def apart(self, name, element):
        """How far the element is from the stored picture."""
        now, path = self.boiled(element), os.path.join(PICTURES, name + ".png")
        if WRITE:
            os.makedirs(PICTURES, exist_ok=True)
            with open(path, "wb") as file:
                file.write(base64.b64decode(now))
        with open(path, "rb") as file:
            return self.judge.evaluate(APART, [base64.b64encode(file.read()).decode(), now])

    def looks(self, part, shown, element):
        name = f"{part}-{shown}"
        self.assertLess(self.apart(name, element), MOST_OF.get(part, MOST), f"{name}: look at it; STEPTIME_WRITE_PICTURES=1 stores it anew")

    def shown(self, width=1280, scheme="light"):
        page = self.open(self.page(ON_GPU), width=width, scheme=scheme)
        page.evaluate("document.getElementById('flame').scrollIntoView()")
        self.until(page, "typeof Flame === 'object' && Flame.ready > 0")
        page.evaluate(NO_LETTERS)
        return page

    def settled(self, page):
        self.until(page, "Timeline.view.state.canvas.clientWidth === Timeline.view.state.width")
        frames = page.evaluate("Timeline.view.state.frames.length")
        page.evaluate("Timeline.view.draw()")
        self.until(page, f"Timeline.view.state.frames.length > {frames} && !Timeline.view.asked")

    def test_pictures_are_as_they_were(self):
        for name, width, scheme in (("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", 390, "light")):
            page = self.shown(width, scheme)
            self.settled(page)
            for part, place in (("timeline", "#timeline-canvas"), ("calls", "#flame .boxes"), ("parts", "#first figure svg:visible"), ("curves", "#section-curves figure svg:visible"),
                                ("steps", "#section-steps figure svg:visible"), ("roofline", "figure.roofline svg:visible")):
                with self.subTest(part=part, shown=name):
                    self.looks(part, name, page.locator(place).first)

    @unittest.skipIf(WRITE, "pictures are being written")
    def test_what_is_gone_or_elsewhere_is_seen(self):
        page = self.shown()
        changes = (("timeline", "#timeline-canvas", "Timeline.view.zoom(0.8)"), ("timeline", "#timeline-canvas", "Timeline.view.state.colours.tones.fill(0xff808080)"),
                   ("calls", "#flame .boxes", "Flame.view.show(Flame.view.shown[0].node)"),
                   ("curves", "#section-curves figure svg:visible", "document.querySelector('#section-curves figure svg').style.transform = 'scaleX(-1)'"))
        for part, place, change in changes:
            with self.subTest(change=change):
                page.evaluate(change)
                self.settled(page)
                self.assertGreater(self.apart(f"{part}-light", page.locator(place).first), MOST)


del Browsing


if __name__ == "__main__":
    unittest.main()
