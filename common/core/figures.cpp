/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device figures between runs: a key file for each device. */
#include "core/diskcache.hpp"
#include "core/microbench.hpp"

#include <cmath>

namespace gst::cl {

namespace {

/* Another number wherever a figure changes its meaning. */
constexpr int file_version = 1;
constexpr char figures_group[] = "figures";

std::string
path_of (const Device &device)
{
  return disk_cache::device_file ("figures", device);
}

/* A figure that can have been measured. */
bool
is_plausible (double value, bool optional)
{
  return std::isfinite (value) && (value > 0 || (optional && value == 0));
}

}  // namespace

const std::vector<FigureField> &
figure_fields ()
{
  static const std::vector<FigureField> fields{
      {"copy-gb-s", "GB/s", "copy, 16 bytes an item", &DeviceFigures::copy_gb_s, false},
      {"copy-by-4-gb-s", "GB/s", "copy, 4 bytes an item", &DeviceFigures::copy_by_4_gb_s, false},
      {"copy-by-1-gb-s", "GB/s", "copy, 1 byte an item", &DeviceFigures::copy_by_1_gb_s, false},
      {"image-copy-gb-s", "GB/s", "copy of images", &DeviceFigures::image_copy_gb_s, true},
      {"cached-read-gb-s", "GB/s", "reads from the nearest cache", &DeviceFigures::cached_read_gb_s, false},
      {"local-read-gb-s", "GB/s", "reads from local memory", &DeviceFigures::local_read_gb_s, true},
      {"launch-us", "us", "launch, one of many", &DeviceFigures::launch_us, false},
      {"launch-flush-us", "us", "launch with event and flush", &DeviceFigures::launch_flush_us, false},
      {"launch-wait-us", "us", "launch and wait", &DeviceFigures::launch_wait_us, false},
      {"upload-pinned-gb-s", "GB/s", "to the device, pinned pages", &DeviceFigures::upload_pinned_gb_s, false},
      {"download-pinned-gb-s", "GB/s", "from the device, pinned pages", &DeviceFigures::download_pinned_gb_s, false},
      {"upload-pageable-gb-s", "GB/s", "to the device, ordinary pages", &DeviceFigures::upload_pageable_gb_s, false},
      {"download-pageable-gb-s", "GB/s", "from the device, ordinary pages", &DeviceFigures::download_pageable_gb_s, false},
  };
  return fields;
}

std::optional<DeviceFigures>
stored_figures (const Device &device)
{
  disk_cache::KeyFile file (nullptr, g_key_file_unref);
  g_autoptr (GError) unreadable = nullptr;
  run_guarded (&unreadable, [&] { file = disk_cache::read_key_file (path_of (device), FileTrust::own); });
  GKeyFile *const keys = file.get ();
  if (!keys || !disk_cache::identity_problem (keys, device).empty ()
      || g_key_file_get_integer (keys, figures_group, "version", nullptr) != file_version)
    return std::nullopt;
  DeviceFigures figures;
  figures.measured = g_key_file_get_int64 (keys, figures_group, "measured", nullptr);
  if (figures.measured <= 0)
    return std::nullopt;
  for (const FigureField &field : figure_fields ()) {
    g_autoptr (GError) error = nullptr;
    const double value = g_key_file_get_double (keys, figures_group, field.name, &error);
    if (error || !is_plausible (value, field.optional))
      return std::nullopt;
    figures.*field.value = value;
  }
  return figures;
}

bool
store_figures (const Device &device, const DeviceFigures &figures)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  disk_cache::write_identity (keys, device);
  g_key_file_set_integer (keys, figures_group, "version", file_version);
  g_key_file_set_int64 (keys, figures_group, "measured", figures.measured);
  for (const FigureField &field : figure_fields ())
    g_key_file_set_double (keys, figures_group, field.name, figures.*field.value);
  return disk_cache::write_key_file (path_of (device), FileTrust::own, keys);
}

}  // namespace gst::cl
