/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters that read only the pixel that they write, as steps within a larger kernel. */
#pragma once

#include "filter/kernelspec.hpp"

namespace gst::cl {

/** What a filter does to the samples of one pixel: a function in the filter's kernel sources, in the form that
 *  kernels/lib/steps.clh describes. */
struct PointStep {
  /** Effect on grey: lost if it may colour grey pixels, kept if grey pixels stay grey, made if every pixel becomes grey. */
  enum class Gray { lost, kept, made };

  /** The function's name, and the name of a cheaper function with the same result for grey pixels. */
  const char *kind, *kind_of_gray;
  /** The files of the function and of everything that it needs. The texts must stay valid. */
  std::span<const char *const> sources;
  Gray gray;
  Arguments arguments;
  /** options become macros NAME_i, where i is the step's number; shared_options apply to all steps. */
  Options options = {}, shared_options = {};
  /** How many bytes and rows an item of the gpu back end may process; smaller when the function is long. */
  int item_bytes = 16, item_rows = 1;
};

/** Steps in order, on the components of one plane that a task filters. */
class GST_CL_API PointSteps {
public:
  /** The most steps in one kernel. */
  static constexpr size_t most = 6;

  std::vector<PointStep> steps;

  bool empty () const { return steps.empty (); }
  /** Adds the steps to a kernel that has POINT_ARGS after its own arguments. */
  void join (KernelSpec &spec, const PlaneTask &task) const;
  /** The same for a kernel that applies steps to its results. */
  void join_behind (KernelSpec &spec, const PlaneTask &task) const;
  /** The same for a kernel that passes luma, U and V to the steps (kernels/lib/point.clh). */
  void join_places (KernelSpec &spec) const;
  /** The arguments of all steps: POINT_ARGS. */
  Arguments arguments () const;

private:
  void add_sources (std::vector<const char *> &sources, bool loads) const;
  Options own_options () const;
  Options options (const PlaneTask &task) const;
};

/** Filters of single pixels that follow another filter. */
struct AfterPoints {
  const PointSteps &steps;
  /** The destination of the steps: a plane in a buffer. */
  ::cl::Memory dst;
  /** Set when a kernel has run the steps. */
  bool ran = false;

  /** Returns the kernel with the steps, or nothing when the kernel writes to other memory or cannot run them. */
  static std::optional<KernelSpec> join (const Format &format, Backend backend, const KernelSpec &spec, const PlaneTask &task);
};

/** Filters of single pixels that precede another filter. */
struct BeforePoints {
  const PointSteps &steps;
  /** Set when a kernel has run them. */
  bool ran = false;
};

/** The positions of red, green and blue in a pixel: the index of the first of the three, whether the order is green, blue, red,
 *  and whether blue precedes red (COLOR_AT, GREEN_FIRST and `reversed` of kernels/shared/color.clh). */
struct ColorOrder {
  int at;
  bool green_first, reversed;

  GST_CL_API static ColorOrder of (const PlaneLayout &layout);
};

}  // namespace gst::cl
