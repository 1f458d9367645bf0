/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gst-cl-compiler: compiles the kernels of a request on standard input, so that the driver caches them on disk. Only the
 * library starts it, see core/compiler.hpp. */
#include "core/compiler.hpp"

#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <iterator>
#include <link.h>
#include <map>
#include <span>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

void
do_nothing ()
{
}

/* PoCL looks up a kernel's code once the kernel is compiled and on disk; it gets do_nothing () instead. This process has no frames,
 * and on made-up arguments kernels read and write anywhere, or never end. */
void *
find_symbol (void *library, const char *name)
{
  constexpr char of_kernels[] = "_pocl_kernel_";
  return std::strncmp (name, of_kernels, sizeof of_kernels - 1) ? dlsym (library, name) : reinterpret_cast<void *> (do_nothing);
}

/* Replaces dlsym() in a table of PoCL's with the addresses of functions that it imports. */
int
replace_dlsym (dl_phdr_info *library, size_t, void *)
{
  using Relocation = ElfW (Rela);
  if (!std::strstr (library->dlpi_name, "libpocl"))
    return 0;
  std::map<ElfW (Sxword), ElfW (Addr)> tables;
  for (const ElfW (Phdr) & part : std::span (library->dlpi_phdr, library->dlpi_phnum))
    if (part.p_type == PT_DYNAMIC)
      for (auto entry = reinterpret_cast<const ElfW (Dyn) *> (library->dlpi_addr + part.p_vaddr); entry->d_tag != DT_NULL;
           entry++)
        tables[entry->d_tag] = entry->d_un.d_ptr;
  const auto symbols = reinterpret_cast<const ElfW (Sym) *> (tables[DT_SYMTAB]);
  const auto names = reinterpret_cast<const char *> (tables[DT_STRTAB]);
  for (const auto &[table, size] : {std::pair (DT_JMPREL, DT_PLTRELSZ), std::pair (DT_RELA, DT_RELASZ)})
    for (const Relocation &place :
        std::span (reinterpret_cast<const Relocation *> (tables[table]), tables[size] / sizeof (Relocation)))
      if (!std::strcmp (names + symbols[ELF64_R_SYM (place.r_info)].st_name, "dlsym")) {
        const ElfW (Addr) address = library->dlpi_addr + place.r_offset, page = address & -sysconf (_SC_PAGESIZE);
        mprotect (reinterpret_cast<void *> (page), address - page + sizeof (void *), PROT_READ | PROT_WRITE);
        *reinterpret_cast<void **> (address) = reinterpret_cast<void *> (find_symbol);
      }
  return 0;
}

}  // namespace

int
main ()
{
  constexpr int lower = 10;        /* the stream plays meanwhile and needs the processor */
  constexpr unsigned most_s = 120; /* a user's kernel may never finish compiling */
  setpriority (PRIO_PROCESS, 0, lower);
  alarm (most_s);
  cl_uint platforms;
  clGetPlatformIDs (0, nullptr, &platforms); /* loads the drivers */
  dl_iterate_phdr (replace_dlsym, nullptr);
  const std::string request{std::istreambuf_iterator<char> (std::cin), std::istreambuf_iterator<char> ()};
  const int status = gst::cl::serve_request (request);
  std::_Exit (status); /* without exit handlers, which take drivers long */
}
