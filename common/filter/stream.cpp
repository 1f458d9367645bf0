/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/stream.hpp"

#include "interop/caps.hpp"

#include <algorithm>
#include <mutex>
#include <string_view>

namespace gst::cl {

namespace {

/* Whether a failure means that the context may be unusable. Failed builds, invalid settings, and buffers that are invalid or
 * cannot be mapped leave it usable. */
bool
blames_device (const Failure &failure)
{
  if (failure.domain == GST_LIBRARY_ERROR)
    return failure.code != GST_LIBRARY_ERROR_INIT;
  static constexpr int of_others[] = {
      GST_RESOURCE_ERROR_SETTINGS, GST_RESOURCE_ERROR_NOT_FOUND, GST_RESOURCE_ERROR_READ, GST_RESOURCE_ERROR_WRITE};
  if (failure.domain == GST_RESOURCE_ERROR)
    return std::ranges::find (of_others, failure.code) == std::end (of_others);
  return failure.domain != GST_STREAM_ERROR && failure.domain != GST_CORE_ERROR;
}

}  // namespace

Stream::Stream (ContextRef context_, const MemoryLinks &links, std::span<const StagePlan> stages, GstCaps *in_caps,
    GstCaps *out_caps, const MemoryLinks &out_links)
    : context (std::move (context_)), input (context, links, picture_in_buffer (parse_caps (in_caps)), memory_kind (in_caps)),
      output (context, out_links.empty () ? links : out_links, picture_in_buffer (parse_caps (out_caps ? out_caps : in_caps)),
          memory_kind (out_caps ? out_caps : in_caps), out_caps),
      executor (context, parse_caps (in_caps), parse_caps (out_caps ? out_caps : in_caps),
          input.has_textures () || output.has_textures () ? Backend::image : Context::of (context.get ()).device.backend)
{
  set_stages (stages);
}

Stream::~Stream ()
{
  input.forget_links ();
  output.forget_links ();
}

bool
Stream::is_linked () const
{
  return input.has_textures () || output.has_textures ()
         || std::ranges::any_of (input.links, [] (const auto &each) { return each->kind != MemoryKind::gl; });
}

void
Stream::set_stages (std::span<const StagePlan> stages)
{
  executor.set_stages (stages);
  allocations_at_first.reset ();
}

void
StreamDeleter::operator() (Stream *stream) const
{
  static std::mutex mutex;
  static auto &kept = *new std::vector<Stream *>;
  stream->executor.chain ().finish ();
  if (!stream->executor.is_hung ())
    return delete stream;
  const std::lock_guard lock (mutex);
  kept.push_back (stream);
}

Rehearsal
Stream::rehearsal_of (
    std::span<const StagePlan> stages, StageSettings settings, GstBuffer *frame, size_t inputs, size_t main) const
{
  return {context, input.info, stages, settings, frame, is_interlaced (input.info, frame), inputs, main,
      output.writes_results (), &output.info};
}

Trip
Stream::trip_of (
    std::span<GstBuffer *const> inputs, size_t main, GstBuffer *result, const FrameTimes &times, StageSettings settings)
{
  Trip trip{.result = result, .frame = {times, settings, inputs[main], is_interlaced (input.info, inputs[main])}};
  trip.frame.main = main;
  for (GstBuffer *each : inputs)
    trip.inputs.push_back ({&input, each, input.reaches_texture (each), false, trip.inputs.size ()});
  return trip;
}

Trip
Stream::trip_of (std::span<const SourceFrame> inputs, GstBuffer *result, const FrameTimes &times, const Settings &settings)
{
  Trip trip{.result = result, .frame = {times, {&settings, 1}}};
  Chain &chain = executor.chain ();
  chain.update (trip.frame.settings);
  std::vector<const GstVideoInfo *> infos;
  std::ranges::transform (inputs, std::back_inserter (infos), [] (const SourceFrame &each) { return &each.source->info; });
  const std::vector<bool> shown = static_cast<const Composer &> (*chain.all ().front ()->operation).shown (infos, output.info);
  sources.clear ();
  for (size_t i = 0; i < inputs.size (); i++) {
    const auto &[buffer, source] = inputs[i];
    sources.push_back (source);
    if (!shown[i]) {
      source->forget_copies ({});
      continue;
    }
    source->reader.commands.select_queue (settings.profile);
    trip.inputs.push_back ({source.get (), buffer, source->reaches_texture (buffer), false, i, source.get ()});
  }
  return trip;
}

void
Stream::filter (Trip trip)
{
  executor.require_alive ();
  Chain &chain = executor.chain ();
  chain.update (trip.frame.settings);
  executor.begin_watch ();
  chain.select_queue (trip.frame.settings.front ().profile);
  if (trip.result)
    trip.out.emplace (output.open (trip.result));
  Fence fence;
  const auto work = [&]() __attribute__ ((always_inline))
  {
    if (chain.composes ())
      return compose (trip);
    for (const PortFrame &each : trip.inputs)
      trip.frame.planes.push_back (each.frame->planes);
    Planes out = trip.out ? trip.out->frame->planes : Planes{};
    const bool by_images = trip.out && Context::of (context.get ()).device.backend == Backend::image;
    /* when frames move between OpenCL memory and another kind, the OpenCL memory is the buffer and the other a texture */
    if (by_images)
      executor.enter_images (trip.frame.planes[trip.frame.main], out, same_memory () || input.kind != MemoryKind::opencl,
          same_memory () || output.kind != MemoryKind::opencl);
    chain.run (trip.frame, trip.out ? &out : nullptr);
    if (by_images)
      executor.leave_images (out, trip.out->frame->planes);
  };
  try {
    open (trip);
    if (trip.textures.empty ()) {
      begin (trip);
      work ();
      fence = end (trip);
    } else if (executor.is_new) {
      /* builds programs before other elements are kept from GL */
      Port::visit (trip.textures, [&] { begin (trip); });
      work ();
      Port::visit (trip.textures, [&] { fence = end (trip); });
    } else {
      Port::visit (trip.textures, [&] {
        begin (trip);
        work ();
        fence = end (trip);
      });
    }
    complete (trip, fence);
  } catch (const Overdue &) {
    kept.push_back (std::move (trip));
    throw;
  } catch (const Failure &failure) {
    abandon (trip);
    if (blames_device (failure))
      executor.give_up ();
    throw;
  } catch (...) {
    abandon (trip);
    executor.give_up ();
    throw;
  }
}

/* Maps the frames that are not textures. */
void
Stream::open (Trip &trip)
{
  const cl_command_queue queue = executor.chain ().queue ();
  std::vector<GstBuffer *> again;
  for (PortFrame &each : trip.inputs) {
    if (each.texture)
      trip.textures.push_back (&each);
    else
      each.port->map (each, queue);
    if (trip.inputs.size () > 1)
      again.push_back (each.buffer);
  }
  input.forget_copies (again);
  for (const PortFrame &each : trip.inputs)
    if (each.own) /* such a frame may be shown again */
      each.own->forget_copies ({&each.buffer, 1});
  if (trip.out && trip.out->texture)
    trip.textures.push_back (&*trip.out);
  else if (trip.out)
    output.map (*trip.out, queue);
}

/* If there are textures, begin (), end () and Port::release () run in GL's thread. */
void
Stream::begin (Trip &trip)
{
  Chain &chain = executor.chain ();
  for (PortFrame *each : trip.textures)
    each->port->map (*each, chain.queue ());
  if (!trip.inputs.empty ())
    input_path = trip.inputs[trip.frame.main].frame->path;
  std::vector<::cl::Event> wait;
  for (const PortFrame &each : trip.inputs)
    wait.insert (wait.end (), each.frame->wait.begin (), each.frame->wait.end ());
  if (trip.out)
    wait.insert (wait.end (), trip.out->frame->wait.begin (), trip.out->frame->wait.end ());
  if (!trip.textures.empty ())
    Port::acquire (trip.textures, chain.queue (), wait, trip.acquired);
  const bool profile = trip.frame.settings.front ().profile;
  chain.begin_frame (wait, profile);
  for (const PortFrame &each : trip.inputs)
    if (each.own)
      each.own->reader.commands.begin_frame (wait, profile);
}

/* Converts inputs with their own caps to the planes that filters see. */
void
Stream::compose (Trip &trip)
{
  std::vector<ComposeInput> all;
  for (PortFrame &each : trip.inputs) {
    OwnSource &own = *each.own;
    all.push_back ({own.reader, own.enter (each.frame->planes), own.format.seen_by_filters (), own.info, each.buffer, own.work,
        each.number});
  }
  executor.chain ().compose (std::move (all), trip.out->frame->planes, trip.frame);
}

Fence
Stream::end (Trip &trip)
{
  Chain &chain = executor.chain ();
  ::cl::Event released;
  if (std::exchange (trip.acquired, false))
    released = Port::release (trip.textures, chain.queue ());
  const auto leave = [&] (Frame &frame) {
    if (::cl::Event left = frame.leave (chain.queue ()); left ())
      released = left;
  };
  std::vector<TimedCommands> timed;
  for (PortFrame &each : trip.inputs) {
    if (each.own) {
      each.own->reader.commands.end_frame (false);
      timed.push_back (each.own->reader.commands.take_timed ());
    }
    leave (*each.frame);
  }
  if (trip.out)
    leave (*trip.out->frame);
  Fence fence = chain.end_frame (std::move (timed));
  if (released ())
    fence.event = released;
  if (trip.out && trip.out->texture)
    output.expect_next ();
  return fence;
}

/* Gives the frames their last command, counts them, and waits for the result if no later user does. */
void
Stream::complete (Trip &trip, Fence &fence)
{
  executor.is_new = false;
  executor.watch (fence);
  if (fence) {
    if (trip.out)
      trip.out->frame->complete_write (fence);
    for (PortFrame &each : trip.inputs)
      each.frame->complete_read (fence);
  }
  count (trip);
  if (fence)
    executor.limit_frames_under_way (fence);
  if (trip.out && trip.out->staged)
    input.counts.uploaded += output.close (*trip.out, trip.result);
  const Port *last = nullptr;
  for (const PortFrame &each : trip.inputs)
    each.port->require_moved (std::exchange (last, each.port));
  output.require_moved (last);
  if (trip.out && output.must_wait (*trip.out))
    Context::of (context.get ()).wait_for (fence.event);
}

/* Call this after a failure at any point. Waits for enqueued commands, because they use buffers that the caller releases
 * next. */
void
Stream::abandon (Trip &trip) noexcept
{
  const cl_command_queue queue = executor.chain ().queue ();
  try {
    for (PortFrame &each : trip.inputs)
      if (each.frame)
        each.frame->leave (queue);
    if (trip.out && trip.out->frame)
      trip.out->frame->leave (queue);
    if (std::exchange (trip.acquired, false))
      Port::visit (trip.textures, [&] { Port::release (trip.textures, queue); });
    ::cl::Event last;
    ::cl::CommandQueue (queue, true).enqueueMarkerWithWaitList (nullptr, &last);
    executor.watch ({last, queue});
  } catch (const std::exception &) {
    /* the device is lost, and all its images */
  }
  executor.chain ().finish ();
  if (executor.is_hung ())
    kept.push_back (std::move (trip));
}

void
Stream::count (Trip &trip)
{
  frames += trip.frame.times.is_result;
  gsize staged = 0;
  for (const PortFrame &each : trip.inputs)
    if (each.staged)
      staged += GST_VIDEO_INFO_SIZE (&each.port->info);
  input.counts.downloaded += staged;
  const bool out_staged = trip.out && trip.out->staged;
  staged_frames += staged || out_staged;
  if (trip.out && (output.kind == MemoryKind::system || out_staged))
    input.counts.downloaded += trip.out->frame->prefetch ();
  for (const auto &each : sources) { /* keeps the counts of inputs that are released */
    input.counts.uploaded += std::exchange (each->counts.uploaded, 0);
    input.counts.downloaded += std::exchange (each->counts.downloaded, 0);
    each->new_allocations ();
  }
  if (!allocations_at_first)
    allocations_at_first = allocations ();
}

guint64
Stream::allocations () const
{
  guint64 count = input.allocations () + output.all_allocations () + executor.chain ().allocations ();
  for (const auto &each : sources)
    count += each->new_allocations ();
  const LinkCounts made = links ();
  return count + made.image_misses + made.imports;
}

LinkCounts
Stream::links () const
{
  LinkCounts sum;
  input.count (sum);
  output.count (sum, &input);
  for (const auto &each : sources)
    each->count (sum);
  return sum;
}

std::string
Stream::path () const
{
  if (const char *path = output.link_path ())
    return path;
  for (const auto &each : input.links)
    if (each->kind == input.kind || g_str_equal (input_path, each->path ()))
      return each->path ();
  const char *gl = input.gl_path ();
  for (const auto &each : sources)
    gl = gl ? gl : each->gl_path ();
  if (gl)
    return gl;
  const auto is_opencl = [] (const auto &each) { return each->kind == MemoryKind::opencl; };
  const std::string_view came = input_path;
  /* frames of another context come by the host */
  const bool by_host = came == "host-shared" || came == "upload";
  if ((sources.empty () ? input.kind == MemoryKind::opencl : std::ranges::all_of (sources, is_opencl))
      && output.kind == MemoryKind::opencl && !by_host)
    return "opencl";
  const bool shared = Context::of (context.get ()).device.host_memory != HostMemory::staged;
  return shared && came != "upload" ? "host-shared" : "upload";
}

StreamStats
Stream::stats () const
{
  const Chain &chain = executor.chain ();
  StreamStats stats;
  stats.device = Context::of (context.get ()).device.name;
  stats.path = path ();
  stats.algorithm = chain.algorithm ();
  stats.frames = frames;
  stats.frame_counts = input.counts;
  stats.builds = executor.builds ();
  stats.timer = chain.timer;
  for (const auto &each : sources)
    stats.builds += each->reader.kernels.builds;
  stats.links = links ();
  stats.staged_frames = staged_frames;
  for (const auto &stage : chain.all ())
    stats.regions += stage->regions.count;
  stats.allocations = allocations () - allocations_at_first.value_or (0);
  return stats;
}

StreamStats
Stream::stats_of (size_t i) const
{
  const Stage &stage = *executor.chain ().all ()[i];
  StreamStats stats;
  stats.device = Context::of (context.get ()).device.name;
  stats.path = path ();
  stats.algorithm = stage.algorithm ();
  stats.frames = frames;
  stats.builds = stage.runner.kernels.builds;
  stats.regions = stage.regions.count;
  stats.timer = stage.runner.commands.timer;
  return stats;
}

}  // namespace gst::cl
