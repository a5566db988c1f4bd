# SPDX-License-Identifier: Apache-2.0
"""The action of GitHub and the job of GitLab: their scripts run in a local repository, against a stub of the two services' comments."""
import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import textwrap
import threading
import unittest

import support
from plant import Plant

CI = os.path.join(support.SOURCE, "ci")
EXAMPLE = os.path.join(support.SOURCE, "examples", "antipatterns", "session_gnn")
CLEAN = "import torch\n\nprint(torch.ones(2) + 1)\n"


class Comments(http.server.BaseHTTPRequestHandler):
    """A stub of both services: a list of comments that can be read, added to and changed."""

    def say(self, what, code=200):
        body = json.dumps(what).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        page = int(re.search(r"[?&]page=(\d+)", self.path).group(1))
        self.server.asked.append((self.path.split("?")[0], dict(self.headers)))
        self.say(self.server.comments[100 * (page - 1):100 * page])

    def change(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        self.server.changed.append((self.command, self.path))
        if self.command == "POST":
            self.server.comments.append({"id": len(self.server.comments) + 1, "body": body})
        else:
            self.server.comments[int(self.path.rsplit("/", 1)[1]) - 1]["body"] = body
        self.say({})

    do_POST = do_PATCH = do_PUT = change

    def log_message(self, *_):
        pass


def trace(path, step_us, steps=12):
    plant = Plant()
    for step in range(steps):
        at = step * step_us
        plant.step(step, at, step_us)
        plant.host("aten::mm", at + 5, step_us // 2 + step % 3)
        plant.work(at + 20, step_us // 2 + step % 3, launch=at + 10)
    plant.write(path)


def block(file, name):
    """The text under `run: |` of a step by its name, as the runner has it."""
    with open(os.path.join(support.SOURCE, file), encoding="utf-8") as text:
        found = re.search(rf"- name: {name}\n(?:.*\n)*?( *)run: \|\n((?:\1  .*\n|\n)+)", text.read())
    return textwrap.dedent(found.group(2))


def job_script():
    """The lines of GitLab's job, one shell for all, as its runner has it."""
    with open(os.path.join(CI, "gitlab.yml"), encoding="utf-8") as text:
        lines = re.search(r"  script:\n((?:    - .*\n)+)", text.read()).group(1)
    return "set -e\n" + "".join(line.removeprefix("    - ") + "\n" for line in lines.splitlines())


class Gate(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.repository = holder.name
        subprocess.run(["git", "init", "-q", self.repository], check=True)
        bin_folder = self.path("tools", "bin")
        os.makedirs(bin_folder)
        os.makedirs(self.path("tools", "share", "steptime"))
        os.symlink(support.PROGRAM, os.path.join(bin_folder, "steptime"))
        os.symlink(CI, self.path("tools", "share", "steptime", "ci"))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Comments)
        self.server.comments, self.server.changed, self.server.asked = [], [], []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI_", "STEPTIME_PATHS"))}
        self.env.update(PATH=f"{bin_folder}:{os.environ['PATH']}", STEPTIME_OUT="steptime-report", no_proxy="*")
        self.env.pop("STEPTIME", None)

    def path(self, *words):
        return os.path.join(self.repository, *words)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(text).lstrip("\n"))

    def take_example(self):
        for name in os.listdir(EXAMPLE):
            if name.endswith(".py"):
                shutil.copy(os.path.join(EXAMPLE, name), self.repository)

    def shell(self, script, **env):
        return subprocess.run(["bash", "-c", script], cwd=self.repository, env={**self.env, **env}, capture_output=True, text=True, check=False)

    def read(self, name):
        with open(self.path("steptime-report", name), encoding="utf-8") as file:
            return file.read()

    def github(self, **env):
        self.write("event.json", json.dumps({"pull_request": {"number": 7}}))
        return self.shell("set -eo pipefail\n" + block("action.yml", "gate"), GITHUB_ACTIONS="true", GITHUB_EVENT_PATH=self.path("event.json"),
                          GITHUB_REPOSITORY="somebody/thing", GITHUB_API_URL=self.url, GITHUB_TOKEN="secret", GITHUB_OUTPUT=self.path("output"),
                          GITHUB_STEP_SUMMARY=self.path("summary"), ACTION_PATH=support.SOURCE, COMMENT="true", **env)

    def test_a_clean_change_passes_and_says_so(self):
        self.write("train.py", CLEAN)
        done = self.github(STEPTIME_PATHS="train.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("**steptime** passed", self.server.comments[0]["body"])
        with open(self.path("output"), encoding="utf-8") as file:
            self.assertIn("report=steptime-report", file.read())
        self.assertEqual(json.loads(self.read("steptime.sarif"))["version"], "2.1.0")

    def test_a_finding_fails_the_job_with_an_annotation_and_one_comment_however_often_it_runs(self):
        self.take_example()
        for _ in range(2):
            done = self.github(STEPTIME_PATHS="train.py model.py")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stdout, r"::warning file=train.py,line=\d+")
        self.assertEqual(len(self.server.comments), 1)
        self.assertIn("ST401", self.server.comments[0]["body"])
        self.assertEqual([verb for verb, _ in self.server.changed], ["POST", "PATCH"])
        self.assertEqual(self.server.asked[0][1]["Authorization"], "Bearer secret")
        with open(self.path("summary"), encoding="utf-8") as file:
            self.assertIn("says no", file.read())

    def test_what_is_known_does_not_count(self):
        self.take_example()
        self.shell("steptime lint --write-baseline known.txt train.py")
        self.assertEqual(self.github(STEPTIME_PATHS="train.py", STEPTIME_KNOWN="known.txt").returncode, 0)

    def test_a_slower_step_fails_the_job(self):
        self.write("train.py", CLEAN)
        for name, step_us in (("before.json", 1000), ("after.json", 1300)):
            trace(self.path(name), step_us)
        slower = self.github(STEPTIME_PATHS="train.py", STEPTIME_BEFORE="before.json", STEPTIME_AFTER="after.json")
        self.assertEqual(slower.returncode, 1, slower.stderr)
        self.assertIn("+30", self.server.comments[0]["body"])
        allowed = self.github(STEPTIME_PATHS="train.py", STEPTIME_BEFORE="before.json", STEPTIME_AFTER="after.json", STEPTIME_FAIL_OVER="50%")
        self.assertEqual(allowed.returncode, 0, allowed.stderr)

    def test_what_the_recordings_cannot_tell_passes_unless_asked(self):
        self.write("train.py", CLEAN)
        for name, step_us in (("before.json", 1000), ("after.json", 1500)):
            trace(self.path(name), step_us, steps=3)
        sides = {"STEPTIME_PATHS": "train.py", "STEPTIME_BEFORE": "before.json", "STEPTIME_AFTER": "after.json"}
        done = self.github(**sides)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("The gate cannot tell", done.stdout)
        self.assertIn("**steptime** passed, but cannot tell", self.server.comments[0]["body"])
        self.assertEqual(self.github(**sides, STEPTIME_FAIL_UNSURE="false").returncode, 0)
        self.assertEqual(self.github(**sides, STEPTIME_FAIL_UNSURE="true").returncode, 1)

    def test_what_cannot_be_judged_is_no_pass(self):
        self.write("train.py", CLEAN)
        done = self.github(STEPTIME_PATHS="train.py", STEPTIME_BEFORE="absent.json", STEPTIME_AFTER="absent.json")
        self.assertEqual(done.returncode, 3)
        self.assertIn("could not judge", self.server.comments[0]["body"])
        self.assertEqual(self.github(STEPTIME_PATHS="train.py", STEPTIME_BEFORE="absent.json").returncode, 2)

    def test_a_comment_that_fails_fails_no_gate(self):
        self.write("train.py", CLEAN)
        self.server.shutdown()
        self.server.server_close()
        done = self.github(STEPTIME_PATHS="train.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("::warning::steptime could not comment", done.stdout)

    def test_the_job_of_gitlab_does_the_same(self):
        self.take_example()
        env = {"CI_API_V4_URL": self.url, "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "9", "STEPTIME_GITLAB_TOKEN": "secret", "STEPTIME_PATHS": "train.py model.py"}
        for _ in range(2):
            self.assertEqual(self.shell(job_script(), **env).returncode, 1)
        self.assertEqual([verb for verb, _ in self.server.changed], ["POST", "PUT"])
        self.assertEqual(self.server.asked[0][0], "/projects/5/merge_requests/9/notes")
        self.assertEqual(self.server.asked[0][1].get("Private-Token") or self.server.asked[0][1].get("Private-token"), "secret")
        self.write("train.py", CLEAN)
        self.assertEqual(self.shell(job_script(), **{**env, "STEPTIME_PATHS": "train.py"}).returncode, 0)

    def test_the_action_takes_the_steptime_that_is_there(self):
        done = self.shell("set -eo pipefail\n" + block("action.yml", "steptime itself"), ACTION_PATH="/nowhere", GITHUB_PATH="/dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_long_comments_are_cut_and_say_so(self):
        self.write("event.json", json.dumps({"pull_request": {"number": 7}}))
        self.write("long.md", "word " * 20000)
        done = self.shell(f"{CI}/comment.py long.md", GITHUB_EVENT_PATH=self.path("event.json"), GITHUB_REPOSITORY="a/b", GITHUB_API_URL=self.url,
                          GITHUB_TOKEN="x")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(len(self.server.comments[0]["body"]), 60000)
        self.assertTrue(self.server.comments[0]["body"].endswith("among the files of the job.*\n"))


if __name__ == "__main__":
    unittest.main()
