#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the pictures of docs/studio again, of cl-studio on a virtual X server.
# usage: tools/studio-pictures.sh CL_STUDIO VIDEO FOLDER   (./run shell -- tools/studio-pictures.sh ... sees the plugin)
set -euo pipefail

studio=$(readlink -f "$1") folder=$(readlink -f "$3")
scratch=$(mktemp -d)
# the pictures show the video's folder
clips=${TMPDIR:-/tmp}/videos
mkdir -p "$clips"
video=$clips/$(basename "$2")
cp "$2" "$video"
trap 'rm -rf "$scratch" "$clips"' EXIT

# on_screen ARGUMENTS: runs the studio without a window manager, in a window of its default size
on_screen () {
  xvfb-run --auto-servernum --server-args='-screen 0 1400x900x24' \
    env GDK_BACKEND=x11 NO_AT_BRIDGE=1 GSETTINGS_BACKEND=memory "$studio" "$@"
}

# a broken kernel: the example with an undeclared name
sed 's/p.xyz \*= shade;/p.xyz *= shades;/' >"$scratch/broken.cl" <<'KERNEL'
/* Every pixel passes here. Change something: the picture follows. */
// @param strength float 0.8 [0, 1] "How dark the corners get"
// @param warmth float 0.3 [-1, 1] "Blue below 0, amber above"
kernel void
vignette (PIXEL_ARGS, float strength, float warmth)
{
  PIXEL_BEGIN
  const float2 middle = (float2) (width, height) / 2;
  const float2 place = ((float2) (x, y) - middle) / middle;
  const float shade = 1 - strength * smoothstep (0.3f, 1.4f, length (place));
  float4 p = PIXEL (0, 0);
  p.xyz *= shade;
  p.xz += 0.2f * warmth * (float2) (1, -1);
  OUT_PIXEL (p);
}
KERNEL

on_screen --filters 'clbilateral sigma-space=1.5 sigma-range=0.2 ! clmorphology operation=gradient radius=2 ! clcolormatrix preset=invert' \
  --do select=1 --do split=0.42 --do frames=40 --do wait=1 --do screenshot="$folder/filters.png" --do quit "$video"
on_screen --do add=clprogram --do 'await=build: built in' --do frames=30 --do text="$scratch/broken.cl" \
  --do 'await=build: line' --do frames=10 --do wait=1 --do screenshot="$folder/editor.png" --do quit "$video"
on_screen --filters 'clmorphology operation=gradient radius=3 roi-x=420 roi-y=60 roi-width=420 roi-height=420' --do region=1 \
  --do scopes=1 --do frames=60 --do wait=1 --do screenshot="$folder/region.png" --do quit "$video"
# a dialog remains after "quit"
timeout 20 xvfb-run --auto-servernum --server-args='-screen 0 1400x900x24' \
  env GDK_BACKEND=x11 NO_AT_BRIDGE=1 GSETTINGS_BACKEND=memory "$studio" --filters clmedian --do frames=5 --do export-dialog \
  --do wait=1 --do screenshot="$folder/export.png" "$video" || true
for picture in "$folder"/*.png; do
  # a window fits into 200 KB with 256 colours
  convert "$picture" -dither None -colors 256 -define png:compression-level=9 PNG8:"$picture"
done
