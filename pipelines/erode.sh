#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/erode.sh [-n FRAMES] [-s SINK] [FILE]
#
# Shows a video in black and white, with its white areas eroded twice; the keys Up and Down in the window move the threshold:
#
#   file -> decoder -> queue -> clthreshold -> clerode -> glupload -> GL sink
#
# Key presses travel upstream, as navigation events from the sink to the element that handles them.
#
# As a launch line (-v prints the threshold whenever it moves):
#   gst-launch-1.0 -v filesrc location=in.mp4 ! decodebin ! queue ! videoconvert ! clthreshold navigation=true ! \
#     clerode iterations=2 ! glupload ! glcolorconvert ! glimagesink
set -eu
. "$(dirname "$0")/common.sh"

choose_file "$@"

launch -v filesrc location="$file" ! decodebin ! queue ! $tap videoconvert ! clthreshold navigation=true ! \
  clerode iterations=2 ! glupload ! glcolorconvert ! $sink
