/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every call of OpenCL fails, one after the other, in every element: at the start, in the first frames, when a property or caps
 * change, at a flush, a seek and the end. A run ends with correct frames, or with one error with advice; then the same pipeline
 * plays again. Called as: fault_runs GROUP. */
#include "../../common/core/context.hpp"
#include "../elements/gl.hpp"
#include "census/census.hpp"
#include "element_lines.hpp"
#include "fault_plan.hpp"
#include "fault_play.hpp"

namespace test::fault_runs_suite {
static Tests tests (7200);

using faults::How;

/* Makes the next pipeline open the device and build its programs like the first one of a process. */
static void
go_cold ()
{
  plan_faults ({});
  const gst::cl::ContextRef context = gst::cl::create_context ("");
  gst::cl::Context::of (context.get ()).failed = true;
}

constexpr unsigned hang_seconds = 30;

struct Run {
  std::string line;
  Steps steps;
  bool cold, pool, real;
  faults::Plan plan;
};

static std::string
name_of (const Run &run)
{
  static const char *const hows[] = {"once", "for good", "event", "late"};
  return format ("\"%s\" %s%s%s, call %u %s", run.line.c_str (), run.steps.c_str (), run.cold ? " cold" : "",
      run.pool ? " pool" : "", run.plan.n, hows[int (run.plan.how)]);
}

/* Checks an error: it names call, code and device, and its second sentence gives advice. */
static std::string
fault_of (const Report &report, const std::vector<std::string> &broken)
{
  const std::string all = report.all ();
  const bool is_warm = all.find ("clGetDevice") == std::string::npos && all.find ("clGetPlatform") == std::string::npos;
  /* the bindings spell it clEnqueueUnMapMemObject */
  const auto is_named = [&] (const std::string &call) { return strcasestr (all.c_str (), call.c_str ()) != nullptr; };
  if (!std::ranges::any_of (broken, is_named) && !is_named ("EXEC_STATUS_ERROR"))
    return "does not name the call";
  if (all.find ("CL_") == std::string::npos)
    return "does not name the code";
  static const std::string device = gst::cl::choose_device ("").name;
  if (is_warm && all.find (device) == std::string::npos)
    return "does not name the device";
  if (report.text.find (". ") == std::string::npos)
    return "gives no advice";
  return "";
}

/* Waits, because threads may still be releasing objects. */
static std::string
left_alive (std::initializer_list<std::pair<const char *, unsigned>> limits)
{
  for (int i = 0;; i++) {
    const auto alive = fault_account ().alive;
    std::string text;
    for (const auto &[type, most] : limits)
      if (const auto found = alive.find (type); found != alive.end () && found->second > most)
        text += format (" %u %s", found->second, type);
    if (text.empty () || i == 2000)
      return text;
    g_usleep (500);
  }
}

static std::string
judge (const Outcome &outcome, const Outcome &usual, const Run &run, const std::vector<std::string> &broken)
{
  if (const std::string flaw = flaw_of (outcome, usual, run.real); !flaw.empty () || outcome.errors.empty ())
    return flaw;
  if (run.plan.how == How::late)
    return "an error: " + outcome.errors[0].all ();
  const std::string what = fault_of (outcome.errors[0], broken);
  return what.empty () ? "" : "the error " + what + ": " + outcome.errors[0].all ();
}

static std::string
try_run (const Run &run, const Outcome &usual)
{
  const HangWatch watch (name_of (run), hang_seconds);
  if (run.cold)
    go_cold ();
  std::string bad;
  std::vector<std::string> broken;
  {
    FaultPlay play (run.line, run.pool);
    plan_faults (run.plan);
    const Outcome outcome = play.play (run.steps);
    broken = fault_account ().broken;
    plan_faults ({});
    bad = judge (outcome, usual, run, broken);
    const std::string alive = left_alive ({{"cl_mem", 0}, {"cl_event", 0}, {"cl_kernel", 0}});
    if (bad.empty () && !alive.empty ())
      bad = "left:" + alive;
    if (const std::string flaw = flaw_of_restart (play.play (run.steps), usual, run.real); bad.empty ())
      bad = flaw;
  }
  const std::string alive =
      left_alive ({{"cl_mem", 0}, {"cl_event", 0}, {"cl_kernel", 0}, {"cl_command_queue", 0}, {"cl_context", 1}});
  if (bad.empty () && !alive.empty ())
    bad = "left at the end:" + alive;
  return bad.empty () ? "" : name_of (run) + " (" + (broken.empty () ? "" : broken.front ()) + "): " + bad;
}

/* A selection of calls, different for each element, for runs that would take too long. */
struct Share {
  unsigned step = 1;
  bool takes (unsigned n, unsigned element) const { return (n + element) % step == 0; }
};

struct Tally {
  unsigned runs = 0;
  std::vector<std::string> bad;

  void count (const std::string &what)
  {
    runs++;
    if (what.empty ())
      return;
    bad.push_back (what);
    g_printerr ("%s\n", what.c_str ());
  }
};

static Outcome
play_usual (const Run &run, std::vector<std::string> &calls)
{
  const HangWatch watch (name_of (run), hang_seconds);
  if (run.cold)
    go_cold ();
  FaultPlay play (run.line, run.pool);
  plan_faults ({});
  const Outcome usual = play.play (run.steps);
  calls = fault_account ().names;
  expect_usual (usual, run.line);
  return usual;
}

/* Calls of other threads come in varying order, so a few more are tried than were counted. */
static void
try_all (Run run, Tally &tally, const Share &share, unsigned element)
{
  std::vector<std::string> calls;
  play_usual (run, calls);
  const Outcome usual = play_usual (run, calls);
  constexpr unsigned more = 3;
  for (unsigned n = 1; n <= calls.size () + more; n++) {
    if (!share.takes (n, element))
      continue;
    const std::string call = n <= calls.size () ? calls[n - 1] : "";
    const int code = n % 2 ? -5 /* CL_OUT_OF_RESOURCES */ : -4 /* CL_MEM_OBJECT_ALLOCATION_FAILURE */;
    for (const auto &[how, with] : {std::pair (How::once, code), {How::for_good, -5}, {How::event, -5}, {How::late, -5}}) {
      if ((how == How::event && !call.starts_with ("clEnqueue"))
          || (how == How::late && call != "clWaitForEvents" && call != "clFinish"))
        continue;
      run.plan = {.n = n, .how = how, .code = with, .function = ""};
      tally.count (try_run (run, usual));
    }
  }
}

struct Matrix {
  const char *name;
  Steps steps;
  bool cold, pool, real;
  Share share;
};

/* Caps come last: GstVideoAggregator applies them to their first frame with the second frame or the end, and a flush would
 * discard that frame. */
constexpr const char *life = "ffpfxfsffcff";

/* The long forms try every call; a first start with an open device is contained in life's. */
const Matrix matrices[] = {{"start", "ff", true, false, false, {1}}, {"start-pool", "ff", true, true, false, {1}},
    {"life", life, false, false, false, {1}}, {"bytes", "ffpf", false, false, true, {1}},
    {"quick", "ff", true, true, false, {83}}, {"quick", life, false, false, false, {139}}};

static std::vector<const Matrix *> chosen;

/* Every start searches for GL; this keeps its drivers loaded. */
static void
keep_gl ()
{
  static bool kept = false;
  if (std::exchange (kept, true) || !gl_present ())
    return;
  const Own any = gst_element_factory_make ("identity", nullptr);
  share_gl (any);
}

TEST (every_call, fault_lines ().size ())
{
  keep_gl ();
  Tally tally;
  const std::string line = fault_lines ()[__i__];
  if (!is_asked_for (line))
    return;
  const char *steps = g_getenv ("GST_CL_TEST_STEPS");
  for (const Matrix *each : chosen) {
    layer_function<decltype (cl_census_skip_kernels)> ("cl_census_skip_kernels") (!each->real);
    try_all ({line, steps ? steps : each->steps, each->cold, each->pool, each->real, {}}, tally, each->share, unsigned (__i__));
  }
  g_print ("%s: %u runs, %zu bad\n", line.c_str (), tally.runs, tally.bad.size ());
  test_check (
      tally.bad.empty (), "%zu of %u runs end badly; the first: %s", tally.bad.size (), tally.runs, tally.bad[0].c_str ());
}

/* The last test of a process, because the device cannot be opened again afterwards. */
TEST (lost_at_the_end)
{
  go_cold ();
  plan_faults ({.n = 1, .how = How::for_good, .code = -5, .function = "clCreateContext"});
  g_autoptr (GError) error = nullptr;
  ck_assert (!gst::cl::run_guarded (&error, [] { gst::cl::create_context (""); }));
  test_check (strstr (error->message, "clCreateContext: CL_OUT_OF_RESOURCES"), "%s", error->message);
}

static const Program main_program ("fault_runs", "start|start-pool|life|bytes|quick", [] (const Arguments &arguments) {
  for (const Matrix &each : matrices)
    if (arguments.size () == 1 && arguments[0] == each.name)
      chosen.push_back (&each);
  if (chosen.empty ())
    throw BadArguments ();
  return run ("fault_runs", Needs::Device, tests);
});

}  // namespace test::fault_runs_suite
