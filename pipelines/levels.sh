#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/levels.sh [-n FRAMES] [-s SINK] [FILE]
#
# Stretches the levels of a dark or hazy video automatically, with the original on the left and the result on the right.
# The levels are averaged over the last dozen frames, so the picture does not flicker. Without FILE it uses a dark test
# picture.
#
#   file -> decoder -> tee -> queue -> left half
#                          -> queue -> cllevels -> right half
#
# As a launch line:
#   gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! cllevels auto=true gamma=1.2 ! videoconvert ! \
#     autovideosink
set -eu
. "$(dirname "$0")/common.sh"

darken=
if [ $# -eq 0 ]; then
  darken="videobalance contrast=0.3 !"
fi
choose_file ${1:+"$1"}

launch filesrc location="$file" ! decodebin ! queue ! videoconvert ! $darken videoscale ! \
  video/x-raw,format=RGBA,width=640,height=360 ! $tap tee name=both \
  compositor name=sheet sink_1::xpos=640 ! videoconvert ! $sink \
  both. ! queue ! sheet. \
  both. ! queue ! cllevels auto=true gamma=1.2 ! sheet.
