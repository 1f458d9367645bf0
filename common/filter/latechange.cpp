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
  /* roi-list changes with frames, as metas do, so it does not count as a change */
  for (Settings &each : settings)
    each.common.shorten (COMMON_ROI_LIST);
}

bool
LateChange::is_ready (const Rehearsal &wanted, const std::function<bool ()> &streams_on)
{
  Compiler &compiler = Context::of (wanted.context.get ()).open->compiler;
  if (!compiler.is_needed ())
    return true;
  Work work (wanted);
  if (current && *current != work && waiting == work && !request->done)
    return false;
  if (current && *current != work) {
    std::vector<KernelForm> forms = find_unknown (wanted, compiler);
    if (!forms.empty () && streams_on ()) {
      waiting = std::move (work);
      if (!request || request->forms != forms)
        request = compiler.compile (std::move (forms));
      return false;
    }
  }
  current = std::move (work);
  waiting.reset ();
  request.reset ();
  return true;
}

const Settings &
LateSettings::settle (Settings wanted, const Stream &stream, const StagePlan &plan, std::span<GstBuffer *const> inputs,
    const std::function<bool ()> &streams_on)
{
  if (std::exchange (n_inputs, inputs.size ()) != inputs.size ())
    begin ();
  if (change.is_ready (stream.rehearsal_of ({&plan, 1}, {&wanted, 1}, inputs.front (), inputs.size ()), streams_on))
    settings = std::move (wanted);
  return *settings;
}

}  // namespace gst::cl
