/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The test: CUDA writes a small frame, OpenCL inverts it, CUDA reads it, and every byte is compared. */
#include "core/debug.hpp"
#include "interop/cudacopy.hpp"
#include "interop/cudalink.hpp"
#include "interop/trial.hpp"

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clcudatrial", "the trial of frames in CUDA memory">)

namespace gst::cl::cuda {

namespace {

class CudaTrial : public Trial {
public:
  CudaTrial (const Exchange &exchange, const std::shared_ptr<MemoryLink> &by, const GstVideoInfo &of)
      : Trial (*by, of, feature), mapper (exchange.context, info, false, {by}),
        plain_pool (
            start_pool (PoolRef (exchange.library.buffer_pool_new (exchange.cuda.get ())), caps.get (), 1, memory_name)),
        plain (acquire_buffer (plain_pool.get ()))
  {
    BuildCounts counts;
    kernel = ::cl::Kernel (
        *Context::of (exchange.context.get ()).programs.get ({{"lib/probe_bytes.cl"}, ""}, counts), "probe_bytes");
  }

  /** A frame whose memory is unknown to OpenCL. */
  GstBuffer *foreign () const { return plain.get (); }

private:
  /* Maps the frame like a CUDA element. */
  void touch (GstBuffer *buffer, GstMapFlags flags) override
  {
    GstMapInfo map;
    if (!gst_buffer_map (buffer, &map, GstMapFlags (int (flags) | map_cuda)))
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, "A frame in CUDA memory could not be mapped.", "");
    gst_buffer_unmap (buffer, &map);
  }

  /* All bytes of the memory, those between planes included. */
  void run (GstBuffer *from) override
  {
    Frame source = mapper.read (from, queue ()), target = mapper.write (out.get (), queue ());
    kernel.setArg (0, source.planes[0].memory);
    kernel.setArg (1, target.planes[0].memory);
    kernel.setArg (2, cl_ulong (0));
    kernel.setArg (3, cl_ulong (0));
    ::cl::Event done;
    try {
      queue.enqueueNDRangeKernel (kernel, ::cl::NullRange, ::cl::NDRange (gst_buffer_get_size (out.get ())));
    } catch (...) {
      source.leave (queue ());
      target.leave (queue ());
      throw;
    }
    source.leave (queue ());
    target.leave (queue ());
    queue.enqueueMarkerWithWaitList (nullptr, &done);
    source.complete_read ({done, queue ()});
    target.complete_write ({done, queue ()});
    queue.flush ();
    done.wait ();
  }

  FrameMapper mapper;
  const PoolRef plain_pool;
  const BufferRef plain;
  ::cl::Kernel kernel;
};

Verdict
run_trial (const std::shared_ptr<const Exchange> &exchange, GstVideoFormat format)
{
  try {
    const GstVideoInfo info = trial_info (format);
    CudaTrial trial (*exchange, make_link (exchange, info, [] (const std::string &) {}), info);
    trial.require_inverse (trial.input ());
    for (int i = 0; i < Copier::trial_frames; i++)
      trial.require_inverse (trial.foreign ());
    return {.works = true,
        .reason = "",
        .microseconds = trial.time (trial.input ()),
        .microseconds_copied = trial.time (trial.foreign ())};
  } catch (const std::exception &error) {
    return {.reason = reason_of (error)};
  }
}

}  // namespace

Verdict
find_verdict (const std::shared_ptr<const Exchange> &exchange, GstVideoFormat format)
{
  static auto *const verdicts = new Verdicts<std::pair<cl_device_id, GstVideoFormat>>;
  const Device &device = Context::of (exchange->context.get ()).device;
  const auto attempt = [&] {
    const Verdict verdict = run_trial (exchange, format);
    GST_INFO ("exchange of %s between %s and CUDA %s", gst_video_format_to_string (format), device.name.c_str (),
        verdict.text ().c_str ());
    return std::optional (verdict);
  };
  return *verdicts->get ({device.handle (), format}, attempt);
}

}  // namespace gst::cl::cuda
