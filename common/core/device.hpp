/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which OpenCL devices there are, and which one a string names. */
#pragma once

#include "core/error.hpp"

#include <vector>

namespace gst::cl {

/** How a device's memory and the host's meet. */
enum class HostMemory {
  shared,  ///< the device computes in host pages: a CPU
  mapped,  ///< buffers are in host memory, reached by mapping: an integrated GPU
  staged,  ///< memory of its own behind a bus: frames go through pinned copies
};

/** Which body of a kernel runs; image is the gpu body on images. */
enum class Backend { cpu, gpu, image };

/** A device with what decisions about it need, read once. */
struct GST_CL_API Device {
  explicit Device (const ::cl::Device &handle, unsigned platform_index = 0, unsigned device_index = 0);

  ::cl::Device handle;
  ::cl::Platform platform;
  unsigned platform_index;
  unsigned device_index;
  std::string name;
  std::string platform_name;
  std::string driver_version;
  /** Separated by spaces; see has_extension(). */
  std::string extensions;
  cl_device_type type;
  /** Of PCI where the driver says so. */
  cl_uint vendor_id;
  HostMemory host_memory;
  /** What it runs best, or image where that is forced. */
  Backend backend;
  size_t max_work_group_size;
  unsigned compute_units;
  /** Of a work-group. */
  size_t local_bytes;
  bool has_images;
  /** 10 * major + minor of NVIDIA's compute capability, 0 on other devices. */
  int nvidia_capability;
  bool is_pocl;
  /** Whether the driver keeps what it has built on disk, and is as fast with it as with a binary of ours, for which it would
   *  compile every kernel once more: PoCL. The disk cache then holds notes that a program was built. */
  bool keeps_programs;

  /** Whether the device lists an extension of exactly that name. */
  bool has_extension (const std::string &name) const;
  /** "0:1", of platform and device: what `device` takes. */
  std::string numbers () const { return std::to_string (platform_index) + ":" + std::to_string (device_index); }
  /** "0:1 NVIDIA CUDA, NVIDIA H200 (GPU)" */
  std::string describe () const;
  /** Whether wanted ("gpu", "0:1", part of a name, "" for any) names this device. */
  bool matches (const std::string &wanted) const;
};

/** Every device of every platform; a platform that fails to enumerate is skipped. Never throws. */
GST_CL_API std::vector<Device> list_devices ();

/** The device that wanted names: "" stands for $GST_CL_DEVICE, or else for the best device, GPU before accelerator
 *  before CPU, of which PoCL's come first: the kernels are written for them. Throws Failure (RESOURCE, NOT_FOUND) that lists what was found. */
GST_CL_API Device choose_device (std::string wanted);

/** wanted, or $GST_CL_DEVICE where wanted is empty. */
GST_CL_API std::string effective_device (std::string wanted);

}  // namespace gst::cl
