#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/key.sh [-n FRAMES] [-s SINK] [FILE [BEHIND]]
#
# Replaces the green screen in FILE with another video, using a kernel with two inputs: kernels/chroma_key.cl. Without FILE,
# a ball flies in front of a green screen; without BEHIND, the background is a test picture.
#
#   file   -> decoder -> clprogram.sink   -> GL sink
#   behind -> decoder -> clprogram.sink_1 -^
#
# As a launch line:
#   gst-launch-1.0 clprogram name=key location=pipelines/kernels/chroma_key.cl \
#     params::tolerance=0.25 ! videoconvert ! autovideosink \
#     filesrc location=in.mp4 ! decodebin ! videoconvert ! video/x-raw,format=RGBA ! key.sink \
#     videotestsrc ! video/x-raw,format=RGBA,width=640,height=360 ! key.sink_1
set -eu
. "$(dirname "$0")/common.sh"

behind=${2:-}
scene=${1:-}
set -- videotestsrc pattern=ball background-color=0xff00ff00 num-buffers="${frames:-300}"
if [ -n "$scene" ]; then
  choose_file "$scene"
  set -- filesrc location="$file" ! decodebin ! queue
fi
size=video/x-raw,format=RGBA,width=640,height=360
set -- "$@" ! videoconvert ! videoscale ! $size ! $tap key.sink
if [ -n "$behind" ]; then
  choose_file "$behind"
  set -- "$@" filesrc location="$file" ! decodebin ! queue
else
  set -- "$@" videotestsrc num-buffers="${frames:-300}"
fi
launch clprogram name=key location="$kernels/chroma_key.cl" \
  params::tolerance=0.25 ! queue ! glupload ! glcolorconvert ! $sink \
  "$@" ! videoconvert ! videoscale ! videorate ! $size ! key.sink_1
