#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/camera.sh [-n FRAMES] [-s SINK] [DEVICE]
#
# Smooths the noise of a live camera. DEVICE is /dev/video0 by default; without a camera a live test picture is used.
# The queue drops old frames instead of falling behind.
#
#   camera -> queue -> glupload -> glcolorconvert -> clbilateral -> GL sink
#
# Cameras deliver YUY2 or similar formats; glcolorconvert turns it into RGBA on the GPU.
#
# As a launch line:
#   gst-launch-1.0 v4l2src ! video/x-raw ! queue max-size-buffers=2 leaky=downstream ! glupload ! glcolorconvert ! \
#     clbilateral sigma-range=0.08 ! glimagesink
set -eu
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

parse_options "$@"
shift "$used"
device=${1:-/dev/video0}

if [ -c "$device" ] && [ -r "$device" ]; then
  source="v4l2src device=$device ! video/x-raw"
elif [ $# -gt 0 ]; then
  die "no camera at $device, or no right to read it (group video)"
else
  printf 'no camera at %s, so a test picture is taken\n' "$device" >&2
  source="videotestsrc is-live=true ! video/x-raw,format=YUY2,width=640,height=480,framerate=30/1"
fi

# shellcheck disable=SC2086
launch $source ! $tap queue max-size-buffers=2 leaky=downstream ! glupload ! glcolorconvert ! \
  clbilateral sigma-range=0.08 ! $sink
