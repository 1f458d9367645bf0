/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Libraries that are loaded at run time. */
#pragma once

#include <dlfcn.h>
#include <string>

namespace gst::cl {

/** A library and its functions. It is never closed, because drivers leave threads and exit handlers in it, and GStreamer's types
 *  stay registered. */
class Loader {
public:
  explicit Loader (const char *name) : handle (dlopen (name, RTLD_NOW | RTLD_LOCAL)) {}

  bool is_open () const { return handle; }
  template <typename Function> Loader &need (Function &function, const char *name)
  {
    if (!want (function, name) && missing.empty ())
      missing = name;
    return *this;
  }
  template <typename Function> bool want (Function &function, const char *name)
  {
    function = reinterpret_cast<Function> (dlsym (handle, name));
    return function;
  }

  /** The first needed function that the library lacks. */
  std::string missing;

private:
  void *const handle;
};

}  // namespace gst::cl
