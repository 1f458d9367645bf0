/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "steps.hpp"
#include "../common/files.hpp"

#include <stdexcept>

namespace studio {

namespace {

constexpr guint pause_ms = 20;

size_t
number (const std::string &text)
{
  const int value = std::stoi (text);
  if (value < 0)
    throw std::invalid_argument ("negative");
  return size_t (value);
}

}  // namespace

const char *
Steps::help ()
{
  return "wait=SECONDS        add=FILTER          remove=INDEX        select=INDEX\n"
         "move=FROM,TO        on=INDEX            off=INDEX           set=PROPERTY=VALUE (of the selected filter)\n"
         "source=FILE|URI     line=TEXT           split=SHARE         format=FORMAT\n"
         "text=FILE (into the kernel's editor)    play                pause\n"
         "await=TEXT (in the report)               frames=NUMBER (to wait for)\n"
         "save=FILE           screenshot=FILE\n"
         "report              place=WIDGET        quit\n";
}

Steps::Steps (Window &window, std::vector<std::string> steps) : window (window), steps (std::move (steps))
{
  go_on_in (pause_ms);
}

Steps::~Steps ()
{
  if (timer)
    g_source_remove (timer);
}

void
Steps::next ()
{
  if (done == steps.size ())
    return;
  const std::string step = steps[done++];
  const size_t equals = step.find ('=');
  guint wait = pause_ms;
  try {
    wait = run (step.substr (0, equals), equals == std::string::npos ? "" : step.substr (equals + 1));
  } catch (const std::exception &error) {
    g_print ("step %s: %s\n", step.c_str (), error.what ());
    window.say (error.what (), "");
  }
  go_on_in (wait);
}

void
Steps::go_on_in (guint milliseconds)
{
  timer = every (milliseconds, [this] {
    timer = 0;
    next ();
    return false;
  });
}

guint
Steps::run (const std::string &name, const std::string &argument)
{
  Model &model = window.model ();
  const size_t sign = argument.find_first_of (name == "set" ? "=" : ",");
  const std::string first = argument.substr (0, sign), second = sign == std::string::npos ? "" : argument.substr (sign + 1);
  const auto selected = [&] {
    for (size_t i = 0; i < model.filters ().size (); i++) {
      if (model.filters ()[i].element.get () == window.filters ().selected ())
        return i;
    }
    throw std::runtime_error ("no filter is selected");
  };
  if (name == "wait")
    return guint (1000 * std::stod (argument));
  else if (name == "await")
    return await (report ().find (argument) != std::string::npos, "await=" + argument);
  else if (name == "frames")
    return await_frames (number (argument));
  else if (name == "add")
    window.filters ().add (argument);
  else if (name == "remove")
    window.filters ().remove (number (argument));
  else if (name == "select")
    window.filters ().select (number (argument));
  else if (name == "move")
    window.filters ().move (number (first), number (second));
  else if (name == "on" || name == "off")
    window.filters ().set_on (number (argument), name == "on");
  else if (name == "set")
    model.set_property (selected (), first, second);
  else if (name == "source")
    window.open_source (argument);
  else if (name == "line")
    window.open_line (argument);
  else if (name == "split")
    window.set_split (g_ascii_strtod (argument.c_str (), nullptr));
  else if (name == "format")
    model.set_format (argument);
  else if (name == "text")
    window.text ().set_text (read_file (argument));
  else if (name == "play")
    model.play ();
  else if (name == "pause")
    model.pause ();
  else if (name == "save")
    window.save_script_to (argument);
  else if (name == "screenshot")
    window.screenshot (argument);
  else if (name == "report")
    g_print ("%s", report ().c_str ());
  else if (name == "place")
    print_place (argument);
  else if (name == "quit")
    gtk_window_close (window.get ());
  else
    throw std::invalid_argument ("there is no such step; --do help lists them");
  return pause_ms;
}

std::string
Steps::report () const
{
  Model &model = window.model ();
  return "line: " + launch_line (model.words ()) + "\n"
         + printed ("frames: %" G_GUINT64_FORMAT "\nsplit: %.3f\n", model.split ().frames (), model.split ().position ())
         + "status: " + window.status () + "\nmessage: " + window.message () + "\nbuild: " + window.text ().log () + "\n";
}

/* Takes the step again after a while, until what it waits for is there, or has not come for a minute. */
guint
Steps::await (bool is_there, const std::string &step)
{
  constexpr guint look_ms = 50, patience_ms = 60000;
  waited += look_ms;
  if (!is_there && waited < patience_ms) {
    --done;
    return look_ms;
  }
  if (!is_there)
    g_print ("step %s: in vain\n%s", step.c_str (), report ().c_str ());
  waited = 0;
  return pause_ms;
}

guint
Steps::await_frames (guint64 n)
{
  const guint64 now = window.model ().split ().frames ();
  if (!waited)
    frames_before = now;
  return await (now >= frames_before + n, "frames");
}

/* On the screen, for what moves the pointer. */
void
Steps::print_place (const std::string &name)
{
  const std::optional<GdkRectangle> place = window.place_of (name);
  if (!place)
    throw std::invalid_argument ("there is no such widget");
  int x = 0, y = 0;
  gdk_window_get_origin (gtk_widget_get_window (GTK_WIDGET (window.get ())), &x, &y);
  g_print ("place: %s %d %d %d %d\n", name.c_str (), x + place->x, y + place->y, place->width, place->height);
}

}  // namespace studio
