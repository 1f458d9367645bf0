/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/stage.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

Stage::Stage (const ContextRef &context, const GstVideoInfo &info_, const Format &seen, Backend backend, const StagePlan &plan)
    : description (*plan.description), scales (std::ranges::any_of (description.properties, &Property::scales)),
      reporter (*plan.reporter), runner (context, seen, backend),
      operation (plan.create ? plan.create () : description.operation.create ()), info (info_), format (runner.format ()),
      components (format.component_bits ())
{
}

bool
Stage::is_neutral (const Settings &settings, const Regions &regions)
{
  if (!known_neutral || known_neutral->first != settings.own)
    known_neutral.emplace (settings.own, description.neutral && description.neutral (settings.own));
  const CommonSettings &common = settings.common ();
  return common.mix == 0 || !(common.planes & components) || known_neutral->second || regions.empty ();
}

void
Stage::update (const Settings &settings)
{
  if (known && known->own == settings.own && known->pads == settings.pads)
    return;
  known.reset (); /* an operation that fails has parts of both settings */
  operation->update (settings);
  known = settings;
}

int
Stage::count_fields (const ChainFrame &frame) const
{
  return frame.interlaced && !abilities ().weaves ? 2 : 1;
}

/* Fills in everything about a plane except the region to write. */
std::vector<PlaneTask>
Stage::make_tasks (Views &seen, const ChainFrame &frame, const Planes &out, const Settings &settings)
{
  const bool split = seen.n_fields == 2;
  const CommonSettings &common = settings.common ();
  const unsigned filtered = common.planes | unsigned (description.moves_alpha) << alpha;
  for (int i = 0; i < format.n_planes; i++) {
    for (const Planes &planes : frame.planes) {
      const ScratchName name{"field", i, int (seen.inputs[i].size ())};
      seen.inputs[i].push_back (
          split ? field_to_read (runner, planes[i], seen.field, GST_VIDEO_INFO_HEIGHT (&info), name) : planes[i]);
    }
    seen.frame[i] = seen.inputs[i][frame.main];
  }
  std::vector<PlaneTask> tasks;
  for (int i = 0; i < format.n_planes; i++) {
    const PlaneView &whole = frame.planes[frame.main][i];
    if ((split ? field_of (whole, seen.field) : whole).height == 0)
      continue;
    PlaneTask task{.src = seen.frame[i],
        .dst = split ? field_of (out[i], seen.field) : out[i],
        .plane = i,
        .field = seen.field,
        .n_fields = seen.n_fields,
        .components = filtered & format.planes[i].component_bits (),
        .border = Border::replicate,
        .border_sample = 0,
        .frame = std::span (seen.frame).first (format.n_planes),
        .inputs = seen.inputs[i],
        .main = frame.main};
    if (description.windowed) {
      task.border = common.border;
      /* black has neutral chroma */
      const bool neutral = format.is_chroma (i) && !common.border_value;
      task.luma_border_sample = int (std::nearbyint (common.border_value.value_or (0) * format.max_value ()));
      task.border_sample = neutral ? format.neutral_chroma () : task.luma_border_sample;
    }
    tasks.push_back (task);
  }
  return tasks;
}

/* Planes in shared words: a kernel for one plane writes the other plane's part of each word as well. If the planes are not
 * written together, the second kernel therefore reads the first one's result. */
void
Stage::share_words (Views &seen, std::vector<PlaneTask> &tasks, const StageFrame &how)
{
  if (tasks.size () != 2 || tasks[0].src.layout->part < 0)
    return;
  const Abilities can = abilities ();
  const CommonSettings &common = how.settings.common ();
  for (const int plane : {1, 0})
    if (!(common.planes & format.planes[plane].component_bits ()) || (plane == 1 && can.second_plane == WordPart::kept)) {
      tasks.erase (tasks.begin () + plane);
      return;
    }
  PlaneTask &first = tasks[0];
  const std::vector<Rect> &rects = how.regions.rects;
  const bool whole = how.regions.is_plain () && rects.size () == 1 && rects[0].width == first.src.width
                     && rects[0].height == GST_VIDEO_INFO_HEIGHT (&info) && common.mix == 1 && !(components & ~common.planes);
  const bool neutral = can.second_plane == WordPart::neutral;
  if (whole && (neutral || (can.whole_words && !first.src.image && !first.dst.image))) {
    first.beside = neutral ? WordPart::neutral : WordPart::filtered;
    first.beside_border_sample = tasks[1].border_sample;
    tasks.pop_back ();
    return;
  }
  PlaneView &second = seen.inputs[1][tasks[1].main];
  first.dst = runner.scratch_plane ("words", first.dst);
  second.memory = first.dst.memory;
  second.offset = first.dst.offset;
  second.stride = first.dst.stride;
  tasks[1].src = second;
}

void
Stage::observe (const ChainFrame &frame, const StageFrame &how)
{
  const int n_fields = count_fields (frame);
  for (int field = 0; field < n_fields; field++) {
    Views seen{.field = field, .n_fields = n_fields};
    for (const PlaneTask &task : make_tasks (seen, frame, {}, how.settings)) {
      std::optional<BufferedTask> buffered;
      PlaneTask inside = abilities ().images ? task : buffered.emplace (runner, task).inside;
      for (const Rect &rect :
          abilities ().measures ? measured_rects_of (task, how.regions) : filled_rects_of (task, how.regions.rects)) {
        inside.region = rect;
        as_filter ().observe (runner, inside);
      }
    }
  }
}

/* With one rectangle, its surroundings are copied. With several, the whole plane is copied, and the rectangles are filtered
 * over the copy. */
void
Stage::copy_around (const PlaneTask &task, const std::vector<Rect> &rects)
{
  const Rect whole{0, 0, task.src.width, task.src.height};
  if (rects.size () != 1 || !task.components)
    return copy_samples (runner, task, whole);
  const Rect &r = rects.front ();
  copy_samples (runner, task, {0, 0, whole.width, r.y});
  copy_samples (runner, task, {0, r.y + r.height, whole.width, whole.height - r.y - r.height});
  copy_samples (runner, task, {0, r.y, r.x, r.height});
  copy_samples (runner, task, {r.x + r.width, r.y, whole.width - r.x - r.width, r.height});
}

void
Stage::filter (const ChainFrame &frame, const Planes &out, const StageFrame &how, const Fusion *fusion)
{
  const int n_fields = count_fields (frame);
  for (int field = 0; field < n_fields; field++) {
    Views seen{.field = field, .n_fields = n_fields};
    std::vector<PlaneTask> tasks = make_tasks (seen, frame, out, how.settings);
    share_words (seen, tasks, how);
    if (!fusion && !tasks.empty () && weighs (tasks[0], how)) {
      filter_weighed (seen, tasks, how);
      continue;
    }
    if (!fusion || fusion->prepares)
      prepare (seen, tasks, how, tasks.empty () ? std::vector<Rect>{} : filled_rects_of (tasks[0], how.regions.rects));
    const double mix = how.settings.common ().mix;
    for (const PlaneTask &task : tasks) {
      const std::vector<Rect> rects = filled_rects_of (task, how.regions.rects);
      copy_around (task, rects);
      if (!task.components || rects.empty ())
        continue;
      /* mixing reads the filter's result */
      std::optional<BufferedTask> buffered;
      const Abilities can = abilities ();
      const bool takes_images = (fusion ? fusion->takes_images : can.images) && mix == 1;
      PlaneTask inside = takes_images ? task : buffered.emplace (runner, task).inside;
      for (const std::vector<Rect> &layer : layers_of (rects, !fusion && can.many_regions)) {
        inside.region = around (layer);
        inside.regions = layer;
        if (fusion)
          fusion->run (inside);
        else
          as_filter ().run (runner, inside);
        for (const Rect &rect : layer) {
          inside.region = rect;
          if (mix < 1)
            mix_samples (runner, inside, mix);
          if (buffered)
            buffered->copy_back (rect);
        }
      }
    }
  }
}

/* The regions on a plane, some of which may be empty. In a field, a region covers the pixels of the field's rows, extended to
 * whole samples of the field. */
std::vector<Rect>
Stage::rects_of (const PlaneTask &task, const std::vector<Rect> &regions) const
{
  /* uses the rows to write; field_to_read () may add rows to read */
  PlaneView plane = task.src;
  plane.height = plane_height (*task.src.layout, GST_VIDEO_INFO_HEIGHT (&info));
  if (task.n_fields == 2)
    plane.height = (plane.height + 1 - task.field) / 2;
  std::vector<Rect> rects;
  for (const Rect &region : regions) {
    const Rect rows = task.n_fields == 2 ? region_on_field (region, task.field) : region;
    rects.push_back (rows.empty () ? Rect{} : region_on_plane (rows, plane));
  }
  return rects;
}

std::vector<Rect>
Stage::filled_rects_of (const PlaneTask &task, const std::vector<Rect> &regions) const
{
  std::vector<Rect> rects = rects_of (task, regions);
  std::erase_if (rects, [] (const Rect &rect) { return rect.empty (); });
  return rects;
}

/* Takes a hole out of rectangles. */
static void
cut (std::vector<Rect> &rects, const Rect &hole)
{
  std::vector<Rect> left;
  for (const Rect &r : rects) {
    const int right = r.x + r.width, bottom = r.y + r.height;
    const int x = std::clamp (hole.x, r.x, right), end_x = std::clamp (hole.x + hole.width, r.x, right);
    const int y = std::clamp (hole.y, r.y, bottom), end_y = std::clamp (hole.y + hole.height, r.y, bottom);
    if (x == end_x || y == end_y)
      left.push_back (r);
    else
      for (const Rect &part : {Rect{r.x, r.y, r.width, y - r.y}, Rect{r.x, y, x - r.x, end_y - y},
               Rect{end_x, y, right - end_x, end_y - y}, Rect{r.x, end_y, r.width, bottom - end_y}})
        if (!part.empty ())
          left.push_back (part);
  }
  rects = std::move (left);
}

std::vector<Rect>
Stage::measured_rects_of (const PlaneTask &task, const Regions &regions) const
{
  std::vector<Rect> measured, found = filled_rects_of (task, regions.rects);
  if (regions.inverted)
    for (const Rect &hole : filled_rects_of (task, regions.shapes))
      cut (found, hole);
  for (const Rect &each : found) {
    std::vector<Rect> rest{each};
    for (const Rect &earlier : measured)
      cut (rest, earlier);
    measured.insert (measured.end (), rest.begin (), rest.end ());
  }
  return measured;
}

/* rects: the filtered parts of the first plane. */
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

bool
Stage::weighs (const PlaneTask &task, const StageFrame &how) const
{
  if (how.regions.empty () || !how.regions.is_plain ())
    return !how.regions.empty ();
  return how.regions.rects.size () > 1 && !abilities ().sees_regions
         && is_cheaper_once (runner.cl ().device, rects_of (task, how.regions.rects));
}

std::vector<WeighedPart>
Stage::parts_of (const PlaneTask &task, const StageFrame &how) const
{
  std::vector<Rect> rects = rects_of (task, how.regions.rects);
  for (int i = 0; i < int (rects.size ()); i++)
    if (!how.regions.inverted && (i < how.part.first || i >= how.part.end))
      rects[size_t (i)] = {};
  std::vector<Rect> filled = rects;
  std::erase_if (filled, [] (const Rect &rect) { return rect.empty (); });
  /* whether the regions may be filtered at once though their results depend on them */
  const bool at_once = abilities ().many_regions && layers_of (filled, true).size () <= 1;
  const Apart apart = !abilities ().sees_regions ? Apart::no : at_once ? Apart::each : Apart::one_by_one;
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
    const std::vector<WeighedPart> &own = parts.emplace_back (parts_of (task, how));
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
