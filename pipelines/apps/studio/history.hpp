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
  void note (const void *subject, const std::string &name);
  void step (std::vector<Snapshot> &from, std::vector<Snapshot> &to);

  Model &model;
  std::vector<Snapshot> past, future;
  /* the object of the last change: an immediately following change of the same object joins it, as when a slider moves */
  const void *subject = nullptr;
  std::string name;
  gint64 changed_at = 0;
  bool restoring = false;
};

}  // namespace studio
