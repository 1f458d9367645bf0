#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares the binary interface of libgstcl-1.0 with the last release's (or REVISION's), by abidiff. Exit status 0 if programs that
# were built with the release still run.
#
# usage: tools/abi.sh [REVISION]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

revision=${1:-$(git log -1 --format=%H --grep='^Release [0-9]')}
[ -n "$revision" ] || { echo "abi.sh: no commit says 'Release N': name a revision" >&2; exit 2; }
git rev-parse -q --verify "$revision^{commit}" >/dev/null || { echo "abi.sh: there is no revision $revision" >&2; exit 2; }
work=$(mktemp -d)
trap 'git worktree remove --force "$work/old"; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/old" "$revision"

# build NAME SOURCE: the library with debugging information, which describes its types
build () {
  meson setup "$work/build-$1" "$2" --buildtype=debug -Dtests=disabled -Dexamples=disabled -Dprefix=/usr -Dlibdir=lib >"$work/log" 2>&1 \
    && meson compile -C "$work/build-$1" gstcl-1.0 >>"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 2; }
}
build old "$work/old"
build new .

echo "libgstcl-1.0 since $(git log -1 --format='%h, %s' "$revision"):"
compare () {
  abidiff "$@" --headers-dir1 "$work/old/common/include" --headers-dir2 common/include \
    "$work"/build-old/common/libgstcl-1.0.so "$work"/build-new/common/libgstcl-1.0.so
}
compare || true
# new functions break nothing
compare --no-added-syms >/dev/null
