/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/stage.hpp"

#include "filter/copies.hpp"
#include "filter/roi.hpp"

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
  operation->update (settings);
  known = settings;
}

int
Stage::count_fields (const StageFrame &how) const
{
  return how.interlaced && !abilities ().weaves ? 2 : 1;
}

/* Fills in everything about a plane except the region to write. */
std::vector<PlaneTask>
Stage::make_tasks (Views &seen, const InputPlanes &in, const Planes &out, const Settings &settings)
{
  const bool split = seen.n_fields == 2;
  const CommonSettings &common = settings.common ();
  for (int i = 0; i < format.n_planes; i++) {
    for (const Planes &planes : in.frames) {
      const ScratchName name{"field", i, int (seen.inputs[i].size ())};
      seen.inputs[i].push_back (
          split ? field_to_read (runner, planes[i], seen.field, GST_VIDEO_INFO_HEIGHT (&info), name) : planes[i]);
    }
    seen.frame[i] = seen.inputs[i][in.main];
  }
  std::vector<PlaneTask> tasks;
  for (int i = 0; i < format.n_planes; i++) {
    const PlaneView &whole = in.frames[in.main][i];
    if ((split ? field_of (whole, seen.field) : whole).height == 0)
      continue;
    PlaneTask task{.src = seen.frame[i],
        .dst = split ? field_of (out[i], seen.field) : out[i],
        .plane = i,
        .field = seen.field,
        .n_fields = seen.n_fields,
        .region = {},
        .components = common.planes & format.planes[i].component_bits (),
        .border = Border::replicate,
        .border_sample = 0,
        .frame = std::span (seen.frame).first (format.n_planes),
        .inputs = seen.inputs[i],
        .main = in.main};
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
Stage::observe (const InputPlanes &in, const StageFrame &how)
{
  const int n_fields = count_fields (how);
  for (int field = 0; field < n_fields; field++) {
    Views seen{.field = field, .n_fields = n_fields, .frame = {}, .inputs = {}};
    for (const PlaneTask &task : make_tasks (seen, in, {}, how.settings)) {
      std::optional<BufferedTask> buffered;
      PlaneTask inside = abilities ().images ? task : buffered.emplace (runner, task).inside;
      for (const Rect &rect : filled_rects_of (task, seen, how.regions.rects)) {
        inside.region = rect;
        as_filter ().observe (runner, inside);
      }
    }
  }
}

/* With one rectangle, its surroundings are copied. With several, the whole plane is copied, and the rectangles are filtered
 * over the copy. */
void
Stage::run_plane (const PlaneTask &task, const Settings &settings, const std::vector<Rect> &rects, const Fusion *fusion)
{
  const Rect whole{0, 0, task.src.width, task.src.height};
  if (rects.size () != 1 || !task.components) {
    copy_samples (runner, task, whole);
  } else {
    const Rect &r = rects.front ();
    copy_samples (runner, task, {0, 0, whole.width, r.y});
    copy_samples (runner, task, {0, r.y + r.height, whole.width, whole.height - r.y - r.height});
    copy_samples (runner, task, {0, r.y, r.x, r.height});
    copy_samples (runner, task, {r.x + r.width, r.y, whole.width - r.x - r.width, r.height});
  }
  if (!task.components || rects.empty ())
    return;
  /* mixing reads what the filter has written */
  std::optional<BufferedTask> buffered;
  const Abilities can = abilities ();
  const double mix = settings.common ().mix;
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

void
Stage::filter (const InputPlanes &in, const Planes &out, const StageFrame &how, const Fusion *fusion)
{
  const int n_fields = count_fields (how);
  for (int field = 0; field < n_fields; field++) {
    Views seen{.field = field, .n_fields = n_fields, .frame = {}, .inputs = {}};
    std::vector<PlaneTask> tasks = make_tasks (seen, in, out, how.settings);
    share_words (seen, tasks, how);
    if (!fusion && !tasks.empty () && weighs (tasks[0], seen, how)) {
      filter_weighed (seen, tasks, how);
      continue;
    }
    if (!fusion || fusion->prepares)
      prepare (seen, tasks, how, tasks.empty () ? std::vector<Rect>{} : filled_rects_of (tasks[0], seen, how.regions.rects));
    for (const PlaneTask &task : tasks)
      run_plane (task, how.settings, filled_rects_of (task, seen, how.regions.rects), fusion);
  }
}

}  // namespace gst::cl
