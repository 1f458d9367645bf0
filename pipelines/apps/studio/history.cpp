/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "history.hpp"
#include "catalog.hpp"

namespace studio {

namespace {

constexpr gint64 one_change = G_USEC_PER_SEC;
constexpr size_t longest = 200;

}  // namespace

Snapshot
Model::snapshot () const
{
  Snapshot now{.format = wanted_format};
  for (const Filter &filter : row)
    now.filters.push_back ({filter, settings_of (filter.element.get ())});
  return now;
}

void
Model::restore (const Snapshot &then)
{
  row.clear ();
  for (const Snapshot::Setup &setup : then.filters) {
    for (const auto &[name, text] : setup.settings)
      if (const auto [object, spec] = find_property (setup.filter.element.get (), name);
          spec && value_text (object.get (), spec) != text)
        set_text (object.get (), spec, text);
    row.push_back (setup.filter);
  }
  if (then.format != wanted_format)
    set_format (then.format);
  apply ();
}

void
History::note (const void *what, const std::string &of_it)
{
  if (restoring)
    return;
  const gint64 now = g_get_monotonic_time ();
  const bool goes_on = what && what == subject && of_it == name && now - changed_at < one_change;
  subject = what;
  name = of_it;
  changed_at = now;
  if (goes_on)
    return;
  Snapshot before = model.snapshot ();
  if (past.empty () || past.back () != before)
    past.push_back (std::move (before));
  if (past.size () > longest)
    past.erase (past.begin ());
  future.clear ();
  on_change (false);
}

/* Skips changes that had no effect. */
void
History::step (std::vector<Snapshot> &from, std::vector<Snapshot> &to)
{
  Snapshot now = model.snapshot ();
  while (!from.empty () && from.back () == now)
    from.pop_back ();
  subject = nullptr;
  if (!from.empty ()) {
    const Snapshot then = std::move (from.back ());
    from.pop_back ();
    to.push_back (std::move (now));
    restoring = true;
    model.restore (then);
    restoring = false;
  }
  on_change (true);
}

}  // namespace studio
