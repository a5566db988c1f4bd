#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of the pages, as doc/html.md shows them: each at three widths, light and dark, from inputs of this repository.

pictures.py [NAME...]    of all, or of those; writes doc/pictures/page-NAME.png

Needs Chromium, and Playwright and Pillow from PyPI. Look at them before a page is called done.
"""
import io
import os
import shutil
import subprocess
import sys
import tempfile

from PIL import Image
from playwright.sync_api import sync_playwright

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEASURED, RECORDED = "bench/gpu/measured/h200", "tests/data/recorded"
SESSION = "examples/antipatterns/session_gnn"
PAGES = {
    "summary": ["summary", f"{RECORDED}/session-gnn-cpu-stack.json.gz"],
    "diff": ["diff", f"{MEASURED}/naive.json.gz", f"{MEASURED}/fixed.json.gz"],
    "lint": ["lint", "--fail-on", "never", "--trace", f"{MEASURED}/naive.json.gz", SESSION],
    "ranks": ["ranks", f"{RECORDED}/ddp-gloo-rank0.json.gz", f"{RECORDED}/ddp-gloo-rank1.json.gz"],
    "memory": ["memory", "tests/fuzz/corpus/snapshot/steps"],
    "fleet": ["fleet", "breakdown", "examples/fleet/case_studies.csv", "--hw", "paper"],
    "price": ["price", "--hw", "A100,H100,L4", "--", "python3", f"{SESSION}/train.py"],
}
SIZES = [(1280, 900, "light"), (820, 1100, "dark"), (390, 844, "light")]
SCALE, GAP, COLOURS = 0.5, 24, 80


def page_of(arguments, path):
    at = arguments.index("--") if "--" in arguments else len(arguments)
    command = [os.path.join(TOP, "build", "steptime"), *arguments[:at], "--format", "html", "-o", path, *arguments[at:]]
    subprocess.run(command, check=True, cwd=TOP, env={**os.environ, "OMP_NUM_THREADS": "1"})


def look(browser, path):
    for width, height, scheme in SIZES:
        page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme).new_page()
        page.goto("file://" + path)
        page.wait_for_timeout(500)
        yield Image.open(io.BytesIO(page.screenshot()))
        page.context.close()


def beside(images):
    whole = Image.new("RGB", (sum(image.width + GAP for image in images) - GAP, max(image.height for image in images)), "gray")
    at = 0
    for image in images:
        whole.paste(image, (at, 0))
        at += image.width + GAP
    return whole.resize((int(whole.width * SCALE), int(whole.height * SCALE)), Image.Resampling.LANCZOS).quantize(COLOURS)


def main(names):
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in names or PAGES:
            path = os.path.join(folder, name + ".html")
            page_of(PAGES[name], path)
            beside(list(look(browser, path))).save(os.path.join(TOP, "doc", "pictures", f"page-{name}.png"), optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
