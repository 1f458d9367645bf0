/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-histogram: shows the histograms of a video, live in a terminal. clhistogram counts on the device and posts messages; the
 * application reads them from the bus and draws bars. There are as many bins as the terminal has columns; the property follows
 * when the terminal is resized. */
#include "../demo/pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <sys/ioctl.h>
#include <unistd.h>

namespace {

struct Options : ShowOptions {
  bool luma = false;
};

struct Curve {
  std::string name;
  /* An ANSI colour; 31 is red. */
  int color;
  std::vector<uint64_t> counts;
  unsigned min, max, median;
  double mean, stddev;
};

struct TerminalSize {
  int columns, rows;
};

constexpr int steps_per_row = 8;

/* One number per column: the greatest of its bins. */
std::vector<uint64_t>
columns_of (const std::vector<uint64_t> &counts, int width)
{
  std::vector<uint64_t> columns (width);
  for (int x = 0; x < width; x++) {
    const size_t begin = x * counts.size () / width;
    const size_t end = std::max (begin + 1, (x + 1) * counts.size () / width);
    columns[x] = *std::max_element (counts.begin () + begin, counts.begin () + end);
  }
  return columns;
}

/* The current size of the terminal on standard output; 80 x 24 if it is not a terminal. */
TerminalSize
terminal_size ()
{
  winsize size{};
  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
    return {size.ws_col, size.ws_row};
  return {80, 24};
}

/* Draws a curve under a line of numbers. The bars' heights are square roots of counts, relative to the highest bar. */
void
draw_curve (std::vector<std::string> &lines, const Curve &curve, int width, int rows, bool colored)
{
  const std::string begin = colored ? "\033[" + std::to_string (curve.color) + "m" : "", end = colored ? "\033[0m" : "";
  const std::vector<uint64_t> columns = columns_of (curve.counts, width);
  const double peak = double (std::max<uint64_t> (*std::ranges::max_element (columns), 1));
  std::vector<int> heights;
  for (const uint64_t count : columns) {
    const double height = std::sqrt (double (count) / peak) * rows * steps_per_row;
    heights.push_back (count ? std::max (1, int (std::lround (height))) : 0);
  }
  const std::string title = printed ("%s  %u..%u  mean %.1f  deviation %.1f  median %u", curve.name.c_str (), curve.min,
      curve.max, curve.mean, curve.stddev, curve.median);
  lines.push_back (begin + title.substr (0, width) + end);
  /* bars that fill this many eighths of a cell */
  static constexpr const char *blocks[] = {" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
  for (int row = rows - 1; row >= 0; row--) {
    std::string bars;
    for (const int height : heights)
      bars += blocks[std::clamp (height - row * steps_per_row, 0, steps_per_row)];
    lines.push_back (begin + bars + end);
  }
}

/* Draws on standard output: in place on a terminal, appended elsewhere. */
class Screen {
public:
  Screen () : terminal (isatty (STDOUT_FILENO))
  {
    if (terminal)
      std::fputs ("\033[?25l\033[2J", stdout); /* hides the cursor and clears the screen */
  }

  /* Restores the terminal, below the last picture. */
  ~Screen ()
  {
    if (terminal)
      std::fputs ("\033[0m\033[?25h\n", stdout);
    std::fflush (stdout);
  }

  Screen (const Screen &) = delete;
  Screen &operator= (const Screen &) = delete;

  void show (const std::vector<Curve> &curves)
  {
    std::string text = terminal ? "\033[H" : "";
    const auto [columns, rows] = terminal_size ();
    std::vector<std::string> lines;
    for (const Curve &curve : curves)
      if (!curve.counts.empty ())
        draw_curve (lines, curve, std::max (columns, 1), std::max (1, (rows - 1) / int (curves.size ()) - 1), terminal);
    for (size_t i = 0; i < lines.size (); i++)
      /* clears the rest of each line, and everything below the last one */
      text += lines[i] + (terminal ? i + 1 < lines.size () ? "\033[K\r\n" : "\033[K\033[J" : "\n");
    if (!terminal)
      text += "\n";
    std::fputs (text.c_str (), stdout);
    std::fflush (stdout);
  }

private:
  const bool terminal;
};

/* Reads one component of a message; returns nothing if the message lacks it. */
std::optional<Curve>
read_curve (const GstStructure *content, int component, const char *name, int color)
{
  const auto field = [component] (const char *what) { return std::string (what) + "-" + std::to_string (component); };
  const GValue *counts = gst_structure_get_value (content, field ("counts").c_str ());
  if (!counts)
    return std::nullopt;
  Curve curve{name, color, {}, 0, 0, 0, 0, 0};
  for (guint bin = 0; bin < gst_value_array_get_size (counts); bin++)
    curve.counts.push_back (g_value_get_uint64 (gst_value_array_get_value (counts, bin)));
  gst_structure_get_uint (content, field ("min").c_str (), &curve.min);
  gst_structure_get_uint (content, field ("max").c_str (), &curve.max);
  gst_structure_get_uint (content, field ("median").c_str (), &curve.median);
  gst_structure_get_double (content, field ("mean").c_str (), &curve.mean);
  gst_structure_get_double (content, field ("stddev").c_str (), &curve.stddev);
  return curve;
}

std::vector<Curve>
read_curves (const GstStructure *content, bool luma)
{
  using Component = std::pair<const char *, int>;
  const std::vector<Component> components =
      luma ? std::vector<Component>{{"luma", 37}} : std::vector<Component>{{"red", 31}, {"green", 32}, {"blue", 34}};
  std::vector<Curve> curves;
  for (size_t i = 0; i < components.size (); i++)
    if (auto curve = read_curve (content, int (i), components[i].first, components[i].second))
      curves.push_back (*curve);
  return curves;
}

constexpr auto heeded = GstMessageType (GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
/* Terminals are slower than videos. */
constexpr GstClockTime least_gap = 40 * GST_MSECOND;
volatile std::sig_atomic_t interrupted = 0;

void
play (const Options &options)
{
  Pipeline pipeline (source_launch (options.file, options.frames)
                         + " ! videoconvert ! video/x-raw,format=" + (options.luma ? "GRAY8" : "RGBx")
                         + " ! clhistogram name=histogram ! " + (options.sink.empty () ? "fakesink sync=true" : options.sink),
      options.file);
  /* one bin for each column */
  auto fit_bins = [&pipeline, last = 0] () mutable {
    if (const int bins = std::clamp (terminal_size ().columns, 2, 256); std::exchange (last, bins) != bins)
      g_object_set (pipeline.element ("histogram").get (), "bins", bins, nullptr);
  };
  fit_bins ();
  for (const int signal : {SIGINT, SIGTERM})
    std::signal (signal, [] (int) { interrupted = 1; });
  pipeline.play ();
  Screen screen;
  const Ref<GstBus> bus = bus_of (pipeline.get ());
  std::vector<Curve> waiting;
  GstClockTime shown_at = 0;
  for (bool ended = false; !ended && !interrupted; fit_bins ()) {
    const Message message (gst_bus_timed_pop_filtered (bus.get (), least_gap, heeded));
    const GstMessageType type = message ? GST_MESSAGE_TYPE (message.get ()) : GST_MESSAGE_UNKNOWN;
    ended = type == GST_MESSAGE_EOS;
    if (message)
      pipeline.check (message.get ());
    if (type == GST_MESSAGE_ELEMENT && gst_message_has_name (message.get (), "clhistogram"))
      waiting = read_curves (gst_message_get_structure (message.get ()), options.luma);
    if (const GstClockTime now = gst_util_get_timestamp (); !waiting.empty () && (ended || now - shown_at >= least_gap)) {
      screen.show (std::exchange (waiting, {}));
      shown_at = now;
    }
  }
}

}  // namespace

int
main (int argc, char **argv)
{
  Options options;
  return run_show ("cl-histogram",
      "Draws the histograms of a video in the terminal; Ctrl+C ends. Without FILE it uses a test picture.", "none", options,
      {{"luma", 0, &options.luma, "One curve, for the brightness"}}, argc, argv, [&options] { play (options); });
}
