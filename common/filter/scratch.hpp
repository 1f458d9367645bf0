/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory that a stage keeps from frame to frame. */
#pragma once

#include "filter/commands.hpp"
#include "filter/kernelspec.hpp"

#include <map>

namespace gst::cl {

/** Device memory by name. Not thread-safe. */
class GST_CL_API ScratchMemory {
public:
  /** Both outlive it. */
  ScratchMemory (Context &context_, Commands &commands_) : context (context_), commands (commands_) {}

  /** Of this size at least. Contents do not survive. */
  const ::cl::Buffer &buffer (const ScratchName &name, size_t bytes);
  /** The same, of zeros when it is new. Kernels that change it leave zeros behind. */
  const ::cl::Buffer &zeros (const ScratchName &name, size_t bytes);
  /** With contents from the host, written only where they differ from the last ones of that name. */
  const ::cl::Buffer &table (const ScratchName &name, std::span<const std::byte> content);
  template <typename T> const ::cl::Buffer &table (const ScratchName &name, const std::vector<T> &content)
  {
    return table (name, std::as_bytes (std::span (content)));
  }
  /** The same where comparing contents would take long: same tells whether they are those of the last call. */
  template <typename T> const ::cl::Buffer &table (const ScratchName &name, const std::vector<T> &content, bool same)
  {
    const ::cl::Buffer *known = same ? find_table (name) : nullptr;
    return known ? *known : table (name, content);
  }
  /** The same for contents that change with every frame: nobody waits until they are written. */
  const ::cl::Buffer &changing (const ScratchName &name, std::span<const std::byte> content);
  /** The table of that name, or null. */
  const ::cl::Buffer *find_table (const ScratchName &name) const;
  /** An intermediate plane of that size and layout, of samples of so many bytes. Contents do not survive. */
  PlaneView plane (const ScratchName &name, const PlaneView &like, int sample_size);

  /** From now on nobody looks inside, so it takes next to no memory. */
  void shrink () { shrunk = true; }

  /** How often memory was allocated. */
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
