/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprogram's operation: chooses the program, and runs it. */
#pragma once

#include "program/build.hpp"
#include "program/frames.hpp"

namespace gst::cl {

/** State that outlives the streams of an element. Streaming thread only. */
struct ProgramState {
  explicit ProgramState (GstElement *element_) : element (element_) {}

  GstElement *const element;
  /** The number of sink pads. */
  size_t inputs = 1;
  ProgramSource source;
  /** The last program that was built and could run. */
  std::optional<ProgramRequest> good;
  /** Called with a program when it begins to run. */
  std::function<void (const BuiltProgram &)> announce;
};

class ProgramOperation : public With<ProgramSettings> {
public:
  explicit ProgramOperation (std::shared_ptr<ProgramState> state);

  void changed () override;
  Abilities abilities (const Runner &runner) const override;
  void begin_frame (Runner &runner, const FrameInfo &info) override;
  void prepare (Runner &runner, const FrameTask &task) override { frames.prepare (runner, *active, task); }
  void run (Runner &runner, const PlaneTask &task) override { frames.run (runner, *active, task); }
  void end_frame (Runner &) override { frames.end (); }

private:
  struct Pending {
    ProgramRequest request;
    ProgramSpec spec;
    gint64 started_us;
    /** After the build. Drivers finish compiling at the first launch, so an empty launch runs in parallel with the frames. */
    std::optional<BuiltProgram> program;
    /** A request to another process, if such a launch would block the stream while the driver compiles. */
    std::shared_ptr<Compiler::Request> compiled;
    ::cl::Event warmed_up;
  };

  void follow (Runner &runner, const FrameInfo &info);
  ProgramRequest request ();
  void start (Runner &runner, const FrameInfo &info, const ProgramRequest &wanted);
  bool start_last (Runner &runner, const FrameInfo &info, const ProgramRequest &wanted);
  void refuse (const FrameInfo &info, const ProgramRequest &wanted, const Refusal &refusal);
  void finish_pending (Runner &runner, const FrameInfo &info);
  BuiltProgram build (Runner &runner, const ProgramRequest &request, const ProgramSpec &spec);
  void bind (BuiltProgram &program) const;
  ::cl::Event warm_up (Runner &runner, BuiltProgram &program);
  std::vector<KernelForm> find_unknown (const Runner &runner, const FrameInfo &info, const BuiltProgram &program) const;
  void activate (Runner &runner, const FrameInfo &info, BuiltProgram program, double build_ms);
  void take_params (Runner &runner, const FrameInfo &info);
  void warn_of_refusal (const Failure &failure) const;
  void warn (const std::string &text) const;
  void warn_of_fields ();

  const std::shared_ptr<ProgramState> state;
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

}  // namespace gst::cl
