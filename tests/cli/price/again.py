# SPDX-License-Identifier: Apache-2.0
"""An interpreter that runs a script once for each thing that price may tell it, and hands out what came of it when it is asked again.

So that tests of what is done with an answer need not wait for PyTorch each time: `interpreter(folder, python)` is a program for
`--python`, and the second of two equal runs takes some milliseconds. It is for scripts that do not ask which GPU is there, nor what
time is left: runs are the same for any.
"""
import os
import shlex

SCRIPT = """#!/bin/sh
key=$(env | grep '^STEPTIME_DRY_' | grep -Ev '^STEPTIME_DRY_(TO|UNTIL|DEVICE_.*|CAPABILITY)=' | sort | cat - "$1" | cksum | tr ' ' _)
kept={folder}/$key
if [ ! -d "$kept" ]; then
    {python} "$@"
    code=$?
    mkdir "$kept" && for name in "$STEPTIME_DRY_TO"/*; do [ -f "$name" ] && cp "$name" "$kept"; done
    echo $code >"$kept.code"
else
    for name in "$kept"/*; do cp "$name" "$STEPTIME_DRY_TO"; done
fi
exit "$(cat "$kept.code")"
"""


def interpreter(folder, python):
    kept = os.path.join(folder, "kept")
    os.mkdir(kept)
    path = os.path.join(folder, "python-again")
    with open(path, "w", encoding="utf-8") as out:
        out.write(SCRIPT.format(folder=shlex.quote(kept), python=shlex.quote(python)))
    os.chmod(path, 0o755)
    return path
