/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/executor.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* The first supported image format with enough channels; filters ignore surplus channels. */
std::optional<::cl::ImageFormat>
choose_image_format (const ::cl::Context &context, int channels, cl_channel_type type)
{
  constexpr std::pair<cl_channel_order, int> orders[] = {{CL_R, 1}, {CL_RG, 2}, {CL_RGBA, 4}};
  std::vector<::cl::ImageFormat> known;
  context.getSupportedImageFormats (CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, &known);
  for (const auto &[order, n] : orders) {
    const auto same = [&] (const ::cl::ImageFormat &each) {
      return each.image_channel_order == order && each.image_channel_data_type == type;
    };
    if (n >= channels && std::ranges::any_of (known, same))
      return ::cl::ImageFormat (order, type);
  }
  return {};
}

}  // namespace

ImageCopies::ImageCopies (const ContextRef &context, const GstVideoInfo &info)
    : format (*find_format (GST_VIDEO_INFO_FORMAT (&info)))
{
  const Context &cl = Context::of (context.get ());
  for (int i = 0; i < format.n_planes && cl.device.has_images && !format.is_in_buffers (); i++)
    images[i] = make_image (i, cl, info);
}

PlaneView
ImageCopies::make_image (int plane, const Context &context, const GstVideoInfo &info) const
{
  const PlaneLayout &layout = format.planes[plane];
  if (layout.samples_per_pixel == 3)
    return {}; /* no texture has this format, either */
  /* GStreamer's textures split 16-bit gray */
  const bool split = format.model == ColorModel::gray && format.sample_bits == 16;
  const std::optional<::cl::ImageFormat> chosen = choose_image_format (
      context.handle, split ? 2 : layout.samples_per_pixel, format.sample_bits == 8 || split ? CL_UNORM_INT8 : CL_UNORM_INT16);
  if (!chosen)
    return {};
  const int width = plane_width (layout, GST_VIDEO_INFO_WIDTH (&info));
  const int height = plane_height (layout, GST_VIDEO_INFO_HEIGHT (&info));
  return {.memory = ::cl::Image2D (context.handle, CL_MEM_READ_WRITE, *chosen, width, height),
      .offset = 0,
      .stride = 1,
      .width = width,
      .height = height,
      .layout = &layout,
      .image = true,
      .split = split};
}

Planes
ImageCopies::replace (const Planes &planes) const
{
  Planes replaced = planes;
  for (int i = 0; i < format.n_planes; i++)
    if (images[i].image && !planes[i].image)
      replaced[i] = images[i];
  return replaced;
}

void
ImageCopies::copy (Runner &runner, const Planes &from, const Planes &to) const
{
  for (int i = 0; i < format.n_planes; i++)
    if (from[i].image != to[i].image)
      copy_plane (runner, from[i], to[i]);
}

Executor::Executor (const ContextRef &context_, const GstVideoInfo &in_video_, const GstVideoInfo &out_video_, Backend backend_)
    : context (context_), in_video (in_video_), out_video (out_video_), backend (backend_)
{
}

void
Executor::set_stages (std::span<const StagePlan> stages)
{
  auto next = std::make_unique<Chain> (context, in_video, out_video, backend, stages);
  if (current)
    current->finish ();
  require_alive ();
  forget_watched ();
  if (current)
    earlier_builds += current->builds ();
  current = std::move (next);
  is_new = true;
}

BuildCounts
Executor::builds () const
{
  BuildCounts sum = current->builds ();
  sum += earlier_builds;
  return sum;
}

void
Executor::enter_images (Planes &in, Planes &out, bool in_images, bool out_images)
{
  if (in_images) {
    if (!input_images)
      input_images.emplace (context, picture_in_buffer (in_video));
    const Planes images = input_images->replace (in);
    input_images->copy (current->runner (), in, images);
    in = images;
  }
  if (out_images) {
    if (!result_images)
      result_images.emplace (context, picture_in_buffer (out_video));
    out = result_images->replace (out);
  }
}

void
Executor::leave_images (const Planes &from, const Planes &to) const
{
  if (result_images)
    result_images->copy (current->result_runner (), from, to);
}

const Stage *
Executor::find_patient () const
{
  const auto &stages = current->all ();
  const auto found = std::ranges::find_if (stages, [] (const auto &stage) { return stage->abilities ().patience > 0; });
  return found == stages.end () ? nullptr : found->get ();
}

void
Executor::begin_watch ()
{
  if (!watchdog && find_patient ())
    watchdog = Context::of (context.get ()).open->watchdog ();
}

void
Executor::forget_watched ()
{
  if (watchdog)
    watchdog->forget (this);
}

void
Executor::watch (const Fence &fence)
{
  const Stage *const found = find_patient ();
  if (!watchdog || !found || !fence)
    return;
  const unsigned patience = found->abilities ().patience;
  const std::string name = found->algorithm ();
  watchdog->watch (fence.event, patience, this, [&reporter = found->reporter, name, patience] {
    reporter.fail (Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        "The kernel " + name + " has not finished a frame within " + std::to_string (patience) + " ms.",
        "It may loop forever; only the driver can stop it. The property timeout sets the limit."));
  });
}

void
Executor::drain ()
{
  try {
    while (!under_way.empty ()) {
      Context::of (context.get ()).wait_for (under_way.front ().end);
      under_way.pop_front ();
    }
  } catch (const Overdue &) {
    return; /* the error is already reported; the frames stay under way */
  } catch (...) {
    give_up ();
    throw;
  }
  current->finish ();
  throw_unread (context.get ());
}

/* After a failure that concerns every frame on the device. */
void
Executor::give_up () noexcept
{
  Context::of (context.get ()).failed = true;
  current->finish ();
  under_way.clear ();
}

void
Executor::limit_frames_under_way (const Fence &fence)
{
  Context &device = Context::of (context.get ());
  under_way.push_back ({fence.event, device.reaper.left ()});
  while (under_way.size () > most_frames_under_way) {
    const UnderWay oldest = std::move (under_way.front ());
    under_way.pop_front ();
    device.wait_for (oldest.end);
    /* without this, a source that is never blocked allocates more and more buffers while the reaper waits for a processor */
    device.reaper.wait_for (oldest.left);
  }
}

namespace {

/* Planes of the default layout, without memory. */
Planes
planes_of (const GstVideoInfo &info)
{
  const Format &format = *find_format (GST_VIDEO_INFO_FORMAT (&info));
  Planes planes{};
  for (int i = 0; i < format.n_planes; i++)
    planes[i] = {.stride = stride_in_bytes (info, i, GST_VIDEO_INFO_PLANE_STRIDE (&info, i)) / format.sample_size (),
        .width = plane_width (format.planes[i], GST_VIDEO_INFO_WIDTH (&info)),
        .height = plane_height (format.planes[i], GST_VIDEO_INFO_HEIGHT (&info)),
        .layout = &format.planes[i]};
  return planes;
}

/* Three frames, because some operations run other kernels after the first one. */
void
rehearse_frames (Chain &chain, const Rehearsal &rehearsal, const GstVideoInfo &out_info, std::span<const Settings> settings)
{
  constexpr guint64 frames = 3;
  chain.update (settings);
  if (rehearsal.mask)
    chain.enter (settings, rehearsal.frame, rehearsal.mask);
  const bool passes = rehearsal.passes && chain.is_neutral (settings, rehearsal.frame);
  if (passes && !chain.observes (settings))
    return;
  const Planes planes = planes_of (rehearsal.info), result = planes_of (out_info);
  for (guint64 number = 0; number < frames; number++) {
    const FrameTimes times{.number = number, .first_input = number};
    ChainFrame frame{
        times, settings, rehearsal.frame, rehearsal.interlaced, std::vector<Planes> (rehearsal.inputs, planes), rehearsal.main};
    chain.run (frame, rehearsal.writes && !passes ? &result : nullptr);
  }
}

/* Throws the errors that filtering would throw. */
std::set<KernelForm>
rehearse (const Rehearsal &rehearsal)
{
  Reporter silent;
  std::vector<StagePlan> stages (rehearsal.stages.begin (), rehearsal.stages.end ());
  for (StagePlan &stage : stages)
    stage.reporter = &silent;
  std::set<KernelForm> forms;
  const GstVideoInfo &out_info = rehearsal.out_info ? *rehearsal.out_info : rehearsal.info;
  Chain chain (rehearsal.context, rehearsal.info, out_info, Context::of (rehearsal.context.get ()).device.backend, stages);
  chain.rehearse (forms);
  rehearse_frames (chain, rehearsal, out_info, rehearsal.settings);
  if (const std::vector<Settings> later = with_regions (rehearsal.settings, rehearsal.info);
      !std::ranges::equal (later, rehearsal.settings))
    rehearse_frames (chain, rehearsal, out_info, later);
  return forms;
}

}  // namespace

std::vector<KernelForm>
find_unknown (const Rehearsal &wanted, const Compiler &compiler)
{
  std::vector<KernelForm> unknown;
  try {
    std::ranges::copy_if (
        rehearse (wanted), std::back_inserter (unknown), [&] (const KernelForm &form) { return !compiler.knows (form); });
  } catch (const std::exception &error) {
    GST_DEBUG ("rehearsal: %s", error.what ());
  }
  return unknown;
}

LateChange::Work::Work (const Rehearsal &wanted)
    : settings (wanted.settings.begin (), wanted.settings.end ()), inputs (wanted.inputs)
{
  for (const StagePlan &stage : wanted.stages)
    filters.push_back (stage.description);
}

bool
LateChange::Work::is (const Rehearsal &wanted) const
{
  const auto without_list = [] (CommonSettings common) {
    common.roi_list.resize (std::min<size_t> (common.roi_list.size (), 1));
    return common;
  };
  const auto is_same = [&] (const Settings &a, const Settings &b) {
    return a.own == b.own && a.pads == b.pads && a.profile == b.profile
           && (a.shared == b.shared || without_list (a.common ()) == without_list (b.common ()));
  };
  return inputs == wanted.inputs && std::ranges::equal (filters, wanted.stages, {}, {}, &StagePlan::description)
         && std::ranges::equal (settings, wanted.settings, is_same);
}

bool
LateChange::is_ready (const Rehearsal &wanted, const std::function<bool ()> &streams_on)
{
  Compiler &compiler = Context::of (wanted.context.get ()).open->compiler;
  if (!compiler.is_needed ())
    return true;
  const bool is_new = current && !current->is (wanted);
  if (current && !is_new && !request)
    return true;
  if (is_new && waiting && waiting->is (wanted) && !request->done)
    return false;
  if (is_new) {
    std::vector<KernelForm> forms = find_unknown (wanted, compiler);
    if (!forms.empty () && streams_on ()) {
      waiting.emplace (wanted);
      if (!request || request->forms != forms)
        request = compiler.compile (std::move (forms));
      return false;
    }
  }
  current.emplace (wanted);
  waiting.reset ();
  request.reset ();
  return true;
}

const Settings &
LateSettings::settle (const Rehearsal &wanted, const std::function<bool ()> &streams_on)
{
  if (std::exchange (n_inputs, wanted.inputs) != wanted.inputs)
    begin ();
  if (change.is_ready (wanted, streams_on))
    settings = wanted.settings.front ();
  return settings;
}

}  // namespace gst::cl
