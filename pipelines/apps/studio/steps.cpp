/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "steps.hpp"
#include "acts.hpp"

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
  if (name == "wait")
    return guint (1000 * std::stod (argument));
  if (name == "await")
    return await (report ().find (argument) != std::string::npos, "await=" + argument);
  if (name == "frames")
    return await_frames (number (argument));
  if (name == "place")
    return print_place (argument);
  if (name == "report")
    g_print ("%s", report ().c_str ());
  else
    act (window, name, argument);
  return pause_ms;
}

std::string
Steps::help ()
{
  return acts_help ()
         + "wait=SECONDS\nframes=NUMBER (to wait for)\nawait=TEXT (in the report)\nreport\nplace=WIDGET (prints where it is)\n";
}

std::string
Steps::report () const
{
  Model &model = window.model ();
  return "line: " + launch_line (model.words ()) + "\n"
         + printed ("frames: %" G_GUINT64_FORMAT "\nsplit: %.3f\n", model.split ().frames (), model.split ().position ())
         + "status: " + window.status () + "\nmessage: " + window.message () + "\nregion: " + window.screen ().region ().text ()
         + printed ("\nzoom: %.2f\nfull-screen: %d", window.screen ().zoom ().shown (), int (window.is_full_screen ()))
         + "\nbuild: " + window.text ().log () + "\n";
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

/* For what moves the pointer. */
guint
Steps::print_place (const std::string &name)
{
  const std::optional<GdkRectangle> place = place_of (name);
  /* what has just opened may still move */
  const GdkRectangle before = std::exchange (last_place, place.value_or (GdkRectangle{}));
  const bool stands = waited && place && place->width > 1 && gdk_rectangle_equal (&before, &*place);
  if (stands)
    g_print ("place: %s %d %d %d %d\n", name.c_str (), place->x, place->y, place->width, place->height);
  return await (stands, "place=" + name);
}

}  // namespace studio
