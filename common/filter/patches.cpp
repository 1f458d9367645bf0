/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a region falls into an interior and padded edges, and the memory that this and other work needs. */
#include "filter/runner.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

Rect
between (int left, int top, int right, int bottom)
{
  return {left, top, right - left, bottom - top};
}

/* Where the interior begins and ends along one axis of a region, when the window reaches `before` and `after`. An edge
 * is at least `least` long, since shorter ones would need programs of their own. */
std::pair<int, int>
interior (int begin, int end, int plane_size, int before, int after, int least)
{
  const int first = begin < before ? std::min (end, std::max (before, begin + least)) : begin;
  const int last = end > plane_size - after ? std::max (first, std::min (plane_size - after, end - least)) : end;
  return {first, last};
}

}  // namespace

Patch
Runner::part (const PlaneTask &task, const Rect &rect)
{
  const int samples = task.src.layout->samples_per_pixel;
  return {task.src.memory, task.src.offset, task.src.stride, task.dst.memory, task.dst.offset, task.dst.stride,
      rect.x * samples, rect.y, rect.width * samples, rect.height, task.src.image, task.src.split, task.dst.image,
      task.dst.split};
}

Patch
Runner::whole_plane (const PlaneTask &task)
{
  return part (task, {0, 0, task.src.width, task.src.height});
}

/* Of an item, as the specification has it or as it is chosen. */
int
Runner::most_rows (const KernelSpec &spec, const PlaneTask &task)
{
  if (spec.tunable.rows.empty ())
    return spec.item_rows;
  const Variant usual = variant_for (spec, {}, task, part (task, task.region));
  return std::max (spec.item_rows, choice_for (spec, kernel_key (spec, usual), usual).shape.item_rows);
}

std::vector<Patch>
Runner::patches (const PlaneTask &task, const Window &window, const KernelSpec &spec)
{
  const Rect &r = task.region;
  if (backend () != Backend::cpu || spec.own_borders)
    return {part (task, r)};

  const int samples = task.src.layout->samples_per_pixel;
  const int least_width = (std::max (row_multiple, spec.item_samples) + samples - 1) / samples;
  const auto [left, right] = interior (r.x, r.x + r.width, task.src.width, window.left, window.right, least_width);
  const int rows = most_rows (spec, task);
  const auto [top, bottom] = interior (r.y, r.y + r.height, task.src.height, window.top, window.bottom, rows);
  /* an interior thinner than its edges is not worth five launches, and jobs start anew in each */
  const bool thin = right - left <= std::max (window.left + window.right, least_width)
                    || bottom - top <= std::max (window.top + window.bottom, rows);
  const bool inside = left == r.x && top == r.y && right == r.x + r.width && bottom == r.y + r.height;
  if ((thin || spec.jobs) && !inside)
    return padded (task, window, {Rect{}, Rect{}, r, Rect{}});

  std::vector<Patch> parts = padded (task, window,
      {between (r.x, top, left, bottom), between (right, top, r.x + r.width, bottom), between (r.x, r.y, r.x + r.width, top),
          between (r.x, bottom, r.x + r.width, r.y + r.height)});
  parts.insert (parts.begin (), part (task, between (left, top, right, bottom)));
  return parts;
}

/* Copies each of rects with the window around it to scratch memory, from which it is then filtered. The first two, of the same
 * rows, are copied row by row together. */
std::vector<Patch>
Runner::padded (const PlaneTask &task, const Window &window, const std::array<Rect, 4> &rects)
{
  const int samples = task.src.layout->samples_per_pixel;
  constexpr int alignment = 64;
  constexpr size_t rows_per_group = 16;
  std::vector<Patch> patches;
  cl_int16 areas{};
  cl_int4 begins{};
  int end = 0;
  for (size_t i = 0; i < rects.size (); i++) {
    const Rect &rect = rects[i];
    if (rect.empty ())
      continue;
    const cl_int4 area{{(rect.x - window.left) * samples, rect.y - window.top,
        (rect.width + window.left + window.right) * samples, rect.height + window.top + window.bottom}};
    std::copy_n (area.s, 4, areas.s + 4 * i);
    begins.s[i] = end;
    Patch patch = part (task, rect);
    patch.src_stride = area.s[2];
    /* sample (x, y) of the plane stands at offset + y * stride + x of the copy */
    patch.src_offset = begins.s[i] - area.s[1] * area.s[2] - area.s[0];
    patches.push_back (patch);
    end += (area.s[2] * area.s[3] + alignment - 1) / alignment * alignment;
  }
  if (patches.empty ())
    return patches;

  const ::cl::Buffer &copies = scratch ("edges", size_t (end) * frame_format.sample_size ());
  const KernelSpec spec{.sources = {"lib/pad.cl"}, .function = "pad"};
  const size_t height = std::max (areas.s[3], areas.s[7]) + areas.s[11] + areas.s[15];
  const size_t rows = (height + rows_per_group - 1) / rows_per_group * rows_per_group;
  launch_range (spec, task, {rows, 1}, {rows_per_group, 1}, task.src.memory, task.src.offset, task.src.stride, copies, areas,
      begins, plane_argument (task));
  for (Patch &patch : patches)
    patch.src = copies;
  return patches;
}

const ::cl::Buffer &
Runner::scratch (const std::string &name, size_t bytes)
{
  auto &[buffer, size] = scratches[name];
  if (rehearsed) /* nobody looks inside */
    bytes = 1;
  if (size < bytes) {
    buffer = ::cl::Buffer (cl ().handle, CL_MEM_READ_WRITE, bytes);
    size = bytes;
    allocations++;
  }
  return buffer;
}

const ::cl::Buffer &
Runner::zeros (const std::string &name, size_t bytes)
{
  const ::cl::Buffer known = scratches[name].first;
  const ::cl::Buffer &buffer = scratch (name, bytes);
  if (buffer () != known () && !rehearsed)
    current.enqueueFillBuffer (buffer, cl_uchar (0), 0, bytes);
  return buffer;
}

PlaneView
Runner::scratch_plane (const std::string &name, const PlaneView &like)
{
  constexpr int multiple = 64; /* rows that are aligned for any load, whatever the size of a sample */
  PlaneView plane = like;
  plane.offset = 0;
  plane.stride = (like.width * like.layout->samples_per_pixel + multiple - 1) / multiple * multiple;
  plane.image = plane.split = false;
  plane.memory = scratch (name, size_t (plane.stride) * plane.height * frame_format.sample_size ());
  return plane;
}

PlaneView
Runner::in_buffer (const PlaneTask &task, const PlaneView &plane, const std::string &name)
{
  if (!plane.image)
    return plane;
  PlaneTask loading = task;
  loading.src = plane;
  loading.dst = scratch_plane (name, plane);
  copy (loading, {0, 0, plane.width, plane.height});
  return loading.dst;
}

PlaneTask
Runner::in_buffers (const PlaneTask &task)
{
  PlaneTask inside = task;
  input_copies.clear ();
  for (size_t i = 0; i < task.inputs.size (); i++)
    input_copies.push_back (in_buffer (task, task.inputs[i], i == task.main ? "source" : "source-" + std::to_string (i)));
  inside.inputs = input_copies;
  inside.src = task.inputs.empty () ? in_buffer (task, task.src, "source") : input_copies[task.main];
  if (task.dst.image)
    inside.dst = scratch_plane ("result", task.dst);
  return inside;
}

void
Runner::copy_back (const PlaneTask &inside, const PlaneTask &task)
{
  if (!task.dst.image || inside.dst.image)
    return;
  PlaneTask storing = task;
  storing.src = inside.dst;
  copy (storing, task.region);
}

const ::cl::Buffer &
Runner::table (const std::string &name, std::span<const std::byte> content)
{
  Table &known = tables[name];
  if (known.buffer () && std::ranges::equal (known.content, content))
    return known.buffer;
  if (known.capacity < content.size () || !known.buffer ()) {
    known.capacity = std::max<size_t> (content.size (), 1);
    known.buffer = ::cl::Buffer (cl ().handle, CL_MEM_READ_ONLY, known.capacity);
    allocations++;
  }
  /* after the frames that still use the old content, and from memory that may change at once: a change of properties,
   * not a frame, pays for the wait */
  known.content.clear ();
  if (!rehearsed)
    current.enqueueWriteBuffer (known.buffer, CL_TRUE, 0, content.size (), content.data ());
  known.content.assign (content.begin (), content.end ());
  return known.buffer;
}

const ::cl::Buffer &
Runner::keep_mask (const PlaneTask &task)
{
  const PlaneLayout &layout = *task.src.layout;
  unsigned pattern = 0;
  for (int i = 0; i < layout.samples_per_pixel; i++)
    if (layout.components[i] != padding && (task.components >> layout.components[i] & 1))
      pattern |= 1u << i;
  /* wide stores of the gpu back end may look a little past the row */
  const size_t samples = size_t (task.src.width) * layout.samples_per_pixel + 64;
  const std::string name =
      "keep-" + std::to_string (layout.samples_per_pixel) + "-" + std::to_string (pattern) + "-" + std::to_string (samples);
  const auto known = tables.find (name);
  if (known != tables.end ())
    return known->second.buffer;
  std::vector<unsigned char> masks (samples * frame_format.sample_size ());
  for (size_t i = 0; i < masks.size (); i++) {
    const size_t sample = i / frame_format.sample_size ();
    masks[i] = pattern >> (sample % layout.samples_per_pixel) & 1 ? 0xff : 0;
  }
  return table (name, masks);
}

}  // namespace gst::cl
