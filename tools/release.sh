#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is attached to a release: the program with its pages, the source, their digests, and the words of CHANGELOG.md.
#
#   release.sh v0.1.0 FOLDER
set -eu

tag=$1
version=${tag#v}
cd "$(dirname "$0")/.."
said=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
[ "$said" = "$version" ] || {
    echo "release: the tag is $tag, meson.build says $said" >&2
    exit 1
}
notes=$(awk -v version="$version" '/^## / { on = $2 == version; next } on' CHANGELOG.md)
[ -n "$notes" ] || {
    echo "release: CHANGELOG.md has no section '## $version'" >&2
    exit 1
}
mkdir -p "$2"
folder=$(cd "$2" && pwd)
name=steptime-$version
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
make --no-print-directory install PREFIX=/usr/local DESTDIR="$built/$name-linux-$(uname -m)"
tar -C "$built" -czf "$folder/$name-linux-$(uname -m).tar.gz" "$name-linux-$(uname -m)"
git archive --prefix="$name/" HEAD | gzip -9n >"$folder/$name.tar.gz"
printf '%s\n' "$notes" >"$folder/notes.md"
(cd "$folder" && sha256sum ./*.tar.gz >SHA256SUMS)
