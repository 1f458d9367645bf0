/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <vector>

namespace layer {

namespace {

constexpr unsigned slow_ms = 30;

std::string
read (const char *name)
{
  const char *value = std::getenv (name);
  return value ? value : "";
}

/* What each mode turns around. */
const std::map<std::string, std::vector<bool Settings::*>> modes = {
    {"nogl_event", {&Settings::gl_event}},
    {"glx_only", {&Settings::accept_egl}},
    {"accept_but_fail", {&Settings::validate, &Settings::accept_textures}},
    {"unlisted", {&Settings::list_sharing}},
    {"no_r8", {&Settings::accept_r8}},
    {"bgra", {&Settings::bgra}},
    {"corrupt", {&Settings::corrupt}},
    {"no_sharing", {&Settings::share, &Settings::list_sharing, &Settings::gl_event}},
    {"external", {&Settings::external}},
    {"external_fail", {&Settings::external, &Settings::accept_imports}},
    {"dma_buf", {&Settings::dma_buf}},
    {"dma_buf_fail", {&Settings::dma_buf, &Settings::accept_imports}},
    {"dma_buf_copy", {&Settings::dma_buf, &Settings::alias}},
    {"arm_import", {&Settings::arm_import}},
    {"cuda", {&Settings::cuda}},
    {"cuda_fail", {&Settings::cuda, &Settings::accept_imports}},
    {"cuda_copy", {&Settings::cuda, &Settings::alias}},
    {"other_uuid", {&Settings::same_uuid}},
};

void
apply_mode (Settings &settings, const std::string &mode)
{
  if (mode == "slow") {
    settings.acquire_delay_ms = settings.release_delay_ms = slow_ms;
  } else if (mode.starts_with ("fail_at=")) {
    settings.fail_at = std::strtoul (mode.c_str () + 8, nullptr, 10);
  } else if (const auto found = modes.find (mode); found != modes.end ()) {
    for (bool Settings::*each : found->second)
      settings.*each = !(Settings ().*each);
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
