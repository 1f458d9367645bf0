#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs libFuzzer's targets: tools/fuzz.sh BUILD_DIR SECONDS [NAME...]. Each runs for so long, as many at a time as there are processors.
# What they learn stays in BUILD_DIR/corpus; an input that fails lies in BUILD_DIR as found-NAME-*, and is printed.
set -euo pipefail
build=$(readlink -f "$1") seconds=$2
shift 2
here=$(dirname "$(readlink -f "$0")")/../tests/fuzz
names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(ls "$here/corpus")

# xargs adds the target's name as the last argument.
run_one () {
  local build=$1 here=$2 seconds=$3 name=$4
  local log=$build/fuzz-$name.log options=() status=0
  [ ! -e "$here/$name.dict" ] || options+=(-dict="$here/$name.dict")
  mkdir -p "$build/corpus/$name"
  # disables GStreamer's own plugins
  GST_PLUGIN_SYSTEM_PATH_1_0=$build/none GST_REGISTRY_1_0=$build/fuzz-registry-$name.bin GST_REGISTRY_FORK=no \
    ASAN_OPTIONS=${ASAN_OPTIONS:-detect_odr_violation=0:allocator_may_return_null=1} \
    "$build/tests/fuzz/fuzz-$name" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -max_len=2048 -print_final_stats=1 \
    -artifact_prefix="$build/found-$name-" "${options[@]}" "$build/corpus/$name" "$here/corpus/$name" >"$log" 2>&1 || status=$?
  local inputs
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if [ "$status" -eq 0 ]; then
    printf '%-8s %12s inputs, no finding\n' "$name" "${inputs:-0}"
  else
    printf '%-8s %12s inputs, FOUND (%s):\n' "$name" "${inputs:-0}" "$log"
    grep -m 3 -E 'ERROR|runtime error|SUMMARY|written to' "$log" || tail -n 5 "$log"
    return 1
  fi
}
export -f run_one
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -I NAME bash -c 'run_one "$@"' run_one "$build" "$here" "$seconds" NAME
