/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The work on a plane, and kernels and their arguments as data. They need no device. */
#pragma once

#include "core/tuning.hpp"
#include "memory/frame.hpp"

#include <array>
#include <concepts>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gst::cl {

/** A rectangle in pixels of its plane. */
struct Rect {
  int x, y, width, height;

  bool empty () const { return width <= 0 || height <= 0; }
  bool operator== (const Rect &) const = default;
};

/** Which samples lie outside the frame. kernels/lib/border.clh has the same numbers. */
enum class Border { replicate, reflect, reflect101, wrap, constant };

/** Treatment of a plane whose samples share words with another plane: it is filtered, kept, or set to neutral chroma. */
enum class WordPart { filtered, kept, neutral };

/** How many pixels a filter reads on each side of the sample that it writes. */
struct Window {
  int left, right, top, bottom;

  static Window centered (int radius_x, int radius_y) { return {radius_x, radius_x, radius_y, radius_y}; }
  bool operator== (const Window &) const = default;
};

/** Returns a bit for each sample of a pixel that belongs to one of these components; padding has no bit. */
inline unsigned
samples_of (const PlaneLayout &layout, unsigned components)
{
  unsigned samples = 0;
  for (int i = 0; i < layout.samples_per_pixel; i++)
    if (layout.components[i] != padding && (components >> layout.components[i] & 1))
      samples |= 1u << i;
  return samples;
}

struct AfterPoints;
class PointSteps;

/** One plane to filter, or one field of it. */
struct PlaneTask {
  PlaneView src, dst;
  /** The plane's index in the frame's format, and the field that its rows belong to; n_fields is 1 for a whole frame. */
  int plane, field = 0, n_fields = 1;
  /** The rectangle to write. With Abilities::many_regions, `regions` may have several rectangles that do not overlap; only these
   *  are then written, and `region` surrounds them. */
  Rect region;
  std::span<const Rect> regions = {};
  /** Components to filter, a bit for each; the others are copied. */
  unsigned components;
  Border border;
  /** The sample value outside the plane with BORDER_CONSTANT. */
  int border_sample;
  /** The same for planes that are not chroma. */
  int luma_border_sample = 0;
  /** Every plane of the frame (or field) that src belongs to. */
  std::span<const PlaneView> frame;
  /** This plane of every input frame (or of its field); src is inputs[main]. */
  std::span<const PlaneView> inputs;
  size_t main = 0;
  /** If samples share words: the kernel's treatment of the other plane, and the border sample there. */
  WordPart beside = WordPart::kept;
  int beside_border_sample = 0;
  /** Steps to apply to results before they are stored, by kernels that can do so. */
  AfterPoints *after = nullptr;
  /** Steps to apply to samples as they are loaded (Abilities::joins_points), or else there is no plan. */
  const PointSteps *before = nullptr;

  int samples_per_pixel () const { return src.layout->samples_per_pixel; }
};

/** A source area and the samples to write from it. On the cpu back end src contains every sample that the window reaches; on
 *  the gpu back end src is the whole plane, and the kernel handles borders. */
struct Patch {
  ::cl::Memory src;
  int src_offset, src_stride;
  ::cl::Memory dst;
  int dst_offset, dst_stride;
  /** In samples. */
  int x, y, width, height;
  /** Like the members of PlaneView. */
  bool src_image = false, src_split = false, dst_image = false, dst_split = false;
  /** part: see PlaneLayout. neutral_beside: whether the other plane in the words is set to neutral chroma. */
  int part = -1;
  bool neutral_beside = false;

  /** A rectangle of the plane itself, without the margin of a window. */
  GST_CL_API static Patch of (const PlaneTask &task, const Rect &rect);
  /** The task's region. */
  static Patch of (const PlaneTask &task) { return of (task, task.region); }
};

/** A multiple of every vector length in samples. Loops over rows of such a length have no remainder. */
inline constexpr int row_multiple = 64;

class ScratchMemory;

/** The size of a vector on the cpu back end, in bytes. */
constexpr int cpu_vector_bytes = 64;

/** A kernel's global and local size. A local size of zero lets the driver choose. */
struct WorkSize {
  std::array<size_t, 2> global, local;
};

/** A macro for a kernel's sources: a name, optionally numbered, with a number or a word as its value. A name that begins with
 *  '-' is a compiler option. Texts must be literals or interned, so that an option allocates no string. */
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

/** An option if the condition holds; for macros that sources test with #ifdef. */
inline Options
option_if (bool condition, const Option &option)
{
  return condition ? Options{option} : Options{};
}

/** The options as a command line for the compiler. */
GST_CL_API std::string text_of (const Options &options);

/** A kernel and how its work is divided. It holds plain data, because a frame's launches must not allocate strings. */
struct KernelSpec {
  /** Files below kernels/. They follow the files of lib/ (Kernels::program_spec ()). */
  std::vector<const char *> sources;
  const char *function;
  /** Further macros. */
  Options options = {};
  /** How many samples and rows an item writes: ITEM_SAMPLES and ITEM_ROWS. The cpu back end uses 1 for parts of the plane that
   *  are smaller. */
  int item_samples = 1, item_rows = 1;
  /** Work-group size on the gpu back end. */
  int local_x = 32, local_y = 4;
  /** cpu back end: each item works on a strip of this many samples, or on the rest of the row; 0 for whole rows. */
  int strip_samples = 0;
  /** The same in rows, for kernels that accept fewer rows at the end; 0 for item_rows. */
  int strip_rows = 0;
  /** If not 0: the number of work groups, which divide the work among themselves. A group has one item, or job_items on the gpu
   *  back end. */
  size_t jobs = 0, job_items = 1;
  /** The kernel handles borders on the cpu back end, too, so patches_of() does not split the region. */
  bool own_borders = false;
  /** The kernel copies samples without computing with them, so formats of every depth share one program. */
  bool moves_samples = false;
  /** cpu back end: planes of all pixels share one program, which takes the number of samples from `plane` (ANY_PIXEL). */
  bool any_pixel = false;
  /** gpu back end: luma and interleaved chroma (NV12) share one program in the same way. */
  bool joins_chroma = false;
  /** The choices of the tuner. */
  Tunable tunable = {};
  /** The kernel stores its results with functions of lib/store.clh, or between PLANE_BEGIN and PLANE_END, so that steps can run
   *  on them (PlaneTask::after). Either all kernels that may write a plane have this, or none. */
  bool takes_steps = false;
  /** Files with the steps on results, which precede lib/gpu.clh. */
  std::vector<const char *> steps = {};
};

/** The name of device memory of a stage: a literal, numbers that distinguish memories of that name, and the name of a part. */
struct ScratchName {
  const char *name;
  std::array<int, 3> numbers;
  const char *part = "";

  ScratchName (const char *name_, int first = 0, int second = 0, int third = 0) : name (name_), numbers{first, second, third} {}
  /** The name of a part of this memory; number replaces the third number. */
  ScratchName with (const char *part_, int number = 0) const
  {
    ScratchName copy = *this;
    copy.part = part_;
    copy.numbers[2] = number;
    return copy;
  }
  GST_CL_API bool operator<(const ScratchName &other) const;
};

/** The numbers and vectors that a kernel takes by value. */
template <typename T, typename... Types> constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);
template <typename T>
concept KernelNumber =
    is_one_of<T, cl_int, cl_uint, cl_long, cl_ulong, cl_float, cl_int2, cl_int4, cl_uint4, cl_long4, cl_float2, cl_float4>;

/** An argument of a kernel: a number, memory, or one of the kinds below. Copies are not inline, because every element lists
 *  arguments and compilers take long over them. */
class GST_CL_API Argument {
public:
  template <KernelNumber T> Argument (T value) : bytes (sizeof value) { std::memcpy (number.data (), &value, sizeof value); }
  Argument (const ::cl::Memory &memory);
  Argument (const Argument &);
  Argument (Argument &&) noexcept;
  Argument &operator= (const Argument &);
  Argument &operator= (Argument &&) noexcept;
  ~Argument ();

  void set (::cl::Kernel &kernel, cl_uint index, ScratchMemory &scratch) const;

protected:
  using Content = std::shared_ptr<const std::vector<std::byte>>;
  enum class Kind { number, memory, scratch, cleared, table, value };

  Argument (Kind kind, const ScratchName &name, size_t bytes, Content content);

  template <typename T> static Content content_of (const std::vector<T> &values)
  {
    const auto bytes = std::as_bytes (std::span (values));
    return std::make_shared<std::vector<std::byte>> (bytes.begin (), bytes.end ());
  }

  size_t bytes = 0;
  ScratchName name{""};

private:
  Kind kind = Kind::number;
  std::array<std::byte, sizeof (cl_long4)> number;
  ::cl::Memory memory;
  Content content;
};

/** Device memory of a stage, kept under its name from frame to frame (ScratchMemory). */
struct GST_CL_API ScratchArgument : Argument {
  ScratchArgument (const ScratchName &name, size_t bytes) : Argument (Kind::scratch, name, bytes, {}) {}
  const ::cl::Buffer &in (ScratchMemory &scratch) const;
};

/** The same, set to zero before the launch. */
struct ClearedArgument : Argument {
  ClearedArgument (const ScratchName &name, size_t bytes) : Argument (Kind::cleared, name, bytes, {}) {}
};

/** Device memory with this content, kept under its name. */
struct TableArgument : Argument {
  template <typename T>
  TableArgument (const ScratchName &name, const std::vector<T> &values) : Argument (Kind::table, name, 0, content_of (values))
  {
  }
};

/** A structure or an array that the kernel takes by value. */
struct ValueArgument : Argument {
  template <typename T>
  explicit ValueArgument (const std::vector<T> &values) : Argument (Kind::value, "", 0, content_of (values))
  {
  }
};

using Arguments = std::vector<Argument>;

inline Arguments
operator+ (Arguments arguments, const Arguments &more)
{
  arguments.insert (arguments.end (), more.begin (), more.end ());
  return arguments;
}

/** The shape for a kind of device. The specification's numbers were measured on NVIDIA and PoCL, and are slow on some others. */
GST_CL_API Shape shipped_shape (const Device &device, const KernelSpec &spec);

/** The choices for a kernel. */
Axes axes_of (const Device &device, const KernelSpec &spec, bool cpu, bool images);

/** A filter of single pixels: a function in the filter's kernel sources, in the form that kernels/lib/steps.clh describes. */
struct PointStep {
  /** Effect on grey: lost if it may colour grey pixels, kept if grey pixels stay grey, made if every pixel becomes grey. */
  enum class Gray { lost, kept, made };

  /** The function's name, and the name of a cheaper function with the same result for grey pixels. */
  const char *kind, *kind_of_gray;
  /** The files of the function and of its dependencies. The texts must stay valid. */
  std::span<const char *const> sources;
  Gray gray;
  Arguments arguments;
  /** options become macros NAME_i, where i is the step's number; shared_options apply to all steps. */
  Options options = {}, shared_options = {};
  /** How many bytes and rows an item of the gpu back end may process; smaller when the function is long. */
  int item_bytes = 16, item_rows = 1;
  /** On YUV: whether luma of the result depends on chroma, or chroma on luma. */
  bool mixes = true;
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

/** The positions of red, green and blue in a pixel: the index of the first of the three, whether the order is green, blue, red,
 *  and whether blue precedes red (COLOR_AT, GREEN_FIRST and `reversed` of kernels/shared/color.clh). */
struct ColorOrder {
  int at;
  bool green_first, reversed;

  GST_CL_API static ColorOrder of (const PlaneLayout &layout);
};

}  // namespace gst::cl
