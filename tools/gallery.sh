#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# usage: tools/gallery.sh SCENES FOLDER [ELEMENT|ELEMENT.webp...]
#
# Makes the pictures and clips of docs/gallery, before each filter on the left and after it on the right, the page that shows them
# with their settings, and compare.html with sliders. SCENES holds cockatoo.mp4, chelsea.png and astronaut.png. Needs a GStreamer
# that sees the plugin, and ffmpeg for clips; ./run gallery calls it with the scenes of Debian's python3-imageio.
set -eu

[ $# -ge 2 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
scenes=$1 folder=$2
shift 2
wanted=" $* " made=''
width=400 height=224 first=218 count=12 moving=40

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
trap 'exit 130' INT TERM
raw="video/x-raw,format=RGBA,width=$width,height=$height"

# A second picture of the same size, for the filters of two streams.
other="videotestsrc pattern=smpte num-buffers=$count ! $raw,framerate=20/1"

# frames: raw, so that every picture is made from the same bytes
gst-launch-1.0 -q filesrc location="$scenes/cockatoo.mp4" ! decodebin ! videoconvert ! videoscale ! \
  "$raw" ! identity eos-after=$((first + moving)) ! multifilesink location="$scratch/%05d.rgba"
i=$first
while [ $i -lt $((first + moving)) ]; do
  frame=$(printf '%s/%05d.rgba' "$scratch" $i)
  [ -s "$frame" ] || { echo "$0: $scenes/cockatoo.mp4 has fewer than $((first + moving)) frames" >&2; exit 1; }
  cat "$frame"
  i=$((i + 1))
done >"$scratch/moving"
head -c $((width * height * 4 * count)) "$scratch/moving" >"$scratch/cockatoo"
rm "$scratch"/*.rgba

# still NAME LEFT RIGHT TOP BOTTOM: makes a film from a cropped photograph, without scaling
still () {
  gst-launch-1.0 -q filesrc location="$scenes/$1.png" ! pngdec ! videoconvert ! \
    videocrop left="$2" right="$3" top="$4" bottom="$5" ! videoconvert ! "$raw" ! imagefreeze num-buffers=$count ! \
    filesink location="$scratch/$1"
}
still chelsea 20 31 30 46
still astronaut 40 72 20 268

# An oval of the portrait before a green screen
cat >"$scratch/screen.cl" <<'END'
kernel void
screen (PIXEL_ARGS)
{
  PIXEL_BEGIN
  const float outside = length ((float2) ((x - 186.0f) / 84.0f, (y - 112.0f) / 128.0f)) - 1.0f;
  OUT_PIXEL (mix (PIXEL (0, 0), (float4) (0, 1, 0, 1), clamp (60.0f * outside, 0.0f, 1.0f)));
}
END

page=$scratch/page figures=$scratch/figures
cat >"$page" <<'END'
<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->
# Gallery

Each picture shows a frame before the filter on the left and after it on the right. The caption has the settings, and after "on" what was done to
the frame first. Pictures marked 3x show a part of the frame, enlarged three times. [compare.html](compare.html) lays both halves over each other, with
sliders: open it in a browser, or in the site that `./run site` builds. `./run gallery` makes the pictures again; [tools/gallery.sh](../../tools/gallery.sh)
writes both pages.

The scenes are cockatoo.mp4, chelsea.png and astronaut.png of imageio (Debian package python3-imageio): BSD-2-Clause, copyright 2015 imageio
contributors; CC0, by Stefan van der Walt; public domain, by NASA.

The scales of clprewitt, clsobel and clscharr are chosen so that an edge has the same strength in all three.
END

# plain ELEMENTS: removes this run's folder, and names that connect branches of the pipeline
plain () {
  printf '%s' "$1" | sed "s,$scratch/,,g" |
    sed -E 's/\b(tee name=(plate|scene) ! queue !|(key|difference)\.sink(_1)?|name=(mix|key|difference)\b)//g; s/  +/ /g; s/^ | $//g'
}

# caption NAME BEFORE FILTER: writes the settings of a picture to the page
caption () {
  before=$(plain "$2") filter=$(plain "$3")
  [ "$2" = identity ] && before='' || before=" on \`$before\`"
  case $1 in
    kernel-*) title="[${1#kernel-}.cl](../../pipelines/kernels/${1#kernel-}.cl)" ;;
    *) title="[$1](../elements/$1.md)" ;;
  esac
  printf '\n**%s**: `%s`%s%s\n\n![%s](%s.jpg)\n' "$title" "$filter" "$before" "${zoom:+; 3x}" "$1" "$1" >>"$page"
  # a slider needs two halves of one size
  case $1,$places in
    clflip,*) ;;
    *,"sink_1::xpos=$second")
      printf '%s' "$filter$before${zoom:+; 3x}" | sed 's/`//g; s/&/\&amp;/g; s/</\&lt;/g' |
        { printf '<figure class="%s" style="--picture: url(%s.jpg)"><b>%s</b> <code>' "${zoom:+enlarged}" "$1" "${1#kernel-}" && cat; } >>"$figures"
      printf '</code></figure>\n' >>"$figures" ;;
  esac
}

# picture NAME BEFORE FILTER [MORE [LEFT]]: BEFORE prepares the left half and feeds FILTER; MORE holds other branches; LEFT
# filters only the left picture. $scene is the film. $zoom, "LEFT TOP", is the corner of a part that is shown three times as
# large. $places is the layout: sink_0 is the left half, sink_1 the right one, and a branch of MORE may end in sheet.sink_2.
second=$((width + 4)) third=$((2 * width + 8))
scene=cockatoo zoom='' places="sink_1::xpos=$second"
picture () {
  caption "$1" "$2" "$3"
  case $wanted in "  " | *" $1 "*) draw "$@" ;; esac
  scene=cockatoo zoom='' places="sink_1::xpos=$second"
}

# play SINK BEFORE FILTER [MORE [LEFT]]: sends both halves, side by side, to SINK
play () {
  shown=identity
  if [ -n "$zoom" ]; then
    left=${zoom% *} top=${zoom#* } part_width=132 part_height=74
    shown="videocrop left=$left top=$top right=$((width - left - part_width)) bottom=$((height - top - part_height)) ! \
      videoscale method=nearest-neighbour ! video/x-raw,width=$((3 * part_width)),height=$((3 * part_height))"
  fi
  # shellcheck disable=SC2086
  gst-launch-1.0 -q filesrc location="$scratch/$scene" ! \
    rawvideoparse format=rgba width=$width height=$height framerate=20/1 ! $2 ! tee name=before \
    compositor name=sheet background=white $places ! videoconvert ! $1 \
    before. ! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! ${5:-identity} ! videoconvert ! $shown ! sheet. \
    before. ! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! $3 ! videoconvert ! $shown ! sheet. ${4:-} >/dev/null
}

draw () {
  rm -f "$scratch"/*.jpg
  play "jpegenc quality=88 ! multifilesink location=$scratch/%03d.jpg" "$2" "$3" "${4:-}" "${5:-}"
  pictures=$(find "$scratch" -name '*.jpg' | wc -l)
  cp "$scratch/$(printf %03d $((pictures / 2))).jpg" "$folder/$1.jpg"
  made="$made $1 "
  echo "$folder/$1.jpg"
}

# clip NAME BEFORE FILTER: the same as an animation, below the picture of that name
clip () {
  printf '\n![%s, moving](%s.webp)\n' "$1" "$1" >>"$page"
  case $wanted in "  " | *" $1.webp "*)
    # not I420: y4menc leaves the padding in rows of chroma
    scene=moving play "video/x-raw,format=Y444 ! y4menc ! filesink location=$scratch/clip.y4m" "$2" "$3"
    ffmpeg -loglevel error -y -i "$scratch/clip.y4m" -pix_fmt yuv420p -c:v libwebp_anim -quality 35 -compression_level 6 -loop 0 "$folder/$1.webp"
    made="$made $1.webp "
    echo "$folder/$1.webp" ;;
  esac
  scene=cockatoo zoom=''
}

# kernel NAME VALUE...: the program of pipelines/kernels
kernel () {
  printf 'clprogram location=pipelines/kernels/%s.cl' "$1"
  shift
  printf ' params::%s' "$@"
}

none=identity
dark="videobalance contrast=0.35 saturation=0.35"
# every frame has the rows of two; the caps do not tell, so that the left half can be shown as it is
interlaced="videoconvert ! video/x-raw,format=Y444 ! interlace field-pattern=1:1 top-field-first=true ! \
  capssetter caps=video/x-raw,interlace-mode=progressive"
noisy="clnoise strength=0.06"
large="video/x-raw,format=RGBA,width=$width,height=$height"
small="clconvert method=area ! video/x-raw,width=$((width / 4)),height=$((height / 4))"
# the shake of a hand-held camera, visible in the mean of the frames
cat >"$scratch/shake.cl" <<'END'
kernel void
shake (PIXEL_ARGS)
{
  PIXEL_BEGIN
  const float t = (float) frame_number, turn = 0.012f * sin (2.3f * t), u = x - 0.5f * width, v = y - 0.5f * height;
  OUT_PIXEL (pixel_between (x - turn * v + 4.0f * sin (1.9f * t), y + turn * u + 4.0f * sin (2.9f * t + 1)));
}
END
mean="cltemporal frames=11 threshold=1"
still="imagefreeze num-buffers=$count ! video/x-raw,framerate=20/1"
# PQ whose lights from 100 nits on become brighter, up to 1000 nits for white; shown as an SDR display would
brighter="0,0;0.3,0.3;0.5,0.5;0.54,0.58;0.5807,0.75;1,1"
bright="clconvert ! video/x-raw,format=RGBA64_LE ! cltonemap target=caps ! video/x-raw,colorimetry=(string)1:1:14:7 ! cladjust curve=$brighter"
tilted="clwarp border=constant matrix=1.27662,0.319155,-82.9802;-0.136334,1.65873,-24.9945;-0.000319068,0.00149492,1"
# the pictures of gst/*/filter.json
eval "$(python3 "${0%/*}/filter-facts.py" --gallery gst/*/filter.json)"

cat >>"$page" <<'END'

## Kernels

The keys at the end show three pictures: the screen, the background, the result; the clean plate, the scene, the result.
These kernels run in [clprogram](../elements/clprogram.md). Their texts are in [pipelines/kernels](../../pipelines/kernels/README.md).
END
picture kernel-dither $none "$(kernel dither levels=3)"
picture kernel-false_colour $none "$(kernel false_colour palette=0 amount=1)"
picture kernel-film_grain $none "$(kernel film_grain amount=0.1 colour=0.3)"
picture kernel-halftone $none "$(kernel halftone size=4 angle=30 'ink=#101828' 'paper=#f4ecd8')"
picture kernel-ink $none "$(kernel ink levels=6 line=0.15 ink=0.9)"
picture kernel-kuwahara $none "$(kernel kuwahara radius=3)"
picture kernel-lens_distortion $none "$(kernel lens_distortion k1=0.4 k2=0.1 zoom=1 fringe=0.015) border=constant"
picture kernel-life $none "$(kernel life cell=2 threshold=0.5 motion=0.15 glow=0.9) history=1 border=wrap"
picture kernel-motion_trail $none "$(kernel motion_trail persistence=0.97) history=1"
picture kernel-pixelate $none "$(kernel pixelate size=8 roundness=1)"
picture kernel-swirl $none "$(kernel swirl angle=180 radius=0.9 centre=0.5,0.5)"
picture kernel-tilt_shift $none "$(kernel tilt_shift focus=0.55 breadth=0.2 blur=6 saturation=1.4)"

# The screen, the background and the result. Then the clean plate, the scene and the result.
scene=astronaut
green="filesrc location=$scratch/$scene ! rawvideoparse format=rgba width=$width height=$height framerate=20/1 ! \
  clprogram location=$scratch/screen.cl"
keyed=$(kernel chroma_key 'screen=#00ff00' tolerance=0.25 softness=0.1 spill=1 'background=#000000')
scene=cockatoo places="sink_0::xpos=$second sink_1::xpos=$third" picture kernel-chroma_key $none "key.sink_1 $keyed name=key" \
  "$green ! tee name=screen ! queue ! key.sink screen. ! queue ! videoconvert ! sheet.sink_2"
scene=cockatoo places="sink_1::xpos=$third sink_2::xpos=$second" picture kernel-difference_key $none \
  "tee name=plate ! queue ! key.sink_1 $keyed name=key ! tee name=scene ! queue ! \
  difference.sink $(kernel difference_key threshold=0.02 softness=0.04 'background=#2060a0') name=difference" \
  "$green ! key.sink plate. ! queue ! difference.sink_1 scene. ! queue ! videoconvert ! sheet.sink_2"

cp "$page" "$folder/README.md"
sed "/FIGURES/{
r $figures
d
}" "${0%.sh}.html" >"$folder/compare.html"

# the picture of the README, which is not on the page
case $wanted in "  " | *" hero "*) scene=astronaut draw hero "clnoise strength=0.06" "clnlmeans strength=0.055 patch-radius=1" ;; esac

for name; do
  case $made in *" $name "*) ;; *) echo "$0: there is no picture $name" >&2; exit 1 ;; esac
done
