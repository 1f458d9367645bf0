#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tools/coverage.sh BUILD [GCOVR OPTION...]: what of common/, gst/ and common/core the runs of a build with -Db_coverage=true reached;
# with --branches (--txt-metric=branch since gcovr 7) or --html-details FILE, what gcovr makes of common/core alone.
# A call that may throw is a branch to the compiler, as are the ways out of what it wrote by itself; neither is counted.
set -euo pipefail

build=$1
shift
cd "$(dirname "$(readlink -f "$0")")/.."
data=$(mktemp)
trap 'rm -f "$data"' EXIT

gcovr --root . --object-directory "$build" --exclude-throw-branches --exclude-unreachable-branches --gcov-ignore-parse-errors \
  -j "$(nproc)" --filter 'common/' --filter 'gst/' --json "$data" "$build" >/dev/null

show () {
  local part=$1
  shift
  gcovr --root . --add-tracefile "$data" --filter "$part/" "$@"
}

if [ $# -gt 0 ]; then
  show common/core "$@"
  exit
fi
for part in common gst common/core; do
  show "$part" --json-summary | python3 -c '
import json, sys
sums, shares = json.load(sys.stdin), []
for kind, name in (("line", "lines"), ("branch", "branches")):
    covered, total = sums[kind + "_covered"], sums[kind + "_total"]
    shares.append(f"{100 * covered / max(total, 1):.1f}% of {total} {name}")
print(sys.argv[1] + ":", ", ".join(shares))' "$part"
done
