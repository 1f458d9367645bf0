/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that Vulkan has allocated, imported by GL and by OpenCL: test-layer-external CASE. */
#include "fixture.hpp"

#include <GL/glext.h>
#include <vulkan/vulkan.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "external_names.hpp"

namespace {

constexpr int width = 64, height = 48;

template <typename Function>
Function
gl_function (const char *name)
{
  return reinterpret_cast<Function> (eglGetProcAddress (name));
}

/* A Vulkan device whose images can be exported as file descriptors. */
struct Vulkan {
  Vulkan ();
  ~Vulkan ();
  Vulkan (const Vulkan &) = delete;

  VkInstance instance = nullptr;
  VkPhysicalDevice physical = nullptr;
  VkDevice device = nullptr;
};

Vulkan::Vulkan ()
{
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  const VkInstanceCreateInfo instance_info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  uint32_t n = 1;
  if (vkCreateInstance (&instance_info, nullptr, &instance) != VK_SUCCESS
      || vkEnumeratePhysicalDevices (instance, &n, &physical) < 0 || n == 0)
    skip ("no Vulkan device");
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const char *const extension = "VK_KHR_external_memory_fd";
  const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
      .enabledExtensionCount = 1,
      .ppEnabledExtensionNames = &extension};
  if (vkCreateDevice (physical, &device_info, nullptr, &device) != VK_SUCCESS)
    skip ("Vulkan cannot export memory");
}

Vulkan::~Vulkan ()
{
  vkDestroyDevice (device, nullptr);
  vkDestroyInstance (instance, nullptr);
}

const std::map<GLint, VkFormat> vulkan_formats = {{GL_RGBA8, VK_FORMAT_R8G8B8A8_UNORM}, {GL_R8, VK_FORMAT_R8_UNORM},
    {GL_RG8, VK_FORMAT_R8G8_UNORM}, {GL_R16, VK_FORMAT_R16_UNORM}, {GL_RG16, VK_FORMAT_R16G16_UNORM},
    {GL_RGBA16, VK_FORMAT_R16G16B16A16_UNORM}};

/* An image, and its memory, which can be exported. */
struct Exported {
  Exported (const Vulkan &vulkan, const TextureFormat &format, int w, int h);
  ~Exported ();
  Exported (const Exported &) = delete;

  int descriptor () const;
  /* A texture in the current GL context. */
  GLuint texture () const;

  const Vulkan &vulkan;
  const TextureFormat &format;
  const int width, height;
  VkImage image = nullptr;
  VkDeviceMemory memory = nullptr;
  VkDeviceSize size = 0;
};

Exported::Exported (const Vulkan &vulkan, const TextureFormat &format, int w, int h)
    : vulkan (vulkan), format (format), width (w), height (h)
{
  const VkExternalMemoryImageCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .pNext = &external,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = vulkan_formats.at (format.internal),
      .extent = {static_cast<uint32_t> (w), static_cast<uint32_t> (h), 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT
               | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  CHECK_EQUAL (vkCreateImage (vulkan.device, &info, nullptr, &image), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements (vulkan.device, image, &needs);
  size = needs.size;
  const VkMemoryDedicatedAllocateInfo dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .image = image};
  const VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
      .pNext = &dedicated,
      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &exported,
      .allocationSize = needs.size,
      .memoryTypeIndex = static_cast<uint32_t> (__builtin_ctz (needs.memoryTypeBits))};
  CHECK_EQUAL (vkAllocateMemory (vulkan.device, &allocation, nullptr, &memory), VK_SUCCESS);
  CHECK_EQUAL (vkBindImageMemory (vulkan.device, image, memory, 0), VK_SUCCESS);
}

Exported::~Exported ()
{
  vkDestroyImage (vulkan.device, image, nullptr);
  vkFreeMemory (vulkan.device, memory, nullptr);
}

int
Exported::descriptor () const
{
  const auto get = reinterpret_cast<PFN_vkGetMemoryFdKHR> (vkGetDeviceProcAddr (vulkan.device, "vkGetMemoryFdKHR"));
  const VkMemoryGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
      .memory = memory,
      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  int descriptor = -1;
  CHECK_EQUAL (get (vulkan.device, &info, &descriptor), VK_SUCCESS);
  return descriptor;
}

GLuint
Exported::texture () const
{
  GLuint memory = 0, texture = 0;
  const GLint dedicated = GL_TRUE;
  gl_function<PFNGLCREATEMEMORYOBJECTSEXTPROC> ("glCreateMemoryObjectsEXT") (1, &memory);
  gl_function<PFNGLMEMORYOBJECTPARAMETERIVEXTPROC> ("glMemoryObjectParameterivEXT") (
      memory, GL_DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
  gl_function<PFNGLIMPORTMEMORYFDEXTPROC> ("glImportMemoryFdEXT") (memory, size, GL_HANDLE_TYPE_OPAQUE_FD_EXT, descriptor ());
  glGenTextures (1, &texture);
  glBindTexture (GL_TEXTURE_2D, texture);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  gl_function<PFNGLTEXSTORAGEMEM2DEXTPROC> ("glTexStorageMem2DEXT") (
      GL_TEXTURE_2D, 1, format.internal, width, height, memory, 0);
  return texture;
}

/* Calls functions that only the loader's lookup finds. */
cl_int
call (const char *name, const Sharing &sharing, std::vector<cl_mem> objects)
{
  const auto function = reinterpret_cast<clEnqueueAcquireExternalMemObjectsKHR_fn> (
      clGetExtensionFunctionAddressForPlatform (platform_of (sharing.device), name));
  CHECK (function);
  return function (sharing.queue (), objects.size (), objects.data (), 0, nullptr, nullptr);
}

cl_int
acquire (const Sharing &sharing, std::vector<cl_mem> objects)
{
  return call ("clEnqueueAcquireExternalMemObjectsKHR", sharing, std::move (objects));
}

cl_int
release (const Sharing &sharing, std::vector<cl_mem> objects)
{
  return call ("clEnqueueReleaseExternalMemObjectsKHR", sharing, std::move (objects));
}

cl_mem
import (const Sharing &sharing, int descriptor, cl_mem_flags flags, const cl_image_format &format, int w, int h,
    cl_int expected = CL_SUCCESS)
{
  const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, static_cast<cl_mem_properties> (descriptor),
      CL_MEM_DEVICE_HANDLE_LIST_KHR, reinterpret_cast<cl_mem_properties> (sharing.device ()), CL_MEM_DEVICE_HANDLE_LIST_END_KHR,
      0};
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = w;
  description.image_height = h;
  cl_int error = 1;
  const cl_mem image =
      clCreateImageWithProperties (sharing.context (), properties, flags, &format, &description, nullptr, &error);
  CHECK_EQUAL (error, expected);
  return image;
}

/* An input and an output that all three share. */
struct Scene {
  static constexpr cl_int wrong_release = CL_INVALID_OPERATION;

  explicit Scene (const TextureFormat &format = rgba8, int w = width, int h = height)
      : in (vulkan, format, w, h), out (vulkan, format, w, h), content (noise (w * h * format.texel_bytes)),
        input (import (sharing, in.descriptor (), CL_MEM_READ_ONLY, format.image, w, h)),
        output (import (sharing, out.descriptor (), CL_MEM_WRITE_ONLY, format.image, w, h)), in_texture (in.texture ()),
        out_texture (out.texture ())
  {
    fill_texture (in_texture, format, w, h, content);
    fill_texture (out_texture, format, w, h, content);
  }

  cl_int acquire () const { return ::acquire (sharing, {input (), output ()}); }
  cl_int release () const { return ::release (sharing, {input (), output ()}); }
  cl_int use () const { return sharing.invert (input (), output (), width, height); }
  void finish () const { clFinish (sharing.queue ()); }

  Vulkan vulkan;
  GlContext gl;
  Sharing sharing;
  Exported in, out;
  Bytes content;
  cl::Image2D input, output;
  GLuint in_texture, out_texture;
};

const CommonRules<Scene> common;

CASE ("formats")
{
  for (const TextureFormat &format : texture_formats) {
    for (const auto &[w, h] : std::initializer_list<std::pair<int, int>>{{width, height}, {1, 1}, {333, 77}}) {
      std::printf ("%s %dx%d\n", format.name, w, h);
      const Scene scene (format, w, h);
      for (int frame = 0; frame < 2; frame++) {
        CHECK_EQUAL (scene.acquire (), CL_SUCCESS);
        CHECK_EQUAL (scene.sharing.invert (scene.input (), scene.output (), w, h), CL_SUCCESS);
        CHECK_EQUAL (scene.release (), CL_SUCCESS);
        CHECK_EQUAL (clFinish (scene.sharing.queue ()), CL_SUCCESS);
        CHECK (read_texture (scene.out_texture, format, w, h) == inverted (scene.content));
        CHECK (read_texture (scene.in_texture, format, w, h) == scene.content);
      }
    }
  }
  CHECK_EQUAL (counter ("violations"), 0);
  CHECK_EQUAL (counter ("textures-created"), counter ("textures-released"));
}

bool
has_vulkan_uuid (const Vulkan &vulkan)
{
  VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
  VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
  vkGetPhysicalDeviceProperties2 (vulkan.physical, &properties);
  unsigned char uuid[CL_UUID_SIZE_KHR];
  CHECK_EQUAL (clGetDeviceInfo (find_device () (), CL_DEVICE_UUID_KHR, sizeof uuid, uuid, nullptr), CL_SUCCESS);
  return !std::memcmp (uuid, id.deviceUUID, sizeof uuid);
}

CASE ("listing")
{
  const Vulkan vulkan;
  const cl::Device device = find_device ();
  const std::string extensions = device.getInfo<CL_DEVICE_EXTENSIONS> ();
  CHECK (extensions.find ("cl_khr_external_memory_opaque_fd") != std::string::npos);
  CHECK (has_vulkan_uuid (vulkan));
  cl_external_memory_handle_type_khr type = 0;
  std::size_t size = 0;
  CHECK_EQUAL (
      clGetDeviceInfo (device (), CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof type, &type, &size), CL_SUCCESS);
  CHECK_EQUAL (size, sizeof type);
  CHECK_EQUAL (type, CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR);
}

CASE ("other_uuid")
{
  const Vulkan vulkan;
  CHECK (!has_vulkan_uuid (vulkan));
}

CASE ("refusals")
{
  const Vulkan vulkan;
  const GlContext gl;
  const Sharing sharing;
  const Exported memory (vulkan, rgba8, width, height);
  const int good = memory.descriptor (), null = open ("/dev/null", O_RDONLY);
  constexpr cl_image_format unknown = {CL_RGBA, CL_SNORM_INT8};
  import (sharing, good, CL_MEM_READ_ONLY, unknown, width, height, CL_IMAGE_FORMAT_NOT_SUPPORTED);
  import (sharing, good, CL_MEM_USE_HOST_PTR, rgba8.image, width, height, CL_INVALID_VALUE);
  import (sharing, good, CL_MEM_READ_ONLY, rgba8.image, 0, height, CL_INVALID_IMAGE_DESCRIPTOR);
  import (sharing, null, CL_MEM_READ_ONLY, rgba8.image, width, height, CL_INVALID_VALUE);
  import (sharing, -1, CL_MEM_READ_ONLY, rgba8.image, width, height, CL_INVALID_VALUE);
  const cl::Image2D image (import (sharing, good, CL_MEM_READ_ONLY, rgba8.image, width, height));
  /* OpenCL owns it now. */
  CHECK (fcntl (good, F_GETFD) < 0);
  const cl::Buffer buffer (sharing.context, CL_MEM_READ_WRITE, 64);
  CHECK_EQUAL (acquire (sharing, {buffer ()}), CL_INVALID_MEM_OBJECT);
  CHECK_EQUAL (sharing.acquire ({image ()}), CL_INVALID_CONTEXT);
  CHECK_EQUAL (counter ("violations"), 0);
}

CASE ("external_fail")
{
  const Vulkan vulkan;
  const GlContext gl;
  const Sharing sharing;
  const Exported memory (vulkan, rgba8, width, height);
  import (sharing, memory.descriptor (), CL_MEM_READ_ONLY, rgba8.image, width, height, CL_INVALID_OPERATION);
}

CASE ("corrupt")
{
  const Scene scene;
  scene.acquire ();
  scene.sharing.invert (scene.input (), scene.output (), width, height);
  scene.release ();
  scene.finish ();
  CHECK (read_texture (scene.out_texture, rgba8, width, height) != inverted (scene.content));
}

CASE ("gl-pending")
{
  const Scene scene;
  /* on a busy machine GL may be faster than this thread */
  for (int i = 0; i < 20 && violations ("gl-pending") == 0; i++) {
    draw_long (scene.in_texture, width, height);
    acquire (scene.sharing, {scene.input ()});
    scene.finish ();
    glFinish ();
    release (scene.sharing, {scene.input ()});
    scene.finish ();
  }
  CHECK_EQUAL (violations ("gl-pending"), 1);
}

CASE ("gl-write")
{
  const Scene scene;
  CHECK_EQUAL (acquire (scene.sharing, {scene.output ()}), CL_SUCCESS);
  scene.finish ();
  fill_texture (scene.out_texture, rgba8, width, height, scene.content);
  CHECK_EQUAL (release (scene.sharing, {scene.output ()}), CL_SUCCESS);
  scene.finish ();
  expect ("gl-write");
}

}  // namespace
