/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of Vulkan that allocates images for GL and OpenCL to import. libvulkan is loaded at run time; the library works
 * without it. */
#pragma once

#include "memory/importer.hpp"

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#include <memory>

namespace gst::cl::vulkan {

struct Functions;
class Image;

/** A logical device for allocations only. Thread-safe. */
class Device : public std::enable_shared_from_this<Device> {
public:
  /** The process's device with that UUID. Throws Failure (RESOURCE, NOT_FOUND), which names the missing part. */
  static std::shared_ptr<Device> open (const Uuid &uuid);
  ~Device ();
  Device (const Device &) = delete;
  Device &operator= (const Device &) = delete;

  const std::string &name () const { return device_name; }
  /** Throws Failure. */
  std::unique_ptr<Image> create_image (VkFormat format, unsigned width, unsigned height);

private:
  friend class Image;
  Device ();
  void start (const Uuid &uuid);
  void find (const Uuid &uuid);
  bool has_extension (const char *extension) const;
  void create ();
  VkImageUsageFlags image_usage (VkFormat format, unsigned width, unsigned height) const;
  unsigned memory_type (uint32_t allowed) const;

  std::unique_ptr<Functions> vk;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  std::string device_name;
};

/** A two-dimensional image with dedicated memory, in the device's own tiling. */
class Image {
public:
  Image (std::shared_ptr<Device> owner, VkFormat format, unsigned width, unsigned height);
  ~Image ();
  Image (const Image &) = delete;
  Image &operator= (const Image &) = delete;

  /** Size of the memory in bytes, which imports need. */
  guint64 size () const { return n_bytes; }
  bool is_storable () const { return usage & VK_IMAGE_USAGE_STORAGE_BIT; }
  /** A descriptor of the memory for one import, which becomes its owner. Throws Failure. */
  Descriptor export_memory () const;

private:
  explicit Image (std::shared_ptr<Device> owner);
  void allocate ();

  std::shared_ptr<Device> owner;
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkImageUsageFlags usage = 0;
  guint64 n_bytes = 0;
};

}  // namespace gst::cl::vulkan
