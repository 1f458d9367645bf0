/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Undo and redo: the filters before each change. */
#pragma once

#include "model.hpp"

namespace studio {

class History {
public:
  explicit History (Model &model) : model (model)
  {
    model.before_change = [this] (const void *what, const std::string &of_it) { note (what, of_it); };
  }
  ~History () { model.before_change = nullptr; }
  History (const History &) = delete;
  History &operator= (const History &) = delete;

  void undo () { step (past, future); }
  void redo () { step (future, past); }
  /* Makes all changes so far permanent. */
  void forget ()
  {
    past.clear ();
    future.clear ();
    subject = nullptr;
    on_change (false);
  }
  bool can_undo () const { return !past.empty (); }
  bool can_redo () const { return !future.empty (); }

  /* Called when undo or redo becomes possible or impossible; with true if the filters themselves have changed. */
  Hook<bool> on_change;

private:
  static constexpr gint64 one_change = G_USEC_PER_SEC;
  static constexpr size_t longest = 200;

  void note (const void *what, const std::string &of_it)
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
  void step (std::vector<Snapshot> &from, std::vector<Snapshot> &to)
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

  Model &model;
  std::vector<Snapshot> past, future;
  /* the object of the last change: an immediately following change of the same object joins it, as when a slider moves */
  const void *subject = nullptr;
  std::string name;
  gint64 changed_at = 0;
  bool restoring = false;
};

}  // namespace studio
