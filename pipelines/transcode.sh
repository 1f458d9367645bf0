#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/transcode.sh [-n FRAMES] [-s SINK] [FILE [OUTPUT.mp4]]
#
# A video, its noise taken out, written to another file (cleaned.mp4 by default). With NVIDIA's decoder and encoder
# (nvh264dec, nvh264enc) frames stay in the GPU's memory from one to the other; where these are missing, others do, and
# the same filter works on what they give. Without FILE it uses a test picture.
#
#   file -> decoder -> clmedian -> encoder -> file
#
# By hand, on an NVIDIA GPU:
#   gst-launch-1.0 -e filesrc location=in.mp4 ! qtdemux ! h264parse ! nvh264dec ! clmedian ! \
#     nvh264enc bitrate=8000 ! h264parse ! mp4mux ! filesink location=cleaned.mp4
set -eu
. "$(dirname "$0")/common.sh"

output=${2:-cleaned.mp4}
choose_file ${1:+"$1"}
refuse_input "$output"
if installed nvh264enc; then
  encoder="nvh264enc bitrate=8000 ! h264parse"
else
  choose_encoder
  encoder="videoconvert ! $encoder"
fi

# clflip turns the videos of phones: mp4mux omits their orientation
launch -e filesrc location="$file" ! decodebin ! queue ! $tap clflip video-direction=auto ! clmedian ! \
  $encoder ! mp4mux ! filesink location="$output"
