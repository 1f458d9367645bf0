#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/clean.sh [-n FRAMES] [-s SINK] [FILE]
#
# Removes salt-and-pepper noise from a video, such as noisy.avi from pipelines/noiser.sh: a median replaces the samples that
# differ from their surroundings by more than a tenth of full scale, and does not change the others. Without FILE a
# noisy test picture is made first.
#
#   file -> decoder -> clmedian -> sink
#
# As a launch line:
#   gst-launch-1.0 filesrc location=noisy.avi ! decodebin ! clmedian radius=1 threshold=0.1 ! \
#     videoconvert ! autovideosink
set -eu
. "$(dirname "$0")/common.sh"

if [ $# -eq 0 ]; then
  choose_file
  noisy=$scratch/noisy.avi
  "$(dirname "$0")/noiser.sh" ${frames:+-n "$frames"} -s fakesink "$file" "$noisy"
  set -- "$noisy"
fi
choose_file "$1"

launch filesrc location="$file" ! decodebin ! queue ! $tap clmedian radius=1 threshold=0.1 ! \
  videoconvert ! $sink
