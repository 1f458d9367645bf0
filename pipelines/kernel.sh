#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/kernel.sh [-n FRAMES] [-s SINK] [KERNEL.cl [PARAMS [FILE]]]
#
# Runs a kernel on a video, with the original on the left and the result on the right. Save the kernel's file in an editor
# and the picture changes. PARAMS are the kernel's arguments, such as 'radius=4' or 'strength=0.8, colour="#201000"'.
# Without KERNEL.cl, it runs kernels/kuwahara.cl; without FILE it uses a test picture.
#
#   file -> decoder -> tee -> queue -> left half
#                          -> queue -> clprogram -> right half
#
# As a launch line:
#   gst-launch-1.0 -m filesrc location=in.mp4 ! decodebin ! videoconvert ! video/x-raw,format=RGBA ! \
#     clprogram location=pipelines/kernels/kuwahara.cl params::radius=4 watch=true ! \
#     videoconvert ! autovideosink
set -eu
. "$(dirname "$0")/common.sh"

kernel=${1:-$kernels/kuwahara.cl}
params=${2:-}
[ -r "$kernel" ] && [ ! -d "$kernel" ] || die "cannot read $kernel, or it is a folder"
choose_file ${3:+"$3"}

# -m shows the messages of the compiler whenever the kernel is built
launch -m filesrc location="$file" ! decodebin ! queue ! videoconvert ! videoscale ! \
  video/x-raw,format=RGBA,width=640,height=360 ! $tap tee name=both \
  compositor name=sheet sink_1::xpos=640 ! videoconvert ! $sink \
  both. ! queue ! sheet. \
  both. ! queue ! clprogram location="$kernel" params="params${params:+, $params}" watch=true ! sheet.
