/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order between GL and OpenCL without the host: semaphores that Vulkan exported and both have imported. */
#pragma once

#include "memory/glexternal.hpp"

namespace gst::cl {

/** One user at a time; create, destroy and use it in the GL thread of the memory's context (the destructor may run
 *  elsewhere). */
class GST_CL_API ExternalSync {
public:
  /** Null where the drivers lack it; why_not says what. */
  static std::unique_ptr<ExternalSync> create (std::shared_ptr<ExternalMemory> memory, std::string &why_not) noexcept;
  ~ExternalSync ();
  ExternalSync (const ExternalSync &) = delete;
  ExternalSync &operator= (const ExternalSync &) = delete;

  /** What is enqueued on queue from now on comes after all that GL was told so far to do to the textures. Throws. */
  void gl_to_cl (cl_command_queue queue, std::span<const guint> textures);
  /** What GL is told from now on to do to the textures comes after all that was enqueued on queue so far. Throws. */
  void cl_to_gl (cl_command_queue queue, std::span<const guint> textures);

private:
  struct Functions;
  struct Slot;
  explicit ExternalSync (std::shared_ptr<ExternalMemory> memory);
  std::string start ();
  std::unique_ptr<Slot> take_slot (std::vector<std::unique_ptr<Slot>> &ring);

  std::shared_ptr<ExternalMemory> memory;
  std::unique_ptr<Functions> functions;
  /** Semaphores that GL signals and OpenCL waits for, and the other way round; the longest unused first. */
  std::vector<std::unique_ptr<Slot>> to_cl, to_gl;
};

}  // namespace gst::cl
