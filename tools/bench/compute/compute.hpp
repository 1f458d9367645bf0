/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors and matrices of floats, of any size, on the device: sums, dot products, matrix products. */
#pragma once

#include "core/context.hpp"
#include "core/sources.hpp"

#include <algorithm>
#include <array>

namespace gst::cl {

/** The kernels beside this file. */
extern const std::span<const EmbeddedSource> compute_kernels;

/** A vector in a buffer, from element `offset` on. */
struct VectorSpan {
  ::cl::Buffer memory;
  size_t offset = 0;
};

/** A matrix in a buffer, row by row: element (row, column) is at offset + row * stride + column. */
struct MatrixSpan {
  ::cl::Buffer memory;
  size_t offset = 0, stride = 0;
};

/** The primitives for one context. Every call enqueues work on the context's queue and returns; later commands of the queue see the
 * results. Not thread-safe. Throws Failure or cl::Error.
 *
 *  Results do not depend on the device: floats are added in a fixed order, and multiplied by fma. */
class Compute {
public:
  explicit Compute (Context &context_) : context (context_)
  {
    static const bool known = (add_sources (compute_kernels), true);
    (void) known;
  }

  /** result[i] = a[i] + b[i]; result may be a or b. */
  void add (const VectorSpan &a, const VectorSpan &b, const VectorSpan &result, size_t length)
  {
    const bool all_aligned = aligned (a) && aligned (b) && aligned (result);
    ::cl::Kernel &kernel = kernel_for ("compute/vector.cl", "vector_add", alignment_option (all_aligned));
    const cl_uint index = set_vector (kernel, set_vector (kernel, set_vector (kernel, 0, a), b), result);
    if (length == 0)
      return;
    kernel.setArg (index, cl_ulong (length));
    if (is_cpu ())
      enqueue (kernel, {divide (length, vector_chunk), 1}, {1, 1});
    else
      enqueue (kernel, {divide (length, vector_item * vector_group) * vector_group, 1}, {vector_group, 1});
  }

  /** result[0] = the sum of a, within 2e-5 times the sum of the magnitudes. */
  void sum (const VectorSpan &a, const VectorSpan &result, size_t length) { reduce (a, nullptr, result, length); }

  /** result[0] = the dot product of a and b, with the same bound. */
  void dot (const VectorSpan &a, const VectorSpan &b, const VectorSpan &result, size_t length)
  {
    reduce (a, &b, result, length);
  }

  /** result = a * b with a of rows x inner and b of inner x columns float32. Element (i, j) starts as s = 0 and becomes s = fma
   *  (a[i][k], b[k][j], s) for k = 0, 1, ... */
  void multiply (const MatrixSpan &a, const MatrixSpan &b, const MatrixSpan &result, int rows, int inner, int columns)
  {
    if (rows <= 0 || columns <= 0)
      return;
    if (is_cpu ())
      multiply_packed (a, b, result, rows, inner, columns);
    else
      multiply_tiled (a, b, result, rows, inner, columns);
  }

  BuildCounts builds;
  guint64 allocations = 0;

private:
  /* Constants of reduce.cl, vector.cl and matmul.cl. */
  static constexpr size_t reduce_chunk = 8192, reduce_group = 64;
  static constexpr size_t vector_chunk = 16384, vector_group = 128, vector_item = 8;
  static constexpr int panel_columns = 32, block_rows = 8, rows_per_job = 128, tile_items = 16;

  bool is_cpu () const { return context.device.backend == Backend::cpu; }

  void enqueue (::cl::Kernel &kernel, std::array<size_t, 2> global, std::array<size_t, 2> local)
  {
    context.compute.enqueueNDRangeKernel (
        kernel, ::cl::NullRange, ::cl::NDRange (global[0], global[1]), ::cl::NDRange (local[0], local[1]));
  }

  static size_t divide (size_t n, size_t unit) { return (n + unit - 1) / unit; }

  ::cl::Kernel &kernel_for (const char *source, const char *function, const std::string &options)
  {
    const std::string key = std::string (function) + ' ' + options;
    const auto known = kernels.find (key);
    if (known != kernels.end ())
      return known->second;
    const ProgramSpec spec{{source}, (is_cpu () ? "-DBACKEND_CPU=1 " : "-DBACKEND_GPU=1 ") + options};
    return kernels.emplace (key, ::cl::Kernel (*context.programs.get (spec, builds), function)).first->second;
  }

  const ::cl::Buffer &scratch (const std::string &name, size_t bytes)
  {
    auto &[buffer, size] = scratches[name];
    if (size < bytes) {
      buffer = ::cl::Buffer (context.handle, CL_MEM_READ_WRITE, bytes);
      size = bytes;
      allocations++;
    }
    return buffer;
  }

  /* Whether a vector is aligned for loads of four elements. */
  static bool aligned (const VectorSpan &span) { return span.offset % 4 == 0; }
  const char *alignment_option (bool all) const { return all && !is_cpu () ? "-DALIGNED=1 " : ""; }

  static cl_uint set_vector (::cl::Kernel &kernel, cl_uint index, const VectorSpan &vector)
  {
    kernel.setArg (index, vector.memory);
    kernel.setArg (index + 1, cl_ulong (vector.offset));
    return index + 2;
  }

  /* Reduces each chunk to one element, until the vector is one chunk. */
  void reduce (const VectorSpan &a, const VectorSpan *b, const VectorSpan &result, size_t length)
  {
    const size_t chunks = std::max<size_t> (divide (length, reduce_chunk), 1);
    /* a stage reads the result of the stage before it */
    const char *name = a.memory () == scratches["sums-0"].first () ? "sums-1" : "sums-0";
    const VectorSpan to = chunks == 1 ? result : VectorSpan{scratch (name, chunks * sizeof (cl_float))};
    const std::string options = (b ? "-DDOT=1 " : "") + std::string (alignment_option (aligned (a) && (!b || aligned (*b))));
    ::cl::Kernel &kernel = kernel_for ("compute/reduce.cl", "reduce", options);
    cl_uint index = set_vector (kernel, 0, a);
    if (b)
      index = set_vector (kernel, index, *b);
    index = set_vector (kernel, index, to);
    kernel.setArg (index, cl_ulong (length));
    const size_t local = is_cpu () ? 1 : reduce_group;
    enqueue (kernel, {chunks * local, 1}, {local, 1});
    if (chunks > 1)
      reduce (to, nullptr, result, chunks);
  }

  static cl_uint set_matrix (::cl::Kernel &kernel, cl_uint index, const MatrixSpan &matrix)
  {
    kernel.setArg (index, matrix.memory);
    kernel.setArg (index + 1, cl_ulong2{{matrix.offset, matrix.stride}});
    return index + 2;
  }

  /* CPU: from padded copies in which every load is contiguous. */
  void multiply_packed (const MatrixSpan &a, const MatrixSpan &b, const MatrixSpan &result, int rows, int inner, int columns)
  {
    const size_t blocks = divide (rows, block_rows), panels = divide (columns, panel_columns);
    const size_t depth = std::max (inner, 1);
    const ::cl::Buffer &packed_a = scratch ("blocks", blocks * block_rows * depth * sizeof (cl_float));
    const ::cl::Buffer &packed_b = scratch ("panels", panels * panel_columns * depth * sizeof (cl_float));
    const cl_int4 size{{rows, inner, columns, 0}};
    const auto pack = [&] (const char *function, const MatrixSpan &from, const ::cl::Buffer &to, size_t parts) {
      ::cl::Kernel &kernel = kernel_for ("compute/matmul.cl", function, "");
      const cl_uint index = set_matrix (kernel, 0, from);
      kernel.setArg (index, to);
      kernel.setArg (index + 1, size);
      enqueue (kernel, {parts, 1}, {1, 1});
    };
    if (inner > 0) {
      pack ("pack_blocks", a, packed_a, blocks);
      pack ("pack_panels", b, packed_b, panels);
    }
    ::cl::Kernel &kernel = kernel_for ("compute/matmul.cl", "multiply", "");
    kernel.setArg (0, packed_a);
    kernel.setArg (1, packed_b);
    const cl_uint index = set_matrix (kernel, 2, result);
    kernel.setArg (index, size);
    enqueue (kernel, {panels, divide (rows, rows_per_job)}, {1, 1});
  }

  /* GPU: with tiles in local memory, as large as possible with at least one tile for every compute unit. */
  void multiply_tiled (const MatrixSpan &a, const MatrixSpan &b, const MatrixSpan &result, int rows, int inner, int columns)
  {
    int per_item = 8;
    const auto tiles = [&] { return divide (rows, tile_items * per_item) * divide (columns, tile_items * per_item); };
    while (per_item > 2 && tiles () < context.device.compute_units)
      per_item /= 2;
    const size_t tile = tile_items * per_item;
    ::cl::Kernel &kernel = kernel_for ("compute/matmul.cl", "multiply", "-DPER_ITEM=" + std::to_string (per_item) + " ");
    const cl_uint index = set_matrix (kernel, set_matrix (kernel, set_matrix (kernel, 0, a), b), result);
    kernel.setArg (index, cl_int4{{rows, inner, columns, 0}});
    enqueue (kernel, {divide (columns, tile) * tile_items, divide (rows, tile) * tile_items}, {tile_items, tile_items});
  }

  Context &context;
  std::map<std::string, ::cl::Kernel, std::less<>> kernels;
  std::map<std::string, std::pair<::cl::Buffer, size_t>> scratches;
};

}  // namespace gst::cl
