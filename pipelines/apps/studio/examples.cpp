/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples.hpp"
#include "../common/files.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace studio {

namespace {

constexpr const char *vignette = R"(/* Every pixel passes here. Change something: the picture follows. */
// @param strength float 0.8 [0, 1] "How dark the corners get"
kernel void
vignette (PIXEL_ARGS, float strength)
{
  PIXEL_BEGIN
  const float2 middle = (float2) (width, height) / 2;
  const float2 place = ((float2) (x, y) - middle) / middle;
  const float shade = 1 - strength * smoothstep (0.3f, 1.4f, length (place));
  float4 p = PIXEL (0, 0);
  p.xyz *= shade;
  OUT_PIXEL (p);
}
)";

/* The first launch line in the text's comments, its backslashes gone. */
std::string
launch_line_in (const std::string &text)
{
  std::istringstream lines (text);
  std::string line, whole;
  while (std::getline (lines, line)) {
    const size_t begin = line.find_first_not_of (" *");
    line = begin == std::string::npos ? "" : line.substr (begin);
    if (whole.empty () && !line.starts_with ("gst-launch-1.0"))
      continue;
    const bool goes_on = line.ends_with ("\\");
    if (goes_on)
      line.pop_back ();
    whole += line;
    if (!goes_on)
      break;
  }
  return whole;
}

/* What stands behind clprogram in the launch line; false where it has a second input, which has no place here. */
bool
take_settings (Example &example)
{
  gchar **argv = nullptr;
  const std::string line = launch_line_in (example.text);
  if (line.empty () || !g_shell_parse_argv (line.c_str (), nullptr, &argv, nullptr))
    return true;
  const Strings owned (argv);
  bool within = false;
  for (gchar **word = argv; *word; word++) {
    if (std::strcmp (*word, "clprogram") == 0) {
      within = true;
      continue;
    }
    within = within && std::strcmp (*word, "!") != 0;
    const char *equals = std::strchr (*word, '=');
    if (!within || !equals)
      continue;
    const std::string name (*word, size_t (equals - *word));
    if (name == "name")
      return false;
    if (name != "location" && name != "watch")
      example.settings.emplace_back (name, equals + 1);
  }
  return true;
}

/* The sentence that the text begins with. */
std::string
first_sentence (const std::string &text)
{
  const size_t licence = text.find ("SPDX");
  const size_t begin = text.find ("/* ", licence == std::string::npos ? 0 : licence);
  if (begin == std::string::npos)
    return "";
  std::string sentence = text.substr (begin + 3, text.find ('.', begin) - begin - 3);
  std::string joined;
  for (const char c : sentence) {
    const bool space = c == '\n' || c == '*' || c == ' ';
    if (!space || (!joined.empty () && joined.back () != ' '))
      joined += space ? ' ' : c;
  }
  return joined.substr (0, joined.find (" / "));
}

}  // namespace

std::string
kernels_folder ()
{
  if (const char *chosen = g_getenv ("CL_STUDIO_KERNELS"))
    return chosen;
  const std::filesystem::path program = std::filesystem::read_symlink ("/proc/self/exe").parent_path ();
  const std::filesystem::path installed = program / ".." / "share" / "gst-plugins-cl" / "kernels";
  return std::filesystem::is_directory (installed) ? installed.lexically_normal ().string () : STUDIO_KERNELS;
}

const Example &
first_example ()
{
  static const Example example{"vignette", "Darkens the corners", vignette, {}};
  return example;
}

std::vector<Example>
examples ()
{
  std::vector<Example> found;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator (kernels_folder (), error)) {
    if (entry.path ().extension () != ".cl")
      continue;
    Example example{.name = entry.path ().stem ().string (), .text = read_file (entry.path ())};
    std::ranges::replace (example.name, '_', ' ');
    example.about = first_sentence (example.text);
    if (take_settings (example))
      found.push_back (std::move (example));
  }
  std::ranges::sort (found, {}, &Example::name);
  if (found.empty ())
    found.push_back (first_example ());
  return found;
}

}  // namespace studio
