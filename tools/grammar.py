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
# What builds the archive's description, where there is no setuptools: pip would fetch the newest without asking.
BUILDERS = {
    "setuptools==80.9.0": "062d34222ad13e0cc312a4c02d73f059e86a4acbfbdea8f8f76b28c99f306922",
    "wheel==0.45.1": "708e7481cc80179af0e556bbf0cc00b8444c7321e2700b8d8580231d13017248",
}
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


def pip(folder, command, wanted, *options, **environment):
    """What pip said, where it did not do it. Nothing comes without its digest, and pip compares before it looks inside."""
    listed = os.path.join(folder, f"{command}.txt")
    with open(listed, "w", encoding="utf-8") as file:
        file.writelines(f"{name} --hash=sha256:{digest}\n" for name, digest in wanted.items())
    done = subprocess.run([sys.executable, "-m", "pip", command, "--quiet", "--disable-pip-version-check", "--no-deps",
                           "--require-hashes", "-r", listed, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, errors="replace", env={**os.environ, **environment})
    return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1:] or ["no word"]


def download(folder, **environment):
    """pip asks the archive for its name, which takes setuptools."""
    pip(folder, "download", {f"tree-sitter-python=={VERSION}": ARCHIVE}, "--no-binary", "tree-sitter-python",
        "--no-build-isolation", "-d", folder, **environment)
    archive = os.path.join(folder, f"{RELEASE}.tar.gz")
    return archive if same(archive, ARCHIVE) else None


def fetch(into):
    """Once with the setuptools that are here; if that cannot do it, with those of BUILDERS."""
    with tempfile.TemporaryDirectory() as folder:
        archive = download(folder)
        said = ""
        if not archive:
            builders = os.path.join(folder, "builders")
            said = pip(folder, "install", BUILDERS, "--only-binary", ":all:", "--target", builders)
            archive = download(folder, PYTHONPATH=builders)
        if archive:
            return unpack(archive, into)
    raise SystemExit(f"grammar: cannot fetch tree-sitter-python {VERSION} through pip ({''.join(said) or 'no word'}); "
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
