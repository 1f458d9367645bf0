/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a layer starts, and answers OpenCL's queries. */
#pragma once

#include <CL/cl_layer.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "each.hpp"

/** Begins clInitLayer(): copies the functions of the next layer or driver to target, and returns hooks, which the caller fills, to the
 *  loader. Returns false for invalid arguments. */
inline bool
enter_layer (cl_uint n, const cl_icd_dispatch *next, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret,
    cl_icd_dispatch &target, const cl_icd_dispatch &hooks)
{
  constexpr cl_uint n_functions = sizeof (cl_icd_dispatch) / sizeof (void *);
  if (!next || !n_ret || !dispatch_ret)
    return false;
  std::memcpy (static_cast<void *> (&target), next, std::min (n, n_functions) * sizeof (void *));
  *n_ret = n_functions;
  *dispatch_ret = &hooks;
  return true;
}

/** Answers a query with `size` bytes: copies them to value if capacity allows, and stores the size in size_ret, or does one of
 *  both. */
inline cl_int
give (const void *answer, size_t size, size_t capacity, void *value, size_t *size_ret)
{
  if (value && capacity < size)
    return CL_INVALID_VALUE;
  if (value && size)
    std::memcpy (value, answer, size);
  if (size_ret)
    *size_ret = size;
  return CL_SUCCESS;
}

/** Implements clGetLayerInfo() for a layer of this name. */
inline cl_int
give_layer_info (const char *layer, cl_layer_info what, size_t capacity, void *value, size_t *size_ret)
{
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (what == CL_LAYER_API_VERSION)
    return give (&version, sizeof version, capacity, value, size_ret);
  return what == CL_LAYER_NAME ? give (layer, std::strlen (layer) + 1, capacity, value, size_ret) : CL_INVALID_VALUE;
}

/** The size of a transfer: a number, or the three sides of a box. */
inline size_t
bytes_of (size_t size)
{
  return size;
}

inline size_t
bytes_of (const size_t *box)
{
  return box ? box[0] * box[1] * box[2] : 0;
}

/** The size of a buffer's transfer, from its fifth argument or, for a box, its sixth. */
template <typename Tuple>
size_t
transfer_size (const Tuple &arguments)
{
  if constexpr (std::is_same_v<std::tuple_element_t<4, Tuple>, size_t>)
    return bytes_of (std::get<4> (arguments));
  else
    return bytes_of (std::get<5> (arguments));
}

/** Calls handler (original, name, arguments...). */
template <const cl_icd_dispatch &below, auto handler, auto entry, const char *name, typename Function> struct Hook;
template <const cl_icd_dispatch &below, auto handler, auto entry, const char *name, typename Result, typename... Arguments>
struct Hook<below, handler, entry, name, Result (CL_API_CALL *) (Arguments...)> {
  static Result CL_API_CALL call (Arguments... arguments) { return handler (below.*entry, name, arguments...); }
};

/** Puts a handler, such as a lambda without captures, in front of one of OpenCL's functions. */
#define LAYER_HOOK(hooks, below, handler, function)                                                                            \
  do {                                                                                                                         \
    static constexpr char own_name[] = #function;                                                                              \
    (hooks).function = Hook<below, handler, &cl_icd_dispatch::function, own_name, decltype (cl_icd_dispatch::function)>::call; \
  } while (0)

/** The bytes of an answer to a query; none if the driver is to answer. */
using Answer = std::optional<std::string>;

template <typename T>
Answer
bytes (const T &value)
{
  return std::string (reinterpret_cast<const char *> (&value), sizeof value);
}

template <typename T>
Answer
bytes (const std::vector<T> &values)
{
  return std::string (reinterpret_cast<const char *> (values.data ()), values.size () * sizeof (T));
}

inline Answer
bytes (const std::string &text)
{
  return std::string (text.c_str (), text.size () + 1);
}

/** A handler of queries: find () gets the arguments before capacity, value and size. */
template <auto find>
constexpr auto queries = [] (auto original, const char *, auto... arguments) {
  constexpr size_t n = sizeof...(arguments) - 3;
  const std::tuple all (arguments...);
  const Answer answer = [&all]<size_t... i> (std::index_sequence<i...>)
  {
    return find (std::get<i> (all)...);
  }
  (std::make_index_sequence<n> ());
  return answer ? give (answer->data (), answer->size (), std::get<n> (all), std::get<n + 1> (all), std::get<n + 2> (all))
                : original (arguments...);
};

#define LAYER_EXPORT extern "C" [[gnu::visibility ("default")]]

/** Defines what a loader calls: start () fills hooks, and returns whether the layer can begin. Newer loaders
 *  call clInitLayerWithProperties (), whose properties do not affect these layers. */
#define DEFINE_LAYER(layer_name, target, hooks, start)                                                                         \
  LAYER_EXPORT cl_int CL_API_CALL clGetLayerInfo (cl_layer_info what, size_t capacity, void *value, size_t *size_ret)          \
  {                                                                                                                            \
    return give_layer_info (layer_name, what, capacity, value, size_ret);                                                      \
  }                                                                                                                            \
  LAYER_EXPORT cl_int CL_API_CALL clInitLayer (                                                                                \
      cl_uint n, const cl_icd_dispatch *next_one, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret)                        \
  {                                                                                                                            \
    return enter_layer (n, next_one, n_ret, dispatch_ret, target, hooks) && start () ? CL_SUCCESS : CL_INVALID_VALUE;          \
  }                                                                                                                            \
  LAYER_EXPORT cl_int CL_API_CALL clInitLayerWithProperties (                                                                  \
      cl_uint n, const cl_icd_dispatch *next_one, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret, const void *)          \
  {                                                                                                                            \
    return clInitLayer (n, next_one, n_ret, dispatch_ret);                                                                     \
  }                                                                                                                            \
  LAYER_EXPORT cl_int CL_API_CALL clDeinitLayer ()                                                                             \
  {                                                                                                                            \
    return CL_SUCCESS;                                                                                                         \
  }
