/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What clpixelate promises of regions that move, are lost, end and are cut away: no pixel inside passes as it came. GST_CL_TEST_FULL plays
 * 100,000 frames each way, on the device of GST_CL_DEVICE. */
#include "../elements/filtercase.hpp"

namespace test::hidden_suite {

static Tests tests ("hidden", Needs::DeviceOrGL);

constexpr int width = 64, height = 48, hold = 20;

struct Object {
  ref::Rectangle box;
  int id, speed_x, speed_y;
  unsigned age, length, lost;

  bool is_inside () const { return box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height; }
};

/* Objects that move evenly; a detector that loses them for some frames, and cuts. */
class Scene {
public:
  /* is_clear: whether objects end with their last frame wholly inside of the picture, which metas cannot reach beyond. */
  explicit Scene (bool is_clear_) : is_clear (is_clear_) {}

  /* Returns whether a cut comes before it. */
  bool step ()
  {
    std::erase_if (objects, [] (const Object &each) { return each.age >= each.length && each.lost == 0; });
    const bool cuts = random.between (0, 99) == 0;
    if (cuts)
      objects.clear ();
    for (Object &each : objects)
      move (each);
    if (is_clear)
      std::erase_if (objects, [] (const Object &each) { return !each.is_inside (); });
    while (objects.size () < 3)
      objects.push_back (born ());
    return cuts;
  }

  std::vector<Object> objects;
  guint64 held = 0;

private:
  Object born ()
  {
    const int w = random.between (1, 24), h = random.between (1, 24);
    return {{random.between (0, width - w), random.between (0, height - h), w, h}, next_id++, random.between (-4, 4),
        random.between (-4, 4), 0, unsigned (random.between (3, 60)), 0};
  }

  void move (Object &each)
  {
    each.box.x += each.speed_x;
    each.box.y += each.speed_y;
    each.age++;
    const bool loses = each.age >= 2 && each.lost < hold && random.between (0, 9) < (each.lost ? 9 : 1);
    each.lost = loses ? each.lost + 1 : 0;
    held += loses;
  }

  const bool is_clear;
  Random random{4500};
  int next_id = 1;
};

/* Samples that no block's mean equals. */
static ref::Picture
checkerboard ()
{
  ref::Picture picture = ref::make_picture (GST_VIDEO_FORMAT_NV12, width, height);
  for (ref::Component &each : picture.components)
    for (const auto [x, y] : each.places ())
      each.at (x, y) = (x + y) % 2 ? 255 : 0;
  return picture;
}

static bool
is_promised (const Object &object, int x, int y, bool ellipse)
{
  const ref::Rectangle &box = object.box;
  if (x < box.x || y < box.y || x >= box.x + box.width || y >= box.y + box.height)
    return false;
  const gint64 right = 2 * (x - box.x) + 1 - box.width, down = 2 * (y - box.y) + 1 - box.height;
  const gint64 w2 = box.width * box.width, h2 = box.height * box.height;
  return !ellipse || right * right * h2 + down * down * w2 <= w2 * h2;
}

struct Counts {
  guint64 promised = 0, visible = 0;
};

/* Of the pixels of the picture; each has a sample of every component. */
static void
count (Counts &counts, const ref::Picture &out, const std::vector<Object> &objects, bool ellipse)
{
  for (const ref::Places::Place at : ref::Places{width, height}) {
    if (std::ranges::none_of (objects, [&] (const Object &each) { return is_promised (each, at.x, at.y, ellipse); }))
      continue;
    counts.promised++;
    counts.visible += std::ranges::any_of (out.components, [&] (const ref::Component &each) {
      const int value = each.at (at.x / each.sub_x, at.y / each.sub_y);
      return value == 0 || value == 255;
    });
  }
}

/* 0: the application's list, of objects that leave the frame; 1: metas; 2: a list of ellipses. */
TEST (hidden, 3)
{
  const bool by_meta = __i__ == 1, ellipse = __i__ == 2;
  Case c = median_case (width, height, GST_VIDEO_FORMAT_NV12);
  Link link (format ("clpixelate size=8 roi-hold=%d roi-source=%s roi-shape=%s", hold, by_meta ? "meta" : "list",
                 ellipse ? "ellipse" : "rectangle"),
      in_caps_of (c), out_caps_of (c));
  const ref::Picture in = checkerboard ();
  Scene scene (by_meta);
  Counts counts;
  const unsigned n = takes_all () ? 100'000 : 500;
  for (unsigned frame = 0; frame < n; frame++) {
    const bool cuts = scene.step ();
    GstBuffer *buffer = make_buffer (c, in, Storage::Tight);
    std::string list;
    for (const Object &each : scene.objects) {
      const ref::Rectangle &r = each.box;
      if (each.lost)
        continue;
      if (by_meta)
        gst_buffer_add_video_region_of_interest_meta (
            buffer, "face", guint (r.x), guint (r.y), guint (r.width), guint (r.height))
            ->id = each.id;
      else
        list +=
            format ("%s[r,x=%d,y=%d,width=%d,height=%d,id=%d]", list.empty () ? "" : ",", r.x, r.y, r.width, r.height, each.id);
    }
    if (!by_meta)
      link.set ("clpixelate", "roi-list", "<" + (list.empty () ? " " : list) + ">");
    if (cuts)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    const Own result = link.filter (buffer);
    count (counts, picture_in (c, result), scene.objects, ellipse);
    test_check (counts.visible == 0, "frame %u: %" G_GUINT64_FORMAT " pixels are visible", frame, counts.visible);
  }
  g_print ("hidden: %u frames, %" G_GUINT64_FORMAT " promised pixels, %" G_GUINT64_FORMAT " held objects, %" G_GUINT64_FORMAT
           " pixels visible\n",
      n, counts.promised, scene.held, counts.visible);
  test_check (counts.promised > n * 50 && scene.held > n / 10, "the scene tests too little");
}

}  // namespace test::hidden_suite
