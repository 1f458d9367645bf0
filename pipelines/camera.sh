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
#     clbilateral sigma-space=1.5 sigma-range=0.08 ! glimagesink
set -eu
. "$(dirname "$0")/common.sh"

camera_options="! video/x-raw"
choose_camera "$@"

launch $source ! $tap queue max-size-buffers=2 leaky=downstream ! glupload ! glcolorconvert ! \
  clbilateral sigma-space=1.5 sigma-range=0.08 ! $sink
