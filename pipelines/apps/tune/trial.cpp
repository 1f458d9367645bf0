/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trial.hpp"

#include "../common/mappedframe.hpp"
#include "../common/options.hpp"
#include "filter-facts.hpp"
#include "report.hpp"

#include <gst/app/app.h>
#include <gst/cl/cl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

using namespace gst::cl;

namespace {

constexpr guint n_pictures = 3;
constexpr GstClockTime patience = 600 * GST_SECOND;

/* The terms of shade () that belong to a column or a row: sines take most of the time. */
struct Waves {
  double soft, fine;
};

Waves
waves_across (double x, double shift)
{
  return {0.3 * std::sin (3.1 * x + shift), 0.06 * std::sin (190 * x)};
}

Waves
waves_down (double y, double shift, int component)
{
  return {std::cos (2.3 * y - shift), std::sin (170 * y + component)};
}

/* A brightness of 0 to 1 at a position, which is given as fractions of the frame. */
double
shade (double x, double y, const Waves &across, const Waves &down, double shift, guint number)
{
  const double dx = x - 0.4 - 0.05 * number, dy = y - 0.55;
  const bool disc = dx * dx + dy * dy < 0.04, stripe = std::fmod (x * 7 + y * 3 + shift, 1) < 0.3;
  return 0.5 + across.soft * down.soft + (disc ? 0.2 : 0) - (stripe ? 0.15 : 0) + across.fine * down.fine;
}

void
fill_component (GstVideoFrame &frame, guint component, guint number)
{
  const gint width = GST_VIDEO_FRAME_COMP_WIDTH (&frame, component), height = GST_VIDEO_FRAME_COMP_HEIGHT (&frame, component);
  const gint depth = GST_VIDEO_FRAME_COMP_DEPTH (&frame, component), step = GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, component);
  const double max = (1 << depth) - 1;
  const int shift = frame.info.finfo->shift[component];
  const double offset = 0.13 * number + 0.21 * component;
  std::vector<Waves> across;
  for (gint x = 0; x < width; x++)
    across.push_back (waves_across (double (x) / width, offset));
  guint32 state = 1 + component + 16 * number;
  for (gint y = 0; y < height; y++) {
    auto *row = static_cast<guint8 *> (GST_VIDEO_FRAME_COMP_DATA (&frame, component))
                + gsize (y) * GST_VIDEO_FRAME_COMP_STRIDE (&frame, component);
    const Waves down = waves_down (double (y) / height, offset, int (component));
    for (gint x = 0; x < width; x++) {
      state = state * 1664525 + 1013904223;
      const double noise = ((state >> 16) / 65536.0 - 0.5) * 0.03;
      const double value = shade (double (x) / width, double (y) / height, across[x], down, offset, number) + noise;
      const auto sample = guint (std::clamp (value, 0.0, 1.0) * max) << shift;
      if (depth > 8)
        GST_WRITE_UINT16_LE (row + gsize (x) * step, sample);
      else
        row[gsize (x) * step] = guint8 (sample);
    }
  }
}

/* A picture with gradients, edges, fine texture and a little noise, as from a camera; a different one for each number. In
 * system memory. */
GstBuffer *
make_picture (const GstVideoInfo &info, guint number)
{
  GstBuffer *buffer = gst_buffer_new_allocate (nullptr, GST_VIDEO_INFO_SIZE (&info), nullptr);
  gst_buffer_memset (buffer, 0, 0, GST_VIDEO_INFO_SIZE (&info));
  if (MappedFrame mapped (&info, buffer, GST_MAP_WRITE); mapped)
    for (guint component = 0; component < GST_VIDEO_FRAME_N_COMPONENTS (&mapped.frame); component++)
      fill_component (mapped.frame, component, number);
  return buffer;
}

/* Clears memory, because later runs reuse it: a kernel must not pass the test with samples that another one has left. */
void
wipe (GstBuffer *buffer)
{
  constexpr guint8 no_result = 0x5a;
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMapInfo map;
    if (!gst_memory_map (gst_buffer_peek_memory (buffer, i), &map, GST_MAP_WRITE))
      continue; /* our own picture, which the element lets pass */
    memset (map.data, no_result, map.size);
    gst_memory_unmap (map.memory, &map);
  }
}

/* Pushes a frame that shares the picture's memory; gst_buffer_copy() would copy it, because OpenCL memory cannot be shared in
 * parts. */
void
push (GstElement *source, GstBuffer *picture, guint number)
{
  GstBuffer *buffer = gst_buffer_new ();
  gst_buffer_copy_into (buffer, picture, GST_BUFFER_COPY_META, 0, gsize (-1));
  for (guint i = 0; i < gst_buffer_n_memory (picture); i++)
    gst_buffer_append_memory (buffer, gst_buffer_get_memory (picture, i));
  GST_BUFFER_PTS (buffer) = number * (GST_SECOND / 25);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 25;
  gst_app_src_push_buffer (GST_APP_SRC (source), buffer);
}

std::string
launch_of (const Subject &subject)
{
  std::string launch = subject.element + " name=filter profile=true ! appsink name=out sync=false";
  if (subject.pads.empty ())
    return "appsrc name=in0 format=time ! " + launch;
  for (size_t i = 0; i < subject.pads.size (); i++)
    launch += " appsrc name=in" + std::to_string (i) + " format=time ! filter." + subject.pads[i];
  return launch;
}

/* Observes the launches of a stream. */
class Watcher : public LaunchObserver {
public:
  void met (const std::string &key, const std::string &source, const Axes &axes, const Shape &) override
  {
    const std::lock_guard lock (mutex);
    if (std::ranges::find (kernels, key, &std::pair<std::string, Met>::first) == kernels.end ())
      kernels.emplace_back (key, Met{source, axes});
  }

  void launched (const std::string &key, const cl::Event &event) override
  {
    const std::lock_guard lock (mutex);
    launches.emplace_back (key, event);
  }

  /* Call this when all commands are done. */
  void report (Outcome &outcome) const
  {
    const std::lock_guard lock (mutex);
    outcome.met = kernels;
    for (const auto &[key, event] : launches)
      try {
        const cl_ulong ns =
            event.getProfilingInfo<CL_PROFILING_COMMAND_END> () - event.getProfilingInfo<CL_PROFILING_COMMAND_START> ();
        outcome.times[""].push_back (double (ns) / 1000);
        if (!key.empty ())
          outcome.times[key].push_back (double (ns) / 1000);
      } catch (const cl::Error &) {
        /* the command failed, which the stream has reported */
      }
  }

private:
  mutable std::mutex mutex;
  std::vector<std::pair<std::string, Met>> kernels;
  std::vector<std::pair<std::string, cl::Event>> launches;
};

/* The most used elements come first, so that an interrupted run has useful results. */
constexpr const char *first_ones[] = {"clcolormatrix", "cllevels", "clthreshold", "clblur", "clsharpen", "clmedian"};

auto
place_of (const FilterFacts &facts)
{
  return std::ranges::find (first_ones, std::string (facts.element)) - std::begin (first_ones);
}

}  // namespace

std::vector<std::string>
sink_pads (GstElementFactory *factory)
{
  std::vector<std::string> always, requested;
  for (const GList *each = gst_element_factory_get_static_pad_templates (factory); each; each = each->next) {
    const auto *pad = static_cast<const GstStaticPadTemplate *> (each->data);
    if (pad->direction != GST_PAD_SINK)
      continue;
    const std::string name = pad->name_template;
    if (pad->presence == GST_PAD_ALWAYS)
      always.push_back (name);
    else
      for (const char *number : {"0", "1"})
        requested.push_back (name.substr (0, name.find ('%')) + number);
  }
  return always.empty () ? requested : always;
}

std::vector<Subject>
find_subjects (const std::string &filter)
{
  std::vector<FilterFacts> all = filter_facts;
  std::ranges::stable_sort (all, {}, place_of);
  std::vector<Subject> found;
  for (const FilterFacts &facts : all) {
    const auto factory = ::Ref<GstElementFactory>::take (gst_element_factory_find (facts.element));
    const std::vector<std::string> pads = factory ? sink_pads (factory.get ()) : std::vector<std::string> ();
    for (const std::string line : facts.tune)
      if (line.find (filter) != std::string::npos)
        found.push_back ({line, pads.size () > 1 ? pads : std::vector<std::string> ()});
  }
  return found;
}

double
median (std::vector<double> values)
{
  std::ranges::sort (values);
  return values[values.size () / 2];
}

double
Outcome::cost (const std::string &key) const
{
  const auto kernel = std::ranges::find (met, key, &std::pair<std::string, Met>::first);
  const bool of_plan = kernel != met.end () && !kernel->second.axes.values.empty ();
  const auto found = times.find (of_plan ? "" : key);
  if (found == times.end () || found->second.empty () || n_frames == 0)
    return -1;
  const std::vector<double> &launches = found->second;
  /* every frame makes the same launches, except in filters that wait for later frames */
  const size_t each = std::max<size_t> (1, launches.size () / n_frames);
  std::vector<double> sums;
  for (size_t at = 0; at + each <= launches.size (); at += each) {
    double sum = 0;
    for (size_t i = 0; i < each; i++)
      sum += launches[at + i];
    sums.push_back (sum);
  }
  /* the first frames run with cold caches and slow clocks */
  if (sums.size () > 4)
    sums.erase (sums.begin (), sums.begin () + 2);
  return median (std::move (sums));
}

Bench::Bench (const std::string &device, const std::string &format, int width, int height) : wanted (device)
{
  gst_video_info_set_format (&info, video_format (format), guint (width), guint (height));
  GST_VIDEO_INFO_FPS_N (&info) = 25;
  GST_VIDEO_INFO_FPS_D (&info) = 1;
  caps.reset (gst_video_info_to_caps (&info));
  gst_caps_set_features (caps.get (), 0, gst_caps_features_new ("memory:OpenCLMemory", nullptr));
  open ();
}

void
Bench::open ()
{
  context = open_context (wanted);
  table = Tuning::of (device ());
  for (guint i = 0; i < n_pictures; i++)
    pictures.push_back (upload (make_picture (info, i)));
}

double
Bench::least_us () const
{
  const DeviceFigures figures = ensure_figures (Context::of (context.get ()));
  const double bytes = 2.0 * double (GST_VIDEO_INFO_SIZE (&info));
  /* copies are measured beyond the caches, so they do not apply to frames that fit into the caches */
  const auto cache = device ().handle.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE> ();
  const bool beyond = bytes > double (cache) && !(device ().type & CL_DEVICE_TYPE_CPU);
  const double copy_us = beyond && figures.copy_gb_s > 0 ? bytes / figures.copy_gb_s / 1e3 : 0;
  return std::max (figures.launch_us, copy_us);
}

/* Takes ownership of the picture. */
Buffer
Bench::upload (GstBuffer *picture) const
{
  const Player player ("appsrc name=in format=time ! clupload ! appsink name=out sync=false", context.get ());
  const Element in = player.named ("in"), out = player.named ("out");
  const Caps plain (gst_video_info_to_caps (&info));
  gst_app_src_set_caps (GST_APP_SRC (in.get ()), plain.get ());
  gst_app_sink_set_caps (GST_APP_SINK (out.get ()), caps.get ());
  player.play ();
  gst_app_src_push_buffer (GST_APP_SRC (in.get ()), picture);
  gst_app_src_end_of_stream (GST_APP_SRC (in.get ()));
  const Sample sample (gst_app_sink_try_pull_sample (GST_APP_SINK (out.get ()), patience));
  if (!sample) {
    std::vector<std::string> ignored;
    throw std::runtime_error ("no frame could be uploaded to the device: " + player.read_bus (ignored));
  }
  return Buffer (gst_buffer_ref (gst_sample_get_buffer (sample.get ())));
}

void
Bench::play (const Subject &subject, guint n, bool keep, Outcome &outcome) const
{
  const Player player (launch_of (subject), context.get ());
  const Element out = player.named ("out");
  std::vector<Element> sources;
  for (size_t i = 0; i < std::max<size_t> (1, subject.pads.size ()); i++) {
    sources.push_back (player.named ("in" + std::to_string (i)));
    gst_app_src_set_caps (GST_APP_SRC (sources.back ().get ()), caps.get ());
  }
  gst_app_sink_set_caps (GST_APP_SINK (out.get ()), caps.get ());
  player.play ();
  for (guint frame = 0; frame < n; frame++)
    for (size_t i = 0; i < sources.size (); i++)
      push (sources[i].get (), pictures[(frame + i) % pictures.size ()].get (), frame);
  for (const Element &source : sources)
    gst_app_src_end_of_stream (GST_APP_SRC (source.get ()));
  while (const Sample sample{gst_app_sink_try_pull_sample (GST_APP_SINK (out.get ()), patience)}) {
    GstBuffer *frame = gst_sample_get_buffer (sample.get ());
    outcome.n_frames++;
    if (keep)
      if (const MappedFrame mapped (sample.get ()); mapped)
        outcome.frames.push_back (visible_bytes (mapped.frame));
    wipe (frame);
  }
  outcome.error = player.read_bus (outcome.messages);
  if (outcome.error.empty () && !gst_app_sink_is_eos (GST_APP_SINK (out.get ())))
    outcome.error = "no frame came in ten minutes";
  if (!keep)
    outcome.messages.clear ();
}

Outcome
Bench::run (const Subject &subject, guint n, bool keep, const std::string &key, const Shape &shape)
{
  Outcome outcome;
  Watcher watcher;
  try {
    if (!key.empty ())
      table->try_shape (key, shape);
    table->observer = &watcher;
    play (subject, n, keep, outcome);
  } catch (const std::exception &error) {
    outcome.error = error.what ();
  }
  table->observer = nullptr;
  table->end_trial ();
  watcher.report (outcome);
  /* a shape that the device refuses makes the context unusable */
  if (Context::of (context.get ()).failed) {
    pictures.clear ();
    context = {};
    open ();
  }
  return outcome;
}

gst::cl::ContextRef
open_context (const std::string &device)
{
  return checked_call (
      [&] (GError **error) { return gst::cl::ContextRef (gst_cl_context_new (device.c_str (), error)); }, "no OpenCL device");
}

GstVideoFormat
video_format (const std::string &name)
{
  const GstVideoFormat format = gst_video_format_from_string (name.c_str ());
  if (format == GST_VIDEO_FORMAT_UNKNOWN || format == GST_VIDEO_FORMAT_ENCODED)
    refuse_usage ("no video format is called " + name);
  return format;
}
