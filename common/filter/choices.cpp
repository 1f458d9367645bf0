/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which cut a runner takes for a kernel. */
#include "filter/runner.hpp"

#include "core/sources.hpp"

namespace gst::cl {

namespace {

/* Enough to tell versions of a kernel apart. */
constexpr size_t checksum_digits = 16;

std::string
checksum_of (const std::vector<std::string> &sources)
{
  const std::string text = join_sources (sources);
  gchar *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text.c_str (), gssize (text.size ()));
  const std::string digits = std::string (sum).substr (0, checksum_digits);
  g_free (sum);
  return digits;
}

/* What the table has for a kernel takes the place of what is shipped. */
void
override_with (Shape &shape, const Shape &tuned)
{
  if (tuned.local_x) {
    shape.local_x = tuned.local_x;
    shape.local_y = tuned.local_y;
  }
  for (int Shape::*member : {&Shape::item_samples, &Shape::item_rows})
    if (tuned.*member)
      shape.*member = tuned.*member;
}

}  // namespace

/* The kernel and what tells programs of it apart, then the format class. */
std::string
Runner::tuning_key (const std::string &kernel) const
{
  return kernel + (backend () == Backend::cpu ? "cpu" : "gpu") + " bits " + std::to_string (frame_format.sample_bits)
         + " depth " + std::to_string (frame_format.depth) + " shift " + std::to_string (frame_format.shift);
}

Runner::Choice
Runner::choose_shape (const KernelSpec &spec, const std::string &key, const Variant &usual) const
{
  const bool cpu = backend () == Backend::cpu, images = usual.src_image || usual.dst_image;
  Choice choice{cpu ? Shape () : shipped_shape (cl ().device, spec), ""};
  LaunchObserver *const observer = tuning->observer;
  /* parts smaller than an item have a program of their own, which is not worth a choice */
  if ((!observer && tuning->empty ()) || usual.item_rows != spec.item_rows)
    return choice;
  const Axes axes = axes_of (cl ().device, spec, cpu, images);
  if (axes.empty ())
    return choice;
  choice.name = tuning_key (key);
  const std::string source = checksum_of (program_spec (spec, usual).sources);
  const std::optional<Shape> tuned = tuning->find (choice.name, source, axes);
  if (tuned)
    override_with (choice.shape, *tuned);
  if (observer)
    observer->met (choice.name, source, axes, tuned.value_or (Shape ()));
  return choice;
}

const Runner::Choice &
Runner::choice_for (const KernelSpec &spec, const std::string &key, const Variant &usual)
{
  const auto found = choices.find (key);
  return found != choices.end () ? found->second : choices.emplace (key, choose_shape (spec, key, usual)).first->second;
}

/* The search will want them soon: side by side they are built in a fraction of the time. Processors' compilers build one after the
 * other, and would keep the stream waiting. */
void
Runner::build_candidates (const KernelSpec &spec, const Axes &axes, const PlaneTask &task, const Patch &patch)
{
  if (cl ().device.type & CL_DEVICE_TYPE_CPU)
    return;
  for (const Shape &shape : axes.items ())
    cl ().programs.prepare (program_spec (spec, variant_for (spec, shape, task, patch)));
}

int
Runner::choose (const char *name, int of, int usual, std::span<const int> values) const
{
  LaunchObserver *const observer = tuning->observer;
  if (!observer && tuning->empty ())
    return usual;
  const std::string key =
      tuning_key (std::string (name) + ' ' + std::to_string (of) + " usual " + std::to_string (usual) + ' ');
  const auto [number, is_new] = numbers.try_emplace (key, usual);
  if (!is_new)
    return number->second;
  Axes axes;
  for (int value : values)
    if (value != usual)
      axes.values.push_back (value);
  const std::optional<Shape> tuned = tuning->find (key, "", axes);
  if (tuned && tuned->value)
    number->second = tuned->value;
  if (observer)
    observer->met (key, "", axes, tuned.value_or (Shape ()));
  return number->second;
}

}  // namespace gst::cl
