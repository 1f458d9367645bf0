/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of libraries that are loaded at run time. */
#pragma once

#include <dlfcn.h>

/* A library's function of this name, of whatever type it is assigned to; null without the library. */
class LibraryFunction {
public:
  LibraryFunction (const char *library, const char *name)
  {
    if (void *const loaded = dlopen (library, RTLD_LAZY))
      address = dlsym (loaded, name);
  }
  explicit LibraryFunction (void *address) : address (address) {}

  template <typename Function> operator Function * () const { return reinterpret_cast<Function *> (address); }

private:
  void *address = nullptr;
};
