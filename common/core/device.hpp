/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists OpenCL devices, and chooses one by a string. */
#pragma once

#include "core/error.hpp"

#include <vector>

namespace gst::cl {

/** How a device and the host reach each other's memory. */
enum class HostMemory {
  shared,  ///< the device computes in host pages: a CPU
  mapped,  ///< buffers are in host memory, reached by mapping: an integrated GPU
  staged,  ///< the device has its own memory behind a bus: frames are copied through pinned pages
};

/** The form of a kernel that runs: cpu, gpu, or image, the gpu form on images. */
enum class Backend { cpu, gpu, image };

/** A device and its properties, read once. */
struct GST_CL_API Device {
  explicit Device (const ::cl::Device &handle, unsigned platform_index = 0, unsigned device_index = 0);

  ::cl::Device handle;
  ::cl::Platform platform;
  unsigned platform_index;
  unsigned device_index;
  std::string name;
  std::string platform_name;
  std::string driver_version;
  /** Extensions, separated by spaces; see has_extension(). */
  std::string extensions;
  cl_device_type type;
  /** The vendor's PCI number, if the driver reports it. */
  cl_uint vendor_id;
  HostMemory host_memory;
  /** The form of the kernels that suits the device, or the form that $GST_CL_BACKEND forces. */
  Backend backend;
  size_t max_work_group_size;
  unsigned compute_units;
  /** Local memory of a work group, in bytes. */
  size_t local_bytes;
  bool has_images;
  /** 10 * major + minor of NVIDIA's compute capability, 0 on other devices. */
  int nvidia_capability;
  bool is_pocl;
  /** Whether the driver itself caches built programs on disk. PoCL does, and compiles each kernel again for our binaries. The disk
   *  cache then stores only a note that the program was built. */
  bool keeps_programs;

  /** Whether the device lists an extension of exactly that name. */
  bool has_extension (const std::string &name) const;
  /** The numbers of platform and device, such as "0:1"; the property `device` takes them. */
  std::string numbers () const { return std::to_string (platform_index) + ":" + std::to_string (device_index); }
  /** "0:1 NVIDIA CUDA, NVIDIA H200 (GPU)" */
  std::string describe () const;
  /** Whether wanted ("gpu", "0:1", part of a name, "" for any) names this device. */
  bool matches (const std::string &wanted) const;
};

/** Every device of every platform; a platform that fails to enumerate is skipped. Never throws. */
GST_CL_API std::vector<Device> list_devices ();

/** The device that wanted names. "" stands for $GST_CL_DEVICE, or else for the best device: GPU before accelerator before CPU,
 *  and PoCL before other drivers for CPUs, because the kernels are written for it. Throws Failure (RESOURCE, NOT_FOUND), whose
 *  text lists the devices. */
GST_CL_API Device choose_device (const std::string &wanted);

/** wanted, or the value of $GST_CL_DEVICE if wanted is empty. */
GST_CL_API std::string effective_device (const std::string &wanted);

}  // namespace gst::cl
