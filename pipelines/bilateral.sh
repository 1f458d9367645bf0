#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/bilateral.sh [-n FRAMES] [-s SINK] [FILE]
#
# A video file through the bilateral filter into a window, with every frame on the GPU from upload to screen:
#
#   file -> decoder -> queue -> glupload -> clbilateral -> GL sink
#
# The decoder's thread ends at the queue. glupload makes a GL texture of each frame, OpenCL reads and writes textures,
# and the sink draws the last one; where the driver can share them, the picture never comes back to the CPU.
#
# By hand:
#   gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! queue ! videoconvert ! glupload ! glcolorconvert ! \
#     clbilateral sigma-space=4 sigma-range=0.15 ! glimagesink
set -eu
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

parse_options "$@"
shift "$used"
choose_file "$@"

# videoconvert and glcolorconvert do nothing where the decoder's format can stay; the former is for what GL lacks, such
# as 10 bits in 4:2:0.
# shellcheck disable=SC2086
launch filesrc location="$file" ! decodebin ! queue ! $tap videoconvert ! glupload ! glcolorconvert ! \
  clbilateral sigma-space=4 sigma-range=0.15 ! $sink
