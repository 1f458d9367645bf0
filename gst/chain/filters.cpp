/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The grammar of a chain's text:
 *
 *   chain    = filter { '!' filter }
 *   filter   = element { property '=' value }
 *   value    = '"' letters '"' | "'" letters "'" | letters up to a blank
 *
 * Blanks may surround each part. A backslash in a value stands for the next letter. '@preset' in place of a property loads a preset. */
#include "chain/sequence.hpp"

#include "core/error.hpp"

#include <set>
#include <string_view>

namespace gst::cl {

namespace {

constexpr std::string_view blanks = " \t\r\n";
const std::string example = "; write for example \"clnoise ! clmedian radius=2\"";

[[noreturn]] void
refuse (const std::string &why)
{
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, why, "");
}

/* As GStreamer's parser does: between inner double quotes, a backslash stands for itself. */
std::string
unescaped (std::string_view text)
{
  std::string plain;
  bool quoted = false;
  for (size_t i = 0; i < text.size (); i++) {
    if (text[i] == '\\' && !quoted) {
      if (++i == text.size ())
        break;
    } else if (text[i] == '"' && !(quoted && text[i - 1] == '\\')) {
      quoted = !quoted;
    }
    plain += text[i];
  }
  return plain;
}

/* A property of an element, or of its child: "params::gain" of clprogram. */
struct Assignment {
  std::string name, value;

  /* Returns why the element refuses it; an empty text if it does not. */
  std::string apply (GstElement *element) const
  {
    const std::string owner = std::string ("element \"") + GST_OBJECT_NAME (gst_element_get_factory (element)) + "\"";
    if (name == "@preset")
      return gst_preset_load_preset (GST_PRESET (element), value.c_str ()) ? "" : "no preset \"" + value + "\" in " + owner;
    const size_t colons = GST_IS_CHILD_PROXY (element) ? name.find ("::") : std::string::npos;
    const bool is_childs = colons != std::string::npos;
    const Ref<GObject> target =
        is_childs ? Ref (gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (element), name.substr (0, colons).c_str ()))
                  : Ref<GObject>::retain (G_OBJECT (element));
    if (!target) {
      apply_later (element);
      return "";
    }
    GParamSpec *spec =
        g_object_class_find_property (G_OBJECT_GET_CLASS (target.get ()), name.c_str () + (is_childs ? colons + 2 : 0));
    if (!spec)
      return "no property \"" + name + "\" in " + owner;
    const std::string failed =
        "could not set property \"" + name + "\" in " + (is_childs ? "child of " : "") + owner + " to \"" + value + "\"";
    g_auto (GValue) parsed = G_VALUE_INIT;
    g_value_init (&parsed, spec->value_type);
    if (!(spec->flags & G_PARAM_WRITABLE) || !gst_value_deserialize_with_pspec (&parsed, value.c_str (), spec))
      return failed;
    if (g_param_value_validate (spec, &parsed)) {
      g_autofree gchar *nearest = gst_value_serialize (&parsed);
      const bool is_number = gst_value_compare (&parsed, &parsed) == GST_VALUE_EQUAL; /* no NaN */
      return failed + (is_number ? ", the nearest value in its range is " + std::string (nearest) : "");
    }
    g_object_set_property (target.get (), spec->name, &parsed); /* parsing a list has changed its text */
    return "";
  }

private:
  /* clprogram has a child only when it knows its kernel, which may be a later property. */
  void apply_later (GstElement *element) const
  {
    const auto added = +[] (GstElement *owner, GObject *, gchar *, Assignment *late) {
      if (const std::string why = late->apply (owner); !why.empty ())
        GST_WARNING_OBJECT (owner, "%s", why.c_str ());
      else
        g_signal_handlers_disconnect_by_data (owner, late);
    };
    const auto free = +[] (gpointer late, GClosure *) { delete static_cast<Assignment *> (late); };
    g_signal_connect_data (element, "child-added", G_CALLBACK (added), new Assignment (*this), free, GConnectFlags (0));
  }
};
class Reader {
public:
  explicit Reader (const std::string &text_) : text (text_) {}

  ChainFilters read ()
  {
    if (!skip_blanks ())
      refuse ("it names no filter" + example);
    ChainFilters filters;
    for (;;) {
      filters.push_back (read_filter ());
      if (at == text.size ())
        return filters;
      const size_t link = at++;
      if (const size_t end = at; !skip_blanks ()) {
        at = end;
        refuse_from (link, "no filter is behind it" + example);
      }
    }
  }

private:
  Ref<GstClFilter> read_filter ()
  {
    const size_t word = at;
    const std::string name = read_until (" \t\r\n!");
    const size_t end = at;
    const auto refuse_name = [&] (const std::string &why) {
      at = std::max (end, word + 1);
      refuse_from (word, why);
    };
    if (name.empty ())
      refuse_name ("no filter is before it" + example);
    if (name.find_first_of ("/.()") != std::string::npos)
      refuse_name ("a chain has no caps, pads or bins, only filters" + example);
    GstElement *element = gst_element_factory_make (name.c_str (), nullptr);
    if (!element)
      refuse_name ("no element \"" + name + "\"");
    const Ref<GstElement> owned (GST_ELEMENT (gst_object_ref_sink (element)));
    if (!G_TYPE_CHECK_INSTANCE_TYPE (element, GST_TYPE_CL_FILTER))
      refuse_name (name + " is not an OpenCL filter with one input; put it before or after clchain");
    bool is_named = false;
    while (skip_blanks () && text[at] != '!')
      is_named |= read_property (element);
    if (!is_named && !names.insert (GST_OBJECT_NAME (element)).second)
      refuse_name ("another filter has its name, " + std::string (GST_OBJECT_NAME (element)));
    if (const std::optional<std::string> complaint = gst_cl_filter_get_store (element).complaint ())
      refuse_name (*complaint);
    return Ref<GstClFilter>::retain (reinterpret_cast<GstClFilter *> (element));
  }

  /* Returns whether it set the element's name. */
  bool read_property (GstElement *element)
  {
    const size_t word = at;
    Assignment assignment{read_until (" \t\r\n=!"), ""};
    const size_t end = at;
    if (!skip_blanks () || text[at] != '=') {
      at = end;
      refuse_from (word, "no '!' links it to the filter before it, and no '=' gives it a value");
    }
    at++;
    assignment.value = read_value (word);
    if (const std::string why = assignment.apply (element); !why.empty ())
      refuse_from (word, why);
    const bool is_name = assignment.name == "name";
    if (is_name && !names.insert (GST_OBJECT_NAME (element)).second)
      refuse_from (word, "another filter has that name");
    return is_name;
  }

  std::string read_value (size_t word)
  {
    skip_blanks ();
    const bool quoted = text[at] == '"' || text[at] == '\'';
    const std::string ends = quoted ? std::string (1, text[at++]) : std::string (blanks);
    const size_t begin = at;
    while (at < text.size () && ends.find (text[at]) == std::string::npos)
      at += text[at] == '\\' ? 2 : 1;
    at = std::min (at, text.size ());
    const std::string_view value = std::string_view (text).substr (begin, at - begin);
    if (quoted ? at == text.size () : value.empty ())
      refuse_from (word, quoted ? "its quotation has no end" : "it has no value");
    at += quoted;
    return unescaped (value);
  }

  /* Returns false at the end of the text. */
  bool skip_blanks ()
  {
    at = std::min (text.find_first_not_of (blanks, at), text.size ());
    return at < text.size ();
  }

  std::string read_until (std::string_view ends)
  {
    const size_t begin = at;
    at = std::min (text.find_first_of (ends, at), text.size ());
    return text.substr (begin, at - begin);
  }

  /* Names the text from there to the current position. */
  [[noreturn]] void refuse_from (size_t word, const std::string &why) const
  {
    refuse ("'" + text.substr (word, at - word) + "' (character " + std::to_string (word + 1) + "): " + why);
  }

  const std::string &text;
  size_t at = 0;
  std::set<std::string> names;
};
}  // namespace

ChainFilters
parse_chain (const std::string &text)
{
  return Reader (text).read ();
}

}  // namespace gst::cl
