/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels, their arguments and work sizes as data: what a filter plans, without a device. */
#pragma once

#include "filter/planetask.hpp"
#include "filter/tuning.hpp"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace gst::cl {

/** Bytes of a vector of the cpu back end. */
constexpr int cpu_vector_bytes = 64;

/** A kernel's global and local size. Zero local sizes leave the choice to the driver. */
struct WorkSize {
  std::array<size_t, 2> global, local;
};

/** One of a kernel's options: a name that its sources see as that number. */
inline std::string
define (const std::string &name, long value)
{
  return " -D" + name + "=" + std::to_string (value);
}

/** A kernel and how its work is cut. */
struct KernelSpec {
  /** Files below kernels/, after lib/plane.clh, lib/border.clh and lib/gpu.clh. */
  std::vector<std::string> sources;
  std::string function;
  /** Further -D values. */
  std::string options = {};
  /** What an item writes, ITEM_SAMPLES and ITEM_ROWS. On the cpu back end 1 takes their place where a part of the
   *  plane is smaller. */
  int item_samples = 1, item_rows = 1;
  /** Work-group size on the gpu back end. */
  int local_x = 32, local_y = 4;
  /** cpu back end: items are strips of that many samples, each as wide as is left; 0 for whole rows. */
  int strip_samples = 0;
  /** Not 0: that many groups that share out the work among themselves, each of one item, or of job_items on the gpu back
   *  end. */
  size_t jobs = 0, job_items = 1;
  /** The kernel knows about borders on the cpu back end, too: patches_of() leaves the region whole. */
  bool own_borders = false;
  /** The kernel moves stored samples and looks at no value: formats of every depth share its program. */
  bool moves_samples = false;
  /** What a launch may choose otherwise. */
  Tunable tunable = {};
};

/** Device memory of a stage, kept under its name from frame to frame (ScratchMemory). */
struct ScratchArgument {
  std::string name;
  size_t bytes;
};

/** Device memory with that content, kept under its name. */
struct TableArgument {
  std::string name;
  std::shared_ptr<const std::vector<std::byte>> content;

  template <typename T> TableArgument (std::string name_, const std::vector<T> &values) : name (std::move (name_))
  {
    const auto bytes = std::as_bytes (std::span (values));
    content = std::make_shared<std::vector<std::byte>> (bytes.begin (), bytes.end ());
  }
};

/** A structure or an array that the kernel takes by value. */
struct ValueArgument {
  std::vector<std::byte> bytes;

  template <typename T> explicit ValueArgument (const std::vector<T> &values)
  {
    const auto content = std::as_bytes (std::span (values));
    bytes.assign (content.begin (), content.end ());
  }
};

/** An argument of a kernel. */
using Argument = std::variant<cl_int, cl_uint, cl_long, cl_ulong, cl_float, cl_int2, cl_int4, cl_uint4, cl_long4, cl_float2,
    cl_float4, ::cl::Memory, ScratchArgument, TableArgument, ValueArgument>;
using Arguments = std::vector<Argument>;

/** A kernel to be launched, with the arguments behind PLANE_ARGS. */
struct Launch {
  KernelSpec kernel;
  Arguments arguments = {};
};

/** One way to filter a plane: kernels that run one after the other. */
struct Algorithm {
  /** For `stats`. */
  std::string name;
  /** How far the first kernel looks. */
  Window window{};
  std::vector<Launch> launches = {};
};

/** What may filter a plane, best first; the last one serves while programs of the others are built. All give results that
 *  the element's formula allows. */
using Plan = std::vector<Algorithm>;

/** Plans, or what they are made from, by what they depend on, until a property changes. */
template <typename Key, typename Value = Plan> class PlanCache {
public:
  template <typename Make> const Value &get (const Key &key, Make make)
  {
    const auto known = plans.find (key);
    if (known != plans.end ())
      return known->second;
    /* regions that move come in many sizes */
    constexpr size_t most = 64;
    if (plans.size () == most)
      plans.clear ();
    return plans.emplace (key, make ()).first->second;
  }
  void clear () { plans.clear (); }

private:
  std::map<Key, Value> plans;
};

}  // namespace gst::cl
