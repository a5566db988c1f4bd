#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a build folder, and configures it again only where the options, the list of tests, what these include, or what is
# installed changed.
#
#   configure.sh DIR [MESON-OPTION...]
set -eu

dir=$1
shift
cd "$(dirname "$0")/.."
installed=$(for library in libisal liblzma sqlite3 cmocka ompi-c; do pkg-config --modversion "$library"; done 2>/dev/null; command -v scdoc) || true
files() { find "$@" | LC_ALL=C sort; }
rooms=$(cd tests && python3 ../tools/walls.py tests ../src . $(files unit -name '*_test.c'))
wanted="$* $installed $rooms $(files tests/cli tests/faults tests/cuda -name 'test_*.py') $(files tests/fuzz doc src -name '*.c' -o -name '*.scd')"
stamp=$dir/.configured

if [ -f "$dir/build.ninja" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi
again=''
[ ! -f "$dir/build.ninja" ] || again=--reconfigure
# shellcheck disable=SC2086 # empty means no argument
meson setup $again "$dir" "$@" >"$dir.log" 2>&1 || {
    cat "$dir.log" >&2
    exit 1
}
mv "$dir.log" "$dir/configure.log"
printf '%s' "$wanted" >"$stamp"
