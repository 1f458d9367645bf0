/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiles kernels in a separate process, for PoCL: while its driver compiles a kernel, no other kernel of the process can
 * start. PoCL caches compiled kernels on disk, where this process finds them afterwards. */
#pragma once

#include "core/program.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <set>

namespace gst::cl {

/** A kernel with the sizes of its launch. */
struct KernelForm {
  ProgramSpec program;
  /** The kernel's name; "" stands for every kernel of the program. */
  std::string function;
  /** Work items. PoCL compiles a kernel for each local size. If local is 0, the driver derives it from global. */
  std::array<size_t, 2> global, local;

  auto operator<=> (const KernelForm &) const = default;
};

/** Sends one device's kernels to the compiling process, one request after another. Thread-safe. */
class GST_CL_API Compiler {
public:
  /** Borrows device and programs, which must outlive the compiler. */
  Compiler (const Device &device, ProgramCache &programs, BeforeBackground before_background);
  ~Compiler ();

  /** Whether no kernel can start while this device's driver compiles one. */
  bool is_needed () const { return device.is_pocl; }

  /** Remembers that this process has started a kernel. */
  void note (const ProgramSpec &program, const std::string &function);
  /** Whether note() got this kernel, or a request has compiled it. */
  bool knows (const KernelForm &form) const;

  struct Request {
    std::vector<KernelForm> forms;
    /** Becomes true when the request has ended, also after a failure: the caller meets the error when it starts the kernel
     *  itself. */
    std::atomic<bool> done = false;
  };
  /** Queues a request and returns at once. The compiler's thread first lets the other process compile the forms, then builds
   *  their programs in this process. It skips a request that has no reference left. */
  std::shared_ptr<Request> compile (std::vector<KernelForm> forms);

  /** Ends the compiling process and the thread. Later requests are done at once, without compiling. */
  void stop ();

private:
  void serve (Request &request);
  void fulfil (const Request &request);
  bool run (const Request &request);

  const Device &device;
  ProgramCache &programs;
  const BeforeBackground before_background;
  mutable std::mutex mutex;
  /** Program and kernel name, without programs of users' texts, whose number has no limit. */
  std::set<std::pair<ProgramSpec, std::string>> known;
  /** Weak references to requests, for one thread; null until the first. */
  GThreadPool *queue = nullptr;
  bool stopped = false;
  /** The process that compiles now, or 0. */
  int pid = 0;
};

/** The text that the compiling process reads from standard input. serve_request() compiles the forms in it, in that process,
 *  and returns the exit status: 0 for success. */
GST_CL_API std::string to_text (const Device &device, const std::vector<KernelForm> &forms);
GST_CL_API int serve_request (const std::string &text);

}  // namespace gst::cl
