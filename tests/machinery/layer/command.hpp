/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of every enqueued command: its wait list, and whether it may use its memory objects. */
#pragma once

#include "objects.hpp"

namespace layer {

/* Whether a command accesses an image's bytes, or its pixels, whose channels the device maps. */
enum class Access { pixels, bytes };

/* Returns CL_SUCCESS, or an error after it has reported a broken rule. Objects that are not made from textures can always be
 * used. */
cl_int check_object (cl_mem object, Access access, const char *function);

template <Access access, typename T>
cl_int
check_argument (T argument, const char *function)
{
  if constexpr (std::is_same_v<T, cl_mem>)
    return check_object (argument, access, function);
  else
    return CL_SUCCESS;
}

/* Calls the next layer's function, whose last arguments are wait list and event, if its arguments pass the checks. */
template <Access access, typename... Arguments>
cl_int
forward (cl_int (CL_API_CALL *function) (Arguments...), const char *name, std::type_identity_t<Arguments>... arguments)
{
  constexpr std::size_t n = sizeof...(Arguments);
  const std::tuple<Arguments...> all (arguments...);
  cl_int error = check_wait_list (std::get<n - 3> (all), std::get<n - 2> (all), false, name);
  ((error = error != CL_SUCCESS ? error : check_argument<access> (arguments, name)), ...);
  return error != CL_SUCCESS ? error : function (arguments...);
}

/* A handler with these checks only. */
template <Access access>
constexpr auto checked =
    [] (auto original, const char *name, auto... arguments) { return forward<access> (original, name, arguments...); };

}  // namespace layer
