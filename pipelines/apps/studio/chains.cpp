/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chains.hpp"
#include "../common/glib.hpp"
#include "examples.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace studio {

namespace {

using KeyFile = std::unique_ptr<GKeyFile, Releases<g_key_file_unref>>;

constexpr const char *group = "Chains";

/* KERNELS stands, once in a line, for the folder of the example kernels. */
struct Made {
  const char *name, *about, *line;
};
constexpr Made made[] = {
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
  /* there is none before the first is saved */
  g_key_file_load_from_file (file.get (), store ().c_str (), G_KEY_FILE_KEEP_COMMENTS, nullptr);
  return file;
}

void
write (GKeyFile *file)
{
  std::filesystem::create_directories (store ().parent_path ());
  GError *error = nullptr;
  const bool written = g_key_file_save_to_file (file, store ().c_str (), &error);
  ensure (written, error);
}

/* Names of keys have no signs but these. */
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

std::vector<Chain>
chains ()
{
  std::vector<Chain> found;
  for (const Made &each : made) {
    std::string line = each.line;
    if (const size_t place = line.find ("KERNELS"); place != std::string::npos)
      line.replace (place, 7, kernels_folder ());
    found.push_back ({each.name, each.about, line});
  }
  const KeyFile file = load ();
  const Strings keys (g_key_file_get_keys (file.get (), group, nullptr, nullptr));
  for (gchar **key = keys.get (); key && *key; key++) {
    const std::string line = text_of (g_key_file_get_string (file.get (), group, *key, nullptr));
    found.push_back ({text_of (g_uri_unescape_string (*key, nullptr)), line, line, true});
  }
  return found;
}

Chain
chain_of (const std::string &name)
{
  std::string known;
  for (const Chain &chain : chains ()) {
    if (same (chain.name, name))
      return chain;
    known += (known.empty () ? "" : ", ") + chain.name;
  }
  throw std::runtime_error ("There is no chain " + name + "; there are " + known);
}

void
save_chain (const std::string &name, const std::string &line)
{
  if (name.empty ())
    throw std::runtime_error ("The chain needs a name");
  for (const Made &each : made) {
    if (same (each.name, name))
      throw std::runtime_error (std::string (each.name) + " is a chain of the studio; choose another name");
  }
  const KeyFile file = load ();
  g_key_file_set_string (file.get (), group, key_of (name).c_str (), line.c_str ());
  write (file.get ());
}

void
delete_chain (const std::string &name)
{
  const KeyFile file = load ();
  GError *error = nullptr;
  const bool removed = g_key_file_remove_key (file.get (), group, key_of (name).c_str (), &error);
  ensure (removed, error);
  write (file.get ());
}

}  // namespace studio
