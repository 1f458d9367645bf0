/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps regions to the planes of a stage, and filters regions that need weights. */
#include "filter/copies.hpp"
#include "filter/stage.hpp"

#include <algorithm>

namespace gst::cl {

/* The regions on a plane, some of which may be empty. In a field, a region covers the pixels of the field's rows, extended to
 * whole samples of the field. */
std::vector<Rect>
Stage::rects_of (const PlaneTask &task, const Views &seen, const std::vector<Rect> &regions) const
{
  /* uses the rows to write; field_to_read () may add rows to read */
  PlaneView plane = task.src;
  plane.height = plane_height (*task.src.layout, GST_VIDEO_INFO_HEIGHT (&info));
  if (seen.n_fields == 2)
    plane.height = (plane.height + 1 - seen.field) / 2;
  std::vector<Rect> rects;
  for (const Rect &region : regions) {
    const Rect rows = seen.n_fields == 2 ? region_on_field (region, seen.field) : region;
    rects.push_back (rows.empty () ? Rect{} : region_on_plane (rows, plane));
  }
  return rects;
}

std::vector<Rect>
Stage::filled_rects_of (const PlaneTask &task, const Views &seen, const std::vector<Rect> &regions) const
{
  std::vector<Rect> rects = rects_of (task, seen, regions);
  std::erase_if (rects, [] (const Rect &rect) { return rect.empty (); });
  return rects;
}

/* rects: what is filtered of the first plane. */
void
Stage::prepare (const Views &seen, const std::vector<PlaneTask> &tasks, const StageFrame &how, std::vector<Rect> rects)
{
  if (rects.empty ())
    return;
  for (Rect &rect : rects)
    rect = in_pixels (rect, *tasks[0].src.layout, seen.frame[0]);
  as_filter ().prepare (runner, {.planes = std::span (seen.inputs).first (format.n_planes),
                                    .tasks = tasks,
                                    .main = tasks[0].main,
                                    .field = seen.field,
                                    .regions = rects,
                                    .components = how.settings.common ().planes,
                                    .border = tasks[0].border,
                                    .border_sample = tasks[0].border_sample});
}

/* Whether the regions of a plane, none of them empty, may be filtered at once though their results depend on them. */
bool
Stage::takes_at_once (std::span<const Rect> rects) const
{
  return abilities ().many_regions && layers_of (rects, true).size () <= 1;
}

bool
Stage::weighs (const PlaneTask &task, const Views &seen, const StageFrame &how) const
{
  if (how.regions.empty () || !how.regions.is_plain ())
    return !how.regions.empty ();
  return how.regions.rects.size () > 1 && !abilities ().sees_regions
         && is_cheaper_once (runner.cl ().device, rects_of (task, seen, how.regions.rects));
}

std::vector<WeighedPart>
Stage::parts_of (const PlaneTask &task, const Views &seen, const StageFrame &how) const
{
  std::vector<Rect> rects = rects_of (task, seen, how.regions.rects);
  for (int i = 0; i < int (rects.size ()); i++)
    if (!how.regions.inverted && (i < how.part.first || i >= how.part.end))
      rects[size_t (i)] = {};
  std::vector<Rect> filled = rects;
  std::erase_if (filled, [] (const Rect &rect) { return rect.empty (); });
  const Apart apart = !abilities ().sees_regions ? Apart::no : takes_at_once (filled) ? Apart::each : Apart::one_by_one;
  std::vector<WeighedPart> parts = gst::cl::parts_of (runner.cl ().device, how.regions, rects, apart);
  for (WeighedPart &part : parts) {
    part.first = std::max (part.first, how.part.first);
    part.end = std::min (part.end, how.part.end);
  }
  return parts;
}

/* Rectangles are filtered in the result, which then gets the input around the regions. Regions that are filtered one after the other, and may
 * overlap, are filtered beside it and mixed into it. */
void
Stage::filter_weighed (const Views &seen, const std::vector<PlaneTask> &tasks, const StageFrame &how)
{
  const bool split = seen.n_fields == 2;
  const int height = GST_VIDEO_INFO_HEIGHT (&info), rows = split ? (height + 1 - seen.field) / 2 : height;
  const RowsOfFrame of_frame = split ? RowsOfFrame{seen.field, seen.n_fields, height}
                                     : RowsOfFrame{how.regions.field, how.regions.n_fields, height * how.regions.n_fields};
  const Weighing weighing (runner, how.regions, GST_VIDEO_INFO_WIDTH (&info), rows, of_frame);
  std::vector<PlaneTask> filtering = tasks;
  std::vector<std::vector<WeighedPart>> parts;
  for (PlaneTask &task : filtering) {
    const std::vector<WeighedPart> &own = parts.emplace_back (parts_of (task, seen, how));
    const bool is_one = own.size () == 1 && own[0].first == 0 && own[0].end >= int (how.regions.shapes.size ());
    if (!is_one || !how.part.copies || task.dst.image)
      task.dst = runner.scratch_plane ({"weighed", task.plane}, task.dst);
  }
  std::vector<Rect> rects;
  for (const WeighedPart &part : parts[0])
    rects.insert (rects.end (), part.rects.begin (), part.rects.end ());
  prepare (seen, filtering, how, std::move (rects));
  for (size_t i = 0; i < tasks.size (); i++)
    weigh_plane (tasks[i], filtering[i].dst, parts[i], weighing, how);
}

void
Stage::weigh_plane (const PlaneTask &task, const PlaneView &filtered, std::span<const WeighedPart> parts,
    const Weighing &weighing, const StageFrame &how)
{
  const Rect whole{0, 0, task.src.width, task.src.height};
  if (!task.components || parts.empty ()) {
    if (how.part.copies)
      copy_samples (runner, task, whole);
    return;
  }
  BufferedTask buffered (runner, task);
  PlaneTask filtering = buffered.inside;
  const bool in_place = filtered.memory () == task.dst.memory () && filtered.offset == task.dst.offset;
  if (!in_place)
    filtering.dst = filtered;
  if (how.part.copies && !in_place)
    copy_samples (runner, buffered.inside, whole);
  for (const WeighedPart &part : parts) {
    for (const std::vector<Rect> &layer : layers_of (part.rects, abilities ().many_regions)) {
      filtering.region = around (layer);
      filtering.regions = layer;
      as_filter ().run (runner, filtering);
    }
    weighing.mix (buffered.inside, in_place ? nullptr : &filtered, part, how.settings.common ().mix);
  }
  buffered.copy_back (whole);
}

}  // namespace gst::cl
