#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/edges.sh [-n FRAMES] [-s SINK] [prewitt | sobel | scharr]
#
# Finds edges in a live test source, which delivers frames at its own rate: late frames are dropped before the filter
# instead of being queued.
#
#   live test picture -> queue, two frames at most -> glupload -> clsobel -> GL sink
#
# As a launch line:
#   gst-launch-1.0 videotestsrc is-live=true pattern=ball ! queue max-size-buffers=2 leaky=downstream ! \
#     glupload ! clsobel domain=intensity ! glimagesink
set -eu
. "$(dirname "$0")/common.sh"

case ${1:-sobel} in
  prewitt | sobel | scharr) operator=${1:-sobel} ;;
  *) refuse_usage "knows prewitt, sobel and scharr, not $1" ;;
esac

launch videotestsrc is-live=true pattern=ball ! video/x-raw,format=RGBA,width=640,height=480,framerate=30/1 ! $tap \
  queue max-size-buffers=2 leaky=downstream ! glupload ! "cl$operator" domain=intensity ! $sink
