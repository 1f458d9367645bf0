#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/effects.sh [-n FRAMES] [-s SINK]
#
# GL before and after OpenCL: a GL element rotates a test picture, an OpenCL filter finds its edges, and a GL shader
# colours them. All three work on textures of one GL context, and none copies the picture to the CPU:
#
#   test picture -> glupload -> gltransformation -> clconvolve -> gleffects -> GL sink
#
# As a launch line:
#   gst-launch-1.0 videotestsrc ! glupload ! gltransformation rotation-z=20 scale-x=0.7 scale-y=0.7 ! \
#     clconvolve preset=edge ! gleffects effect=heat ! glimagesink
set -eu
. "$(dirname "$0")/common.sh"

launch videotestsrc ! video/x-raw,format=RGBA,width=640,height=480,framerate=30/1 ! $tap glupload ! \
  gltransformation rotation-z=20 scale-x=0.7 scale-y=0.7 ! clconvolve preset=edge ! gleffects effect=heat ! $sink
