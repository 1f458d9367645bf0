/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "play.hpp"

#include <algorithm>
#include <atomic>

namespace soak {

namespace {

constexpr int frames_of_a_round = 30;
constexpr GstClockTime patience = 120 * GST_SECOND, glance = 2 * GST_MSECOND;

/* What has passed a pad. A flush discards frames, so counting starts again after it. */
struct Flow {
  std::atomic<guint64> frames = 0;
  std::atomic<bool> ended = false;
};

class Player {
public:
  Player (Scene &scene_, Dice &dice_) : scene (scene_), dice (dice_) {}
  ~Player ();

  Round play (bool quiet);

private:
  using Handoff = void (*) (GstElement *sink, GstBuffer *buffer, GstPad *pad, Player *player);

  bool start ();
  GstElement *element (const std::string &name);
  void watch (const char *name, const char *pad_name, Flow &flow);
  void disturb ();
  void turn_a_knob ();
  void cycle (GstState state);
  void seek ();
  void renegotiate ();
  void choose_device ();
  struct Errors {
    std::string text;
    /* Whether the only error is the source's. */
    bool is_of_source = false;
  };
  /* The errors on the bus; waits up to this long for the first one. */
  Errors take_errors (GstClockTime wait);
  void stop (GstState state);
  bool wait_for_end ();
  void compare ();

  Scene &scene;
  Dice &dice;
  GstElement *pipeline = nullptr;
  Flow in, out;
  std::atomic<guint64> all = 0;
  GChecksum *checksum = nullptr;
  bool has_new_caps = false;
  Round round;
};

Player::~Player ()
{
  if (pipeline) {
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
  if (checksum)
    g_checksum_free (checksum);
}

GstElement *
Player::element (const std::string &name)
{
  GstElement *found = gst_bin_get_by_name (GST_BIN (pipeline), name.c_str ());
  gst_object_unref (found); /* the bin holds a reference */
  return found;
}

void
Player::watch (const char *name, const char *pad_name, Flow &flow)
{
  const auto look = [] (GstPad *, GstPadProbeInfo *info, gpointer data) {
    Flow &flow = *static_cast<Flow *> (data);
    if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
      flow.frames++;
    else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
      flow.ended = true;
    else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_STOP)
      flow.ended = flow.frames = 0;
    return GST_PAD_PROBE_OK;
  };
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element (name), pad_name);
  const int types =
      int (GST_PAD_PROBE_TYPE_BUFFER) | int (GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) | int (GST_PAD_PROBE_TYPE_EVENT_FLUSH);
  gst_pad_add_probe (pad, GstPadProbeType (types), look, &flow, nullptr);
}

bool
Player::start ()
{
  g_autoptr (GError) error = nullptr;
  pipeline = gst_parse_launch (scene.launch (frames_of_a_round).c_str (), &error);
  if (error) {
    round.problem = error->message;
    return false;
  }
  gst_object_ref_sink (pipeline);
  watch ("caps", "src", in);
  watch ("sink", "sink", out);
  const Handoff take = [] (GstElement *, GstBuffer *buffer, GstPad *, Player *self) {
    self->all++;
    GstMapInfo map;
    if (self->checksum && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
      g_checksum_update (self->checksum, map.data, gssize (map.size));
      gst_buffer_unmap (buffer, &map);
    }
  };
  g_signal_connect (element ("sink"), "handoff", G_CALLBACK (take), this);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return true;
}

void
Player::turn_a_knob ()
{
  const size_t i = size_t (dice.below (int (scene.filters.size ())));
  const Knob &knob = dice.pick (scene.filters[i].knobs);
  const double value = dice.between (knob.low, knob.high);
  if (!knob.property)
    return;
  g_autofree gchar *text = g_strdup_printf ("%d.%03d", int (value), int (std::abs (value) * 1000) % 1000);
  gst_util_set_object_arg (G_OBJECT (element ("f" + std::to_string (i))), knob.property,
      std::string (knob.property).starts_with ("roi") ? std::to_string (int (value)).c_str () : text);
}

Player::Errors
Player::take_errors (GstClockTime wait)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  Errors errors;
  int n = 0;
  while (GstMessage *message = gst_bus_timed_pop_filtered (bus, n++ ? 0 : wait, GST_MESSAGE_ERROR)) {
    g_autoptr (GError) error = nullptr;
    g_autofree gchar *debug = nullptr;
    gst_message_parse_error (message, &error, &debug);
    errors.text += (errors.text.empty () ? "" : "\n  ") + std::string (error->message) + " " + (debug ? debug : "");
    errors.is_of_source = n == 1 && GST_MESSAGE_SRC (message) == GST_OBJECT (element ("source"));
    gst_message_unref (message);
  }
  return errors;
}

/* GStreamer (1.22) treats an event as an error if its element's source pad is already flushing, and the source posts one while
 * the pipeline stops: even with videotestsrc, identity and fakesink alone, once in 16,000 stops on a busy machine. */
void
Player::stop (GstState state)
{
  round.problem += take_errors (0).text;
  gst_element_set_state (pipeline, state);
  gst_element_get_state (pipeline, nullptr, nullptr, patience);
  const Errors errors = take_errors (0);
  if (errors.is_of_source)
    round.late_events++;
  else
    round.problem += errors.text;
  for (Flow *flow : {&in, &out})
    flow->ended = flow->frames = 0;
}

void
Player::cycle (GstState state)
{
  if (state < GST_STATE_PAUSED)
    return stop (state);
  gst_element_set_state (pipeline, state);
  gst_element_get_state (pipeline, nullptr, nullptr, patience);
}

/* To a frame of the source: a nanosecond before it, the source would begin with the frame that ends there, which clframerate drops. */
void
Player::seek ()
{
  cycle (GST_STATE_PAUSED);
  gst_element_seek_simple (
      pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, gst_util_uint64_scale_ceil (dice.below (10), GST_SECOND, 30));
}

void
Player::renegotiate ()
{
  has_new_caps = !has_new_caps;
  gst_util_set_object_arg (G_OBJECT (element ("caps")), "caps", scene.caps[has_new_caps].c_str ());
}

void
Player::choose_device ()
{
  static const char *const names[] = {"", "cpu", "0:0"};
  cycle (GST_STATE_NULL);
  for (size_t i = 0; i < scene.filters.size (); i++)
    g_object_set (element ("f" + std::to_string (i)), "device", dice.pick (names), nullptr);
}

void
Player::disturb ()
{
  g_usleep (gulong (dice.below (20000)));
  static constexpr struct {
    const char *name;
    void (*happens) (Player &);
    bool stops = true;
  } events[] = {
      {"knob", [] (Player &self) { self.turn_a_knob (); }, false},
      {"pause", [] (Player &self) { self.cycle (GST_STATE_PAUSED); }},
      {"seek", [] (Player &self) { self.seek (); }},
      {"caps", [] (Player &self) { self.renegotiate (); }, false},
      {"ready", [] (Player &self) { self.cycle (GST_STATE_READY); }},
      {"null", [] (Player &self) { self.cycle (GST_STATE_NULL); }},
      {"device", [] (Player &self) { self.choose_device (); }},
  };
  const auto &event = events[std::max (dice.below (12) - 5, 0)]; /* half of them are knobs */
  round.events += std::string (" ") + event.name;
  event.happens (*this);
  if (event.stops)
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
}

/* Waits for EOS at the sink, not for its message: GstBin delays the message of an EOS in a paused pipeline, and posts it during
 * playback after a seek (GStreamer 1.22), when frames are still under way. */
bool
Player::wait_for_end ()
{
  std::string errors;
  for (GstClockTime waited = 0; !out.ended && errors.empty () && waited < patience; waited += glance)
    errors = take_errors (glance).text;
  if (out.ended && errors.empty ())
    return true;
  round.problem += errors.empty () ? "neither an end nor an error" : errors;
  return false;
}

void
Player::compare ()
{
  const std::string hash = g_checksum_get_string (checksum);
  if (scene.hash.empty ())
    scene.hash = hash;
  else if (hash != scene.hash)
    round.problem = "the picture is another one than before";
}

Round
Player::play (bool quiet)
{
  if (quiet)
    checksum = g_checksum_new (G_CHECKSUM_SHA1);
  if (!start ())
    return round;
  for (int n = quiet ? 0 : 1 + dice.below (8); n > 0; n--)
    disturb ();
  const bool ended = wait_for_end () && round.problem.empty ();
  round.in = in.frames;
  round.out = out.frames;
  round.frames = all;
  if (ended && round.in != round.out)
    round.problem = "frames are missing, or there are too many";
  if (ended && quiet)
    compare ();
  return round;
}

}  // namespace

Round
play (Scene &scene, Dice &dice, bool quiet)
{
  return Player (scene, dice).play (quiet);
}

}  // namespace soak
