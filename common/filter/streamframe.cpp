/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of one frame through a stream. */
#include "filter/runner.hpp"

#include "filter/stream.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Whether a failure means that the context may be unusable. Failed builds, invalid settings and invalid buffers leave it
 * usable. */
bool
blames_device (const Failure &failure)
{
  const bool of_kernel = failure.domain == GST_LIBRARY_ERROR && failure.code == GST_LIBRARY_ERROR_INIT;
  const bool of_settings = failure.domain == GST_RESOURCE_ERROR && failure.code == GST_RESOURCE_ERROR_SETTINGS;
  const bool of_memory = failure.domain == GST_RESOURCE_ERROR && failure.code == GST_RESOURCE_ERROR_NOT_FOUND;
  return !of_kernel && !of_settings && !of_memory && failure.domain != GST_STREAM_ERROR;
}

}  // namespace

Rehearsal
Stream::rehearsal_of (
    std::span<const StagePlan> stages, StageSettings settings, GstBuffer *frame, size_t inputs, size_t main) const
{
  return {
      context, input.info, stages, settings, frame, is_interlaced (input.info, frame), inputs, main, bool (pool), &out_info};
}

void
Stream::filter (
    std::span<GstBuffer *const> inputs, size_t main, GstBuffer *result, const FrameTimes &times, StageSettings settings)
{
  if (watchdog && watchdog->has_fired ())
    throw Overdue{};
  chain->update (settings);
  chain->select_queue (settings.front ().profile);
  Trip trip = make_trip (main, result, times, settings);
  for (GstBuffer *each : inputs)
    trip.inputs.push_back ({each, &input, nullptr, input.reads_texture (each), trip.inputs.size (), {}});
  run (trip, result);
}

void
Stream::filter (std::span<const SourceFrame> inputs, GstBuffer *result, const FrameTimes &times, const Settings &settings)
{
  chain->update ({&settings, 1});
  chain->select_queue (settings.profile);
  sources.clear ();
  Trip trip = make_trip (0, result, times, {&settings, 1});
  const std::vector<bool> shown = shown_of (inputs);
  for (size_t i = 0; i < inputs.size (); i++) {
    const auto &[buffer, source] = inputs[i];
    sources.push_back (source);
    if (!shown[i]) {
      source->forget_copies ({});
      continue;
    }
    source->reader.commands.select_queue (settings.profile);
    trip.inputs.push_back ({buffer, source.get (), source.get (), source->reads_texture (buffer), i, {}});
  }
  run (trip, result);
}

std::vector<bool>
Stream::shown_of (std::span<const SourceFrame> inputs) const
{
  std::vector<const GstVideoInfo *> infos;
  std::ranges::transform (inputs, std::back_inserter (infos), [] (const SourceFrame &each) { return &each.source->info; });
  return static_cast<const Composer &> (*chain->all ().front ()->operation).shown (infos, out_info);
}

Stream::Trip
Stream::make_trip (size_t main, GstBuffer *result, const FrameTimes &times, StageSettings settings)
{
  Trip trip{.times = times, .settings = settings, .out_buffer = {}, .out = {}, .fence = {}, .inputs = {}, .main = main};
  if (!result)
    return trip;
  trip.out_texture = out_kind == MemoryKind::gl && out_link->textures && out_link->textures->reaches (result, true);
  trip.out_buffer = out_other ? out_other->reach_result (result) : BufferRef::retain (result);
  trip.out_staged = !trip.out_texture && (!trip.out_buffer || !writer.is_on_device (trip.out_buffer.get ()));
  if (trip.out_staged)
    trip.out_buffer = acquire_buffer (staging_pool.get ());
  return trip;
}

void
Stream::run (Trip &trip, GstBuffer *result)
{
  const auto enqueue = [&] {
    begin (trip);
    work (trip);
    end (trip);
  };
  try {
    map (trip);
    if (!trip.out_texture && std::ranges::none_of (trip.inputs, &Input::texture)) {
      enqueue ();
    } else if (is_new) {
      /* builds programs before other elements are kept from GL */
      visit_gl (trip, [&] { begin (trip); });
      work (trip);
      visit_gl (trip, [&] { end (trip); });
    } else {
      visit_gl (trip, enqueue);
    }
    is_new = false;
    watch (trip.fence);
    if (trip.fence) { /* tells the frames their last command */
      if (trip.out)
        trip.out->complete_write (trip.fence);
      for (Input &each : trip.inputs)
        each.frame->complete_read (trip.fence);
    }
    count_frame (trip);
    if (trip.fence)
      limit_frames_under_way (trip.fence);
    if (trip.out_staged)
      copy_by_host (trip.out_buffer.get (), result);
    require_moved (trip);
    if (trip.out_texture || (!trip.out_staged && trip.out && out_other && !out_other->is_awaited_by_map ()))
      wait_for (trip.fence.event);
  } catch (const Overdue &) {
    Context::of (context.get ()).failed = true;
    throw; /* the reaper keeps what is queued */
  } catch (const Failure &failure) {
    abandon (trip);
    if (blames_device (failure))
      give_up ();
    throw;
  } catch (...) {
    abandon (trip);
    give_up ();
    throw;
  }
}

/* Maps the frames that are not textures. */
void
Stream::map (Trip &trip)
{
  for (Input &each : trip.inputs)
    if (!each.texture)
      each.frame.emplace (each.source->read (each.buffer, chain->queue ()));
  std::vector<GstBuffer *> again;
  if (trip.inputs.size () > 1)
    std::ranges::transform (trip.inputs, std::back_inserter (again), &Input::buffer);
  input.forget_copies (again);
  for (const Input &each : trip.inputs)
    if (each.own) /* such a frame may be shown again */
      each.own->forget_copies ({&each.buffer, 1});
  if (trip.out_buffer && !trip.out_texture)
    trip.out.emplace (writer.write (trip.out_buffer.get (), chain->queue ()));
}

/* If there are textures, begin (), end () and release () run in GL's thread. */
void
Stream::begin (Trip &trip)
{
  std::vector<::cl::Event> wait;
  for (Input &each : trip.inputs) {
    if (each.texture)
      each.frame.emplace (each.source->link->textures->read (each.buffer));
    wait.insert (wait.end (), each.frame->wait.begin (), each.frame->wait.end ());
  }
  if (trip.out_texture)
    trip.out.emplace (out_link->textures->write (trip.out_buffer.get ()));
  if (trip.out)
    wait.insert (wait.end (), trip.out->wait.begin (), trip.out->wait.end ());
  for (const Textures &each : textures_of (trip)) {
    each.reached_by->acquire (each.frames, chain->queue (), wait);
    trip.acquired = true;
  }
  const bool profile = trip.settings.front ().profile;
  chain->begin_frame (wait, profile);
  for (const Input &each : trip.inputs)
    if (each.own)
      each.own->reader.commands.begin_frame (wait, profile);
}

/* Uses images if GST_CL_BACKEND forces them. */
void
Stream::work (Trip &trip)
{
  if (chain->composes ())
    return compose (trip);
  GstBuffer *buffer = trip.inputs[trip.main].buffer;
  const ChainFrame frame{trip.times, buffer, trip.settings, is_interlaced (input.info, buffer)};
  InputPlanes in{.frames = {}, .main = trip.main};
  for (const Input &each : trip.inputs)
    in.frames.push_back (each.frame->planes);
  if (!trip.out || Context::of (context.get ()).device.backend != Backend::image) {
    chain->run (std::move (in), trip.out ? &trip.out->planes : nullptr, frame);
    return;
  }
  /* when frames move between OpenCL memory and another kind, the OpenCL memory is the buffer and the other a texture */
  if (!image_stage) {
    const bool result = same_memory () || out_kind != MemoryKind::opencl;
    image_stage.emplace (
        context, input.info, same_memory () || input.kind != MemoryKind::opencl, result && !chain->converts ());
    result_image_stage.emplace (context, out_info, false, result && chain->converts ());
  }
  const Planes source = in.frames[in.main];
  image_stage->run (chain->runner (), source, trip.out->planes, [&] (const Planes &from, const Planes &target) {
    in.frames[in.main] = from;
    result_image_stage->run (
        chain->result_runner (), target, target, [&] (const Planes &, const Planes &to) { chain->run (in, &to, frame); });
  });
}

/* Converts inputs with their own caps to the planes that filters see. */
void
Stream::compose (Trip &trip)
{
  std::vector<ComposeInput> all;
  for (const auto &[buffer, source, own, texture, number, frame] : trip.inputs)
    all.push_back (
        {own->reader, own->enter (frame->planes), own->format.seen_by_filters (), own->info, buffer, own->work, number});
  chain->compose (std::move (all), trip.out->planes, {trip.times, nullptr, trip.settings, false});
}

void
Stream::end (Trip &trip)
{
  ::cl::Event released;
  if (std::exchange (trip.acquired, false))
    released = release (trip);
  const auto leave = [&] (Frame &frame) {
    if (::cl::Event left = frame.leave (chain->queue ()); left ())
      released = left;
  };
  std::vector<TimedCommands> timed;
  for (Input &each : trip.inputs) {
    if (each.own) {
      each.own->reader.commands.end_frame (false);
      timed.push_back (each.own->reader.commands.take_timed ());
    }
    leave (*each.frame);
  }
  if (trip.out)
    leave (*trip.out);
  trip.fence = chain->end_frame (std::move (timed));
  if (released ())
    trip.fence.event = released;
  if (trip.out_texture) {
    next_output = acquire_buffer (pool.get ());
    out_link->textures->expect (next_output.get ());
  }
}

/* Call this after a failure at any point. Waits for enqueued commands, because they use buffers that the caller releases
 * next. */
void
Stream::abandon (Trip &trip) noexcept
{
  try {
    for (Input &each : trip.inputs)
      if (each.frame)
        each.frame->leave (chain->queue ());
    if (trip.out)
      trip.out->leave (chain->queue ());
    if (std::exchange (trip.acquired, false))
      visit_gl (trip, [&] { release (trip); });
  } catch (const std::exception &) {
    /* the device is lost, and all its images */
  }
  chain->finish ();
}

::cl::Event
Stream::release (Trip &trip)
{
  ::cl::Event released;
  for (const Textures &each : textures_of (trip))
    released = each.reached_by->release (each.frames, chain->queue ());
  return released;
}

/* Acquires the textures of one link together, which is faster. */
std::vector<Stream::Textures>
Stream::textures_of (Trip &trip)
{
  std::vector<Textures> all;
  const auto add = [&all] (const GlLink &link, Frame &frame) {
    if (all.empty () || all.back ().reached_by != link.textures.get ())
      all.push_back ({link.textures.get (), {}});
    all.back ().frames.push_back (&frame);
  };
  for (Input &each : trip.inputs)
    if (each.texture)
      add (*each.source->link, *each.frame);
  if (trip.out_texture)
    add (*out_link, *trip.out);
  return all;
}

void
Stream::visit_gl (const Trip &trip, const std::function<void ()> &work)
{
  const auto texture = std::ranges::find_if (trip.inputs, &Input::texture);
  (trip.out_texture ? out_link : texture->source->link)->textures->visit (work);
}

/* The only place that waits for the kernels' result. */
void
Stream::copy_by_host (GstBuffer *from, GstBuffer *to)
{
  GstVideoFrame source = {}, target = {};
  bool copied = false;
  if (gst_video_frame_map (&source, &out_info, from, GST_MAP_READ)) {
    if (gst_video_frame_map (&target, &out_info, to, GST_MAP_WRITE)) {
      copy_frame (target, source, *find_format (GST_VIDEO_INFO_FORMAT (&out_info)));
      copied = true;
      gst_video_frame_unmap (&target);
    }
    gst_video_frame_unmap (&source);
  }
  if (!copied)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "A result could not be copied to another interface's memory. Start the pipeline again; if that fails, too, put a "
        "capsfilter with video/x-raw behind the element, so that results stay in system memory.",
        "gst_video_frame_map failed");
  input.counts.uploaded += GST_VIDEO_INFO_SIZE (&out_info);
}

/* GL copies staged frames when they are mapped and unmapped, and reports failures nowhere else. */
void
Stream::require_moved (const Trip &trip) const
{
  const GlLink *last = nullptr;
  const auto require = [&last] (const std::shared_ptr<GlLink> &link) {
    if (link && !link->textures && link.get () != last)
      link->require_moved ();
    last = link.get ();
  };
  for (const Input &each : trip.inputs)
    require (each.source->link);
  require (out_link);
}

}  // namespace gst::cl
