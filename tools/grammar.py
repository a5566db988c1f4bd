#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the C source of the Python grammar (tree-sitter-python), and prints the folder that holds it.

grammar.py            the folder in the cache; fetched through pip where it is not there yet
grammar.py PATH       a folder with parser.c and scanner.c, an unpacked release, or its .tar.gz
grammar.py --cached   only looks; exit 1 where it would have to fetch

$STEPTIME_GRAMMAR is a PATH for all who give none. The cache is $XDG_CACHE_HOME/steptime or ~/.cache/steptime, and
build-grammar/ in the checkout where that cannot be written. Whatever the way, both files must be those of the release.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

VERSION = "0.23.6"
RELEASE = f"tree_sitter_python-{VERSION}"
ARCHIVE = "354bfa0a2f9217431764a631516f85173e9711af2c13dbd796a8815acfe505d9"
FILES = {
    "parser.c": "5df63395433197cb65168e95f5ce705cb1dd4c12a11a85020755a5c4b8b55c21",
    "scanner.c": "411b2357bc1286b171fd042ccb0f640109074cc341d3cd78b5628144887f7ab8",
}


def same(path, digest):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest() == digest
    except OSError:
        return False


def whole(folder):
    return all(same(os.path.join(folder, name), digest) for name, digest in FILES.items())


def cache():
    """A folder that can be written to; it outlives every build folder."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    checkout = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "build-grammar")
    for folder in os.path.join(home, "steptime"), os.path.abspath(checkout):
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    raise SystemExit(f"grammar: can write neither {home} nor {checkout}")


def unpack(archive, into):
    """Puts the files at their place at once, so that nobody meets half of them."""
    made = tempfile.mkdtemp(dir=os.path.dirname(into))
    os.chmod(made, 0o755)
    try:
        with tarfile.open(archive) as tar:
            for name in FILES:
                with open(os.path.join(made, name), "wb") as file:
                    shutil.copyfileobj(tar.extractfile(f"{RELEASE}/src/{name}"), file)
        if os.path.isdir(into):
            shutil.rmtree(into)
        os.rename(made, into)
    except OSError:
        if not whole(into):  # else another set-up was faster
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def download(folder, *options):
    """pip checks the digest before it looks into what came."""
    wanted = os.path.join(folder, "wanted.txt")
    with open(wanted, "w", encoding="utf-8") as file:
        file.write(f"tree-sitter-python=={VERSION} --hash=sha256:{ARCHIVE}\n")
    return subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary",
         "tree-sitter-python", "--require-hashes", "-r", wanted, "-d", folder, *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")


def fetch(into):
    """Once with the setuptools that are here; if that cannot do it, with some that pip brings."""
    with tempfile.TemporaryDirectory() as folder:
        for options in ["--no-build-isolation"], []:
            tried = download(folder, *options)
            archive = os.path.join(folder, f"{RELEASE}.tar.gz")
            if os.path.exists(archive):
                return unpack(archive, into)
    said = tried.stderr.strip().splitlines()
    raise SystemExit(f"grammar: cannot fetch tree-sitter-python {VERSION} through pip ({said[-1] if said else 'no word'}); "
                     f"elsewhere: pip download --no-deps --no-binary :all: tree-sitter-python=={VERSION}, and "
                     f"STEPTIME_GRAMMAR=that .tar.gz here")


def given(path, cached):
    if os.path.isfile(path):
        if not same(path, ARCHIVE):
            raise SystemExit(f"grammar: {path} is not the .tar.gz of tree-sitter-python {VERSION}")
        if not whole(cached):
            unpack(path, cached)
        return cached
    for folder in path, os.path.join(path, "src"):
        if whole(folder):
            return os.path.abspath(folder)
    raise SystemExit(f"grammar: {path} does not hold parser.c and scanner.c of tree-sitter-python {VERSION}")


def main(arguments):
    path = arguments[0] if arguments and arguments[0] else os.environ.get("STEPTIME_GRAMMAR", "")
    cached = os.path.join(cache(), f"tree-sitter-python-{VERSION}")
    if path and path != "--cached":
        return given(path, cached)
    if not whole(cached):
        if path:
            raise SystemExit(1)
        fetch(cached)
    if not whole(cached):
        raise SystemExit(f"grammar: {cached} is not what it should be; remove it")
    return cached


if __name__ == "__main__":
    print(main(sys.argv[1:]))
