/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A single OpenCL context: elements share theirs, and an application can bring its own. */
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <thread>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <gst/cl/cl.h>

#include "../elements/pipeline.hpp"

using namespace test;

static Tests tests;

static const char chain[] = "videotestsrc num-buffers=3 ! video/x-raw,format=RGBA,width=33,height=17 ! clconvolve "
                            "name=a preset=edge ! queue ! clmedian name=b ! queue ! clbilateral name=c radius=1 "
                            "! fakesink";

/* The cl_context behind the GstContext that an element was given or made. */
static gpointer
handle_of (GstElement *element)
{
  const Own context = gst_element_get_context (element, "gst.cl.context");
  test_check (context, "%s has no gst.cl.context", GST_OBJECT_NAME (element));
  const Own cl = gst_cl_context_from_gst_context (context);
  test_check (cl, "the context of %s holds none", GST_OBJECT_NAME (element));
  return gst_cl_context_get_handle (cl);
}

/* A cl_context that the application made; in the end nothing else refers to it. */
struct Application {
  cl_device_id device = nullptr;
  cl_context context = nullptr;

  Application ()
  {
    cl_platform_id platform = nullptr;
    clGetPlatformIDs (1, &platform, nullptr);
    clGetDeviceIDs (platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    context = clCreateContext (nullptr, 1, &device, nullptr, nullptr, nullptr);
    test_check (context, "no context for the first device");
  }
  ~Application ()
  {
    /* a thread releases resources of commands, and may hold the last reference */
    cl_uint references = 0;
    for (int patience = 2000; references != 1 && patience > 0; patience--) {
      g_usleep (1000);
      clGetContextInfo (context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, nullptr);
    }
    ck_assert_uint_eq (references, 1);
    clReleaseContext (context);
  }

  GstContext *wrapped () const
  {
    GError *error = nullptr;
    const Own cl = gst_cl_context_new_wrapped (context, device, &error);
    test_check (cl, "cannot wrap: %s", error ? error->message : "no reason");
    fail_unless (gst_cl_context_get_handle (cl) == context && gst_cl_context_get_device (cl) == device);
    /* an application may store the context under the object's own type */
    const Own made = gst_context_new (GST_CL_CONTEXT_TYPE, TRUE);
    gst_structure_set (gst_context_writable_structure (made), "context", G_OBJECT_TYPE (cl.get ()), cl.get (), nullptr);
    fail_unless (Own (gst_cl_context_from_gst_context (made)).get () == cl.get ());
    return gst_cl_context_to_gst_context (cl);
  }
};

TEST (elements_share)
{
  Pipeline pipeline (chain);
  pipeline.must_reach (GST_STATE_READY);
  const gpointer handle = handle_of (pipeline.element ("a"));
  for (const char *name : {"b", "c"})
    fail_unless (handle_of (pipeline.element (name)) == handle);
  pipeline.play_to_end ();
  for (const char *name : {"a", "b", "c"})
    fail_unless (handle_of (pipeline.element (name)) == handle);
}

TEST (application_hears)
{
  Pipeline pipeline (chain);
  pipeline.must_reach (GST_STATE_READY);
  const Own message = gst_bus_pop_filtered (pipeline.bus (), GST_MESSAGE_HAVE_CONTEXT);
  test_check (message, "no message tells of the new context");
  GstContext *context = nullptr;
  gst_message_parse_have_context (message, &context);
  ck_assert_str_eq (gst_context_get_context_type (context), "gst.cl.context");
  gst_context_unref (context);
}

TEST (application_sets)
{
  const Application application;
  Pipeline pipeline (chain);
  gst_element_set_context (pipeline.top (), Own (application.wrapped ()));
  pipeline.play_to_end ();
  for (const char *name : {"a", "b", "c"})
    fail_unless (handle_of (pipeline.element (name)) == application.context);
}

static GstBusSyncReply
answer (GstBus *, GstMessage *message, gpointer application)
{
  const char *type = nullptr;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT && gst_message_parse_context_type (message, &type)
      && g_str_equal (type, "gst.cl.context")) {
    const Own context = ((Application *) application)->wrapped ();
    gst_element_set_context (GST_ELEMENT (GST_MESSAGE_SRC (message)), context);
  }
  return GST_BUS_PASS;
}

TEST (application_answers)
{
  Application application;
  Pipeline pipeline (chain);
  gst_bus_set_sync_handler (pipeline.bus (), answer, &application, nullptr);
  pipeline.play_to_end ();
  for (const char *name : {"a", "b", "c"})
    fail_unless (handle_of (pipeline.element (name)) == application.context);
}

/* A second pipeline uses the context that it is given, also when it is restarted. */
TEST (passed_on)
{
  Pipeline first (chain), second (chain);
  first.play_to_end ();
  const gpointer handle = handle_of (first.element ("a"));
  gst_element_set_context (second.top (), Own (gst_element_get_context (first.element ("a"), "gst.cl.context")));
  second.play_to_end ();
  fail_unless (handle_of (second.element ("c")) == handle);
  second.must_reach (GST_STATE_NULL);
  second.play_to_end ();
}

/* Many pipelines at once in one process. */
TEST (eight_pipelines)
{
  std::vector<std::unique_ptr<Pipeline>> pipelines;
  for (int i = 0; i < 8; i++)
    pipelines.push_back (std::make_unique<Pipeline> (chain));
  for (auto &pipeline : pipelines)
    gst_element_set_state (pipeline->top (), GST_STATE_PLAYING);
  for (auto &pipeline : pipelines)
    pipeline->play_to_end ();
}

/* Another thread starts a pipeline while a bus handler waits for it, for at most ten seconds. */
static bool
can_start_elsewhere ()
{
  std::packaged_task<void ()> start ([] {
    const Own pipeline = gst_parse_launch ("videotestsrc ! clmedian ! fakesink", nullptr);
    gst_element_set_state (pipeline, GST_STATE_READY);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  });
  const std::future<void> started = start.get_future ();
  std::thread thread (std::move (start));
  const bool is_done = started.wait_for (std::chrono::seconds (10)) == std::future_status::ready;
  if (is_done)
    thread.join ();
  else
    thread.detach ();
  return is_done;
}

static GstBusSyncReply
wait_for_another (GstBus *, GstMessage *message, gpointer n_done)
{
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_NEED_CONTEXT && GST_MESSAGE_TYPE (message) != GST_MESSAGE_HAVE_CONTEXT)
    return GST_BUS_PASS;
  *static_cast<int *> (n_done) += can_start_elsewhere () ? 1 : -1000;
  return GST_BUS_PASS;
}

/* No lock is held while the application is queried or notified. */
TEST (handler_waits)
{
  int n_done = 0;
  Pipeline pipeline (chain);
  gst_bus_set_sync_handler (pipeline.bus (), wait_for_another, &n_done, nullptr);
  pipeline.must_reach (GST_STATE_READY);
  gst_bus_set_sync_handler (pipeline.bus (), nullptr, nullptr, nullptr);
  ck_assert_int_ge (n_done, 2);
}

/* Elements of one pipeline share a context even if several threads start them. */
TEST (started_at_once)
{
  for (int i = 0; i < 20; i++) {
    Pipeline pipeline ("clmedian name=a  clthreshold name=b");
    std::thread first (gst_element_set_state, pipeline.element ("a"), GST_STATE_READY);
    std::thread second (gst_element_set_state, pipeline.element ("b"), GST_STATE_READY);
    first.join ();
    second.join ();
    fail_unless (handle_of (pipeline.element ("a")) == handle_of (pipeline.element ("b")));
  }
}

TEST (new_context)
{
  GError *error = nullptr;
  for (const char *device : {static_cast<const char *> (nullptr), ""}) {
    const Own cl = gst_cl_context_new (device, &error);
    test_check (cl, "no context: %s", error ? error->message : "no reason");
    const char *name = gst_cl_context_get_device_name (cl);
    fail_unless (name && *name && gst_cl_context_get_queue (cl));
  }

  fail_unless (gst_cl_context_new ("nonesuch", &error) == nullptr);
  test_check (error && strstr (error->message, "nonesuch"), "the error is: %s", error ? error->message : "none");
  g_clear_error (&error);
}

/* A sub-device, which is in no list of devices. */
TEST (part_of_a_device)
{
  const Application application;
  const cl_device_partition_property one_unit[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id part = nullptr;
  if (clCreateSubDevices (application.device, one_unit, 1, &part, nullptr) != CL_SUCCESS)
    return; /* the driver does not support sub-devices */
  cl_context context = clCreateContext (nullptr, 1, &part, nullptr, nullptr, nullptr);
  const Own cl = gst_cl_context_new_wrapped (context, part, nullptr);
  test_check (cl, "cannot wrap a part of a device");
  fail_unless (gst_cl_context_get_device (cl) == part);
  {
    Pipeline pipeline (chain);
    gst_element_set_context (pipeline.top (), Own (gst_cl_context_to_gst_context (cl)));
    pipeline.play_to_end ();
    fail_unless (handle_of (pipeline.element ("c")) == context);
  }
  clReleaseContext (context);
  clReleaseDevice (part);
}

/* An application's own element uses contexts. */
TEST (own_element)
{
  Application application;
  const Own wrapped = application.wrapped (), other = gst_context_new ("some.other", TRUE);
  const Own empty = gst_context_new ("gst.cl.context", TRUE);
  const Own element = GST_ELEMENT (gst_object_ref_sink (gst_bin_new (nullptr)));
  GstClContext *own = nullptr;
  fail_unless (gst_cl_context_from_gst_context (nullptr) == nullptr);
  for (GstContext *useless : {static_cast<GstContext *> (nullptr), other.get (), empty.get ()})
    fail_unless (!gst_cl_handle_set_context (element, nullptr, useless, &own) && !own);
  fail_unless (!gst_cl_handle_set_context (element, "nonesuch", wrapped, &own) && !own);
  fail_unless (gst_cl_handle_set_context (element, "", wrapped, &own) && own);
  fail_unless (!gst_cl_handle_set_context (element, "", wrapped, &own));

  GstQuery *queries[] = {
      gst_query_new_latency (), gst_query_new_context ("some.other"), gst_query_new_context ("gst.cl.context")};
  fail_unless (!gst_cl_handle_context_query (element, queries[2], nullptr));
  for (GstQuery *query : queries) {
    fail_unless (gst_cl_handle_context_query (element, query, own) == (query == queries[2]));
    gst_query_unref (query);
  }

  /* keeps a suitable context, and makes another one otherwise */
  GError *error = nullptr;
  GstClContext *const before = own;
  fail_unless (gst_cl_ensure_element_context (element, nullptr, &own, &error) && own == before);
  fail_unless (!gst_cl_ensure_element_context (element, "nonesuch", &own, &error) && !own);
  test_check (error && strstr (error->message, "nonesuch"), "the error is: %s", error ? error->message : "none");
  g_clear_error (&error);
  fail_unless (gst_cl_ensure_element_context (element, nullptr, &own, &error) && own);
  gst_object_unref (own);
}

/* Null is an error in the application, but does not crash. */
TEST (no_context)
{
  GstClContext *slot = nullptr;
  ASSERT_CRITICAL (fail_unless (gst_cl_context_new_wrapped (nullptr, nullptr, nullptr) == nullptr));
  ASSERT_CRITICAL (fail_unless (gst_cl_context_new_wrapped (&slot, nullptr, nullptr) == nullptr));
  ASSERT_CRITICAL (fail_unless (gst_cl_context_get_handle (nullptr) == nullptr));
  ASSERT_CRITICAL (fail_unless (gst_cl_context_get_device (nullptr) == nullptr));
  ASSERT_CRITICAL (fail_unless (gst_cl_context_get_device_name (nullptr) == nullptr));
  ASSERT_CRITICAL (fail_unless (gst_cl_context_get_queue (nullptr) == nullptr));
  ASSERT_CRITICAL (fail_unless (gst_cl_context_to_gst_context (nullptr) == nullptr));
  ASSERT_CRITICAL (fail_unless (!gst_cl_ensure_element_context (nullptr, nullptr, &slot, nullptr)));
  const Own element = GST_ELEMENT (gst_object_ref_sink (gst_bin_new (nullptr)));
  ASSERT_CRITICAL (fail_unless (!gst_cl_ensure_element_context (element, nullptr, nullptr, nullptr)));
  ASSERT_CRITICAL (fail_unless (!gst_cl_handle_set_context (nullptr, nullptr, nullptr, &slot)));
  ASSERT_CRITICAL (fail_unless (!gst_cl_handle_context_query (element, nullptr, nullptr)));
  fail_unless (G_TYPE_IS_ABSTRACT (GST_TYPE_CL_CONTEXT));
  /* a pool without a context does not work either */
  const Own<GstBufferPool> pool =
      static_cast<GstBufferPool *> (gst_object_ref_sink (g_object_new (GST_TYPE_CL_BUFFER_POOL, nullptr)));
  GstStructure *config = gst_buffer_pool_get_config (pool);
  const Own<GstCaps> caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=8,height=8");
  gst_buffer_pool_config_set_params (config, caps, 64, 1, 1);
  fail_unless (!gst_buffer_pool_set_config (pool, config) && !gst_buffer_pool_set_active (pool, TRUE));
}

/* Memory of another kind is a programming error as well. */
TEST (other_memory)
{
  const Own memory = gst_allocator_alloc (nullptr, 16, nullptr);
  for (GstMemory *wrong : {static_cast<GstMemory *> (nullptr), memory.get ()}) {
    GstClMemory *const cast = GST_CL_MEMORY_CAST (wrong);
    ASSERT_CRITICAL (fail_unless (gst_cl_memory_get_context (cast) == nullptr));
    ASSERT_CRITICAL (fail_unless (gst_cl_memory_get_handle (cast) == nullptr));
    ASSERT_CRITICAL (fail_unless (gst_cl_memory_get_event (cast) == nullptr));
    ASSERT_CRITICAL (gst_cl_memory_set_event (cast, nullptr));
  }
}

/* The first calls of OpenCL in a process crash some drivers when they come from several threads. */
static void
make_contexts_together ()
{
  gst_init (nullptr, nullptr);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back ([] { const Own context = gst_cl_context_new ("", nullptr); });
}

int
main ()
{
  const pid_t child = fork ();
  if (child == 0) {
    make_contexts_together ();
    _exit (0);
  }
  int status = 0;
  if (waitpid (child, &status, 0) != child || status != 0) {
    g_printerr ("contexts made by several threads at once: status %d\n", status);
    return 1;
  }
  return run ("context", Needs::Device, tests);
}
