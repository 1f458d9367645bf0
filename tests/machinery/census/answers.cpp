/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "answers.hpp"

#include "census.hpp"
#include "give.hpp"

#include <mutex>

namespace {

cl_icd_dispatch below;
std::mutex mutex;

struct Told {
  const void *whom;
  cl_uint what;
  std::string bytes;
};
/* with mutex held; the newest one counts */
std::vector<Told> all;

Answer
find (const void *whom, cl_uint what)
{
  const std::lock_guard lock (mutex);
  const auto fits = [&] (const Told &each) { return each.what == what && (!each.whom || each.whom == whom); };
  const auto found = std::find_if (all.rbegin (), all.rend (), fits);
  return found == all.rend () ? std::nullopt : Answer (found->bytes);
}

}  // namespace

cl_icd_dispatch
answers::before (const cl_icd_dispatch &next)
{
  below = next;
  cl_icd_dispatch hooks = next;
  LAYER_HOOK (hooks, below, queries<find>, clGetDeviceInfo);
  LAYER_HOOK (hooks, below, queries<find>, clGetPlatformInfo);
  return hooks;
}

extern "C" [[gnu::visibility ("default")]] void
cl_census_answer (const void *whom, unsigned what, const void *value, size_t size)
{
  const std::lock_guard lock (mutex);
  if (!value)
    return all.clear ();
  all.push_back ({whom, what, std::string (static_cast<const char *> (value), size)});
}
