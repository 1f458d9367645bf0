/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/chain.hpp"

#include "interop/caps.hpp"

namespace gst::cl {

Conversion::Conversion (const ContextRef &context, const GstVideoInfo &in_info_, const GstVideoInfo &out_info_, Backend backend)
    : same_frames (describe_same_frames (in_info_, out_info_)),
      writer (context, find_format (GST_VIDEO_INFO_FORMAT (&out_info_))->seen_by_filters (), backend), in_info (in_info_),
      out_info (out_info_), in_format (*find_format (GST_VIDEO_INFO_FORMAT (&in_info))),
      out_format (*find_format (GST_VIDEO_INFO_FORMAT (&out_info))), entrance (in_format, picture_in_buffer (in_info)),
      exit (out_format, picture_in_buffer (out_info))
{
}

void
Conversion::run (Stage &stage, const Planes &in, const Planes &out, const ChainFrame &frame)
{
  stage.operation->begin_frame (
      stage.runner, {frame.times, GST_VIDEO_INFO_WIDTH (&in_info), GST_VIDEO_INFO_HEIGHT (&in_info), stage.reporter, in_info});
  const Planes to = exit.result (writer, out);
  run_seen (stage, entrance.enter (stage.runner, in, "arranged"), to, frame, {}, ConvertTask::colors);
  exit.leave (writer, to, out);
  stage.operation->end_frame (stage.runner);
}

void
Conversion::run_seen (Stage &stage, const Planes &from, const Planes &to, const ChainFrame &frame,
    std::span<const PointStep> behind, unsigned components)
{
  auto &converter = static_cast<Converter &> (*stage.operation);
  const Format &seen = in_format.seen_by_filters (), &written = out_format.seen_by_filters ();
  const bool alone = has_single_fields (in_info), by_field = converter.takes_fields () && (alone || frame.interlaced);
  const GstVideoInfo src_info = by_field ? in_info : picture_in_buffer (in_info);
  const GstVideoInfo dst_info = by_field ? out_info : picture_in_buffer (out_info);
  const int first = by_field && alone && GST_VIDEO_BUFFER_IS_BOTTOM_FIELD (frame.buffer) ? 1 : 0;
  const int end = by_field && !alone ? 2 : first + 1;
  for (int field = first; field < end; field++) {
    Planes src = from, dst = to;
    for (int i = 0; by_field && !alone && i < seen.n_planes; i++)
      src[i] = field_to_read (stage.runner, from[i], field, GST_VIDEO_INFO_HEIGHT (&in_info), {"field", i});
    for (int i = 0; by_field && !alone && i < written.n_planes; i++)
      dst[i] = field_of (to[i], field);
    if (src[0].height > 0 && dst[0].height > 0)
      converter.convert (stage.runner, {.src = std::span (src).first (seen.n_planes),
                                           .dst = std::span (dst).first (written.n_planes),
                                           .src_format = seen,
                                           .dst_format = written,
                                           .src_info = src_info,
                                           .dst_info = dst_info,
                                           .field = field,
                                           .n_fields = by_field ? 2 : 1,
                                           .behind = behind,
                                           .components = components});
  }
}

void
Conversion::compose (Stage &stage, std::span<ComposeInput> inputs, const Planes &out, const ChainFrame &frame)
{
  auto &composer = static_cast<Composer &> (*stage.operation);
  composer.begin_frame (stage.runner,
      {frame.times, GST_VIDEO_INFO_WIDTH (&out_info), GST_VIDEO_INFO_HEIGHT (&out_info), stage.reporter, out_info});
  const Planes to = exit.result (writer, out);
  const Format &written = out_format.seen_by_filters ();
  composer.compose (writer, {.inputs = inputs,
                                .dst = std::span (to).first (written.n_planes),
                                .dst_format = written,
                                .dst_info = out_info,
                                .profile = frame.settings.front ().profile});
  exit.leave (writer, to, out);
  composer.end_frame (stage.runner);
  writer.commands.mark (); /* the last command may belong to an input's runner */
}

}  // namespace gst::cl
