#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Packs a build and the GStreamer it was built with into one folder that runs where neither is installed.
# usage: tools/bundle.sh BUILD_DIR TARGET_DIR
#
# What stays out comes with every system (the C and C++ run-time libraries) or has to fit its hardware (the drivers of
# OpenCL, GL and Vulkan). Their loaders are packed for systems that have none.
set -euo pipefail

build=$(readlink -f "$1")
target=$2
max_megabytes=55

# plugin files of GStreamer; some versions lack some of them
plugins=(app audioconvert audiotestsrc coreelements debugutilsbad multifile nvcodec opengl rawparse typefindfunctions
  videoconvert videoconvertscale videocrop videofilter videoparsersbad videorate videoscale videotestsrc y4menc)
tools=(gst-launch-1.0 gst-inspect-1.0)
from_system='/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|mvec|stdc\+\+|gcc_s))\.so'
# libraries that load drivers, by purpose
declare -A loaders=(
  [opencl]=libOpenCL.so.1
  [gl]="libEGL.so.1 libGL.so.1 libGLX.so.0 libGLdispatch.so.0 libOpenGL.so.0 libGLESv2.so.2"
  [vulkan]=libvulkan.so.1
)

die () { printf 'bundle: %s\n' "$*" >&2; exit 1; }

if [ -e "$target" ] && [ ! -e "$target/env.sh" ] && [ -n "$(ls -A "$target" 2>/dev/null)" ]; then
  die "$target is neither empty nor a bundle"
fi
stage=$(mktemp -d) unfinished=$target
trap 'rm -rf "$stage" "$unfinished"' EXIT
rm -rf "$target"
mkdir -p "$target"/{bin,lib/gstreamer-1.0,lib/fallback,libexec}
target=$(readlink -f "$target")

# the project's own files, as installed
DESTDIR=$stage/files meson install -C "$build" --no-rebuild --quiet >"$stage/log" 2>&1 || { cat "$stage/log" >&2; die "meson install failed"; }
# cl-studio is left out, because GTK and its themes belong to a desktop, and are twice as large as everything else together
find "$stage/files" -path '*/bin/*' -type f ! -name cl-studio -exec cp {} "$target/bin/" \;
find "$stage/files" -name 'libgstcl.so' -exec cp {} "$target/lib/gstreamer-1.0/" \;
find "$stage/files" -name 'libgstcl-*.so*' -exec cp -P {} "$target/lib/" \;
mkdir "$target/lib/gst-plugins-cl" # where the library looks for it
find "$stage/files" -name gst-cl-compiler -exec cp {} "$target/lib/gst-plugins-cl/" \;
find "$stage/files" -path '*/gst-plugins-cl/kernels' -type d -exec cp -r {} "$target/" \;
if [ -d "$build/tools/bench" ]; then
  find "$build/tools/bench" -maxdepth 1 -type f -executable ! -name '*.so*' -exec cp {} "$target/bin/" \;
  # the target machine builds the benchmark of NPP if it has CUDA; plots need only Python
  mkdir "$target/bench"
  cp "$(dirname "$0")"/bench/{cvcuda_bench.py,npp_bench.cu,npp_filters.cuh,plot.py,vszipcl_bench.py} "$target/bench/"
fi
[ -f "$target/lib/gstreamer-1.0/libgstcl.so" ] || die "no plugin was installed from $build"

# GStreamer
for tool in "${tools[@]}"; do
  cp "$(command -v "$tool")" "$target/bin/" || die "$tool is not installed"
done
plugin_dir=$(pkg-config --variable=pluginsdir gstreamer-1.0)
for plugin in "${plugins[@]}"; do
  [ ! -f "$plugin_dir/libgst$plugin.so" ] || cp "$plugin_dir/libgst$plugin.so" "$target/lib/gstreamer-1.0/"
done
scanner=$(pkg-config --variable=pluginscannerdir gstreamer-1.0)/gst-plugin-scanner
cp "$scanner" "$target/libexec/"

# the libraries that all these files need
find "$target/bin" "$target/libexec" "$target/lib" -type f -print0 |
  LD_LIBRARY_PATH=$target/lib xargs -0 -n 1 ldd 2>/dev/null >"$stage/needed" || true
! grep 'not found' "$stage/needed" >&2 || die "libraries are missing"
sed -n 's/.*=> \(\/.*\) (0x.*/\1/p' "$stage/needed" | sort -u | grep -v -E "$from_system" |
  while read -r library; do
    name=$(basename "$library")
    case $library in
      "$target"/*) continue ;;
    esac
    [[ " ${loaders[*]} " == *" $name "* ]] || cp "$library" "$target/lib/$name"
  done
for purpose in "${!loaders[@]}"; do
  mkdir "$target/lib/fallback/$purpose"
  for name in ${loaders[$purpose]}; do
    loader=$(ldconfig -p 2>/dev/null | sed -n "s/.*${name//./\\.} .*=> //p" | head -n 1)
    [ -n "$loader" ] || loader=$(find /usr/lib -name "$name" | head -n 1)
    # without GL or Vulkan, the build needs no library for them
    [ -z "$loader" ] || cp "$(readlink -f "$loader")" "$target/lib/fallback/$purpose/$name"
  done
done
[ -f "$target/lib/fallback/opencl/libOpenCL.so.1" ] || die "the OpenCL loader is not installed"
find "$target/bin" "$target/libexec" "$target/lib" -type f -exec strip --strip-unneeded {} + 2>/dev/null || true

cat >"$target/env.sh" <<'EOF'
# SPDX-License-Identifier: LGPL-2.1-or-later
# To be sourced by bash: lets a shell use this folder's GStreamer and plugin.
bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$bundle/bin${PATH:+:$PATH}
bundle_libraries=$bundle/lib

list_libraries () { { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null; }
has_library () {
  local folder IFS=:
  for folder in ${LD_LIBRARY_PATH:-} /usr/lib /usr/lib64 /usr/lib/*-linux-gnu; do
    [ ! -e "$folder/$1" ] || return 0
  done
  list_libraries | grep -q -F "$1 "
}
has_library libOpenCL.so.1 || bundle_libraries=$bundle_libraries:$bundle/lib/fallback/opencl
{ has_library libGL.so.1 && has_library libEGL.so.1; } || bundle_libraries=$bundle_libraries:$bundle/lib/fallback/gl
has_library libvulkan.so.1 || bundle_libraries=$bundle_libraries:$bundle/lib/fallback/vulkan
export LD_LIBRARY_PATH=$bundle_libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# A container may have NVIDIA's drivers without the files that announce them to the loaders.
find_driver () {
  local driver
  for driver in "$(list_libraries | sed -n "s/.*$1 .*=> //p" | head -n 1)" "/usr/local/nvidia/lib64/$1"; do
    [ -e "$driver" ] && printf '%s\n' "$driver" && return 0
  done
  return 1
}
mkdir -p "$bundle/vendors"
if [ -z "${OCL_ICD_VENDORS:-}" ] && ! grep -q -s nvidia /etc/OpenCL/vendors/*.icd &&
  find_driver libnvidia-opencl.so.1 >"$bundle/vendors/nvidia.icd"; then
  # drivers that are installed in the system
  cp /etc/OpenCL/vendors/*.icd "$bundle/vendors/" 2>/dev/null || true
  # ocl-icd takes a folder, with a slash at its end for versions that join names; Khronos' loader takes the same
  export OCL_ICD_VENDORS=$bundle/vendors/
fi
if [ -z "${__EGL_VENDOR_LIBRARY_FILENAMES:-}${__EGL_VENDOR_LIBRARY_DIRS:-}" ] &&
  ! ls /etc/glvnd/egl_vendor.d/*.json /usr/share/glvnd/egl_vendor.d/*.json 2>/dev/null | grep -q . &&
  bundle_driver=$(find_driver libEGL_nvidia.so.0); then
  export __EGL_VENDOR_LIBRARY_FILENAMES=$bundle/vendors/egl.json
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s"}}\n' "$bundle_driver" >"$bundle/vendors/egl.json"
fi
if [ -z "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ] &&
  ! ls /etc/vulkan/icd.d/*.json /usr/share/vulkan/icd.d/*.json 2>/dev/null | grep -q . &&
  bundle_driver=$(find_driver libGLX_nvidia.so.0); then
  export VK_DRIVER_FILES=$bundle/vendors/vulkan.json
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$bundle_driver" \
    >"$bundle/vendors/vulkan.json"
fi

export GST_PLUGIN_SYSTEM_PATH_1_0=$bundle/lib/gstreamer-1.0
export GST_PLUGIN_SCANNER_1_0=$bundle/libexec/gst-plugin-scanner
export GST_REGISTRY_1_0=${GST_REGISTRY_1_0:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/gst-cl/bundle-registry.bin}
mkdir -p "$(dirname "$GST_REGISTRY_1_0")"
unset -f list_libraries has_library find_driver
unset bundle bundle_libraries bundle_driver
EOF

size=$(du -sm --apparent-size "$target" | cut -f 1)
[ "$size" -le "$max_megabytes" ] || {
  du -a --apparent-size "$target" | sort -rn | sed -n 1,12p >&2
  die "$target has $size MB, $max_megabytes at most"
}
unfinished=
printf '%s: %s MB. On the other machine: source %s/env.sh\n' "$target" "$size" "$(basename "$target")"
