/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the kernels of a program, and their arguments. */
#include "program/build.hpp"
#include "program/calls.hpp"
#include "program/declarations.hpp"
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

/* The size of a scalar or vector type of OpenCL C in bytes; 0 for other types. */
size_t
bytes_of_type (const std::string &type)
{
  static const std::pair<const char *, size_t> scalars[] = {{"char", 1}, {"uchar", 1}, {"unsigned char", 1}, {"short", 2},
      {"ushort", 2}, {"unsigned short", 2}, {"half", 2}, {"int", 4}, {"uint", 4}, {"unsigned int", 4}, {"float", 4},
      {"long", 8}, {"ulong", 8}, {"unsigned long", 8}, {"double", 8}};
  const size_t digits = std::min (type.find_first_of ("0123456789"), type.size ());
  const std::string count = type.substr (digits);
  const size_t elements = count.empty () ? 1 : count == "3" ? 4 : g_ascii_strtoull (count.c_str (), nullptr, 10);
  for (const auto &[name, bytes] : scalars)
    if (type.substr (0, digits) == name)
      return bytes * elements;
  return 0;
}

/* The common state of the steps of make_program(). */
class Assembly {
public:
  Assembly (const ProgramRequest &request_, const ::cl::Program &program_, const Runner &runner_, const Device &device_)
      : request (request_), program (program_), runner (runner_), device (device_), plain (without_comments (request_.text)),
        plan (plan_of (request_.text))
  {
    find_built ();
  }

  std::vector<PlannedKernel> choose () const;
  BuiltKernel build (const PlannedKernel &planned);

  const ProgramRequest &request;
  const ::cl::Program &program;
  const Runner &runner;
  const Device &device;
  const std::string plain;
  const ProgramPlan plan;
  /* arguments of all kernels */
  std::vector<ProgramArgument> arguments;
  bool sees_pixels = false;

private:
  [[noreturn]] void refuse (size_t at, const std::string &message, const std::string &hint) const;
  void find_built ();
  bool exists (const std::string &name) const { return std::ranges::find (built, name) != built.end (); }
  void check_scope (const BuiltKernel &kernel);
  void check_barriers (const PlannedKernel &planned) const;
  void take_arguments (BuiltKernel &kernel, const PlannedKernel &planned);
  OwnArgument local_argument (const PlannedKernel &planned, const ProgramArgument &argument) const;
  void choose_group (BuiltKernel &kernel, const PlannedKernel &planned) const;
  void check_group (const BuiltKernel &kernel, const PlannedKernel &planned) const;

  std::vector<std::string> built;
  bool has_scope = false;
};

void
Assembly::refuse (size_t at, const std::string &message, const std::string &hint) const
{
  const auto [line, column] = place_in (plain, at);
  throw refuse_text (request, {line, column, message, hint});
}

void
Assembly::find_built ()
{
  /* some drivers fail if there are no names */
  const bool has_kernels = program.getInfo<CL_PROGRAM_NUM_KERNELS> () > 0;
  const std::string list = has_kernels ? program.getInfo<CL_PROGRAM_KERNEL_NAMES> () : "";
  g_auto (GStrv) names = g_strsplit (list.c_str (), ";", -1);
  for (gchar **name = names; *name; name++)
    if (**name)
      built.push_back (*name);
  if (built.empty ())
    throw refuse_program (request, "There is no kernel function.", "A kernel begins with \"kernel void NAME (PIXEL_ARGS)\".");
}

/* The requested kernels, or the first one in the text. The preprocessor may have removed some. */
std::vector<PlannedKernel>
Assembly::choose () const
{
  if (!request.kernel.empty () && !exists (request.kernel))
    throw refuse_program (request, "There is no kernel " + request.kernel + ".", "There is: " + joined (built) + ".");
  std::vector<PlannedKernel> running = plan.running (request.kernel);
  std::erase_if (running, [&] (const PlannedKernel &each) { return !exists (each.text.name); });
  if (!running.empty ())
    return running;
  for (const PlannedKernel &each : plan.kernels)
    if (exists (each.text.name) && request.kernel.empty ())
      return {each};
  /* a macro defines the kernel */
  return {{.text = {.name = request.kernel.empty () ? built.front () : request.kernel}}};
}

void
Assembly::check_scope (const BuiltKernel &kernel)
{
  const cl_uint count = kernel.kernel.getInfo<CL_KERNEL_NUM_ARGS> ();
  const std::string first = count >= scope_arguments ? kernel.kernel.getArgInfo<CL_KERNEL_ARG_NAME> (0) : "";
  if (first != "gstcl_pixels" && first != "gstcl_samples")
    throw refuse_program (request,
        "The first of the arguments of kernel " + kernel.name + " is neither PIXEL_ARGS nor COMPONENT_ARGS.",
        "Write \"kernel void " + kernel.name + " (PIXEL_ARGS)\", followed by arguments of your own.");
  if (!std::exchange (has_scope, true))
    sees_pixels = first == "gstcl_pixels";
  else if (sees_pixels != (first == "gstcl_pixels"))
    throw refuse_program (request, "The kernel " + kernel.name + " does not see what the passes before it see.",
        "Write PIXEL_ARGS in the arguments of all passes, or COMPONENT_ARGS in all of them.");
}

/* Refuses barriers without a line @group. Without it the device chooses the work-group size, and items beyond the region return
 * before a barrier. If some or all items return, PoCL's other items write to wrong addresses. */
void
Assembly::check_barriers (const PlannedKernel &planned) const
{
  const Words barriers = {
      "barrier", "work_group_barrier", "async_work_group_copy", "async_work_group_strided_copy", "wait_group_events"};
  const CallGraph calls (plain, definitions_in (request.defines));
  const std::string kernel = "The kernel " + planned.text.name;
  if (planned.group_line) {
    if (const auto exit = calls.find_exit_before (planned.text, barriers))
      refuse (exit->at,
          kernel + " may leave (" + exit->word + ") before its last barrier, where the other items of its group wait.",
          "Put what some items leave out into if { }, without the barrier.");
    return;
  }
  const char *const hint = "Write // @group 16 16 on a line of its own before the kernel.";
  if (const auto wait = calls.find (planned.text, barriers))
    refuse (
        wait->at, kernel + " waits for its work-group (" + wait->word + "), but no line @group says how large that is.", hint);
  if (const auto memory = calls.find (planned.text, {"local", "__local"}))
    refuse (memory->at,
        kernel + " has local memory (" + memory->word + "), but no line @group says how large its work-group is.", hint);
}

OwnArgument
Assembly::local_argument (const PlannedKernel &planned, const ProgramArgument &argument) const
{
  const std::string type = argument.type.substr (0, argument.type.find ('*'));
  const size_t bytes = bytes_of_type (type);
  if (bytes == 0)
    throw refuse_program (request,
        "The argument " + argument.name + " of kernel " + planned.text.name + " points to local memory of type " + type + ".",
        "Write a type of OpenCL C: char, short, int, long, float and double, or their vectors.");
  const auto line = planned.local.find (argument.name);
  const size_t elements = line == planned.local.end () ? planned.group[0] * planned.group[1] : line->second.elements;
  return {.local_bytes = elements * bytes};
}

/* Takes the arguments after those of the scope and the scratch pictures. */
void
Assembly::take_arguments (BuiltKernel &kernel, const PlannedKernel &planned)
{
  const ::cl::Kernel &handle = kernel.kernel;
  const cl_uint count = handle.getInfo<CL_KERNEL_NUM_ARGS> ();
  std::map<std::string, LocalSize> unused = planned.local;
  for (cl_uint i = scope_arguments + scratch_arguments * cl_uint (plan.scratch.size ()); i < count; i++) {
    ProgramArgument argument{handle.getArgInfo<CL_KERNEL_ARG_NAME> (i), handle.getArgInfo<CL_KERNEL_ARG_TYPE_NAME> (i)};
    if (argument.type == "unsigned int")
      argument.type = "uint";
    if (handle.getArgInfo<CL_KERNEL_ARG_ADDRESS_QUALIFIER> (i) == CL_KERNEL_ARG_ADDRESS_LOCAL) {
      kernel.own.push_back (local_argument (planned, argument));
      unused.erase (argument.name);
      continue;
    }
    if (!param_type (argument.type))
      throw refuse_program (request, "The kernel's argument " + argument.name + " is of type " + argument.type + ".",
          "Arguments can be int, uint, float, double, int2, int4, uint2, uint4, float2, float3 and float4.");
    const auto known = std::ranges::find (arguments, argument.name, &ProgramArgument::name);
    if (known != arguments.end () && known->type != argument.type)
      throw refuse_program (request,
          "The argument " + argument.name + " is of type " + argument.type + " in kernel " + kernel.name + ", and of type "
              + known->type + " in a pass before it.",
          "Give it one type.");
    kernel.own.push_back ({.number = size_t (known - arguments.begin ())});
    if (known == arguments.end ())
      arguments.push_back (argument);
  }
  if (!unused.empty ())
    throw refuse_text (
        request, {unused.begin ()->second.line, 0,
                     "The kernel " + kernel.name + " has no argument " + unused.begin ()->first + " in local memory.",
                     "Add \", local float *" + unused.begin ()->first + "\" to its arguments, or remove the line."});
}

void
Assembly::check_group (const BuiltKernel &kernel, const PlannedKernel &planned) const
{
  const auto fail = [&] (const std::string &message, const std::string &hint) {
    throw refuse_text (request, {planned.group_line, 0, message, hint});
  };
  const auto &[width, height] = planned.group;
  const std::string group =
      "The group " + std::to_string (width) + " x " + std::to_string (height) + " of kernel " + kernel.name;
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
    fail ("The kernel " + kernel.name + " has " + std::to_string (bytes) + " bytes of local memory; " + device.name + " has "
              + std::to_string (most) + ".",
        "Write a smaller group, or smaller tiles.");
}

void
Assembly::choose_group (BuiltKernel &kernel, const PlannedKernel &planned) const
{
  if (planned.group_line) {
    kernel.local = planned.group;
    check_group (kernel, planned);
    return;
  }
  const auto wanted = kernel.kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE> (device.handle);
  if (wanted[0] > 0) {
    kernel.local = {wanted[0], std::max<size_t> (wanted[1], 1)};
    return;
  }
  const size_t limit = kernel.kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE> (device.handle);
  std::array<size_t, 2> &local = kernel.local;
  local = runner.backend () == Backend::cpu ? std::array<size_t, 2>{128, 1} : std::array<size_t, 2>{32, 8};
  while (local[0] * local[1] > limit && local[1] > 1)
    local[1] /= 2;
  while (local[0] > limit && local[0] > 1)
    local[0] /= 2;
}

BuiltKernel
Assembly::build (const PlannedKernel &planned)
{
  BuiltKernel kernel{.kernel = ::cl::Kernel (program, planned.text.name.c_str ()), .name = planned.text.name};
  check_scope (kernel);
  check_barriers (planned);
  take_arguments (kernel, planned);
  choose_group (kernel, planned);
  kernel.writes_scratch = !planned.written.empty ();
  kernel.writes_scratch_only = planned.writes_scratch_only;
  kernel.scale = planned.writes_scratch_only ? plan.scratch[planned.written[0]].scale : 1;
  return kernel;
}

}  // namespace

BuiltProgram
make_program (const ProgramRequest &request, const ProgramSpec &spec, const ProgramRef &program, const Runner &runner,
    const Device &device)
{
  Assembly assembly (request, *program, runner, device);
  const std::vector<PlannedKernel> running = assembly.choose ();
  std::vector<BuiltKernel> kernels;
  std::string name;
  for (const PlannedKernel &planned : running) {
    kernels.push_back (assembly.build (planned));
    name += (name.empty () ? "" : "+") + planned.text.name;
  }
  try {
    apply_declarations (assembly.arguments, request.text, running.size () >= assembly.plan.kernels.size ());
  } catch (const TextError &error) {
    throw refuse_text (request, error);
  }
  const bool has_groups = assembly.plan.has_groups ();
  const auto text_of = [] (const PlannedKernel &each) { return each.text; };
  /* without this, the helpers copy samples */
  const bool needs_copy = has_groups
                              ? has_leaving_macros (request) || std::ranges::none_of (running, &KernelText::writes, text_of)
                              : !running[0].text.begins;
  return {.request = request,
      .spec = spec,
      .program = program,
      .kernels = std::move (kernels),
      .scratch = assembly.plan.scratch,
      .has_groups = has_groups,
      .name = name,
      .sees_pixels = assembly.sees_pixels,
      .needs_copy = needs_copy,
      .arguments = assembly.arguments,
      .values = {}};
}

}  // namespace gst::cl
