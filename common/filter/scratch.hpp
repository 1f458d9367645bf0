/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory that a stage keeps from frame to frame. */
#pragma once

#include "filter/commands.hpp"
#include "filter/kernelspec.hpp"

#include <map>

namespace gst::cl {

/** Device memory by name. Not thread-safe. Functions throw cl::Error when an allocation fails. */
class GST_CL_API ScratchMemory {
public:
  /** Both must outlive the object. */
  ScratchMemory (Context &context_, Commands &commands_) : context (context_), commands (commands_) {}

  /** Memory of at least this size. Its contents become undefined. */
  const ::cl::Buffer &buffer (const ScratchName &name, size_t bytes);
  /** Like buffer(), but zeroed when it is new. Kernels that change it must restore the zeros. */
  const ::cl::Buffer &zeros (const ScratchName &name, size_t bytes);
  /** Memory with contents from the host. Writes them only if they differ from the last contents of that name. */
  const ::cl::Buffer &table (const ScratchName &name, std::span<const std::byte> content);
  template <typename T> const ::cl::Buffer &table (const ScratchName &name, const std::vector<T> &content)
  {
    return table (name, std::as_bytes (std::span (content)));
  }
  /** Like table(), for contents that take long to compare: same tells whether they equal those of the last call. */
  template <typename T> const ::cl::Buffer &table (const ScratchName &name, const std::vector<T> &content, bool same)
  {
    const ::cl::Buffer *known = same ? find_table (name) : nullptr;
    return known ? *known : table (name, content);
  }
  /** Like table(), for contents that change with every frame; does not wait until they are written. */
  const ::cl::Buffer &changing (const ScratchName &name, std::span<const std::byte> content);
  const ::cl::Buffer *find_table (const ScratchName &name) const;
  /** An intermediate plane of this size and layout, with samples of sample_size bytes. Its contents become undefined. */
  PlaneView plane (const ScratchName &name, const PlaneView &like, int sample_size);

  /** From now on, allocates as little memory as possible, because no kernel will run. */
  void shrink () { shrunk = true; }

  /** How many times memory was allocated. */
  guint64 allocations = 0;

private:
  struct Table {
    ::cl::Buffer buffer;
    size_t capacity = 0;
    std::vector<std::byte> content;
  };

  Context &context;
  Commands &commands;
  std::map<ScratchName, std::pair<::cl::Buffer, size_t>> buffers;
  std::map<ScratchName, Table> tables;
  bool shrunk = false;
};

}  // namespace gst::cl
