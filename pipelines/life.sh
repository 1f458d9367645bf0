#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/life.sh [-n FRAMES] [-s SINK] [FILE]
#
# The game of life, started by the motion in a video, with the video on the left and the cells on the right. It uses a
# kernel that reads its previous result: kernels/life.cl. Without FILE, a flying ball starts it.
#
#   file -> decoder -> tee -> queue -> left half
#                          -> queue -> clprogram -> right half
#
# As a launch line:
#   gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! clprogram location=pipelines/kernels/life.cl \
#     history=1 border=wrap ! videoconvert ! autovideosink
set -eu
. "$(dirname "$0")/common.sh"

if [ $# -gt 0 ]; then
  choose_file "$1"
  set -- filesrc location="$file" ! decodebin ! queue
else
  set -- videotestsrc pattern=ball
fi

launch "$@" ! videoconvert ! videoscale ! video/x-raw,format=RGBA,width=640,height=360 ! $tap tee name=both \
  compositor name=sheet sink_1::xpos=640 ! videoconvert ! $sink \
  both. ! queue ! sheet. \
  both. ! queue ! clprogram location="$kernels/life.cl" history=1 border=wrap ! sheet.
