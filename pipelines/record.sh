#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/record.sh [-n FRAMES] [-s SINK] [OUTPUT.mp4]
#
# Shows a filtered picture in a window and records it to a file (filtered.mp4 by default). The tee comes after the
# filter: OpenCL runs once, both branches read the same texture, and only the file's branch copies frames to the CPU,
# for the encoder. Ctrl-C ends the stream properly (-e), so that the file can be played.
#
#   test picture -> glupload -> clmedian -> tee -> queue -> GL sink
#                                              -> queue -> gldownload -> encoder -> file
#
# As a launch line:
#   gst-launch-1.0 -e videotestsrc ! glupload ! clmedian radius=2 ! tee name=both \
#     both. ! queue ! glimagesink \
#     both. ! queue ! gldownload ! videoconvert ! x264enc tune=zerolatency ! h264parse ! mp4mux ! \
#     filesink location=filtered.mp4
set -eu
. "$(dirname "$0")/common.sh"

output=${1:-filtered.mp4}
choose_encoder

launch -e videotestsrc is-live=true ! video/x-raw,format=RGBA,width=640,height=480,framerate=30/1 ! $tap glupload ! \
  clmedian radius=2 ! tee name=both \
  both. ! queue ! $sink \
  both. ! queue ! gldownload ! videoconvert ! $encoder ! mp4mux ! filesink location="$output"
