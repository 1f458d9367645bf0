/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every GL call that an element makes, directly or through GStreamer's memory, fails, one after another: there is no memory, or
 * the context is lost. The test's own calls on textures succeed. A run ends with correct frames, or with one error with advice;
 * then the same pipeline plays again, after a loss in another GL context. The kernels are real. */

#include "../elements/gl_context.hpp"
#include "../elements/layer.hpp"
#include "fault_play.hpp"
#include "gl_hooks.hpp"

namespace test::gl_faults_suite {

static Tests tests ("gl_faults", Needs::GL, nullptr, 7200);

/* One stream; the second frame with the other caps comes from a used pool. */
constexpr char steps[] = "ffcff";

constexpr const char *lines[] = {"clmedian radius=1", "cltemporal"};

class Textures : public FrameMemory {
public:
  Textures () { renew (); }

  /* Makes another display and context, as after a loss. */
  void renew ()
  {
    pools.clear ();
    gl = std::make_unique<GlContext> ();
    test_check (gl->context, "no GL context can be made");
    hook_gl (gl->context);
  }

  std::string caps_of (const std::string &plain) override { return with_gl (plain); }

  GstBuffer *new_frame (GstCaps *caps) override
  {
    return pools.try_emplace (text_of (gst_caps_to_string (caps)), gl->context, caps).first->second.acquire ();
  }

  void lend_to (GstElement *pipeline) override
  {
    const Own context = gst_context_new (GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
    gst_context_set_gl_display (context, gl->display);
    gst_element_set_context (pipeline, context);
  }

  std::shared_ptr<void> own_work () override { return std::make_shared<GlPause> (); }

private:
  std::unique_ptr<GlContext> gl;
  std::map<std::string, GlPool> pools;
};

struct Run {
  std::string line;
  unsigned n = 0;
  GlFault how = GlFault::once;
};

static std::string
name_of (const Run &run)
{
  return format ("\"%s\", call %u %s", run.line.c_str (), run.n, run.how == GlFault::once ? "fails" : "loses the context");
}

/* "" if it went well. */
static std::string
judge (const Outcome &outcome, const Outcome &usual)
{
  if (const std::string flaw = flaw_of (outcome, usual, true); !flaw.empty () || outcome.errors.empty ())
    return flaw;
  const Report &error = outcome.errors[0];
  if (error.text.find ("GL") == std::string::npos)
    return "the error does not name GL: " + error.all ();
  return error.text.find (". ") == std::string::npos ? "the error gives no advice: " + error.all () : "";
}

static std::string
left_of_gl ()
{
  std::string text;
  for (const auto &[maker, n] : gl_alive ())
    if (n != 0)
      text += format (" %d of %s", n, maker.c_str ());
  return text;
}

static Outcome
play_usual (const std::string &line, std::vector<std::string> &calls)
{
  Textures textures;
  FaultPlay play (line, false, &textures);
  fail_gl (0, GlFault::once);
  const Outcome usual = play.play (steps);
  calls = gl_calls ();
  expect_usual (usual, line);
  return usual;
}

static std::string
try_run (const Run &run, const Outcome &usual, unsigned &errors)
{
  const HangWatch watch (name_of (run), 60);
  std::string bad;
  {
    Textures textures;
    FaultPlay play (run.line, false, &textures);
    fail_gl (run.n, run.how);
    const Outcome outcome = play.play (steps);
    fail_gl (0, GlFault::once);
    errors += unsigned (outcome.errors.size ());
    bad = judge (outcome, usual);
    if (run.how == GlFault::lost)
      textures.renew ();
    if (const std::string flaw = flaw_of_restart (play.play (steps), usual, true); bad.empty ())
      bad = flaw;
  }
  if (const std::string left = left_of_gl (); bad.empty () && !left.empty ())
    bad = "left:" + left;
  return bad.empty () ? "" : name_of (run) + ": " + bad;
}

/* GStreamer (1.22) unmaps a pixel buffer that it could not map, after reading the texture in another way. */
static void
ignore_unmapped_pixel_buffers ()
{
  GRegex *words = g_regex_new ("gst_memory_unmap: assertion 'info", GRegexCompileFlags (0), GRegexMatchFlags (0), nullptr);
  gst_check_add_log_filter ("GStreamer", G_LOG_LEVEL_CRITICAL, words, nullptr, nullptr, nullptr);
}

/* A quick run tests a few calls of the first element, whose kernels other tests compile, too. */
TEST (every_call, G_N_ELEMENTS (lines))
{
  const std::string line = lines[__i__];
  if (!is_asked_for (line) || (__i__ > 0 && !takes_all ()))
    return;
  ignore_unmapped_pixel_buffers ();
  std::vector<std::string> calls;
  const Outcome usual = play_usual (line, calls);
  unsigned runs = 0, errors = 0, n_bad = 0;
  std::string first;
  for (unsigned n = 1; n <= calls.size (); n++)
    for (const GlFault how : {GlFault::once, GlFault::lost}) {
      if (n % 23 && !takes_all ())
        continue;
      const std::string bad = try_run ({line, n, how}, usual, errors);
      runs++;
      if (bad.empty ())
        continue;
      g_printerr ("%s (%s)\n", bad.c_str (), calls[n - 1].c_str ());
      first = n_bad++ == 0 ? bad : first;
    }
  g_print ("%s: %u runs, %u errors, %u bad\n", line.c_str (), runs, errors, n_bad);
  test_check (n_bad == 0, "%u of %u runs end badly; the first: %s", n_bad, runs, first.c_str ());
}

}  // namespace test::gl_faults_suite
