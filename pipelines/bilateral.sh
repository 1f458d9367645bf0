#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/bilateral.sh [-n FRAMES] [-s SINK] [FILE]
#
# Plays a video file through the bilateral filter, with every frame on the GPU from upload to screen:
#
#   file -> decoder -> queue -> glupload -> clbilateral -> GL sink
#
# The decoder's thread ends at the queue. glupload turns each frame into a GL texture, OpenCL reads and writes textures,
# and the sink draws the last one; if the driver can share them, the picture never returns to the CPU.
#
# As a launch line:
#   gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! queue ! videoconvert ! glupload ! glcolorconvert ! \
#     clbilateral sigma-space=4 sigma-range=0.15 ! glimagesink
set -eu
. "$(dirname "$0")/common.sh"

choose_file "$@"

# videoconvert and glcolorconvert do nothing if the decoder's format can stay; the former handles formats that GL lacks, such
# as 10 bits in 4:2:0.
launch filesrc location="$file" ! decodebin ! queue ! $tap videoconvert ! glupload ! glcolorconvert ! \
  clbilateral sigma-space=4 sigma-range=0.15 ! $sink
