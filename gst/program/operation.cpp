/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/operation.hpp"

#include "core/wait.hpp"
#include "filter/executor.hpp"
#include "program/frames.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

double
ms_since (gint64 start_us)
{
  return double (g_get_monotonic_time () - start_us) / 1000;
}

/* Turns the errors of a function into a Refusal. */
template <typename Function>
auto
or_refusal (Runner &runner, const ProgramRequest &request, Function function)
{
  try {
    return function ();
  } catch (const TextError &error) {
    throw refusal_of (request, error);
  } catch (const Failure &failure) {
    throw refusal_of (request, failure);
  } catch (const ::cl::Error &error) {
    throw refusal_of (request, to_failure (error, runner.cl ().device.name));
  }
}

/* Processes frames without the element, for rehearse(). */
class RehearsedProgram : public Filter {
public:
  explicit RehearsedProgram (const BuiltProgram &program_) : program (program_) {}

  Abilities abilities (const Runner &) const override { return {.sees_regions = true}; }
  void begin_frame (Runner &, const FrameInfo &info) override { frames.begin (info); }
  void prepare (Runner &runner, const FrameTask &task) override { frames.prepare (runner, program, task); }
  void run (Runner &runner, const PlaneTask &task) override { frames.run (runner, program, task); }
  void end_frame (Runner &) override { frames.end (); }

private:
  BuiltProgram program;
  ProgramFrames frames;
};

class ProgramOperation : public With<ProgramSettings> {
public:
  explicit ProgramOperation (std::shared_ptr<ProgramState> state_) : state (std::move (state_)) {}

  void changed () override
  {
    if (settings.params == params_text)
      return;
    params_text = settings.params;
    params = Ref (params_text.empty () ? nullptr : gst_structure_from_string (params_text.c_str (), nullptr));
    params_changed = true;
  }

  Abilities abilities (const Runner &) const override
  {
    /* drivers compile the helpers' kernels, too, when they first run */
    constexpr unsigned longer_at_first = 5;
    return {.sees_regions = true, .patience = unsigned (settings.timeout) * (fresh ? longer_at_first : 1)};
  }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    fresh = false;
    reporter = &info.reporter;
    follow (runner, info);
    frames.begin (info);
  }

  void prepare (Runner &runner, const FrameTask &task) override { frames.prepare (runner, *active, task); }
  void run (Runner &runner, const PlaneTask &task) override { frames.run (runner, *active, task); }
  void end_frame (Runner &) override { frames.end (); }

private:
  struct Pending {
    PlannedProgram planned;
    gint64 started_us;
    /** After the build. Drivers finish compiling at the first launch, so an empty launch runs in parallel with the frames. */
    std::optional<BuiltProgram> program;
    /** A request to another process, if such a launch would block the stream while the driver compiles. */
    std::shared_ptr<Compiler::Request> compiled;
    ::cl::Event warmed_up;
  };

  void announce (const BuiltProgram &program) const
  {
    if (state->announce)
      state->announce (program);
  }

  void follow (Runner &runner, const FrameInfo &info)
  {
    const ProgramRequest wanted = request ();
    if (!active) {
      start (runner, info, wanted);
      return;
    }
    const bool is_back = wanted == active->request && (pending || refused);
    const bool is_new = is_back || (wanted != latest () && (!refused || wanted != *refused));
    if (is_new) {
      pending.reset ();
      incomplete.reset ();
      refused.reset ();
    }
    if (is_back) /* the newer program may have announced its arguments */
      announce (*active);
    try {
      or_refusal (runner, wanted, [&] {
        if (is_new && wanted != active->request) {
          pending = Pending{plan_program (wanted, runner, info.video), g_get_monotonic_time ()};
          runner.cl ().programs.prepare (pending->planned.spec);
        }
        if (pending)
          finish_pending (runner, info);
      });
    } catch (const Refusal &refusal) {
      refuse (info, wanted, refusal);
    }
    if (params_changed)
      take_params (runner, info);
  }

  /* The program that the properties ask for. If its file cannot be read while a kernel runs, reports this once, and the kernel
   * keeps running. */
  ProgramRequest request ()
  {
    try {
      ProgramRequest wanted = state->source.request (settings, state->inputs);
      unreadable.clear ();
      return wanted;
    } catch (const Failure &failure) {
      if (!active)
        throw;
      if (unreadable != failure.what ())
        warn_of_refusal (failure);
      unreadable = failure.what ();
      return latest ();
    }
  }

  const ProgramRequest &latest () const { return pending ? pending->planned.request : active->request; }

  /* Starts the first program of a stream; the frame waits for it. If the file has become invalid since the last stream, the last
   * good program keeps running. */
  void start (Runner &runner, const FrameInfo &info, const ProgramRequest &wanted)
  {
    const gint64 started = g_get_monotonic_time ();
    try {
      BuiltProgram program = build (runner, info, wanted);
      if (!program.plan.has_groups ())
        runner.cl ().wait_for (warm_up (runner, program));
      activate (runner, info, std::move (program), ms_since (started));
    } catch (const Refusal &refusal) {
      info.reporter.post_message (refusal.report.to_structure ());
      if (!state->good || *state->good == wanted || !start_last (runner, info, wanted))
        throw refusal.failure;
      warn_of_refusal (refusal.failure);
      refused = wanted;
    }
    build_helpers (runner, info);
  }

  /* Builds the programs that copy frames to the kernel and back. NVIDIA's driver builds no program while a kernel runs, and the
   * user's kernel may never end. */
  void build_helpers (Runner &runner, const FrameInfo &info)
  {
    for (const KernelForm &form : find_helpers (runner, info, *active))
      runner.cl ().programs.get (form.program, runner.kernels.builds);
  }

  /* Starts the last good program, if it also works with these frames. */
  bool start_last (Runner &runner, const FrameInfo &info, const ProgramRequest &wanted)
  {
    ProgramRequest last = *state->good;
    last.inputs = wanted.inputs;
    last.history = wanted.history;
    try {
      active = build (runner, info, last);
      algorithm = active->name;
    } catch (const Refusal &) {
      return false;
    }
    fresh = true;
    announce (*active);
    return true;
  }

  /* Posts the refusal; the running program continues. */
  void refuse (const FrameInfo &info, const ProgramRequest &wanted, const Refusal &refusal)
  {
    refused = wanted;
    pending.reset ();
    info.reporter.post_message (refusal.report.to_structure ());
    warn_of_refusal (refusal.failure);
  }

  /* Takes over a build that began with an earlier frame. */
  void finish_pending (Runner &runner, const FrameInfo &info)
  {
    Pending &job = *pending;
    if (!job.program) {
      const ProgramRef built = runner.cl ().programs.try_get (job.planned.spec, runner.kernels.builds);
      if (!built)
        return;
      BuiltProgram program = make_program (job.planned, built, runner);
      incomplete = program;
      announce (program); /* old values may not fit; the program then waits for new ones */
      bind (program);
      incomplete.reset ();
      Compiler &compiler = runner.cl ().open->compiler;
      if (compiler.is_needed ())
        job.compiled = compiler.compile (forms_of (runner, info, program));
      job.program = std::move (program);
    }
    if (job.compiled && !job.compiled->done)
      return;
    if (!job.warmed_up () && !job.program->plan.has_groups ())
      job.warmed_up = warm_up (runner, *job.program);
    if (job.warmed_up () && !is_done (job.warmed_up))
      return;
    BuiltProgram program = std::move (*job.program);
    const double build_ms = ms_since (job.started_us);
    bind (program); /* uses values that were set during the build */
    pending.reset ();
    activate (runner, info, std::move (program), build_ms);
  }

  BuiltProgram build (Runner &runner, const FrameInfo &info, const ProgramRequest &request)
  {
    BuiltProgram program = or_refusal (runner, request, [&] {
      const PlannedProgram planned = plan_program (request, runner, info.video);
      return make_program (planned, runner.cl ().programs.get (planned.spec, runner.kernels.builds), runner);
    });
    bind (program);
    return program;
  }

  void bind (BuiltProgram &program) const
  {
    try {
      program.values = bind_arguments (program.arguments, params.get ());
    } catch (const Failure &failure) {
      throw Refusal{{.location = program.request.location, .message = failure.what (), .kernel = program.name}, failure};
    }
  }

  /* Runs the kernels on an empty range, in parallel with the frames' queue. Skips programs with groups, whose items would run
   * there. */
  ::cl::Event warm_up (Runner &runner, BuiltProgram &program)
  {
    Context &cl = runner.cl ();
    if (!scrap ())
      scrap = ::cl::Buffer (cl.handle, CL_MEM_READ_WRITE, 256);
    return ProgramFrames::warm_up (program, cl.upload, scrap);
  }

  /* The kernels that copy frames to the program and back, unless the compiler knows them. */
  std::vector<KernelForm> find_helpers (const Runner &runner, const FrameInfo &info, const BuiltProgram &program) const
  {
    const FilterDescription description{.operation = {OperationType::Kind::filter}};
    StagePlan plan{&description, &info.reporter, [&] { return std::make_unique<RehearsedProgram> (program); }};
    const Settings common;
    const BufferRef frame (gst_buffer_new ());
    return find_unknown ({runner.context (), info.video, {&plan, 1}, {&common, 1}, frame.get (), false, program.request.inputs},
        runner.cl ().open->compiler);
  }

  /* The program's kernels and their helpers. */
  std::vector<KernelForm> forms_of (const Runner &runner, const FrameInfo &info, const BuiltProgram &program) const
  {
    std::vector<KernelForm> forms = find_helpers (runner, info, program);
    for (const BuiltKernel &kernel : program.running)
      forms.push_back ({program.spec, kernel.text.name, kernel.group, kernel.group});
    return forms;
  }

  void activate (Runner &runner, const FrameInfo &info, BuiltProgram program, double build_ms)
  {
    ProgramReport report{.success = true, .location = program.request.location, .kernel = program.name, .build_ms = build_ms};
    report.log = program.program->getBuildInfo<CL_PROGRAM_BUILD_LOG> (runner.cl ().device.handle);
    active = std::move (program);
    algorithm = active->name;
    fresh = true;
    state->good = active->request;
    info.reporter.post_message (report.to_structure ());
    announce (*active);
    warn_of_fields ();
    if (never_writes (*active))
      warn ("The kernel " + active->name + " never writes a result, so frames do not change. Write it with "
            + (active->sees_pixels ? "OUT_PIXEL (p)." : "OUT (v) or OUT_REAL (v)."));
    params_changed = false;
  }

  /* Takes the values of the running program, or missing values of a newer one. */
  void take_params (Runner &runner, const FrameInfo &info)
  {
    params_changed = false;
    if (incomplete) {
      try {
        BuiltProgram program = *incomplete;
        bind (program);
        incomplete.reset ();
        activate (runner, info, std::move (program), 0);
        return;
      } catch (const Refusal &) {
        /* still incomplete; the new values may be for the running program */
      }
    }
    try {
      bind (*active);
      warn_of_fields ();
    } catch (const Refusal &refusal) {
      if (pending)
        params_changed = true; /* they may be for the program that is being built */
      else
        warn (std::string (refusal.failure.what ()) + " The last values stay in use.", refusal.failure.debug);
    }
  }

  void warn_of_refusal (const Failure &failure) const
  {
    const std::string text = std::string ("The last kernel keeps running: ") + failure.what ();
    reporter->warn (Failure (failure.domain, failure.code, text, failure.debug));
  }

  void warn (const std::string &text, const std::string &debug = "") const
  {
    reporter->warn (Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, text, debug));
  }

  /* Warns of unknown fields, and, once, of missing ones. */
  void warn_of_fields ()
  {
    const std::string unused = unused_fields (active->arguments, params.get ());
    std::string known;
    for (const ProgramArgument &argument : active->arguments)
      known += (known.empty () ? "" : ", ") + argument.name;
    if (!unused.empty ())
      warn ("The kernel " + active->name + " has no argument for these fields of params: " + unused + ". "
            + (known.empty () ? "It has no arguments of its own." : "Its arguments are: " + known + "."));
    const std::string now_unset = unset_arguments (active->arguments, params.get ());
    const std::string first = now_unset.substr (0, now_unset.find (','));
    if (!now_unset.empty () && now_unset != unset)
      warn ("These arguments of the kernel " + active->name + " have no value and are 0: " + now_unset
            + ". Set params::" + first + "=1, or declare a default in the kernel's text: // @param " + first + " "
            + std::ranges::find (active->arguments, first, &ProgramArgument::name)->type + " DEFAULT [MIN, MAX] \"text\".");
    unset = now_unset;
  }

  const std::shared_ptr<ProgramState> state;
  /** The element's. */
  Reporter *reporter = nullptr;
  Ref<GstStructure> params;
  std::string params_text;
  bool params_changed = false;
  /** Arguments that a warning has named because they have no value. */
  std::string unset;
  std::optional<BuiltProgram> active;
  /** The program that is being built. */
  std::optional<Pending> pending;
  /** A built program whose arguments lack values. */
  std::optional<BuiltProgram> incomplete;
  /** The last attempt that failed; it is not repeated. */
  std::optional<ProgramRequest> refused;
  /** Why the file could not be read while a kernel runs. */
  std::string unreadable;
  ProgramFrames frames;
  ::cl::Buffer scrap;
  /** Whether no frame has gone through the running program yet. */
  bool fresh = false;
};

}  // namespace

std::unique_ptr<Operation>
make_program_operation (std::shared_ptr<ProgramState> state)
{
  return std::make_unique<ProgramOperation> (std::move (state));
}

}  // namespace gst::cl
