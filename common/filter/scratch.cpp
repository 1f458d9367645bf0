/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/scratch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gst::cl {

bool
ScratchName::operator<(const ScratchName &other) const
{
  if (const int order = std::strcmp (name, other.name))
    return order < 0;
  if (numbers != other.numbers)
    return numbers < other.numbers;
  return std::strcmp (part, other.part) < 0;
}

const ::cl::Buffer &
ScratchMemory::buffer (const ScratchName &name, size_t bytes)
{
  auto &[buffer, size] = buffers[name];
  if (shrunk)
    bytes = 1;
  if (size < bytes) {
    buffer = ::cl::Buffer (context.handle, CL_MEM_READ_WRITE, bytes);
    size = bytes;
    allocations++;
  }
  return buffer;
}

const ::cl::Buffer &
ScratchMemory::zeros (const ScratchName &name, size_t bytes)
{
  const ::cl::Buffer known = buffers[name].first;
  const ::cl::Buffer &zeroed = buffer (name, bytes);
  if (zeroed () != known ())
    commands.clear (zeroed, bytes);
  return zeroed;
}

const ::cl::Buffer &
ScratchMemory::table (const ScratchName &name, std::span<const std::byte> content)
{
  Table &known = tables[name];
  if (known.buffer () && std::ranges::equal (known.content, content))
    return known.buffer;
  if (known.capacity < content.size () || !known.buffer ()) {
    known.capacity = std::max<size_t> (content.size (), 1);
    known.buffer = ::cl::Buffer (context.handle, CL_MEM_READ_ONLY, known.capacity);
    allocations++;
  }
  /* only a change of properties waits here, not a frame */
  known.content.clear ();
  commands.write (known.buffer, content);
  known.content.assign (content.begin (), content.end ());
  return known.buffer;
}

const ::cl::Buffer &
ScratchMemory::changing (const ScratchName &name, std::span<const std::byte> content)
{
  constexpr size_t least = 4096;
  const ::cl::Buffer &to = buffer (name, std::bit_ceil (std::max (content.size (), least)));
  std::vector<std::byte> &known = tables[name].content;
  if (std::ranges::equal (known, content))
    return to;
  known.assign (content.begin (), content.end ());
  commands.write_later (to, known);
  return to;
}

const ::cl::Buffer *
ScratchMemory::find_table (const ScratchName &name) const
{
  const auto known = tables.find (name);
  return known == tables.end () ? nullptr : &known->second.buffer;
}

PlaneView
ScratchMemory::plane (const ScratchName &name, const PlaneView &like, int sample_size)
{
  constexpr int multiple = 64; /* rows are aligned for any vector load, whatever the size of a sample */
  PlaneView plane = like;
  plane.offset = 0;
  plane.stride = (like.width * like.layout->samples_per_pixel + multiple - 1) / multiple * multiple;
  plane.image = plane.split = false;
  /* on the cpu back end the buffer ends with the last sample, so that tests can detect reads beyond it */
  const int last_row = context.device.backend == Backend::cpu ? like.width * like.layout->samples_per_pixel : plane.stride;
  plane.memory = buffer (name, (size_t (plane.stride) * (plane.height - 1) + last_row) * sample_size);
  return plane;
}

}  // namespace gst::cl
