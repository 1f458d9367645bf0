/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces the function that ends a cleanup while an exception propagates; each library has its own copy.
 *
 * The name is the unwinder's, and a process may have two: GStreamer links to libunwind, which has libgcc_s's functions under the
 * same names, and Python's gi puts those in front of all that is loaded later. If scipy, OpenCV or any other C++ was loaded
 * before, libstdc++ raises exceptions by libgcc_s; libunwind cannot resume them, and the process ends. So libstdc++ is
 * asked to: the exception is caught and thrown again, and the catch ends when the unwinder has left this frame. The
 * compiler would end it by a cleanup, which resumes by this very function; a personality of its own does it without one. */
#include <cxxabi.h>

#include <cstdint>

extern "C" {

/* The C++ ABI's personality routine: _Unwind_Reason_Code, in which 8 goes on, and _Unwind_Action, in which 2 is the cleanup
 * phase. */
[[gnu::visibility ("hidden"), gnu::used]] int
gst_cl_leave_resume (int version, int actions, uint64_t exception_class, void *exception, void *context)
{
  if (actions & 2)
    abi::__cxa_end_catch ();
  return 8;
}

[[gnu::visibility ("hidden"), gnu::used, noreturn]] void gst_cl_resume (void *exception) asm("_Unwind_Resume");

void
gst_cl_resume (void *exception)
{
  asm(".cfi_personality 0x1b, gst_cl_leave_resume"); /* the address relative to here, in 4 bytes */
  abi::__cxa_begin_catch (exception);
  abi::__cxa_rethrow ();
}
}
