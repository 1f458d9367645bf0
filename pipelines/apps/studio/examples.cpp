/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <regex>

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

/* The first launch line in the text's comments, without its backslashes. */
std::string
launch_line_in (const std::string &text)
{
  static const std::regex continued ("\\\\\n[ *]*"), launch ("(^|\n)[ *]*(gst-launch-1\\.0[^\n]*)");
  const std::string whole = std::regex_replace (text, continued, "");
  std::smatch found;
  return std::regex_search (whole, found, launch) ? found.str (2) : "";
}

/* Takes the settings after clprogram in the launch line; returns false if it has a second input, which the studio does not
 * support. */
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

/* The first sentence of the text. */
std::string
first_sentence (const std::string &text)
{
  const size_t licence = text.find ("SPDX");
  const size_t begin = text.find ("/* ", licence == std::string::npos ? 0 : licence);
  if (begin == std::string::npos)
    return "";
  static const std::regex gap ("[ \n*]+");
  const std::string sentence = std::regex_replace (text.substr (begin + 3, text.find ('.', begin) - begin - 3), gap, " ");
  return sentence.substr (0, sentence.find (" / "));
}

/* The folder of the kernels. */
std::string
kernels_folder ()
{
  if (const char *chosen = g_getenv ("CL_STUDIO_KERNELS"))
    return chosen;
  const std::filesystem::path program = std::filesystem::read_symlink ("/proc/self/exe").parent_path ();
  const std::filesystem::path installed = program / ".." / "share" / "gst-plugins-cl" / "kernels";
  return std::filesystem::is_directory (installed) ? installed.lexically_normal ().string () : STUDIO_KERNELS;
}

using KeyFile = std::unique_ptr<GKeyFile, Releases<g_key_file_unref>>;

constexpr const char *group = "Chains";

/* KERNELS stands for the folder of the example kernels, at most once in a line. */
const Named made[] = {
    {"Old film", "Sepia, soft, grainy, with dark corners",
        "clblur sigma=0.8 ! clcolormatrix preset=sepia ! cladjust contrast=1.15 brightness=0.02 "
        "curve=\"0 0.06; 0.5 0.52; 1 0.92\" ! clnoise strength=0.05 mono=true ! "
        "clprogram location=\"KERNELS/vignette.cl\" params::strength=0.75 params::radius=0.35 params::colour=#1a0d00"},
    {"Low light", "Removes noise over time and space, and lifts the shadows",
        "cltemporal frames=5 threshold=0.08 ! clbilateral sigma-space=2 sigma-range=0.06 ! "
        "cladjust shadows=0.55 exposure=0.4 vibrance=0.25 ! clsharpen amount=0.5 threshold=0.02"},
    {"Cartoon", "Flat colours with dark outlines",
        "clbilateral sigma-space=4 sigma-range=0.12 ! clprogram location=\"KERNELS/ink.cl\" "
        "params::levels=6 params::line=0.04 params::ink=0.9 ! cladjust saturation=1.35 exposure=0.3"},
    {"Document", "Black text on white paper, whatever the light",
        "clmedian radius=1 ! clthreshold method=mean radius=20 offset=0.06"},
};

std::filesystem::path
store ()
{
  return std::filesystem::path (g_get_user_data_dir ()) / "gst-plugins-cl" / "studio.ini";
}

KeyFile
load ()
{
  KeyFile file (g_key_file_new ());
  /* the file does not exist before the first chain is saved */
  g_key_file_load_from_file (file.get (), store ().c_str (), G_KEY_FILE_KEEP_COMMENTS, nullptr);
  return file;
}

void
write (GKeyFile *file)
{
  make_folders (store ().parent_path ());
  checked_call ([file] (GError **error) { return g_key_file_save_to_file (file, store ().c_str (), error); });
}

/* Replaces characters that names of keys cannot have. */
std::string
key_of (const std::string &name)
{
  return text_of (g_uri_escape_string (name.c_str (), nullptr, FALSE));
}

bool
same (const std::string &a, const std::string &b)
{
  return text_of (g_utf8_casefold (a.c_str (), -1)) == text_of (g_utf8_casefold (b.c_str (), -1));
}

}  // namespace

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

std::vector<Named>
chains ()
{
  std::vector<Named> found;
  for (Named each : made) {
    if (const size_t place = each.text.find ("KERNELS"); place != std::string::npos)
      each.text.replace (place, 7, kernels_folder ());
    found.push_back (std::move (each));
  }
  const KeyFile file = load ();
  const Strings keys (g_key_file_get_keys (file.get (), group, nullptr, nullptr));
  for (gchar **key = keys.get (); key && *key; key++) {
    const std::string line = text_of (g_key_file_get_string (file.get (), group, *key, nullptr));
    found.push_back ({text_of (g_uri_unescape_string (*key, nullptr)), line, line, true});
  }
  return found;
}

Named
chain_of (const std::string &name)
{
  std::vector<std::string> known;
  for (const Named &chain : chains ()) {
    if (same (chain.name, name))
      return chain;
    known.push_back (chain.name);
  }
  throw std::runtime_error ("There is no chain " + name + "; there are " + joined (known));
}

void
save_chain (const std::string &name, const std::string &line)
{
  ensure (!name.empty (), "The chain needs a name");
  for (const Named &each : made)
    ensure (!same (each.name, name), each.name + " is a chain of the studio; choose another name");
  const KeyFile file = load ();
  g_key_file_set_string (file.get (), group, key_of (name).c_str (), line.c_str ());
  write (file.get ());
}

void
delete_chain (const std::string &name)
{
  const KeyFile file = load ();
  checked_call ([&] (GError **error) { return g_key_file_remove_key (file.get (), group, key_of (name).c_str (), error); });
  write (file.get ());
}

}  // namespace studio
