/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.hpp"

/** Facts about vendors' devices and drivers that OpenCL does not report, for the choice of kernels. Only two other files know
 *  vendors: core/device.cpp (PoCL and Intel's CPU runtime, by their platforms' names) and kernels/lib/lanes.clh. */
namespace gst::cl::vendors {

/* NVIDIA, by compute capability */
/** Multiply-adds take denormal floats at full speed. */
inline bool
has_quick_denormals (const Device &device)
{
  return device.nvidia_capability > 0;
}
/** Sums of two half floats in a word (PTX_HALVES of kernels that take no minima). */
inline bool
has_half_sums (const Device &device)
{
  return device.nvidia_capability >= 72;
}
/** Minima of two half floats in a word (PTX_HALVES). */
inline bool
has_half_minima (const Device &device)
{
  return device.nvidia_capability >= 80;
}
/** Products of matrices of bytes: PTX's mma of 16 x 32 by 32 x 8. */
inline bool
has_matrix_units (const Device &device)
{
  return device.nvidia_capability >= 80;
}
/** Minima of two numbers of 16 bits in a word (PTX_BYTES), in addition to minima of halves (PTX_LANES). */
inline bool
has_paired_minima (const Device &device)
{
  return device.nvidia_capability >= 90;
}

/** Where IN_PAIRS of shared/convert_gpu.cl was measured (NVIDIA), and where tests run it. Its private arrays overwrite each other on Mesa's
 *  rusticl (25.0, llvmpipe). */
inline bool
takes_pairs (const Device &device)
{
  return device.nvidia_capability > 0 || device.is_pocl;
}

/** Whether CL_KERNEL_LOCAL_MEM_SIZE cannot show that a kernel's arrays do not fit: PoCL 4 and later do not count them, and end the
 *  process; NVIDIA's compiler fails without naming a line. */
inline bool
hides_local_memory (const Device &device)
{
  return device.nvidia_capability > 0
         || (device.is_pocl && g_ascii_strtoull (device.driver_version.c_str (), nullptr, 10) >= 4);
}

/** The error of NVIDIA's driver after an illegal memory access; the context is lost. */
constexpr cl_int nvidia_illegal_access = -9999;

/** The work-group size for kernels that allow any; 0: the specification's. From the vendors' guides, not measured. AMD
 *  runs wavefronts of 32 or 64 items, and recommends groups of 256: a row of 64 items reads adjacent memory. Intel joins the
 *  accesses of a sub-group of 8, 16 or 32 adjacent items: a row of 16 fills one in most kernels, and a compact group shares more
 *  of the window's rows in the first-level cache. */
struct Group {
  int x, y;
};

inline Group
group_of (const Device &device)
{
  constexpr cl_uint amd = 0x1002, intel = 0x8086;
  return device.vendor_id == amd ? Group{64, 4} : device.vendor_id == intel ? Group{16, 8} : Group{0, 0};
}

}  // namespace gst::cl::vendors
