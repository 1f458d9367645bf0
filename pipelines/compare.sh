#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/compare.sh [-n FRAMES] [-s SINK] [FILE [FILTER]]
#
# Shows a video file and the result of a filter side by side, and prints the means of PSNR, SSIM and the other measures at the
# end. FILTER is a part of a launch line, by default "clmedian radius=2". (The program
# cl-compare does the same and prints a line for each second.)
#
#   file -> decoder -> tee -> queue ----------------------> left half
#                          -> queue -> filter -> clcompare -> right half
#                          -> queue ----------------^
#
# As a launch line:
#   gst-launch-1.0 -m filesrc location=in.mp4 ! decodebin ! tee name=original \
#     original. ! queue ! clmedian radius=2 ! compare.sink original. ! queue ! compare.reference \
#     clcompare name=compare ! videoconvert ! autovideosink
set -eu
. "$(dirname "$0")/common.sh"

filter=${2:-clmedian radius=2}
choose_file ${1:+"$1"}

# gst-launch-1.0 -m prints the messages of all elements; only the last one of clcompare is kept
messages=$(mktemp)
trap 'rm -f "$messages"; [ -z "${scratch:-}" ] || rm -r "$scratch"' EXIT
launch -m filesrc location="$file" ! decodebin ! queue ! videoconvert ! videoscale ! \
  video/x-raw,format=I420,width=640,height=360 ! $tap tee name=original \
  compositor name=sheet sink_1::xpos=640 ! videoconvert ! $sink \
  original. ! queue ! sheet.sink_0 \
  original. ! queue ! videoconvert ! $filter ! videoconvert ! video/x-raw,format=I420 ! compare.sink \
  original. ! queue ! compare.reference \
  clcompare name=compare ! queue ! sheet.sink_1 >"$messages" || { cat "$messages" >&2; exit 1; }
sed -n 's/.*clcompare, \(.*final=(boolean)true.*\);$/\1/p' "$messages" | tr ',' '\n' \
  | sed -n 's/^ *\(psnr\|ssim\|mse\|correlation\)=(double)\(.*\)/\1 \2/p'
