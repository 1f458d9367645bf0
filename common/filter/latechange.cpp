/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/latechange.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Returns nothing if the settings are invalid; filtering the frame reports the error. */
std::vector<KernelForm>
find_unknown (const Rehearsal &wanted, const Compiler &compiler)
{
  std::vector<KernelForm> unknown;
  try {
    std::ranges::copy_if (
        rehearse (wanted), std::back_inserter (unknown), [&] (const KernelForm &form) { return !compiler.knows (form); });
  } catch (const Failure &failure) {
    GST_DEBUG ("rehearsal: %s", failure.what ());
  } catch (const ::cl::Error &error) {
    GST_DEBUG ("rehearsal: %s", error.what ());
  }
  return unknown;
}

}  // namespace

LateChange::Work::Work (const Rehearsal &wanted)
    : settings (wanted.settings.begin (), wanted.settings.end ()), inputs (wanted.inputs)
{
  for (const StagePlan &stage : wanted.stages)
    filters.push_back (stage.description);
}

bool
LateChange::Work::is (const Rehearsal &wanted) const
{
  const auto without_list = [] (CommonSettings common) {
    common.roi_list.resize (std::min<size_t> (common.roi_list.size (), 1));
    return common;
  };
  const auto is_same = [&] (const Settings &a, const Settings &b) {
    return a.own == b.own && a.pads == b.pads && a.profile == b.profile
           && (a.shared == b.shared || without_list (a.common ()) == without_list (b.common ()));
  };
  return inputs == wanted.inputs && std::ranges::equal (filters, wanted.stages, {}, {}, &StagePlan::description)
         && std::ranges::equal (settings, wanted.settings, is_same);
}

bool
LateChange::is_ready (const Rehearsal &wanted, const std::function<bool ()> &streams_on)
{
  Compiler &compiler = Context::of (wanted.context.get ()).open->compiler;
  if (!compiler.is_needed ())
    return true;
  const bool is_new = current && !current->is (wanted);
  if (current && !is_new && !request)
    return true;
  if (is_new && waiting && waiting->is (wanted) && !request->done)
    return false;
  if (is_new) {
    std::vector<KernelForm> forms = find_unknown (wanted, compiler);
    if (!forms.empty () && streams_on ()) {
      waiting.emplace (wanted);
      if (!request || request->forms != forms)
        request = compiler.compile (std::move (forms));
      return false;
    }
  }
  current.emplace (wanted);
  waiting.reset ();
  request.reset ();
  return true;
}

const Settings &
LateSettings::settle (const Settings &wanted, const Stream &stream, const StagePlan &plan, std::span<GstBuffer *const> inputs,
    const std::function<bool ()> &streams_on)
{
  if (std::exchange (n_inputs, inputs.size ()) != inputs.size ())
    begin ();
  if (change.is_ready (stream.rehearsal_of ({&plan, 1}, {&wanted, 1}, inputs.front (), inputs.size ()), streams_on))
    settings = wanted;
  return settings;
}

}  // namespace gst::cl
