/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a kernel's specification and a plane to the kernel itself, built, and cut as suits the device. */
#pragma once

#include "core/context.hpp"
#include "filter/kernelspec.hpp"

#include <map>

namespace gst::cl {

/** A kernel of a stage, and how its work is cut. */
struct PreparedKernel {
  ProgramRef program;
  ::cl::Kernel kernel;
  Shape shape;
  /** Its name in the tuning table; empty where nothing can be chosen. */
  std::string tuning_name;
};

/** The kernels of one stage. Not thread-safe. */
class GST_CL_API Kernels {
public:
  /** context outlives it. */
  Kernels (Context &context, const Format &format, Backend backend);

  /** Builds where it has to. untuned: the kernel's work is cut by its launch. */
  PreparedKernel &get (const KernelSpec &spec, const Patch &patch, int samples_per_pixel, bool untuned = false);
  /** Whether get() would not wait for a build; starts one in the background where it would. */
  bool try_get (const KernelSpec &spec, const PlaneTask &task);
  /** Starts a build that a get() is about to wait for. */
  void prepare (const KernelSpec &spec, const PlaneTask &task);
  /** The program that get() takes. */
  ProgramSpec program_of (const KernelSpec &spec, const Patch &patch, int samples_per_pixel, bool untuned);
  /** How many items work on a patch, and in which groups. */
  WorkSize size_of (const PreparedKernel &prepared, const KernelSpec &spec, const Patch &patch, int samples_per_pixel) const;
  /** How many rows an item may write. */
  int most_rows (const KernelSpec &spec, const PlaneTask &task);

  /** A number of a plan that changes no byte: `usual`, or another one of those values where that was measured to be better
   *  on this device. `of` tells uses of the name apart: a window's size. */
  int choose (const char *name, int of, int usual, std::span<const int> values) const;
  /** Tells the tuner of a launch. */
  void observe (const PreparedKernel &prepared, const ::cl::Event &event) const;

  BuildCounts builds;

private:
  /** What tells programs of one specification apart. */
  struct Variant {
    int samples_per_pixel, item_samples, item_rows;
    /** Bytes on which every row in a buffer starts: 16, 4 or 0. */
    int aligned;
    bool src_image, src_split, dst_image, dst_split;
    /** As those of Patch. */
    int part;
    bool neutral_beside;

    auto operator<=> (const Variant &) const = default;
  };

  /** A kernel of a specification on a patch, before anything is chosen. */
  struct Wanted {
    const KernelSpec &spec;
    const Patch &patch;
    Variant usual;

    /** As tuning tables have it. */
    std::string name () const;
  };

  /** Finds what a map keeps for a specification and its usual variant. */
  struct Order {
    using is_transparent = void;
    template <typename A, typename B> bool operator() (const A &a, const B &b) const
    {
      return before (a.first, a.second, b.first, b.second);
    }
    static bool before (const KernelSpec &a, const Variant &of_a, const KernelSpec &b, const Variant &of_b);
  };
  template <typename Kept> using BySpec = std::map<std::pair<KernelSpec, Variant>, Kept, Order>;
  using Key = std::pair<const KernelSpec &, const Variant &>;

  struct Choice {
    Shape shape;
    std::string tuning_name;
  };

  Wanted want (const KernelSpec &spec, const Patch &patch, int samples_per_pixel) const;
  Variant variant_for (const KernelSpec &spec, const Shape &shape, const Patch &patch, int samples_per_pixel) const;
  ProgramSpec program_spec (const KernelSpec &spec, const Variant &variant) const;
  ProgramSpec program_spec (const Wanted &wanted, const Shape &shape) const;
  const Choice &choice_for (const Wanted &wanted, bool untuned = false);
  Choice choose_shape (const Wanted &wanted) const;
  std::string tuning_name (const std::string &kernel) const;
  void build_candidates (const Wanted &wanted, const Axes &axes);
  PreparedKernel *find (const Wanted &wanted);
  PreparedKernel &add (const Wanted &wanted, const Choice &choice, const ProgramSpec &program, const ProgramRef &built);

  Context &context;
  const Format &format;
  const bool cpu;
  BySpec<PreparedKernel> kernels;
  const std::shared_ptr<Tuning> tuning;
  BySpec<Choice> choices;
  /** By the name, what it is of, and the usual one. */
  mutable std::map<std::tuple<std::string_view, int, int>, int> numbers;
};

}  // namespace gst::cl
