/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace layer {

namespace {

constexpr unsigned slow_ms = 30;

std::string
read (const char *name)
{
  const char *value = std::getenv (name);
  return value ? value : "";
}

void
apply_mode (Settings &settings, const std::string &mode)
{
  if (mode == "nogl_event") {
    settings.gl_event = false;
  } else if (mode == "glx_only") {
    settings.accept_egl = false;
  } else if (mode == "accept_but_fail") {
    settings.validate = false;
    settings.accept_textures = false;
  } else if (mode == "unlisted") {
    settings.list_sharing = false;
  } else if (mode == "no_r8") {
    settings.accept_r8 = false;
  } else if (mode == "bgra") {
    settings.bgra = true;
  } else if (mode == "corrupt") {
    settings.corrupt = true;
  } else if (mode == "no_sharing") {
    settings.share = settings.list_sharing = settings.gl_event = false;
  } else if (mode == "external") {
    settings.external = true;
  } else if (mode == "external_fail") {
    settings.external = true;
    settings.accept_imports = false;
  } else if (mode == "dma_buf") {
    settings.dma_buf = true;
  } else if (mode == "dma_buf_fail") {
    settings.dma_buf = true;
    settings.accept_imports = false;
  } else if (mode == "dma_buf_copy") {
    settings.dma_buf = true;
    settings.alias = false;
  } else if (mode == "arm_import") {
    settings.arm_import = true;
  } else if (mode == "other_uuid") {
    settings.same_uuid = false;
  } else if (mode == "slow") {
    settings.acquire_delay_ms = settings.release_delay_ms = slow_ms;
  } else if (mode.starts_with ("fail_at=")) {
    settings.fail_at = std::strtoul (mode.c_str () + 8, nullptr, 10);
  } else if (!mode.empty ()) {
    std::fprintf (stderr, "cl-gl-layer: CL_GL_LAYER_MODE has no mode '%s'\n", mode.c_str ());
    std::abort ();
  }
}

Settings
read_settings ()
{
  Settings settings;
  settings.abort_on_violation = read ("CL_GL_LAYER_ABORT") != "0";
  settings.poison = read ("CL_GL_LAYER_POISON") != "0";
  settings.stats = read ("CL_GL_LAYER_STATS");
  std::istringstream modes (read ("CL_GL_LAYER_MODE"));
  for (std::string mode; std::getline (modes, mode, ',');)
    apply_mode (settings, mode);
  if (const std::string delay = read ("CL_GL_LAYER_DELAY_MS"); !delay.empty ())
    settings.release_delay_ms = std::strtoul (delay.c_str (), nullptr, 10);
  return settings;
}

}  // namespace

const Settings &
settings ()
{
  static const Settings &instance = *new Settings (read_settings ());
  return instance;
}

}  // namespace layer
