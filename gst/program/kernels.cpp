/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the kernels of a program, and their arguments. */
#include "program/build.hpp"
#include "program/text.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* The number of arguments of the scopes' macros (see program/program.clh), and of each scratch picture. */
constexpr cl_uint scope_arguments = 5, scratch_arguments = 2;

std::string
joined (const std::vector<std::string> &names)
{
  std::string all;
  for (const std::string &name : names)
    all += (all.empty () ? "" : ", ") + name;
  return all;
}

/* The steps of make_program(). */
class Assembly {
public:
  Assembly (const PlannedProgram &planned, const ProgramRef &program, const Runner &runner_)
      : made{planned, program}, runner (runner_), device (runner.cl ().device)
  {
    find_built ();
  }

  BuiltProgram make ()
  {
    for (const PlannedKernel &planned : choose ())
      add (planned);
    made.plan.declare (made.arguments, made.running.size () >= made.plan.kernels.size ());
    /* without this, the helpers copy samples */
    made.needs_copy = made.plan.has_groups () ? has_leaving_macros (made.request, made.plan)
                                                    || std::ranges::none_of (
                                                        made.running, [] (const BuiltKernel &each) { return each.text.writes; })
                                              : !made.running[0].text.begins;
    return std::move (made);
  }

private:
  [[noreturn]] static void refuse (const std::string &message, const std::string &hint)
  {
    throw TextError{0, 0, message, hint};
  }

  [[noreturn]] void refuse (size_t at, const std::string &message, const std::string &hint) const
  {
    const auto [line, column] = place_in (made.plan.plain, at);
    throw TextError{line, column, message, hint};
  }

  void find_built ()
  {
    /* some drivers fail if there are no names */
    const bool has_kernels = made.program->getInfo<CL_PROGRAM_NUM_KERNELS> () > 0;
    const std::string list = has_kernels ? made.program->getInfo<CL_PROGRAM_KERNEL_NAMES> () : "";
    g_auto (GStrv) names = g_strsplit (list.c_str (), ";", -1);
    for (gchar **name = names; *name; name++)
      if (**name)
        built.push_back (*name);
    if (built.empty ())
      refuse ("There is no kernel function.", "A kernel begins with \"kernel void NAME (PIXEL_ARGS)\".");
  }

  bool exists (const std::string &name) const { return std::ranges::find (built, name) != built.end (); }

  /* The requested kernels, or the first one in the text. The preprocessor may have removed some. */
  std::vector<PlannedKernel> choose () const
  {
    const std::string &wanted = made.request.kernel;
    if (!wanted.empty () && !exists (wanted))
      refuse ("There is no kernel " + wanted + ".", "The text has: " + joined (built) + ".");
    std::vector<PlannedKernel> running = made.plan.running (wanted);
    std::erase_if (running, [&] (const PlannedKernel &each) { return !exists (each.text.name); });
    if (!running.empty ())
      return running;
    for (const PlannedKernel &each : made.plan.kernels)
      if (exists (each.text.name) && wanted.empty ())
        return {each};
    /* a macro defines the kernel */
    return {{.text = {.name = wanted.empty () ? built.front () : wanted}}};
  }

  void add (const PlannedKernel &planned)
  {
    BuiltKernel kernel{planned, ::cl::Kernel (*made.program, planned.text.name.c_str ())};
    check_scope (kernel);
    check_barriers (kernel);
    take_arguments (kernel);
    choose_group (kernel);
    kernel.scale = kernel.writes_scratch_only ? made.plan.scratch[kernel.written[0]].scale : 1;
    made.name += (made.name.empty () ? "" : "+") + kernel.text.name;
    made.running.push_back (std::move (kernel));
  }

  void check_scope (const BuiltKernel &kernel)
  {
    const cl_uint count = kernel.kernel.getInfo<CL_KERNEL_NUM_ARGS> ();
    const std::string first = count >= scope_arguments ? kernel.kernel.getArgInfo<CL_KERNEL_ARG_NAME> (0) : "";
    if (first != "gstcl_pixels" && first != "gstcl_samples")
      refuse ("The first argument of kernel " + kernel.text.name + " is neither PIXEL_ARGS nor COMPONENT_ARGS.",
          "Write \"kernel void " + kernel.text.name + " (PIXEL_ARGS)\", followed by arguments of your own.");
    if (made.running.empty ())
      made.sees_pixels = first == "gstcl_pixels";
    else if (made.sees_pixels != (first == "gstcl_pixels"))
      refuse ("The kernel " + kernel.text.name + " has another scope than the passes before it.",
          "Write PIXEL_ARGS in the arguments of all passes, or COMPONENT_ARGS in all of them.");
  }

  /* Refuses barriers without a line @group. Without it the device chooses the work-group size, and items beyond the region return
   * before a barrier. If some or all items return, PoCL's other items write to wrong addresses. */
  void check_barriers (const PlannedKernel &kernel) const
  {
    const Words barriers = {
        "barrier", "work_group_barrier", "async_work_group_copy", "async_work_group_strided_copy", "wait_group_events"};
    const CallGraph calls (made.plan.plain, definitions_in (made.request.defines));
    const std::string its_name = "The kernel " + kernel.text.name;
    if (kernel.group_line) {
      if (const auto exit = calls.find_exit_before (kernel.text, barriers))
        refuse (exit->at,
            its_name + " may leave (" + exit->word + ") before its last barrier, where the other items of its group wait.",
            "Put the code that some items skip into if { }, without the barrier.");
      return;
    }
    const char *const hint = "Write // @group 16 16 on a line of its own before the kernel.";
    if (const auto wait = calls.find (kernel.text, barriers))
      refuse (wait->at, its_name + " waits for its work-group (" + wait->word + "), but no line @group sets its size.", hint);
    if (const auto memory = calls.find (kernel.text, {"local", "__local"}))
      refuse (memory->at,
          its_name + " has local memory (" + memory->word + "), but no line @group sets the size of its work-group.", hint);
  }

  /* Takes the arguments that follow the arguments of the scope and the scratch pictures. */
  void take_arguments (BuiltKernel &kernel)
  {
    const ::cl::Kernel &handle = kernel.kernel;
    const cl_uint count = handle.getInfo<CL_KERNEL_NUM_ARGS> ();
    std::map<std::string, LocalSize> unused = kernel.local;
    for (cl_uint i = scope_arguments + scratch_arguments * cl_uint (made.plan.scratch.size ()); i < count; i++) {
      ProgramArgument argument{handle.getArgInfo<CL_KERNEL_ARG_NAME> (i), handle.getArgInfo<CL_KERNEL_ARG_TYPE_NAME> (i)};
      if (argument.type == "unsigned int")
        argument.type = "uint";
      if (handle.getArgInfo<CL_KERNEL_ARG_ADDRESS_QUALIFIER> (i) == CL_KERNEL_ARG_ADDRESS_LOCAL) {
        kernel.own.push_back (local_argument (kernel, argument));
        unused.erase (argument.name);
        continue;
      }
      if (!param_type (argument.type))
        refuse ("The kernel's argument " + argument.name + " is of type " + argument.type + ".",
            "Arguments can be int, uint, float, double, int2, int4, uint2, uint4, float2, float3 and float4.");
      const auto known = std::ranges::find (made.arguments, argument.name, &ProgramArgument::name);
      if (known != made.arguments.end () && known->type != argument.type)
        refuse ("The argument " + argument.name + " is of type " + argument.type + " in kernel " + kernel.text.name
                    + ", and of type " + known->type + " in a pass before it.",
            "Give it one type.");
      kernel.own.push_back ({.number = size_t (known - made.arguments.begin ())});
      if (known == made.arguments.end ())
        made.arguments.push_back (argument);
    }
    if (!unused.empty ())
      throw TextError{unused.begin ()->second.line, 0,
          "The kernel " + kernel.text.name + " has no argument " + unused.begin ()->first + " in local memory.",
          "Add \", local float *" + unused.begin ()->first + "\" to its arguments, or remove the line."};
  }

  OwnArgument local_argument (const PlannedKernel &kernel, const ProgramArgument &argument) const
  {
    const std::string type = argument.type.substr (0, argument.type.find ('*'));
    const size_t bytes = bytes_of_type (type);
    if (bytes == 0)
      refuse (
          "The argument " + argument.name + " of kernel " + kernel.text.name + " points to local memory of type " + type + ".",
          "Write a type of OpenCL C: char, short, int, long, float and double, or their vectors.");
    return {.local_bytes = kernel.elements_of (argument.name) * bytes};
  }

  void choose_group (BuiltKernel &kernel) const
  {
    if (kernel.group_line)
      return check_group (kernel);
    const auto wanted = kernel.kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE> (device.handle);
    if (wanted[0] > 0) {
      kernel.group = {wanted[0], std::max<size_t> (wanted[1], 1)};
      return;
    }
    const size_t limit = kernel.kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE> (device.handle);
    std::array<size_t, 2> &local = kernel.group;
    local = runner.backend () == Backend::cpu ? std::array<size_t, 2>{128, 1} : std::array<size_t, 2>{32, 8};
    while (local[0] * local[1] > limit && local[1] > 1)
      local[1] /= 2;
    while (local[0] > limit && local[0] > 1)
      local[0] /= 2;
  }

  void check_group (const BuiltKernel &kernel) const
  {
    const auto fail = [&] (const std::string &message, const std::string &hint) {
      throw TextError{kernel.group_line, 0, message, hint};
    };
    const auto &[width, height] = kernel.group;
    const std::string group =
        "The group " + std::to_string (width) + " x " + std::to_string (height) + " of kernel " + kernel.text.name;
    const auto wanted = kernel.kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE> (device.handle);
    if (wanted[0] > 0 && (wanted[0] != width || wanted[1] != height))
      fail (group + " is not the " + std::to_string (wanted[0]) + " x " + std::to_string (wanted[1]) + " of its attribute.",
          "Remove reqd_work_group_size: the line @group is enough.");
    const size_t limit = kernel.kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE> (device.handle);
    const std::vector<size_t> sizes = device.handle.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES> ();
    if (width * height > limit || width > sizes[0] || height > sizes[1])
      fail (group + " has " + std::to_string (width * height) + " items; " + device.name + " takes " + std::to_string (limit)
                + ", up to " + std::to_string (sizes[0]) + " x " + std::to_string (sizes[1]) + ".",
          "Write a smaller group.");
    cl_ulong bytes = kernel.kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE> (device.handle);
    const cl_ulong most = device.handle.getInfo<CL_DEVICE_LOCAL_MEM_SIZE> ();
    for (const OwnArgument &own : kernel.own)
      bytes += own.local_bytes;
    if (bytes > most)
      fail ("The kernel " + kernel.text.name + " has " + std::to_string (bytes) + " bytes of local memory; " + device.name
                + " has " + std::to_string (most) + ".",
          "Write a smaller group, or smaller tiles.");
  }

  BuiltProgram made;
  const Runner &runner;
  const Device &device;
  std::vector<std::string> built;
};
}  // namespace

BuiltProgram
make_program (const PlannedProgram &planned, const ProgramRef &program, const Runner &runner)
{
  return Assembly (planned, program, runner).make ();
}

}  // namespace gst::cl
