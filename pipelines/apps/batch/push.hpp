/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers into a pipeline that may be slower. */
#pragma once

#include "../demo/pipeline.hpp"

/* Takes the buffer; waits while 64 MiB are under way. Throws what the pipeline posts as its error. */
inline void
push_buffer (Pipeline &pipeline, GstAppSrc *source, GstBuffer *buffer)
{
  constexpr guint64 most_waiting_bytes = 64 << 20;
  const Buffer owned (buffer);
  while (gst_app_src_get_current_level_bytes (source) > most_waiting_bytes) {
    pipeline.check ();
    g_usleep (1000);
  }
  gst_app_src_push_buffer (source, gst_buffer_ref (buffer));
  pipeline.check ();
}
