/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns a kernel's specification and a plane into a built kernel with a work size that suits the device. */
#pragma once

#include "core/context.hpp"
#include "filter/kernelspec.hpp"

#include <map>

namespace gst::cl {

/** A kernel of a stage, and its work shape. */
struct PreparedKernel {
  ProgramRef program;
  ::cl::Kernel kernel;
  Shape shape;
  /** The key in the tuning table; empty when nothing can be tuned. */
  std::string tuning_name;
};

/** The kernels of one stage. Not thread-safe. Throws when a program does not build. */
class GST_CL_API Kernels {
public:
  /** context must outlive the object. */
  Kernels (Context &context, const Format &format, Backend backend);

  /** Returns the kernel, and builds it first if necessary. waits: if not, returns null until it is built in the background.
   *  untuned: the caller chooses the work size. */
  PreparedKernel *get (const KernelSpec &spec, const Patch &patch, int samples_per_pixel, bool untuned, bool waits = true);
  /** The program that get() uses. */
  ProgramSpec program_of (const KernelSpec &spec, const Patch &patch, int samples_per_pixel, bool untuned);
  /** The global and local work size for a patch. */
  WorkSize size_of (const PreparedKernel &prepared, const KernelSpec &spec, const Patch &patch, int samples_per_pixel) const;
  /** How many rows an item writes at most. */
  int most_rows (const KernelSpec &spec, const PlaneTask &task);

  /** A number that affects speed but no byte of the result: `usual`, or another of `values` if that was measured to be faster
   *  on this device. `of` separates uses of the same name, for example by window size. */
  int choose (const char *name, int of, int usual, std::span<const int> values) const;
  /** Reports a launch to the tuner. */
  void observe (const PreparedKernel &prepared, const ::cl::Event &event) const;

  BuildCounts builds;
  /** Whether chroma has a plane of two samples a pixel, as in NV12: see KernelSpec::joins_chroma. */
  const bool interleaved_chroma;

private:
  /** The properties that distinguish the programs of one specification. */
  struct Variant {
    /** 0 for a program of any (KernelSpec::any_pixel, joins_chroma). */
    int samples_per_pixel;
    int item_samples, item_rows;
    /** The alignment of every row of a buffer in bytes: 16, 4, or 0 for none. */
    int aligned;
    bool src_image, src_split, dst_image, dst_split;
    /** Like the members of Patch. */
    int part;
    bool neutral_beside;

    auto operator<=> (const Variant &) const = default;
  };

  /** A kernel specification with a patch, before any shape is chosen. */
  struct Wanted {
    const KernelSpec &spec;
    const Patch &patch;
    Variant usual;

    /** The kernel's name in tuning tables. */
    std::string name () const;
  };

  /** Orders map keys: a specification and its usual variant. */
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
  PreparedKernel &add (const Wanted &wanted, const Choice &choice, const ProgramSpec &program, const ProgramRef &built);

  Context &context;
  const Format &format;
  const bool cpu;
  BySpec<PreparedKernel> kernels;
  const std::shared_ptr<Tuning> tuning;
  BySpec<Choice> choices;
  /** Key: the name, `of` and `usual` of choose(). */
  mutable std::map<std::tuple<std::string_view, int, int>, int> numbers;
};

}  // namespace gst::cl
