/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/pass.hpp"

#include <algorithm>

namespace gst::cl {

Stream::Pass::Pass (Stream &stream_, size_t main_, GstBuffer *out_, const FrameTimes &times_, StageSettings settings_)
    : times (times_), settings (settings_), out_texture (out_ && stream_.writes_texture (out_)), stream (stream_), main (main_)
{
  if (!out_)
    return;
  out_buffer = stream.out_other ? stream.out_other->reach_result (out_) : BufferRef::retain (out_);
  out_staged = !out_texture && (!out_buffer || !stream.writer.is_on_device (out_buffer.get ()));
  if (out_staged)
    out_buffer = acquire_buffer (stream.staging_pool.get ());
}

void
Stream::Pass::add (GstBuffer *buffer, FrameSource &source, OwnSource *own)
{
  inputs.push_back ({buffer, &source, own, source.reads_texture (buffer), {}});
}

bool
Stream::Pass::has_textures () const
{
  return out_texture || std::ranges::any_of (inputs, &Input::texture);
}

/* By the host, from memory of another interface. */
static bool
is_staged (const Frame &frame)
{
  return g_str_equal (frame.path, "upload") || g_str_equal (frame.path, "host-shared");
}

size_t
Stream::Pass::staged_bytes () const
{
  size_t bytes = 0;
  for (const Input &input : inputs)
    if (input.source->kind == MemoryKind::gl ? !input.texture : is_foreign (input.source->kind) && is_staged (*input.frame))
      bytes += GST_VIDEO_INFO_SIZE (&input.source->info);
  return bytes;
}

InputPlanes
Stream::Pass::input_planes () const
{
  InputPlanes planes{.frames = {}, .main = main};
  for (const Input &input : inputs)
    planes.frames.push_back (input.frame->planes);
  return planes;
}

std::vector<ComposeInput>
Stream::Pass::compose_inputs ()
{
  std::vector<ComposeInput> all;
  for (Input &input : inputs)
    all.push_back ({input.own->reader, input.own->enter (input.frame->planes), input.own->format.seen_by_filters (),
        input.own->info, input.buffer, input.own->work});
  return all;
}

void
Stream::Pass::map_frames ()
{
  for (Input &input : inputs)
    if (!input.texture)
      input.frame.emplace (input.source->mapper.read (input.buffer, stream.chain->queue ()));
  std::vector<GstBuffer *> again;
  if (inputs.size () > 1)
    std::ranges::transform (inputs, std::back_inserter (again), &Input::buffer);
  stream.input.mapper.forget_copies (again);
  for (const Input &input : inputs)
    if (input.own) /* such a frame may be shown again */
      input.own->mapper.forget_copies ({&input.buffer, 1});
  if (out_buffer && !out_texture)
    out.emplace (stream.writer.write (out_buffer.get (), stream.chain->queue ()));
}

/* Those of one link together, which costs less. */
std::vector<Stream::Pass::Textures>
Stream::Pass::textures ()
{
  std::vector<Textures> all;
  const auto add = [&all] (const GlLink &link, Frame &frame) {
    if (all.empty () || all.back ().reached_by != link.textures.get ())
      all.push_back ({link.textures.get (), {}});
    all.back ().frames.push_back (&frame);
  };
  for (Input &input : inputs)
    if (input.texture)
      add (*input.source->link, *input.frame);
  if (out_texture)
    add (*stream.out_link, *out);
  return all;
}

void
Stream::Pass::visit (const std::function<void ()> &work)
{
  const auto texture = std::ranges::find_if (inputs, &Input::texture);
  (out_texture ? stream.out_link : texture->source->link)->textures->visit (work);
}

::cl::Event
Stream::Pass::release ()
{
  ::cl::Event released;
  for (const Textures &each : textures ())
    released = each.reached_by->release (each.frames, stream.chain->queue ());
  return released;
}

std::vector<Frame *>
Stream::Pass::frames ()
{
  std::vector<Frame *> all;
  for (Input &input : inputs)
    if (input.frame)
      all.push_back (&*input.frame);
  if (out)
    all.push_back (&*out);
  return all;
}

void
Stream::Pass::begin ()
{
  std::vector<::cl::Event> wait;
  for (Input &input : inputs) {
    if (input.texture)
      input.frame.emplace (input.source->link->textures->read (input.buffer));
    wait.insert (wait.end (), input.frame->wait.begin (), input.frame->wait.end ());
  }
  if (out_texture)
    out.emplace (stream.out_link->textures->write (out_buffer.get ()));
  if (out)
    wait.insert (wait.end (), out->wait.begin (), out->wait.end ());
  for (const Textures &each : textures ()) {
    each.reached_by->acquire (each.frames, stream.chain->queue (), wait);
    acquired = true;
  }
  stream.chain->begin_frame (wait, settings.front ().profile ());
  for (const Input &input : inputs)
    if (input.own)
      input.own->reader.commands.begin_frame (wait, settings.front ().profile ());
}

void
Stream::Pass::end ()
{
  ::cl::Event released;
  if (std::exchange (acquired, false))
    released = release ();
  for (const Input &input : inputs)
    if (input.own)
      input.own->reader.commands.end_frame (false);
  for (Frame *frame : frames ())
    if (::cl::Event left = frame->leave (stream.chain->queue ()); left ())
      released = left;
  fence = stream.chain->end_frame ();
  if (released ())
    fence.event = released;
  if (out_texture) {
    stream.next_output = acquire_buffer (stream.pool.get ());
    stream.out_link->textures->expect (stream.next_output.get ());
  }
}

void
Stream::Pass::complete ()
{
  if (!fence)
    return; /* nothing was enqueued */
  if (out)
    out->complete_write (fence);
  for (Input &input : inputs)
    input.frame->complete_read (fence);
}

/* What was enqueued reads and writes the buffers, which go when the caller leaves. */
void
Stream::Pass::abandon () noexcept
{
  try {
    for (Frame *frame : frames ())
      frame->leave (stream.chain->queue ());
    if (std::exchange (acquired, false))
      visit ([this] { release (); });
  } catch (const std::exception &) {
    /* the device is gone, and with it every image */
  }
  stream.chain->finish ();
}

}  // namespace gst::cl
