#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a text under a pull request of GitHub or a merge request of GitLab: comment.py FILE

A later run replaces the comment of an earlier one, which it knows by its first line. All else is in the environment that the two
set: GITHUB_REPOSITORY, GITHUB_EVENT_PATH, GITHUB_API_URL and GITHUB_TOKEN, or CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID and
STEPTIME_GITLAB_TOKEN, a token with the scope `api`, since a job's own may not comment. Where there is no merge request nothing is done.
Exit status: 0, or 1 with the reason: a comment that fails should fail no gate.
"""
import json
import os
import sys
import urllib.error
import urllib.request

MARK = "<!-- steptime -->"
MOST = 60000  # GitHub takes 65,536 characters
CUT = "\n\n*Cut here: the whole is among the files of the job.*\n"
PAGE = 100


class Place:
    """Where comments of one request lie: a list to read and to post to, and the address of one of them."""

    def __init__(self, comments, one, headers, verb):
        self.comments, self.one, self.headers, self.verb = comments, one, headers, verb

    def ask(self, url, verb="GET", body=None):
        request = urllib.request.Request(url, method=verb, headers={**self.headers, "Content-Type": "application/json"},
                                         data=None if body is None else json.dumps({"body": body}).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def earlier(self):
        page = 1
        while True:
            found = self.ask(f"{self.comments}?per_page={PAGE}&page={page}")
            for comment in found:
                if (comment.get("body") or "").startswith(MARK):
                    return comment["id"]
            if len(found) < PAGE:
                return None
            page += 1

    def put(self, text):
        known = self.earlier()
        if known is None:
            self.ask(self.comments, "POST", text)
        else:
            self.ask(self.one.format(known), self.verb, text)


def of_github(env):
    with open(env["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
        number = json.load(file).get("pull_request", {}).get("number")
    if not number:
        return None
    issues = f"{env.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{env['GITHUB_REPOSITORY']}/issues"
    return Place(f"{issues}/{int(number)}/comments", issues + "/comments/{}",
                 {"Authorization": f"Bearer {env['GITHUB_TOKEN']}", "Accept": "application/vnd.github+json"}, "PATCH")


def of_gitlab(env):
    if not env.get("CI_MERGE_REQUEST_IID"):
        return None
    notes = f"{env['CI_API_V4_URL']}/projects/{env['CI_PROJECT_ID']}/merge_requests/{env['CI_MERGE_REQUEST_IID']}/notes"
    return Place(notes, notes + "/{}", {"PRIVATE-TOKEN": env["STEPTIME_GITLAB_TOKEN"]}, "PUT")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text if text.startswith(MARK) else f"{MARK}\n{text}"
    return text if len(text) <= MOST else text[:MOST - len(CUT)] + CUT


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    env = os.environ
    try:
        place = of_github(env) if env.get("GITHUB_EVENT_PATH") else of_gitlab(env)
        if place is None:
            print("comment: this is no pull or merge request", file=sys.stderr)
        else:
            place.put(text_of(sys.argv[1]))
    except KeyError as missing:
        sys.exit(f"comment: {missing.args[0]} is not set")
    except (OSError, ValueError) as problem:
        sys.exit(f"comment: not written: {problem}")


if __name__ == "__main__":
    main()
