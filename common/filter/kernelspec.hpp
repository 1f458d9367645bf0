/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels, their arguments and work sizes as data: what a filter plans, without a device. */
#pragma once

#include "filter/planetask.hpp"
#include "filter/tuning.hpp"

#include <array>
#include <concepts>
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

/** One of a kernel's options: a name, which may have a number behind it, that its sources see as a number or as a word. With
 *  '-' before it, it is an option of the compiler. Texts are literals or interned, so an option makes no string. */
struct Option {
  static constexpr int only = -1;

  const char *name;
  int nth;
  long number = 0;
  const char *word = nullptr;

  template <std::integral Number> Option (const char *name_, Number value) : Option (name_, only, value) {}
  Option (const char *name_, const char *value) : Option (name_, only, value) {}
  template <std::integral Number>
  Option (const char *name_, int nth_, Number value) : name (name_), nth (nth_), number (long (value))
  {
  }
  Option (const char *name_, int nth_, const char *value) : name (name_), nth (nth_), word (value) {}
};

using Options = std::vector<Option>;

inline Options &
operator+= (Options &options, const Options &more)
{
  options.insert (options.end (), more.begin (), more.end ());
  return options;
}

inline Options
operator+ (Options options, const Options &more)
{
  return options += more;
}

/** An option where the condition holds, for names that sources ask for by #ifdef. */
inline Options
option_if (bool condition, const Option &option)
{
  return condition ? Options{option} : Options{};
}

/** As the compiler takes them. */
GST_CL_API std::string text_of (const Options &options);

/** A kernel and how its work is cut. Plain data, as names and options are: what is launched with every frame makes no strings. */
struct KernelSpec {
  /** Files below kernels/, after lib/plane.clh, lib/border.clh and lib/gpu.clh. */
  std::vector<const char *> sources;
  const char *function;
  /** Further -D values. */
  Options options = {};
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
  /** Its results are stored by functions of lib/gpu.clh, or between PLANE_BEGIN and PLANE_END, which can run steps on them
   *  (PlaneTask::after). Of the kernels that may filter a plane all that write it do so, or none. */
  bool takes_steps = false;
  /** Files before lib/gpu.clh: steps on results. */
  std::vector<const char *> steps = {};
};

/** The name of device memory of a stage: a literal, numbers that tell memories of that name apart, and what belongs to it. */
struct ScratchName {
  const char *name;
  std::array<int, 3> numbers;
  const char *part = "";

  ScratchName (const char *name_, int first = 0, int second = 0, int third = 0) : name (name_), numbers{first, second, third} {}
  /** What belongs to it; the number takes the place of the third one. */
  ScratchName with (const char *part_, int number = 0) const
  {
    ScratchName copy = *this;
    copy.part = part_;
    copy.numbers[2] = number;
    return copy;
  }
  GST_CL_API bool operator<(const ScratchName &other) const;
};

/** Device memory of a stage, kept under its name from frame to frame (ScratchMemory). */
struct ScratchArgument {
  ScratchName name;
  size_t bytes;
};

/** Device memory with that content, kept under its name. */
struct TableArgument {
  ScratchName name;
  std::shared_ptr<const std::vector<std::byte>> content;

  template <typename T> TableArgument (const ScratchName &name_, const std::vector<T> &values) : name (name_)
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
  const char *name = "";
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
