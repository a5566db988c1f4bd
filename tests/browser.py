# SPDX-License-Identifier: Apache-2.0
"""A browser for tests: Chromium through Playwright, one for all cases of a class. What a page is does not depend on who built the program, so
one build shows it."""
import shutil
import unittest

from support import FIRST_BUILD, Folder

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

BROWSER = FIRST_BUILD and (shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome"))


@unittest.skipUnless(sync_playwright and BROWSER, "Playwright and Chromium are not here, or another build has shown it")
class InBrowser(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        super().tearDownClass()

    def show(self, **more):
        """An empty page in a window of its own."""
        context = self.browser.new_context(**more)
        self.addCleanup(context.close)
        return context.new_page()
