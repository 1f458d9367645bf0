/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/ahead.hpp"

#include "filter/stream.hpp"

namespace gst::cl {

Ahead::Ahead (const ContextRef &context, Expected expected) : frames (std::move (expected))
{
  OpenDevice &open = *Context::of (context.get ()).open;
  const auto &[info, result, stages, settings, inputs, mask] = frames;
  const BufferRef frame (gst_buffer_new ());
  const Rehearsal first{context, info, stages, settings, frame.get (), is_interlaced (info, frame.get ()), inputs, inputs / 2,
      result.has_value (), result ? &*result : nullptr, result && describe_same_frames (info, *result), mask};
  try {
    for (const KernelForm &form : find_unknown (first, open.compiler))
      builds.push_back (open.programs.prepare (form.program));
  } catch (const std::exception &error) { /* too many threads */
    GST_INFO ("building ahead: %s", error.what ());
  }
}

void
Ahead::finish (const ContextRef &context, bool runs) const
{
  for (const ProgramCache::Build &each : builds)
    each.wait ();
  g_autoptr (GError) error = nullptr;
  if (runs && !run_guarded (&error, [&] { run (context); }))
    GST_INFO ("running ahead: %s", error->message);
}

/* Three frames, because some operations run other kernels after the first one; fewer of a slow filter. */
void
Ahead::run (const ContextRef &context) const
{
  constexpr guint64 most = 3;
  constexpr gint64 most_us = G_USEC_PER_SEC / 2;
  GstVideoInfo info = frames.info, result_info = frames.result.value_or (info);
  Reporter silent;
  std::vector<StagePlan> stages = frames.stages;
  for (StagePlan &stage : stages)
    stage.reporter = &silent;
  const Ref<GstCaps> caps (gst_video_info_to_caps (&info)), result_caps (gst_video_info_to_caps (&result_info));
  Stream stream (context, {}, stages, caps.get (), frames.result ? result_caps.get () : nullptr);
  const BufferRef black (gst_buffer_new_allocate (nullptr, info.size, nullptr));
  gst_buffer_memset (black.get (), 0, 0, info.size);
  const std::vector<GstBuffer *> inputs (frames.inputs, black.get ());
  const std::vector<Settings> settings = with_regions (frames.settings, info);
  stream.enter (settings, black.get (), frames.mask);
  const bool passes = frames.result && describe_same_frames (info, result_info) && stream.is_neutral (settings, black.get ());
  if (passes && !stream.observes (settings))
    return;
  const gint64 end = g_get_monotonic_time () + most_us;
  for (FrameTimes times; times.number < most && g_get_monotonic_time () < end; times.first_input = ++times.number) {
    const BufferRef result = frames.result && !passes ? stream.acquire_output () : BufferRef ();
    stream.filter (stream.trip_of (inputs, inputs.size () / 2, result.get (), times, settings));
    stream.drain ();
  }
}

}  // namespace gst::cl
