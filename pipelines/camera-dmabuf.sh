#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: pipelines/camera-dmabuf.sh [-n FRAMES] [-s SINK] [DEVICE]
#
# A camera with its noise smoothed away, live, without a copy between the camera and the filter where the OpenCL driver imports
# dma-bufs (docs/dmabuf.md). DEVICE is /dev/video0 by default; without a camera a test picture in real time takes its place.
#
#   camera -> queue -> clbilateral -> sink
#
# By hand:
#   gst-launch-1.0 v4l2src io-mode=dmabuf ! queue max-size-buffers=2 leaky=downstream ! clbilateral sigma-space=1.5 sigma-range=0.08 ! \
#     videoconvert ! autovideosink
set -eu
. "$(dirname "$0")/common.sh"

camera_options=io-mode=dmabuf
choose_camera "$@"

launch $source ! $tap queue max-size-buffers=2 leaky=downstream ! clbilateral sigma-space=1.5 sigma-range=0.08 ! videoconvert ! $sink
