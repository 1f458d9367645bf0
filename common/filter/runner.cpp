/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/point.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>

namespace gst::cl {

Patch
Patch::of (const PlaneTask &task, const Rect &rect)
{
  const int samples = task.samples_per_pixel ();
  return {task.src.memory, task.src.offset, task.src.stride, task.dst.memory, task.dst.offset, task.dst.stride,
      rect.x * samples, rect.y, rect.width * samples, rect.height, task.src.image, task.src.split, task.dst.image,
      task.dst.split, task.src.layout->part, task.beside == WordPart::neutral};
}

Runner::Runner (ContextRef context, const Format &format, Backend backend)
    : owner (std::move (context)), frame_format (format), bodies (backend == Backend::cpu ? Backend::cpu : Backend::gpu),
      commands (cl ()), memory (cl (), commands), kernels (cl (), frame_format, bodies)
{
}

void
Runner::rehearse (std::set<KernelForm> &forms)
{
  rehearsed = &forms;
  commands.mute ();
  memory.shrink ();
}

bool
Runner::ready (const KernelSpec &spec, const PlaneTask &task)
{
  if (!commands.plays () || rehearsed)
    return true;
  const std::optional<KernelSpec> joined = AfterPoints::join (*this, spec, task);
  return kernels.try_get (joined ? *joined : spec, task);
}

void
Runner::prepare (std::initializer_list<KernelSpec> specs, const PlaneTask &task)
{
  if (rehearsed)
    return;
  for (const KernelSpec &spec : specs) {
    const std::optional<KernelSpec> joined = AfterPoints::join (*this, spec, task);
    kernels.prepare (joined ? *joined : spec, task);
  }
}

const Algorithm &
Runner::run (const PlaneTask &task, const Plan &plan)
{
  const auto is_ready = [&] (const Launch &launch) { return ready (launch.kernel, task); };
  const auto found = std::find_if (plan.begin (), plan.end () - 1,
      [&] (const Algorithm &algorithm) { return std::ranges::all_of (algorithm.launches, is_ready); });
  for (const Patch &patch : patches_of (*this, task, found->window, found->launches.front ().kernel))
    for (const Launch &each : found->launches)
      launch (each.kernel, task, patch, each.arguments);
  return *found;
}

cl_int4
Runner::plane_argument (const PlaneTask &task)
{
  return {{task.src.width * task.samples_per_pixel (), task.src.height, int (task.border), task.border_sample}};
}

Argument::Argument (const ::cl::Memory &memory_) : kind (Kind::memory), memory (memory_) {}
Argument::Argument (Kind kind_, const ScratchName &name_, size_t bytes_, Content content_)
    : kind (kind_), bytes (bytes_), name (name_), content (std::move (content_))
{
}
Argument::Argument (const Argument &) = default;
Argument::Argument (Argument &&) noexcept = default;
Argument &Argument::operator= (const Argument &) = default;
Argument &Argument::operator= (Argument &&) noexcept = default;
Argument::~Argument () = default;

void
Argument::set (::cl::Kernel &kernel, cl_uint index, ScratchMemory &scratch) const
{
  if (kind == Kind::number)
    kernel.setArg (index, bytes, number.data ());
  else if (kind == Kind::value)
    kernel.setArg (index, content->size (), content->data ());
  else if (kind == Kind::memory)
    kernel.setArg (index, memory);
  else
    kernel.setArg (index, kind == Kind::scratch ? scratch.buffer (name, bytes) : scratch.table (name, *content));
}

void
Runner::set (::cl::Kernel &kernel, cl_uint first, const Arguments &arguments)
{
  for (const Argument &argument : arguments)
    argument.set (kernel, first++, memory);
}

void
Runner::launch (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, const Arguments &arguments,
    const std::optional<WorkSize> &size)
{
  if (const std::optional<KernelSpec> joined = AfterPoints::join (*this, spec, task))
    return launch_with_steps (*joined, task, patch, arguments, size);
  const int pixel = task.samples_per_pixel ();
  const bool untuned = size.has_value ();
  if (rehearsed) {
    const auto [global, local] = size.value_or (WorkSize{{1, 1}, {1, 1}});
    rehearsed->insert ({kernels.program_of (spec, patch, pixel, untuned), spec.function, global, local});
    return;
  }
  PreparedKernel &prepared = kernels.get (spec, patch, pixel, untuned);
  set (prepared.kernel, 0,
      {patch.src, patch.src_offset, patch.src_stride, patch.dst, patch.dst_offset, patch.dst_stride, keep_mask (task),
          cl_int4{{patch.x, patch.y, patch.width, patch.height}}, plane_argument (task)});
  constexpr cl_uint n_plane_arguments = 9;
  set (prepared.kernel, n_plane_arguments, arguments);
  commands.run (prepared.kernel, size ? *size : kernels.size_of (prepared, spec, patch, pixel));
  kernels.observe (prepared, commands.last ());
}

/* Arguments of the steps follow those of the plane. */
void
Runner::launch_with_steps (const KernelSpec &joined, const PlaneTask &task, const Patch &patch, const Arguments &arguments,
    const std::optional<WorkSize> &size)
{
  PlaneTask alone = task;
  AfterPoints &after = *std::exchange (alone.after, nullptr);
  Arguments all = after.steps.arguments ();
  all.insert (all.end (), arguments.begin (), arguments.end ());
  launch (joined, alone, patch, all, size);
  after.ran = true;
}

void
Runner::launch_range (const KernelSpec &spec, const PlaneTask &task, const WorkSize &size, const Arguments &arguments)
{
  const int pixel = task.samples_per_pixel ();
  Patch whole = Patch::of (task, {0, 0, task.src.width, task.src.height});
  whole.neutral_beside = false;
  if (rehearsed) {
    rehearsed->insert ({kernels.program_of (spec, whole, pixel, true), spec.function, size.global, size.local});
    return;
  }
  PreparedKernel &prepared = kernels.get (spec, whole, pixel, true);
  set (prepared.kernel, 0, arguments);
  commands.run (prepared.kernel, size);
  kernels.observe (prepared, commands.last ());
}

WorkSize
Runner::size_for (int columns, int rows, std::array<size_t, 2> group, int item_rows) const
{
  if (bodies == Backend::cpu)
    return {{1, size_t (divide_up (rows, item_rows))}, {1, 1}};
  return {{round_up (size_t (columns), group[0]), round_up (size_t (rows), group[1])}, group};
}

PlaneView
Runner::scratch_plane (const ScratchName &name, const PlaneView &like)
{
  return memory.plane (name, like, frame_format.sample_size ());
}

const ::cl::Buffer &
Runner::keep_mask (const PlaneTask &task)
{
  const PlaneLayout &layout = *task.src.layout;
  const size_t size = frame_format.sample_size ();
  const unsigned pattern = samples_of (layout, task.components);
  /* wide stores of the gpu back end may read slightly beyond the row */
  const size_t samples = size_t (task.src.width) * layout.samples_per_pixel + 64;
  constexpr int parts = 64; /* more parts than a word has bits */
  const int part = task.beside == WordPart::filtered ? -1 : layout.part;
  const ScratchName name{"keep", layout.samples_per_pixel * parts + part, int (pattern), int (samples)};
  if (const ::cl::Buffer *known = memory.find_table (name))
    return *known;
  std::vector<unsigned char> masks (samples * size);
  for (size_t i = 0; i < masks.size (); i++) {
    const bool filtered = pattern >> (i / size % layout.samples_per_pixel) & 1;
    masks[i] = filtered && (part < 0 || i % size * 8 == size_t (part)) ? 0xff : 0;
  }
  return memory.table (name, masks);
}

}  // namespace gst::cl
