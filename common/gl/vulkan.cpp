/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/vulkan.hpp"

#include "core/debug.hpp"

#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <vector>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clvulkan", "memory that Vulkan allocates for GL and OpenCL">)

namespace gst::cl::vulkan {

#define INSTANCE_FUNCTIONS(F)                                                                                                  \
  F (CreateDevice)                                                                                                             \
  F (DestroyInstance)                                                                                                          \
  F (EnumerateDeviceExtensionProperties)                                                                                       \
  F (EnumeratePhysicalDevices)                                                                                                 \
  F (GetDeviceProcAddr)                                                                                                        \
  F (GetPhysicalDeviceImageFormatProperties2)                                                                                  \
  F (GetPhysicalDeviceMemoryProperties)                                                                                        \
  F (GetPhysicalDeviceProperties)                                                                                              \
  F (GetPhysicalDeviceProperties2)                                                                                             \
  F (GetPhysicalDeviceQueueFamilyProperties)

#define DEVICE_FUNCTIONS(F)                                                                                                    \
  F (AllocateMemory)                                                                                                           \
  F (BindImageMemory)                                                                                                          \
  F (CreateImage)                                                                                                              \
  F (DestroyDevice)                                                                                                            \
  F (DestroyImage)                                                                                                             \
  F (FreeMemory)                                                                                                               \
  F (GetImageMemoryRequirements2)                                                                                              \
  F (GetMemoryFdKHR)

/** The Vulkan commands in use. Commands of the device are null until it exists. */
struct Functions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define MEMBER(name) PFN_vk##name name = nullptr;
  INSTANCE_FUNCTIONS (MEMBER)
  DEVICE_FUNCTIONS (MEMBER)
#undef MEMBER

#define LOAD(name) &&(name = reinterpret_cast<PFN_vk##name> (find (of, "vk" #name)))
  bool load_instance (VkInstance of)
  {
    const auto find = GetInstanceProcAddr;
    return true INSTANCE_FUNCTIONS (LOAD);
  }

  bool load_device (VkDevice of)
  {
    const auto find = GetDeviceProcAddr;
    return true DEVICE_FUNCTIONS (LOAD);
  }
#undef LOAD
};

namespace {

constexpr VkExternalMemoryHandleTypeFlagBits memory_handle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

void
check (VkResult result, const char *call)
{
  if (result == VK_SUCCESS)
    return;
  const std::string debug = std::string (call) + ": VkResult " + std::to_string (result);
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "The GPU is out of memory.", debug);
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "A Vulkan call failed.", debug);
}

[[noreturn]] void
lack (const std::string &what)
{
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, what, "");
}

/* The library is never closed, because drivers leave threads and exit handlers behind. */
PFN_vkGetInstanceProcAddr
load_library ()
{
  static void *const library = dlopen ("libvulkan.so.1", RTLD_LAZY | RTLD_LOCAL);
  return library ? reinterpret_cast<PFN_vkGetInstanceProcAddr> (dlsym (library, "vkGetInstanceProcAddr")) : nullptr;
}

}  // namespace

Device::Device () : vk (std::make_unique<Functions> ()) {}

Device::~Device ()
{
  if (device)
    vk->DestroyDevice (device, nullptr);
  if (instance && vk->DestroyInstance)
    vk->DestroyInstance (instance, nullptr);
}

/* One for all GL contexts, and for the life of the process: NVIDIA's driver (580) takes the process's EGL displays down
 * with the Vulkan instance, and GL contexts that live on then fail with EGL_NOT_INITIALIZED. */
std::shared_ptr<Device>
Device::open (const Uuid &uuid)
{
  static std::mutex mutex;
  static auto *const opened = new std::map<Uuid, std::shared_ptr<Device>>;
  const std::lock_guard lock (mutex);
  if (const auto known = opened->find (uuid); known != opened->end ())
    return known->second;
  std::shared_ptr<Device> created (new Device);
  created->start (uuid);
  GST_INFO ("Vulkan allocates on %s, UUID %s", created->device_name.c_str (), text_of (uuid).c_str ());
  return opened->emplace (uuid, created).first->second;
}

void
Device::start (const Uuid &uuid)
{
  vk->GetInstanceProcAddr = load_library ();
  if (!vk->GetInstanceProcAddr)
    lack ("the Vulkan loader (libvulkan.so.1) is not installed");
  const auto create_instance = reinterpret_cast<PFN_vkCreateInstance> (vk->GetInstanceProcAddr (nullptr, "vkCreateInstance"));
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  const VkResult result = create_instance ? create_instance (&info, nullptr, &instance) : VK_ERROR_INITIALIZATION_FAILED;
  if (result != VK_SUCCESS) {
    instance = VK_NULL_HANDLE;
    lack ("Vulkan found no driver (vkCreateInstance: " + std::to_string (result) + ")");
  }
  if (!vk->load_instance (instance))
    lack ("Vulkan is older than 1.1");
  find (uuid);
  create ();
}

void
Device::find (const Uuid &uuid)
{
  uint32_t count = 0;
  vk->EnumeratePhysicalDevices (instance, &count, nullptr);
  std::vector<VkPhysicalDevice> candidates (count);
  vk->EnumeratePhysicalDevices (instance, &count, candidates.data ());
  candidates.resize (count);
  std::string found;
  for (VkPhysicalDevice candidate : candidates) {
    VkPhysicalDeviceProperties basic;
    vk->GetPhysicalDeviceProperties (candidate, &basic);
    found += (found.empty () ? "" : ", ") + std::string (basic.deviceName);
    if (basic.apiVersion < VK_API_VERSION_1_1)
      continue;
    VkPhysicalDeviceIDProperties ids{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids};
    vk->GetPhysicalDeviceProperties2 (candidate, &properties);
    if (std::memcmp (ids.deviceUUID, uuid.data (), uuid.size ()) != 0)
      continue;
    physical = candidate;
    device_name = basic.deviceName;
    return;
  }
  lack ("no Vulkan device has the UUID " + text_of (uuid) + " of the GL device (found: " + (found.empty () ? "none" : found)
        + ")");
}

bool
Device::has_extension (const char *extension) const
{
  uint32_t count = 0;
  vk->EnumerateDeviceExtensionProperties (physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions (count);
  vk->EnumerateDeviceExtensionProperties (physical, nullptr, &count, extensions.data ());
  extensions.resize (count);
  for (const VkExtensionProperties &known : extensions)
    if (!std::strcmp (known.extensionName, extension))
      return true;
  return false;
}

void
Device::create ()
{
  if (!has_extension (VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME))
    lack ("the Vulkan device " + device_name + " lacks " VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  uint32_t families = 0;
  vk->GetPhysicalDeviceQueueFamilyProperties (physical, &families, nullptr);
  if (families == 0)
    lack ("the Vulkan device " + device_name + " has no queue");

  /* A device must have a queue, although nothing is submitted. */
  const float priority = 0;
  const VkDeviceQueueCreateInfo queue{
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const char *const extension = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
  const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
      .enabledExtensionCount = 1,
      .ppEnabledExtensionNames = &extension};
  const VkResult result = vk->CreateDevice (physical, &info, nullptr, &device);
  if (result != VK_SUCCESS) {
    device = VK_NULL_HANDLE;
    lack ("the Vulkan device " + device_name + " does not start (vkCreateDevice: " + std::to_string (result) + ")");
  }
  if (!vk->load_device (device)) {
    if (!vk->DestroyDevice)
      device = VK_NULL_HANDLE;
    lack ("the Vulkan device " + device_name + " lacks commands that it should have");
  }
}

/* GL may do anything with a texture, so the image is declared for everything that the format can; 0 where an image of
 * that format cannot be exported at all. */
VkImageUsageFlags
Device::image_usage (VkFormat format, unsigned width, unsigned height) const
{
  constexpr VkImageUsageFlags basic =
      VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  constexpr VkImageUsageFlags target = basic | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  for (const VkImageUsageFlags usage : {target | VK_IMAGE_USAGE_STORAGE_BIT, target, basic}) {
    const VkPhysicalDeviceExternalImageFormatInfo external{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO, .handleType = memory_handle};
    const VkPhysicalDeviceImageFormatInfo2 info{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
        .pNext = &external,
        .format = format,
        .type = VK_IMAGE_TYPE_2D,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage};
    VkExternalImageFormatProperties external_properties{.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
    VkImageFormatProperties2 properties{.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &external_properties};
    if (vk->GetPhysicalDeviceImageFormatProperties2 (physical, &info, &properties) != VK_SUCCESS)
      continue;
    const VkExtent3D &most = properties.imageFormatProperties.maxExtent;
    const VkExternalMemoryFeatureFlags features = external_properties.externalMemoryProperties.externalMemoryFeatures;
    if (features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT && width <= most.width && height <= most.height)
      return usage;
  }
  return 0;
}

unsigned
Device::memory_type (uint32_t allowed) const
{
  VkPhysicalDeviceMemoryProperties properties;
  vk->GetPhysicalDeviceMemoryProperties (physical, &properties);
  for (const VkMemoryPropertyFlags wanted : {VkMemoryPropertyFlags (VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0u})
    for (unsigned type = 0; type < properties.memoryTypeCount; type++)
      if (allowed & 1u << type && (properties.memoryTypes[type].propertyFlags & wanted) == wanted)
        return type;
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "Vulkan has no memory for an image.",
      "memory type bits " + std::to_string (allowed));
}

std::unique_ptr<Image>
Device::create_image (VkFormat format, unsigned width, unsigned height)
{
  return std::make_unique<Image> (shared_from_this (), format, width, height);
}

Image::Image (std::shared_ptr<Device> owner_) : owner (std::move (owner_)) {}

/* If this throws, the destructor runs. */
Image::Image (std::shared_ptr<Device> owner_, VkFormat format, unsigned width, unsigned height) : Image (std::move (owner_))
{
  usage = owner->image_usage (format, width, height);
  if (!usage)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "Vulkan cannot share images of this kind.",
        "VkFormat " + std::to_string (format) + ", " + std::to_string (width) + "x" + std::to_string (height));
  const VkExternalMemoryImageCreateInfo external{
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, .handleTypes = memory_handle};
  const VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .pNext = &external,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = format,
      .extent = {width, height, 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = usage,
      .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
      .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
  check (owner->vk->CreateImage (owner->device, &info, nullptr, &image), "vkCreateImage");
  allocate ();
}

void
Image::allocate ()
{
  const VkImageMemoryRequirementsInfo2 wanted{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .image = image};
  VkMemoryRequirements2 requirements{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  owner->vk->GetImageMemoryRequirements2 (owner->device, &wanted, &requirements);

  const VkMemoryDedicatedAllocateInfo dedicated{.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .image = image};
  const VkExportMemoryAllocateInfo exported{
      .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .pNext = &dedicated, .handleTypes = memory_handle};
  VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &exported};
  info.allocationSize = n_bytes = requirements.memoryRequirements.size;
  info.memoryTypeIndex = owner->memory_type (requirements.memoryRequirements.memoryTypeBits);
  check (owner->vk->AllocateMemory (owner->device, &info, nullptr, &memory), "vkAllocateMemory");
  check (owner->vk->BindImageMemory (owner->device, image, memory, 0), "vkBindImageMemory");
}

Image::~Image ()
{
  if (image)
    owner->vk->DestroyImage (owner->device, image, nullptr);
  if (memory)
    owner->vk->FreeMemory (owner->device, memory, nullptr);
}

Descriptor
Image::export_memory () const
{
  const VkMemoryGetFdInfoKHR info{
      .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = memory, .handleType = memory_handle};
  int fd = -1;
  check (owner->vk->GetMemoryFdKHR (owner->device, &info, &fd), "vkGetMemoryFdKHR");
  return Descriptor (fd);
}

}  // namespace gst::cl::vulkan
