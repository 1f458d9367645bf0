/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/chain.hpp"

#include "interop/caps.hpp"

#include <algorithm>

namespace gst::cl {

Chain::Chain (const ContextRef &context_, const GstVideoInfo &video_, const GstVideoInfo &out_info, Backend backend_,
    std::span<const StagePlan> plans_)
    : context (context_), video (video_), info (picture_in_buffer (video)), result (picture_in_buffer (out_info)),
      backend (backend_), plans (plans_.begin (), plans_.end ())
{
  const Format &stored = *find_format (GST_VIDEO_INFO_FORMAT (&info));
  for (const StagePlan &plan : plans) {
    stages.push_back (std::make_unique<Stage> (context, info, stored.seen_by_filters (), backend, plan));
    runners.push_back (&stages.back ()->runner);
  }
  if (plans.front ().description->converts ())
    runners.push_back (&conversion.emplace (context, video, out_info, backend).writer);
  if (stored.arranged)
    arrangement.emplace (stored, info);
}

/* In pixels of the picture in the buffer. */
Regions
Chain::regions_of (size_t i, const Settings &settings, GstBuffer *buffer, bool enters)
{
  Stage &stage = *stages[i];
  if (buffer == entered && !enters)
    return stage.regions;
  Regions regions = stage.region_source.find (settings.common (), video, buffer, enters, stage.scales);
  if (!has_single_fields (video))
    return regions;
  regions.field = GST_VIDEO_BUFFER_IS_BOTTOM_FIELD (buffer);
  regions.n_fields = 2;
  for (size_t n = regions.rects.size (); n-- > 0;) {
    regions.rects[n] = region_on_field (regions.rects[n], regions.field);
    if (!regions.rects[n].empty ())
      continue;
    regions.rects.erase (regions.rects.begin () + gsize (n));
    if (regions.inverted)
      continue;
    regions.shapes.erase (regions.shapes.begin () + gsize (n));
    if (!regions.scales.empty ())
      regions.scales.erase (regions.scales.begin () + gsize (n));
  }
  return regions;
}

void
Chain::enter (std::span<const Settings> settings, GstBuffer *buffer, const MaskRef &mask)
{
  if (GST_BUFFER_IS_DISCONT (buffer))
    forget_regions ();
  for (size_t i = 0; i < stages.size (); i++) {
    stages[i]->regions = regions_of (i, settings[i], buffer, true);
    stages[i]->regions.mask = mask;
  }
  entered = buffer;
}

void
Chain::forget_regions ()
{
  entered = nullptr;
  for (const auto &stage : stages)
    stage->region_source.forget ();
}

bool
Chain::is_neutral (size_t stage, const Settings &settings, const Regions &regions)
{
  const bool changes_caps = stage == 0 && conversion && !conversion->same_frames;
  return !changes_caps && stages[stage]->is_neutral (settings, regions);
}

bool
Chain::is_neutral (std::span<const Settings> settings, GstBuffer *buffer)
{
  for (size_t i = 0; i < stages.size (); i++)
    if (!is_neutral (i, settings[i], regions_of (i, settings[i], buffer)))
      return false;
  return true;
}

bool
Chain::observes (std::span<const Settings> settings) const
{
  for (size_t i = 0; i < stages.size (); i++)
    if (stages[i]->observes (settings[i]))
      return true;
  return false;
}

void
Chain::update (std::span<const Settings> settings)
{
  for (size_t i = 0; i < stages.size (); i++)
    stages[i]->update (settings[i]);
  const bool grows = stages.front ()->scales && settings.front ().common ().roi_scale;
  /* a row of odd width has one luma sample more than pixels; between stages, separate planes are faster */
  takes_words = !grows && stages.size () == 1 && !conversion && find_format (GST_VIDEO_INFO_FORMAT (&info))->in_words
                && GST_VIDEO_INFO_WIDTH (&info) % 2 == 0 && stages.front ()->abilities ().words;
  if (!takes_words)
    return;
  if (!in_words) {
    const Format &stored = *find_format (GST_VIDEO_INFO_FORMAT (&info)), &seen = *stored.in_words;
    in_words.reset (new InWords{{stored, seen, info}, {context, info, seen, backend, plans.front ()}});
    runners.push_back (&in_words->stage.runner);
    if (rehearsed)
      in_words->stage.runner.rehearse (*rehearsed);
  }
  in_words->stage.update (settings.front ());
}

void
Chain::select_queue (bool profile)
{
  for (Runner *each : runners)
    each->commands.select_queue (profile);
}

/* All stages get the events to wait for, because any stage may enqueue the first command. */
void
Chain::begin_frame (const std::vector<::cl::Event> &wait, bool profile)
{
  frame_waits = wait;
  frame_profiled = profile;
  for (Runner *each : runners)
    each->commands.begin_frame (wait, profile);
}

/* Stages share a queue; the frame ends with the newest command of all stages. */
Fence
Chain::end_frame (std::vector<TimedCommands> timed)
{
  Fence fence;
  guint64 newest = 0;
  frame_waits.clear ();
  for (Runner *each : runners) {
    const guint64 order = each->commands.order ();
    const Fence last = each->commands.end_frame (each == runners.back ());
    if (last && order > newest) {
      newest = order;
      fence = last;
    }
    timed.push_back (each->commands.take_timed ());
  }
  if (fence)
    count_times (fence.event, std::move (timed));
  return fence;
}

/* Counts as soon as the last command is complete, even if no other frame follows. */
void
Chain::count_times (const ::cl::Event &last, std::vector<TimedCommands> timed)
{
  if (std::ranges::all_of (timed, [] (const TimedCommands &each) { return each.events.empty (); }))
    return;
  Reaper &reaper = Context::of (context.get ()).reaper;
  reaper.leave (last, [timed = std::move (timed), whole = timer] {
    guint64 all = 0;
    try {
      for (const TimedCommands &each : timed) {
        guint64 sum = 0;
        for (const ::cl::Event &event : each.events)
          sum += event.getProfilingInfo<CL_PROFILING_COMMAND_END> () - event.getProfilingInfo<CL_PROFILING_COMMAND_START> ();
        each.timer->add (sum);
        all += sum;
      }
      whole->add (all);
    } catch (const ::cl::Error &) {
      /* the frame failed */
    }
  });
  last_timed = reaper.left ();
}

void
Chain::finish () noexcept
{
  for (Runner *each : runners)
    each->commands.finish ();
  Context::of (context.get ()).reaper.wait_for (last_timed);
}

void
Chain::rehearse (std::set<KernelForm> &forms)
{
  rehearsed = &forms;
  for (Runner *each : runners)
    each->rehearse (forms);
}

std::vector<Chain::Active>
Chain::find_active (const ChainFrame &frame)
{
  std::vector<Active> active;
  for (size_t i = 0; i < stages.size (); i++) {
    const Settings &settings = frame.settings[i];
    Regions regions = regions_of (i, settings, frame.buffer);
    const bool writes = !is_neutral (i, settings, regions), looks = stages[i]->observes (settings);
    if (writes || looks)
      active.push_back ({i, stage (i), settings, std::move (regions), writes, looks});
  }
  return active;
}

const Planes &
Chain::between (size_t i, const Planes &like)
{
  std::optional<Planes> &planes = intermediate[i % 2];
  if (!planes) {
    planes.emplace ();
    for (int p = 0; p < runner ().format ().n_planes; p++)
      (*planes)[p] = runner ().scratch_plane ({"chain", int (i % 2), p}, like[p]);
  }
  return *planes;
}

/* A frame that was not entered is entered here. */
void
Chain::run (ChainFrame &frame, const Planes *result)
{
  runs++;
  const bool enters = frame.buffer != entered && frame.times.is_result && !rehearsed;
  if (enters)
    enter (frame.settings, frame.buffer);
  const GstBuffer *const stays = enters ? nullptr : entered;
  if (conversion && stages.size () == 1 && !is_neutral (frame.settings, frame.buffer)) {
    conversion->run (*stages.front (), frame, *result);
    entered = stays;
    return;
  }
  const Arrangement *const seen = takes_words ? &in_words->arrangement : arrangement ? &*arrangement : nullptr;
  for (size_t i = 0; seen && i < frame.planes.size (); i++)
    frame.planes[i] = seen->enter (runner (), frame.planes[i], {"arranged", int (i)});
  std::optional<Planes> arranged;
  const Planes *out = result && seen ? &arranged.emplace (seen->result (runner (), *result)) : result;

  const std::vector<Active> active = find_active (frame);
  joined.clear ();
  for (const Active &each : active)
    each.stage.operation->begin_frame (each.stage.runner, frame_info (frame, each.stage));
  size_t left = std::ranges::count (active, true, &Active::writes), turn = 0;
  if (out && left == 0) /* the unchanged frame, in other memory */
    stage (0).filter (frame, *out, {frame.settings.front (), Regions{}});
  for (size_t i = 0; i < active.size ();) {
    const Active &each = active[i];
    if (each.looks)
      each.stage.observe (frame, {each.settings, each.regions});
    const bool places = !frame.interlaced && is_place (each), converts = each.stage.description.converts ();
    const std::span<const Active> rest = std::span (active).subspan (i);
    const size_t n = !out || !each.writes ? 1
                     : converts           ? conversion_length (rest, !frame.interlaced)
                                          : group_length (rest, places);
    i += n;
    if (!out || !each.writes)
      continue;
    left -= n;
    const Planes &to = left == 0 ? *out : between (turn++, *out);
    if (converts)
      run_conversion (rest.first (n), frame, to);
    else if (places)
      run_places (rest.first (n), frame.planes[frame.main], to);
    else if (!each.regions.scales.empty ())
      filter_scaled (each, frame, to);
    else if (n == 1)
      each.stage.filter (frame, to, {each.settings, each.regions});
    else
      run_joined (rest.first (n), frame, to);
    frame.planes.assign (1, to);
    frame.main = 0;
  }
  for (const Active &each : active)
    each.stage.operation->end_frame (each.stage.runner);
  if (result && seen)
    seen->leave (stages.back ()->runner, *out, *result);
  entered = stays;
}

std::string
Chain::algorithm () const
{
  if (takes_words)
    return in_words->stage.algorithm ();
  std::string names;
  for (const auto &stage : stages)
    names += (names.empty () ? "" : joined.contains (stage.get ()) ? " + " : " ! ") + stage->algorithm ();
  return names;
}

BuildCounts
Chain::builds () const
{
  BuildCounts sum = gone_builds;
  for (const Runner *each : runners)
    sum += each->kernels.builds;
  return sum;
}

guint64
Chain::allocations () const
{
  guint64 sum = gone_allocations;
  for (const Runner *each : runners)
    sum += each->memory.allocations;
  return sum;
}

Conversion::Conversion (const ContextRef &context, const GstVideoInfo &in_info_, const GstVideoInfo &out_info_, Backend backend)
    : same_frames (describe_same_frames (in_info_, out_info_)),
      writer (context, find_format (GST_VIDEO_INFO_FORMAT (&out_info_))->seen_by_filters (), backend), in_info (in_info_),
      out_info (out_info_), in_format (*find_format (GST_VIDEO_INFO_FORMAT (&in_info))),
      out_format (*find_format (GST_VIDEO_INFO_FORMAT (&out_info))), entrance (in_format, picture_in_buffer (in_info)),
      exit (out_format, picture_in_buffer (out_info))
{
}

void
Conversion::run (Stage &stage, const ChainFrame &frame, const Planes &out)
{
  stage.operation->begin_frame (
      stage.runner, {frame.times, GST_VIDEO_INFO_WIDTH (&in_info), GST_VIDEO_INFO_HEIGHT (&in_info), stage.reporter, in_info});
  const Planes to = exit.result (writer, out);
  run_seen (stage, entrance.enter (stage.runner, frame.planes[frame.main], "arranged"), to, frame, {}, ConvertTask::colors);
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
    if (dst[0].height > 0)
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
