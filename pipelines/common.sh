# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2034
# Shared by the scripts of this folder, which source it. Sets frames and sink from the options, leaves the other arguments to
# the script, and sets GStreamer's GL for machines without a display.

frames=
sink=
kernels=$(dirname "$0")/kernels
tap= # elements that end the stream after so many frames; empty without -n
encoder=

die () {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# The comment at the top of a script is its help.
show_usage () {
  sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0"
  cat <<'EOF'

  -n FRAMES  stop after so many frames; without it, at the end of the file or with Ctrl-C
  -s SINK    where the picture goes, in the words of gst-launch-1.0; by default a window (glimagesink), or
             fakesink where there is no display
  -h         this text
EOF
}

# refuse_usage [PROBLEM]
refuse_usage () {
  [ $# -eq 0 ] || printf '%s: %s\n\n' "$(basename "$0")" "$1" >&2
  show_usage >&2
  exit 2
}

# The usage has a bracket for each argument; the first one may begin with a dash, after --.
check_arguments () {
  [ $# -le "$(sed -n 's/^# usage: .* SINK\]//p' "$0" | tr -cd '[' | wc -c)" ] || refuse_usage "too many arguments: $*"
  while [ $# -gt 1 ]; do
    shift
    case $1 in
      -?*) refuse_usage "options come before all other arguments: $1" ;;
    esac
  done
}

parse_options () {
  OPTIND=1
  while getopts n:s:h option; do
    case $option in
      n) frames=$OPTARG ;;
      s) sink=$OPTARG ;;
      h) show_usage; exit 0 ;;
      *) refuse_usage ;;
    esac
  done
  case $frames in
    *[!0-9]* | 0*) refuse_usage "-n takes a number of frames" ;;
  esac
  # identity ends the stream instead of its last frame, and lets through the one that waited at a full queue, at which the
  # second ends
  [ -z "$frames" ] || tap="identity eos-after=$((frames + 1)) ! identity eos-after=$((frames + 1)) !"
}

# Without a display GL renders off screen, on the device itself (with EGL of Mesa or NVIDIA).
choose_sink () {
  if [ "$(uname -s)" = Linux ] && [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    export GST_GL_PLATFORM="${GST_GL_PLATFORM:-egl}" GST_GL_WINDOW="${GST_GL_WINDOW:-egl-device}"
    : "${sink:=fakesink}"
    printf 'no display here: GL without a window, %s instead of one\n' "$sink" >&2
  fi
  : "${sink:=glimagesink}"
}

installed () {
  gst-inspect-1.0 --exists "$1"
}

# choose_encoder: an H.264 encoder, or another one that fits into an MP4 file.
choose_encoder () {
  if installed x264enc; then
    encoder="x264enc tune=zerolatency speed-preset=veryfast ! h264parse"
  elif installed openh264enc; then
    encoder="openh264enc bitrate=4000000 ! h264parse"
  elif installed avenc_mpeg4; then
    encoder="avenc_mpeg4 bitrate=4000000 ! mpeg4videoparse"
  else
    die "no video encoder is installed: x264enc, openh264enc or avenc_mpeg4"
  fi
}

# refuse_input FILE: a file cannot be written while it is read
refuse_input () {
  # shellcheck disable=SC3013 # every sh has -ef
  [ ! "$1" -ef "$file" ] || die "$1 is the input; name another file to write"
}

# choose_file [FILE]: sets file; without FILE, a test picture with noise in it is written first.
choose_file () {
  if [ $# -gt 0 ]; then
    file=$1
    [ -r "$file" ] && [ ! -d "$file" ] || die "cannot read $file, or it is a folder"
    for word in $(printf '%s' "$sink" | tr -d "\"'"); do
      refuse_input "${word#location=}"
    done
    return
  fi
  scratch=$(mktemp -d)
  trap 'rm -r "$scratch"' EXIT
  trap 'exit 130' INT TERM
  file=$scratch/test-picture.mkv
  printf 'no file given, so a test picture is taken\n' >&2
  gst-launch-1.0 -q videotestsrc num-buffers="${frames:-150}" ! video/x-raw,width=640,height=480,framerate=30/1 ! \
    jpegenc quality=95 ! matroskamux ! filesink location="$file"
}

# launch ARGUMENT...: runs gst-launch-1.0 and shows the line, quoted so that it can be copied into a shell. Names of files are
# quoted for gst-launch-1.0, too, except one that begins with a quote, as in a SINK.
launch () {
  line="gst-launch-1.0"
  for word in "$@"; do
    shift
    case $word in
      location=\"*) ;;
      location=*[\"\'\\[:space:]]*) word="location=\"$(printf '%s' "${word#*=}" | sed 's/["\\]/\\&/g')\"" ;;
    esac
    set -- "$@" "$word"
    case $word in
      *[!A-Za-z0-9_/=.,:!+-]*) line="$line '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'" ;;
      *) line="$line $word" ;;
    esac
  done
  printf '%s\n' "$line" >&2
  gst-launch-1.0 "$@"
}

# choose_camera [DEVICE]: sets source to a live camera followed by $camera_options, or to a test picture if there is none.
camera_options=
choose_camera () {
  if [ -c "${1:-/dev/video0}" ] && [ -r "${1:-/dev/video0}" ]; then
    source="v4l2src device=${1:-/dev/video0} $camera_options"
  elif [ $# -gt 0 ]; then
    die "no camera at $1, or no right to read it (group video)"
  else
    printf 'no camera at /dev/video0, so a test picture is taken\n' >&2
    source="videotestsrc is-live=true ! video/x-raw,format=YUY2,width=640,height=480,framerate=30/1"
  fi
}

parse_options "$@"
shift "$((OPTIND - 1))"
check_arguments "$@"
choose_sink
