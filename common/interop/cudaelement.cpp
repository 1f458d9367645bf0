/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/element.hpp"

#include "core/debug.hpp"
#include "interop/cudalink.hpp"
#include "memory/frame.hpp"

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clcudaelement", "CUDA memory between elements">)

namespace gst::cl {

namespace cuda {

namespace {

/* The parts that an exchange of frames needs; if some are missing, the others and the reason. */
struct Findings {
  std::shared_ptr<const Exchange> exchange;
  const Library *library = nullptr;
  std::string missing;
};

class ElementOfCuda : public MemoryElement {
public:
  explicit ElementOfCuda (GstElement *element) : MemoryElement (MemoryKind::cuda, element) {}
  ~ElementOfCuda () override { reset (); }

  /* Loads no library for contexts of other types. */
  bool set_context (GstContext *offered) override
  {
    std::string missing;
    if (!offered || !g_str_equal (gst_context_get_context_type (offered), context_type))
      return false;
    const Library *library = Library::get (missing);
    if (!library)
      return false;
    const ContextOfCuda old = current (own);
    library->handle_set_context (element, offered, device, &own);
    const bool replaced = old && old.get () != current (own).get ();
    stale = stale || replaced;
    return replaced;
  }

  bool query_context (GstQuery *query) override
  {
    const gchar *type = nullptr;
    std::string missing;
    gst_query_parse_context_type (query, &type);
    const ContextOfCuda shown = current (own);
    return shown && g_str_equal (type, context_type)
           && Library::get (missing)->handle_context_query (element, query, shown.get ());
  }

  std::shared_ptr<MemoryLink> link (const ContextRef &context, const GstVideoInfo &info) override
  {
    Findings found;
    Verdict verdict;
    if (wanted != Interop::staged)
      verdict = try_out (context, GST_VIDEO_INFO_FORMAT (&info), found);
    else
      found = find (context);
    if (verdict.works) {
      GST_INFO_OBJECT (element, "frames in CUDA memory are OpenCL's, too");
      return make_link (found.exchange, info, [this] (const std::string &reason) { warn (reason); });
    }
    if (wanted == Interop::require || wanted == Interop::cuda)
      throw refusal (kind, "OpenCL and CUDA cannot exchange frames without copies through the host", verdict.reason);
    if (wanted != Interop::staged)
      warn (verdict.reason);
    return make_staged_link (context, found.library, current (own));
  }

  /* If upstream changes its CUDA context, frames of another context on the same device come. */
  bool is_stale (GstBuffer *buffer) override
  {
    if (stale.exchange (false))
      return true;
    GstMemory *memory = gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : nullptr;
    if (!exchange || !memory || !exchange->library.is_cuda_memory (memory))
      return false;
    GstObject *theirs = reinterpret_cast<Memory *> (memory)->context;
    if (theirs == exchange->cuda.get () || device_of (theirs) != device_of (exchange->cuda.get ()))
      return false;
    replace (own, theirs);
    return true;
  }

  /* Decoders before 1.24 write into any pool of CUDA memory, also into one of another context, which fails. */
  void propose (const ContextRef &context, GstCaps *caps, bool need_pool, GstQuery *query) override
  {
    if (need_pool && exchange && direct && exchange->context.get () == context.get ()
        && of_upstream ().get () == exchange->cuda.get ())
      offer_pool (query, new_pool (exchange).get (), caps);
  }

  void forget (const ContextRef &) override { exchange.reset (); }

  void reset () override
  {
    exchange.reset ();
    replace (own, nullptr);
    MemoryElement::reset ();
  }

  Verdict try_out (const ContextRef &context, GstVideoFormat format, Findings &found)
  {
    found = find (context);
    Verdict verdict{.reason = found.missing};
    if (found.exchange)
      verdict = find_verdict (found.exchange, format);
    direct = verdict.works;
    known = true;
    return verdict;
  }

private:
  void find_out (const ContextRef &context, const GstVideoInfo &info) override
  {
    Findings found;
    if (wanted != Interop::staged)
      try_out (context, GST_VIDEO_INFO_FORMAT (&info), found);
  }

  /* The neighbours' context on the device, else a new one that is offered to them. on is -1 for any device. */
  ContextOfCuda ensure (const Library &library, int on)
  {
    device = on;
    const ContextOfCuda shown = current (own);
    const bool is_other = shown && on >= 0 && device_of (shown.get ()) != on;
    if (is_other)
      replace (own, nullptr);
    if (!shown || is_other)
      library.ensure_element_context (element, on, &own);
    return current (own);
  }

  ContextOfCuda of_upstream ()
  {
    const std::vector<Ref<GstPad>> pads = sink_pads_of (element);
    g_autoptr (GstQuery) query = gst_query_new_context (context_type);
    GstContext *answer = nullptr;
    if (!pads.empty () && gst_pad_peer_query (pads.front ().get (), query))
      gst_query_parse_context (query, &answer);
    const GValue *value = answer ? gst_structure_get_value (gst_context_get_structure (answer), context_type) : nullptr;
    return ContextOfCuda (value ? GST_OBJECT (g_value_dup_object (value)) : nullptr);
  }

  Findings find (const ContextRef &context)
  {
    Findings found;
    found.library = Library::get (found.missing);
    if (!found.library)
      return found;
    if (exchange && exchange->context.get () == context.get () && exchange->cuda.get () == current (own).get ()) {
      found.exchange = exchange;
      return found;
    }
    const Device &cl_device = Context::of (context.get ()).device;
    Uuid uuid = {};
    const auto importer = Importer::create (cl_device, opaque_descriptors, found.missing);
    int number = -1;
    if (importer && Importer::find_uuid (cl_device, uuid, found.missing) && (number = find_device (*found.library, uuid)) < 0)
      found.missing = "no CUDA device has the UUID " + text_of (uuid) + " of the OpenCL device " + cl_device.name;
    ContextOfCuda shared = ensure (*found.library, number);
    if (found.missing.empty () && !shared)
      found.missing = "there is no CUDA context";
    if (found.missing.empty ())
      found.exchange = exchange = std::make_shared<const Exchange> (*found.library, std::move (shared), context, importer);
    return found;
  }

  void warn (const std::string &reason) { warn_of_staging ("OpenCL cannot use them in place: " + reason, reason); }

  /* guarded by the element's object lock, as GStreamer's helpers expect */
  GstObject *own = nullptr;
  std::atomic<int> device = -1;

  /* for the streaming thread */
  std::shared_ptr<const Exchange> exchange;
};

}  // namespace
}  // namespace cuda

Verdict
probe_cuda (const Device &device, GstVideoFormat format)
{
  Verdict verdict;
  try {
    const cuda::ContextOfCuda bin (GST_OBJECT (gst_object_ref_sink (gst_bin_new (nullptr))));
    cuda::ElementOfCuda asking (GST_ELEMENT (bin.get ()));
    cuda::Findings found;
    verdict = asking.try_out (wrap_context (device, ::cl::Context (device.handle), nullptr), format, found);
  } catch (const std::exception &error) {
    verdict.reason = error.what ();
  }
  return verdict;
}

std::unique_ptr<MemoryElement>
make_cuda_element (GstElement *element)
{
  return std::make_unique<cuda::ElementOfCuda> (element);
}

}  // namespace gst::cl
