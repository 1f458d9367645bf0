/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "answers.hpp"

#include "census.hpp"
#include "give.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace {

cl_icd_dispatch below;
std::mutex mutex;

struct Answer {
  const void *whom;
  cl_uint what;
  std::string bytes;
};
/* with mutex held; the newest one counts */
std::vector<Answer> all;

std::optional<std::string>
find (const void *whom, cl_uint what)
{
  const std::lock_guard lock (mutex);
  const auto fits = [&] (const Answer &each) { return each.what == what && (!each.whom || each.whom == whom); };
  const auto found = std::find_if (all.rbegin (), all.rend (), fits);
  return found == all.rend () ? std::nullopt : std::optional (found->bytes);
}

template <auto entry, typename Handle>
cl_int CL_API_CALL
info (Handle whom, cl_uint what, size_t capacity, void *value, size_t *size_ret)
{
  const std::optional<std::string> answer = find (whom, what);
  return answer ? give (answer->data (), answer->size (), capacity, value, size_ret)
                : (below.*entry) (whom, what, capacity, value, size_ret);
}

}  // namespace

cl_icd_dispatch
answers::before (const cl_icd_dispatch &next)
{
  below = next;
  cl_icd_dispatch hooks = next;
  hooks.clGetDeviceInfo = info<&cl_icd_dispatch::clGetDeviceInfo, cl_device_id>;
  hooks.clGetPlatformInfo = info<&cl_icd_dispatch::clGetPlatformInfo, cl_platform_id>;
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
