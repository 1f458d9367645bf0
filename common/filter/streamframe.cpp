/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way of one frame through a stream. */
#include "filter/stream.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

bool
is_interlaced (const GstVideoInfo &info, GstBuffer *buffer)
{
  const GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (&info);
  return mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED
         || (mode == GST_VIDEO_INTERLACE_MODE_MIXED && GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED));
}

/* Where a kernel does not build, its settings are no good, or a buffer is not what it says or not in the memory that was asked
 * for, the context is still as it was. */
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
  chain->select_queue (settings.front ().profile ());
  Job job = make_job (main, result, times, settings);
  for (GstBuffer *each : inputs)
    job.inputs.push_back ({each, &input, nullptr, input.reads_texture (each), {}});
  run (job, result);
}

void
Stream::filter (std::span<const SourceFrame> inputs, GstBuffer *result, const FrameTimes &times, const Settings &settings)
{
  chain->update ({&settings, 1});
  chain->select_queue (settings.profile ());
  sources.clear ();
  Job job = make_job (0, result, times, {&settings, 1});
  for (const auto &[buffer, source] : inputs) {
    source->reader.commands.select_queue (settings.profile ());
    job.inputs.push_back ({buffer, source.get (), source.get (), source->reads_texture (buffer), {}});
    sources.push_back (source);
  }
  run (job, result);
}

Stream::Job
Stream::make_job (size_t main, GstBuffer *result, const FrameTimes &times, StageSettings settings)
{
  Job job{.times = times, .settings = settings, .out_buffer = {}, .out = {}, .fence = {}, .inputs = {}, .main = main};
  if (!result)
    return job;
  job.out_texture = out_kind == MemoryKind::gl && out_link->textures && out_link->textures->reaches (result, true);
  job.out_buffer = out_other ? out_other->reach_result (result) : BufferRef::retain (result);
  job.out_staged = !job.out_texture && (!job.out_buffer || !writer.is_on_device (job.out_buffer.get ()));
  if (job.out_staged)
    job.out_buffer = acquire_buffer (staging_pool.get ());
  return job;
}

void
Stream::run (Job &job, GstBuffer *result)
{
  try {
    enqueue (job);
    watch (job.fence);
    if (job.fence) { /* tells the frames which command was the last */
      if (job.out)
        job.out->complete_write (job.fence);
      for (Input &each : job.inputs)
        each.frame->complete_read (job.fence);
    }
    count_frame (job);
    if (job.fence)
      limit_frames_under_way (job.fence);
    if (job.out_staged)
      copy_by_host (job.out_buffer.get (), result);
    else if (job.out_texture || (job.out && out_other && !out_other->is_awaited_by_map ()))
      wait_for (job.fence.event);
  } catch (const Overdue &) {
    Context::of (context.get ()).failed = true;
    throw; /* what is queued is kept by the reaper */
  } catch (const Failure &failure) {
    abandon (job);
    if (blames_device (failure))
      give_up ();
    throw;
  } catch (...) {
    abandon (job);
    give_up ();
    throw;
  }
}

/* In GL's thread where there are textures. */
void
Stream::enqueue (Job &job)
{
  map (job);
  if (!job.out_texture && std::ranges::none_of (job.inputs, &Input::texture)) {
    begin (job);
    work (job);
    end (job);
  } else if (is_new) {
    /* programs are built now, which would keep everybody else from GL */
    visit_gl (job, [&] { begin (job); });
    work (job);
    visit_gl (job, [&] { end (job); });
  } else {
    visit_gl (job, [&] {
      begin (job);
      work (job);
      end (job);
    });
  }
  is_new = false;
}

/* What is not in textures. */
void
Stream::map (Job &job)
{
  for (Input &each : job.inputs)
    if (!each.texture)
      each.frame.emplace (each.source->mapper.read (each.buffer, chain->queue ()));
  std::vector<GstBuffer *> again;
  if (job.inputs.size () > 1)
    std::ranges::transform (job.inputs, std::back_inserter (again), &Input::buffer);
  input.mapper.forget_copies (again);
  for (const Input &each : job.inputs)
    if (each.own) /* such a frame may be shown again */
      each.own->mapper.forget_copies ({&each.buffer, 1});
  if (job.out_buffer && !job.out_texture)
    job.out.emplace (writer.write (job.out_buffer.get (), chain->queue ()));
}

void
Stream::begin (Job &job)
{
  std::vector<::cl::Event> wait;
  for (Input &each : job.inputs) {
    if (each.texture)
      each.frame.emplace (each.source->link->textures->read (each.buffer));
    wait.insert (wait.end (), each.frame->wait.begin (), each.frame->wait.end ());
  }
  if (job.out_texture)
    job.out.emplace (out_link->textures->write (job.out_buffer.get ()));
  if (job.out)
    wait.insert (wait.end (), job.out->wait.begin (), job.out->wait.end ());
  for (const Textures &each : textures_of (job)) {
    each.reached_by->acquire (each.frames, chain->queue (), wait);
    job.acquired = true;
  }
  const bool profile = job.settings.front ().profile ();
  chain->begin_frame (wait, profile);
  for (const Input &each : job.inputs)
    if (each.own)
      each.own->reader.commands.begin_frame (wait, profile);
}

/* Through images where that is forced. */
void
Stream::work (Job &job)
{
  if (chain->composes ())
    return compose (job);
  GstBuffer *buffer = job.inputs[job.main].buffer;
  const ChainFrame frame{job.times, buffer, job.settings, is_interlaced (input.info, buffer)};
  InputPlanes in{.frames = {}, .main = job.main};
  for (const Input &each : job.inputs)
    in.frames.push_back (each.frame->planes);
  if (!job.out || Context::of (context.get ()).device.backend != Backend::image) {
    chain->run (std::move (in), job.out ? &job.out->planes : nullptr, frame);
    return;
  }
  if (!image_stage) { /* between OpenCL memory and another kind, the former is the buffer beside a texture */
    const bool result = same_memory () || out_kind != MemoryKind::opencl;
    image_stage.emplace (
        context, input.info, same_memory () || input.kind != MemoryKind::opencl, result && !chain->converts ());
    result_image_stage.emplace (context, out_info, false, result && chain->converts ());
  }
  const Planes source = in.frames[in.main];
  image_stage->run (chain->runner (), source, job.out->planes, [&] (const Planes &from, const Planes &target) {
    in.frames[in.main] = from;
    result_image_stage->run (
        chain->result_runner (), target, target, [&] (const Planes &, const Planes &to) { chain->run (in, &to, frame); });
  });
}

/* Inputs with caps of their own, as filters see them. */
void
Stream::compose (Job &job)
{
  std::vector<ComposeInput> all;
  for (const auto &[buffer, source, own, texture, frame] : job.inputs)
    all.push_back ({own->reader, own->enter (frame->planes), own->format.seen_by_filters (), own->info, buffer, own->work});
  chain->compose (std::move (all), job.out->planes, {job.times, nullptr, job.settings, false});
}

void
Stream::end (Job &job)
{
  ::cl::Event released;
  if (std::exchange (job.acquired, false))
    released = release (job);
  const auto leave = [&] (Frame &frame) {
    if (::cl::Event left = frame.leave (chain->queue ()); left ())
      released = left;
  };
  for (Input &each : job.inputs) {
    if (each.own)
      each.own->reader.commands.end_frame (false);
    leave (*each.frame);
  }
  if (job.out)
    leave (*job.out);
  job.fence = chain->end_frame ();
  if (released ())
    job.fence.event = released;
  if (job.out_texture) {
    next_output = acquire_buffer (pool.get ());
    out_link->textures->expect (next_output.get ());
  }
}

/* After a failure at any time. What was enqueued reads and writes the buffers, which go when the caller leaves. */
void
Stream::abandon (Job &job) noexcept
{
  try {
    for (Input &each : job.inputs)
      if (each.frame)
        each.frame->leave (chain->queue ());
    if (job.out)
      job.out->leave (chain->queue ());
    if (std::exchange (job.acquired, false))
      visit_gl (job, [&] { release (job); });
  } catch (const std::exception &) {
    /* the device is gone, and with it every image */
  }
  chain->finish ();
}

::cl::Event
Stream::release (Job &job)
{
  ::cl::Event released;
  for (const Textures &each : textures_of (job))
    released = each.reached_by->release (each.frames, chain->queue ());
  return released;
}

/* Those of one link together, which costs less. */
std::vector<Stream::Textures>
Stream::textures_of (Job &job)
{
  std::vector<Textures> all;
  const auto add = [&all] (const GlLink &link, Frame &frame) {
    if (all.empty () || all.back ().reached_by != link.textures.get ())
      all.push_back ({link.textures.get (), {}});
    all.back ().frames.push_back (&frame);
  };
  for (Input &each : job.inputs)
    if (each.texture)
      add (*each.source->link, *each.frame);
  if (job.out_texture)
    add (*out_link, *job.out);
  return all;
}

void
Stream::visit_gl (const Job &job, const std::function<void ()> &work)
{
  const auto texture = std::ranges::find_if (job.inputs, &Input::texture);
  (job.out_texture ? out_link : texture->source->link)->textures->visit (work);
}

/* Where the kernels' result is waited for. */
void
Stream::copy_by_host (GstBuffer *from, GstBuffer *to)
{
  GstVideoFrame source, target;
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
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, "A result could not be copied to another interface's memory.",
        "gst_video_frame_map failed");
  input.mapper.counts.uploaded += GST_VIDEO_INFO_SIZE (&out_info);
}

}  // namespace gst::cl
