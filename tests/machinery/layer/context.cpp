/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CL contexts that are associated with a GL context. */
#include "objects.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace layer {

namespace {

/* The parsed properties of a context. */
struct Request {
  std::vector<cl_context_properties> all;   /* including the final 0 */
  std::vector<cl_context_properties> plain; /* without the properties of GL sharing */
  cl_platform_id platform = nullptr;
  cl_context_properties gl_context = 0;
  cl_context_properties display = 0;
  Binding::Platform platform_of_gl = Binding::Platform::none;
  unsigned bindings = 0;
  bool user_sync = false;

  bool asks_for_gl () const { return gl_context != 0 || bindings != 0; }
};

void
take (Request &request, cl_context_properties name, cl_context_properties value)
{
  switch (name) {
    case CL_GL_CONTEXT_KHR:
      request.gl_context = value;
      return;
    case CL_EGL_DISPLAY_KHR:
    case CL_GLX_DISPLAY_KHR:
      if (value) {
        request.display = value;
        request.platform_of_gl = name == CL_EGL_DISPLAY_KHR ? Binding::Platform::egl : Binding::Platform::glx;
      }
      [[fallthrough]];
    case CL_WGL_HDC_KHR:
    case CL_CGL_SHAREGROUP_KHR:
      request.bindings += value != 0;
      return;
    case CL_CONTEXT_PLATFORM:
      request.platform = reinterpret_cast<cl_platform_id> (value);
      break;
    case CL_CONTEXT_INTEROP_USER_SYNC:
      request.user_sync = value;
      break;
  }
  request.plain.insert (request.plain.end (), {name, value});
}

/* Returns nothing if a property occurs twice. */
std::optional<Request>
parse (const cl_context_properties *properties)
{
  Request request;
  for (; properties && *properties; properties += 2) {
    for (std::size_t i = 0; i < request.all.size (); i += 2) {
      if (request.all[i] == properties[0])
        return std::nullopt;
    }
    request.all.insert (request.all.end (), properties, properties + 2);
    take (request, properties[0], properties[1]);
  }
  if (properties)
    request.all.push_back (0);
  if (!request.plain.empty ())
    request.plain.push_back (0);
  return request;
}

Binding
binding_of (const Request &request)
{
  return {.platform = request.platform_of_gl,
      .display = reinterpret_cast<void *> (request.display),
      .context = reinterpret_cast<void *> (request.gl_context)};
}

/* Returns the error that the specification requires for GL properties. */
cl_int
check_gl (const Request &request)
{
  if (!settings ().share)
    return CL_INVALID_OPERATION;
  if (request.user_sync)
    return CL_INVALID_PROPERTY;
  if (request.bindings > 1)
    return CL_INVALID_OPERATION;
  if (!settings ().validate)
    return CL_SUCCESS;
  if (!request.gl_context)
    return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
  if (request.platform_of_gl == Binding::Platform::none
      || (request.platform_of_gl == Binding::Platform::egl && !settings ().accept_egl))
    return CL_INVALID_OPERATION;
  return binding_of (request).is_valid () ? CL_SUCCESS : CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
}

/* Creates a context through the next layer, and registers it. */
template <typename Create>
cl_context
create (const cl_context_properties *properties, const std::vector<cl_device_id> &devices, cl_int *errcode_ret,
    const Create &create_next)
{
  if (!devices.empty () && std::none_of (devices.begin (), devices.end (), is_emulated))
    return create_next (properties, errcode_ret);
  const std::optional<Request> request = parse (properties);
  cl_int error = request ? CL_SUCCESS : CL_INVALID_PROPERTY;
  auto context = std::make_shared<Context> ();
  if (error == CL_SUCCESS && request->asks_for_gl ()) {
    context->associated = true;
    context->binding = binding_of (*request);
    error = check_gl (*request);
    if (error == CL_SUCCESS)
      error = devices.size () == 1 && is_emulated (devices[0]) ? CL_SUCCESS : CL_INVALID_OPERATION;
    if (error == CL_SUCCESS && settings ().accept_textures) {
      context->gl = GlThread::create (context->binding);
      error = context->gl ? CL_SUCCESS : CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    }
  }
  if (error != CL_SUCCESS) {
    set_error (errcode_ret, error);
    return nullptr;
  }
  context->handle = create_next (request->plain.empty () ? nullptr : request->plain.data (), &error);
  set_error (errcode_ret, error);
  if (!context->handle)
    return nullptr;
  context->properties = request->all;
  count ("contexts");
  if (context->associated)
    count ("gl-contexts");
  const std::lock_guard lock (ledger ().mutex);
  ledger ().contexts[context->handle] = context;
  return context->handle;
}

using Notify = void (CL_CALLBACK *) (const char *, const void *, std::size_t, void *);

cl_context CL_API_CALL
create_context (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices, Notify notify, void *user_data,
    cl_int *errcode_ret)
{
  const std::vector<cl_device_id> list (devices, devices ? devices + n : devices);
  return create (properties, list, errcode_ret, [&] (const cl_context_properties *plain, cl_int *error) {
    return next ().clCreateContext (plain, n, devices, notify, user_data, error);
  });
}

cl_context CL_API_CALL
create_context_from_type (
    const cl_context_properties *properties, cl_device_type type, Notify notify, void *user_data, cl_int *errcode_ret)
{
  const std::optional<Request> request = parse (properties);
  const std::vector<cl_device_id> devices =
      request && request->asks_for_gl () ? devices_of (request->platform, type) : std::vector<cl_device_id> ();
  return create (properties, devices, errcode_ret, [&] (const cl_context_properties *plain, cl_int *error) {
    return next ().clCreateContextFromType (plain, type, notify, user_data, error);
  });
}

void
check_last_release (const Context &context)
{
  const auto is_of_context = [&context] (const auto &entry) { return entry.second->context == context.handle; };
  const std::ptrdiff_t left = locked (
      [&] (const Ledger &ledger) { return std::count_if (ledger.objects.begin (), ledger.objects.end (), is_of_context); });
  if (left)
    report ("leaked-object", "%td objects made from others' memory outlive their CL context", left);
  if (context.gl && !context.binding.is_valid ())
    report ("context-order", "the GL context was destroyed before the CL context that is associated with it");
}

cl_int CL_API_CALL
release_context (cl_context handle)
{
  const std::shared_ptr<Context> context = drop_reference (ledger ().contexts, handle);
  if (context) {
    count ("contexts-released");
    check_last_release (*context);
    for (const std::shared_ptr<GlThread> &gl : {context->gl, context->importer}) {
      if (gl)
        gl->stop ();
    }
  }
  return next ().clReleaseContext (handle);
}

Answer
context_info (cl_context handle, cl_context_info name)
{
  const std::shared_ptr<Context> context = find_context (handle);
  /* drivers' answers for contexts without properties are not checked: PoCL 3.1 rejects a null pointer for the size then */
  if (!context || name != CL_CONTEXT_PROPERTIES || context->properties.empty ())
    return {};
  return bytes (context->properties);
}

cl_int CL_API_CALL
get_gl_context_info (
    const cl_context_properties *properties, cl_gl_context_info name, std::size_t capacity, void *value, std::size_t *size_ret)
{
  if (!settings ().list_sharing && !settings ().gl_event)
    report ("unlisted-call", "clGetGLContextInfoKHR, which the driver need not have: it lists no cl_khr_gl_sharing");
  const std::optional<Request> request = parse (properties);
  if (!request)
    return CL_INVALID_PROPERTY;
  if (!request->platform)
    return CL_INVALID_PLATFORM;
  std::vector<cl_device_id> devices = devices_of (request->platform, CL_DEVICE_TYPE_CPU);
  std::erase_if (devices, [] (cl_device_id device) { return !is_emulated (device); });
  if (devices.empty ())
    return next ().clGetGLContextInfoKHR ? next ().clGetGLContextInfoKHR (properties, name, capacity, value, size_ret)
                                         : CL_INVALID_OPERATION;
  if (name != CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR && name != CL_DEVICES_FOR_GL_CONTEXT_KHR)
    return CL_INVALID_VALUE;
  if (const cl_int error = check_gl (*request); error != CL_SUCCESS)
    return error;
  return give (devices.data (), sizeof devices[0], capacity, value, size_ret);
}

}  // namespace

void
hook_contexts (cl_icd_dispatch &dispatch)
{
  dispatch.clCreateContext = create_context;
  dispatch.clCreateContextFromType = create_context_from_type;
  LAYER_HOOK (dispatch, target, retains<&Ledger::contexts>, clRetainContext);
  dispatch.clReleaseContext = release_context;
  LAYER_HOOK (dispatch, target, queries<context_info>, clGetContextInfo);
  dispatch.clGetGLContextInfoKHR = get_gl_context_info;
}

}  // namespace layer
