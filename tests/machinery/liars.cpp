/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers that contradict their caps, GstVideoMeta or memory: elements of every base class give an error or the correct
 * picture, read nothing outside, and process the next valid frame. There is an inaccessible page before and after each
 * memory. */
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include "../elements/frames.hpp"
#include "../elements/pipeline.hpp"

namespace test::liars_suite {

static Tests tests ("liars", Needs::Device);

constexpr int width = 33, height = 17, n_planes = 3;
constexpr char caps_text[] = "video/x-raw,format=I420,width=33,height=17,framerate=30/1";

/* Elements of each base class, between s and o; "t" is fed with valid frames. */
const char *const lines[] = {
    "appsrc name=s ! clthreshold name=f ! appsink name=o",
    "appsrc name=s ! cltemporal name=f ! appsink name=o",
    "appsrc name=s ! clupload name=f ! cldownload ! appsink name=o",
    "appsrc name=s ! clconvert name=f ! video/x-raw,format=RGBA ! appsink name=o",
    "appsrc name=s ! clflip name=f video-direction=90r ! appsink name=o",
    "appsrc name=s ! clchain name=f filters=\"clthreshold ! clsobel\" ! appsink name=o",
    "appsrc name=s ! f.sink_0 appsrc name=t ! f.sink_1 clblend name=f ! appsink name=o",
    "appsrc name=s ! f. appsrc name=t ! f. clcompositor name=f ! appsink name=o",
    "appsrc name=s ! f.sink appsrc name=t ! f.reference clcompare name=f ! appsink name=o",
    "appsrc name=s ! clprogram name=f source=\"kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (VAL); }\" ! appsink "
    "name=o",
};

struct Block {
  void *begin;
  size_t size;
};

/* Memory between two inaccessible pages: it ends, or begins, at one of them. */
static GstMemory *
guarded_memory (size_t size, bool at_begin, GstMemoryFlags flags = GstMemoryFlags (0))
{
  const size_t page = size_t (sysconf (_SC_PAGESIZE)), body = (size + page - 1) / page * page;
  auto *block = new Block{mmap (nullptr, body + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), body + 2 * page};
  auto *first = static_cast<guint8 *> (block->begin) + page;
  if (body)
    mprotect (first, body, PROT_READ | PROT_WRITE);
  const auto release = [] (gpointer data) {
    auto *block = static_cast<Block *> (data);
    munmap (block->begin, block->size);
    delete block;
  };
  return gst_memory_new_wrapped (flags, at_begin ? first : first + body - size, size, 0, size, block, release);
}

struct Layout {
  gsize offset[GST_VIDEO_MAX_PLANES] = {};
  gint stride[GST_VIDEO_MAX_PLANES] = {};
  gsize size = 0;
};

static Layout
usual_layout ()
{
  GstVideoInfo info;
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420, width, height);
  Layout layout;
  std::copy_n (info.offset, n_planes, layout.offset);
  std::copy_n (info.stride, n_planes, layout.stride);
  layout.size = info.size;
  return layout;
}

static void
fill (GstBuffer *buffer)
{
  for (guint i = 0, at = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMapInfo map;
    fail_unless (gst_memory_map (gst_buffer_peek_memory (buffer, i), &map, GST_MAP_WRITE));
    for (gsize j = 0; j < map.size; j++)
      map.data[j] = guint8 (7 * at++);
    gst_memory_unmap (gst_buffer_peek_memory (buffer, i), &map);
  }
}

static GstBuffer *
true_buffer (bool at_begin = false)
{
  GstBuffer *buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, guarded_memory (usual_layout ().size, at_begin));
  fill (buffer);
  return buffer;
}

static GstBuffer *
of_size (gsize size)
{
  GstBuffer *buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, guarded_memory (size, false));
  fill (buffer);
  return buffer;
}

static GstBuffer *
with_meta (Layout at, int meta_width = width, int meta_height = height, GstVideoFormat format = GST_VIDEO_FORMAT_I420,
    guint planes = n_planes)
{
  GstBuffer *buffer = true_buffer ();
  gst_buffer_add_video_meta_full (
      buffer, GST_VIDEO_FRAME_FLAG_NONE, format, guint (meta_width), guint (meta_height), planes, at.offset, at.stride);
  return buffer;
}

static GstBuffer *
with_plane (int plane, gsize offset, gint stride)
{
  Layout at = usual_layout ();
  at.offset[plane] = offset;
  at.stride[plane] = stride;
  return with_meta (at);
}

/* One memory for each plane, the last of them too short. */
static GstBuffer *
in_memories (gsize missing)
{
  Layout at = usual_layout ();
  GstBuffer *buffer = gst_buffer_new ();
  for (int i = 0; i < n_planes; i++) {
    const gsize end = i + 1 < n_planes ? at.offset[i + 1] : at.size;
    gst_buffer_append_memory (buffer, guarded_memory (end - at.offset[i] - (i + 1 < n_planes ? 0 : missing), false));
  }
  fill (buffer);
  gst_buffer_add_video_meta_full (
      buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420, width, height, n_planes, at.offset, at.stride);
  return buffer;
}

/* Memory that cannot be mapped, such as a device's. */
struct _Unmappable {
  GstAllocator parent;
};
struct _UnmappableClass {
  GstAllocatorClass parent;
};
G_DEFINE_TYPE (_Unmappable, unmappable, GST_TYPE_ALLOCATOR)

static void
unmappable_init (_Unmappable *self)
{
  GST_ALLOCATOR (self)->mem_type = "unmappable";
  GST_ALLOCATOR (self)->mem_map = [] (GstMemory *, gsize, GstMapFlags) -> gpointer { return nullptr; };
  GST_ALLOCATOR (self)->mem_unmap = [] (GstMemory *) {};
}

static void
unmappable_class_init (_UnmappableClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->free = [] (GstAllocator *, GstMemory *memory) { g_free (memory); };
}

static GstBuffer *
of_unmappable_memory ()
{
  static auto *allocator = static_cast<GstAllocator *> (gst_object_ref_sink (g_object_new (unmappable_get_type (), nullptr)));
  const gsize size = usual_layout ().size;
  auto *memory = g_new0 (GstMemory, 1);
  gst_memory_init (memory, GST_MEMORY_FLAG_NO_SHARE, allocator, nullptr, size, 0, 0, size);
  GstBuffer *buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  return buffer;
}

static GstBuffer *
of_memory_that_nobody_writes ()
{
  GstBuffer *buffer = true_buffer (true);
  GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (buffer, 0), GST_MEMORY_FLAG_READONLY);
  return buffer;
}

struct Lie {
  const char *name;
  /* whether the picture is valid nevertheless */
  bool harmless;
  GstBuffer *(*make) ();
};

const Lie lies[] = {
    {"a byte too few", false, [] { return of_size (usual_layout ().size - 1); }},
    {"half of the bytes", false, [] { return of_size (usual_layout ().size / 2); }},
    {"one byte", false, [] { return of_size (1); }},
    {"no memory", false, [] { return gst_buffer_new (); }},
    {"the size of another frame", false, [] { return of_size (16 * 16 * 3 / 2); }},
    {"a chroma plane that is a byte short", false, [] { return in_memories (1); }},
    {"a chroma plane of no bytes to speak of", false, [] { return in_memories (usual_layout ().stride[2] * 8); }},
    {"a plane behind the end", false, [] { return with_plane (2, usual_layout ().size, 20); }},
    {"an offset that wraps", false, [] { return with_plane (1, G_MAXSIZE - 10, 20); }},
    {"a stride that leads outside", false, [] { return with_plane (2, usual_layout ().offset[2], 200); }},
    {"the widest stride", false, [] { return with_plane (0, 0, G_MAXINT); }},
    {"rows above the begin", false, [] { return with_plane (0, 0, -36); }},
    {"rows that overlap", false, [] { return with_plane (0, 0, 8); }},
    {"the least stride", false, [] { return with_plane (0, 16 * 36, G_MININT); }},
    {"a meta of a smaller picture", false, [] { return with_meta (usual_layout (), width - 2, height - 2); }},
    {"a meta of another format", false, [] { return with_meta (usual_layout (), width, height, GST_VIDEO_FORMAT_GRAY8, 1); }},
    {"unmappable memory", false, of_unmappable_memory},
    {"memory that begins a page", true, [] { return true_buffer (true); }},
    {"memory that nobody writes", true, of_memory_that_nobody_writes},
    {"a memory for each plane", true, [] { return in_memories (0); }},
    {"bytes behind the picture", true, [] { return of_size (usual_layout ().size + 4000); }},
};

static void
give (Pipeline &pipeline, const char *source, GstBuffer *buffer, guint64 number)
{
  timed (buffer, number * GST_SECOND / 30, GST_SECOND / 30);
  /* passes ownership, because the buffer cannot be copied */
  gst_app_src_push_buffer (GST_APP_SRC (pipeline.element (source)), buffer);
}

/* The result of one frame, sample by sample, and whether there was an error. */
struct Outcome {
  std::vector<int> samples;
  std::vector<Report> errors;
};

static Outcome
play (Pipeline &pipeline, bool has_two, GstBuffer *buffer, const std::string &what)
{
  const auto each_source = [&] (auto act) {
    for (const char *name : {"s", "t"})
      if (has_two || name[0] == 's')
        act (name);
  };
  each_source ([&] (const char *name) { gst_util_set_object_arg (G_OBJECT (pipeline.element (name)), "caps", caps_text); });
  each_source ([&] (const char *name) { gst_util_set_object_arg (G_OBJECT (pipeline.element (name)), "format", "time"); });
  g_object_set (pipeline.element ("o"), "sync", FALSE, "wait-on-eos", FALSE, nullptr);
  gst_element_set_state (pipeline.top (), GST_STATE_PLAYING);
  give (pipeline, "s", buffer, 0);
  if (has_two)
    give (pipeline, "t", true_buffer (), 0);
  GstFlowReturn flow;
  each_source ([&] (const char *name) { g_signal_emit_by_name (pipeline.element (name), "end-of-stream", &flow); });
  const Own message = gst_bus_timed_pop_filtered (
      pipeline.bus (), 60 * GST_SECOND, GstMessageType (int (GST_MESSAGE_EOS) | int (GST_MESSAGE_ERROR)));
  test_check (message, "%s: neither an end nor an error", what.c_str ());
  Outcome outcome;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_bus_post (pipeline.bus (), gst_message_ref (message));
  outcome.errors = errors_of (pipeline.bus ());
  if (const Own sample = gst_app_sink_try_pull_sample (GST_APP_SINK (pipeline.element ("o")), 0)) {
    if (gst_buffer_get_size (gst_sample_get_buffer (sample)))
      for (const ref::Component &each : from_buffer (gst_sample_get_buffer (sample), gst_sample_get_caps (sample)).components)
        outcome.samples.insert (outcome.samples.end (), each.value.begin (), each.value.end ());
  }
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);
  return outcome;
}

/* Elements with several inputs treat an empty buffer as a gap. */
static void
check_lie (const Lie &lie, const Outcome &outcome, const Outcome &truth, bool takes_gaps, const std::string &what)
{
  const bool is_gap = takes_gaps && !strcmp (lie.name, "no memory");
  const bool is_right = outcome.errors.empty () && (is_gap || outcome.samples == truth.samples);
  const bool is_refused = outcome.samples.empty () && !outcome.errors.empty ();
  test_check (is_right || (is_refused && !lie.harmless), "%s: %d errors (%s), %d samples that are %s", what.c_str (),
      int (outcome.errors.size ()), outcome.errors.empty () ? "" : outcome.errors[0].all ().c_str (),
      int (outcome.samples.size ()), outcome.samples == truth.samples ? "right" : "wrong");
  const bool has_bytes = strcmp (lie.name, "unmappable memory") != 0;
  for (const Report &error : outcome.errors)
    test_check (error.from != "f"
                    || (has_bytes ? error.is (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT)
                                  : error.is (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ)),
        "%s: %s", what.c_str (), error.all ().c_str ());
}

TEST (lie, G_N_ELEMENTS (lines))
{
  const std::string line = lines[__i__];
  const bool has_two = line.find ("name=t") != line.npos;
  Pipeline pipeline (line);
  const Outcome truth = play (pipeline, has_two, true_buffer (), line);
  test_check (truth.errors.empty () && !truth.samples.empty (), "%s: a true frame does not pass", line.c_str ());
  for (const Lie &lie : lies) {
    const std::string what = line + ": " + lie.name;
    const Outcome outcome = play (pipeline, has_two, lie.make (), what);
    check_lie (lie, outcome, truth, has_two, what);
    if (outcome.errors.empty ())
      continue;
    const Outcome again = play (pipeline, has_two, true_buffer (), what + ", then a true one");
    test_check (again.errors.empty () && again.samples == truth.samples, "%s: then a true frame fails: %s", what.c_str (),
        again.errors.empty () ? "it is wrong" : again.errors[0].all ().c_str ());
  }
}

/* Frames that change size while the caps stay. */
TEST (changing_size)
{
  Link link ("clthreshold", caps_text);
  for (int i = 0; i < 3; i++) {
    gst_buffer_unref (link.filter (true_buffer (i % 2)));
    GstBuffer *other = of_size (gsize (16 * 16 * 3 / 2));
    gst_buffer_add_video_meta (other, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420, 16, 16);
    ck_assert_int_eq (link.push (other), GST_FLOW_ERROR);
    expect_one_error (link.errors (), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"33x17", "16x16"});
  }
}

}  // namespace test::liars_suite
