#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/noiser.sh [-n FRAMES] [-s SINK] [FILE [OUTPUT.avi]]
#
# Adds salt-and-pepper noise to a video, shows it, and writes it to an AVI file (noisy.avi by default).
# pipelines/clean.sh removes the noise again. Without FILE it uses a test picture. The generator is seeded, so the noise is
# the same in every run and on every device.
#
#   file -> decoder -> clnoise -> tee -> queue -> sink
#                                     -> queue -> jpegenc -> avimux -> file
#
# As a launch line:
#   gst-launch-1.0 -e filesrc location=in.mp4 ! decodebin ! clnoise type=salt-pepper strength=0.05 ! \
#     videoconvert ! jpegenc quality=95 ! avimux ! filesink location=noisy.avi
set -eu
. "$(dirname "$0")/common.sh"

output=${2:-noisy.avi}
choose_file ${1:+"$1"}
refuse_input "$output"

launch -e filesrc location="$file" ! decodebin ! queue ! $tap \
  clflip video-direction=auto ! clnoise type=salt-pepper strength=0.05 seed=7 ! tee name=both \
  both. ! queue ! videoconvert ! $sink \
  both. ! queue ! videoconvert ! jpegenc quality=95 ! avimux ! filesink location="$output"
