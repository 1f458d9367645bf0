/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings from the environment; README.md lists the variables. */
#pragma once

#include <string>

namespace layer {

struct Settings {
  bool abort_on_violation = true;
  bool poison = true;
  unsigned acquire_delay_ms = 0;
  unsigned release_delay_ms = 2;
  std::string stats;

  /* drivers to imitate */
  bool gl_event = true;
  bool list_sharing = true;
  bool accept_egl = true;
  bool validate = true;
  bool accept_textures = true;
  bool accept_r8 = true;
  bool bgra = false;
  bool corrupt = false;
  bool share = true;
  bool external = false;
  bool accept_imports = true;
  bool same_uuid = true;
  bool dma_buf = false;
  bool arm_import = false;
  bool cuda = false; /* imports memory of the CUDA driver of tests/machinery/cuda, and has its UUID */
  bool alias = true; /* whether imported buffers share the memory of the original */
  unsigned long fail_at = 0;
};

/* Read once, at the first call. */
const Settings &settings ();

}  // namespace layer
