/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiles kernels in a process of its own, for drivers that let nobody start a kernel while they compile one: PoCL. It
 * keeps on disk what it has compiled, so the other process's work is this one's, too. */
#pragma once

#include "core/program.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <set>
#include <thread>

namespace gst::cl {

/** A kernel as it is to be started. */
struct KernelForm {
  ProgramSpec program;
  /** "" for every kernel of the program. */
  std::string function;
  /** PoCL compiles a kernel for each local size; zeros leave it to the driver, which then goes by the global one. */
  std::array<size_t, 2> global, local;

  auto operator<=> (const KernelForm &) const = default;
};

/** The requests of one process on one device. Thread-safe. */
class GST_CL_API Compiler {
public:
  /** device and programs outlive it. */
  Compiler (const Device &device, ProgramCache &programs, BeforeBackground before_background);
  ~Compiler ();

  /** Whether streams stand still while this device's driver compiles a kernel. */
  bool is_needed () const { return device.is_pocl; }

  /** Notes a kernel that this process starts. */
  void note (const ProgramSpec &program, const std::string &function);
  /** Whether it was noted, or compiled by a request. */
  bool knows (const KernelForm &form) const;

  struct Request {
    std::vector<KernelForm> forms;
    /** Set when it is over, whether it went well or not: those that ask start the kernels then, and hear of errors
     *  there. */
    std::atomic<bool> done = false;
  };
  /** Has forms compiled, and their programs built in this process, on a thread of its own, after the requests before. One
   *  that nobody holds any more when its turn comes is left out. */
  std::shared_ptr<Request> compile (std::vector<KernelForm> forms);

  /** Ends the other process and the thread. No requests are served after that. */
  void stop ();

private:
  void serve ();
  void fulfil (const Request &request);
  bool run (const Request &request);

  const Device &device;
  ProgramCache &programs;
  const BeforeBackground before_background;
  mutable std::mutex mutex;
  std::condition_variable changed;
  /** By program and function; none of a user's text, of which there may be any number. */
  std::set<std::pair<ProgramSpec, std::string>> known;
  std::vector<std::weak_ptr<Request>> waiting;
  bool stopped = false;
  /** Of the process that compiles now, or 0. */
  int pid = 0;
  std::thread thread;
};

/** What the other process gets on standard input, and what it does with that: 0 where all went well, as an exit status. */
GST_CL_API std::string to_text (const Device &device, const std::vector<KernelForm> &forms);
GST_CL_API int serve_request (const std::string &text);

}  // namespace gst::cl
