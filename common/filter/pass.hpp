/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One frame on its way through the device: its buffers while they are planes of kernels. */
#pragma once

#include "filter/stream.hpp"

namespace gst::cl {

class Stream::Pass {
public:
  /** out: null where nothing is written. */
  Pass (Stream &stream, size_t main, GstBuffer *out, const FrameTimes &times, StageSettings settings);
  /** An input, before everything else. own: the source again where it is one with caps of its own. */
  void add (GstBuffer *buffer, FrameSource &source, OwnSource *own = nullptr);

  /** What is not in textures. */
  void map_frames ();
  /** Before and after the work. In GL's thread where there are textures. */
  void begin ();
  void end ();
  /** Tells the frames which command was the last. */
  void complete ();
  /** After a failure in any of them. */
  void abandon () noexcept;

  bool has_textures () const;
  /** Runs work in GL's thread, where there are textures. */
  void visit (const std::function<void ()> &work);
  /** Of inputs that are in GL memory's pages rather than in images. */
  size_t staged_bytes () const;
  bool is_empty () const { return inputs.empty (); }
  GstBuffer *buffer () const { return inputs[main].buffer; }
  const Frame &main_input () const { return *inputs[main].frame; }
  InputPlanes input_planes () const;
  /** The inputs with caps of their own, as filters see them: enqueues what that takes. */
  std::vector<ComposeInput> compose_inputs ();

  const FrameTimes times;
  const StageSettings settings;
  /** The result itself, or what is copied to it later. */
  BufferRef out_buffer;
  const bool out_texture;
  /** Whether the host copies the result to memory of others. */
  bool out_staged = false;
  std::optional<Frame> out;
  Fence fence;

private:
  struct Input {
    GstBuffer *buffer;
    FrameSource *source;
    OwnSource *own;
    bool texture;
    std::optional<Frame> frame;
  };

  struct Textures {
    GlTextures *reached_by;
    std::vector<Frame *> frames;
  };

  std::vector<Textures> textures ();
  std::vector<Frame *> frames ();
  ::cl::Event release ();

  Stream &stream;
  std::vector<Input> inputs;
  const size_t main;
  bool acquired = false;
};

}  // namespace gst::cl
