/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a filter launches, as data. */
#pragma once

#include "filter/kernelspec.hpp"

#include <algorithm>
#include <iterator>

namespace gst::cl {

/** A kernel to launch. */
struct GST_CL_API Launch {
  /** arguments: those that follow PLANE_ARGS. window: what the kernel reads around each sample. */
  Launch (KernelSpec kernel, Arguments arguments = {}, const Window &window = {});
  /** A kernel that runs once and takes no arguments but these. */
  static Launch range (KernelSpec kernel, const WorkSize &size, Arguments arguments);
  /** The same on other planes, or on another region, than those of the plan. */
  Launch on (const PlaneTask &task) const & { return Launch (*this).on (task); }
  Launch on (const PlaneTask &task) &&;
  /** The same with a work size that does not follow from the region. */
  Launch sized (const WorkSize &work) &&;

  KernelSpec kernel;
  Arguments arguments;
  Window window;
  bool takes_plane = true;
  /** See sized(). */
  std::optional<WorkSize> size = {};
  /** The planes and the region if they are not those of the plan; shared, so that launches stay small. */
  std::shared_ptr<const PlaneTask> task = {};
  /** The samples to write if they are not those of the region. */
  std::optional<Patch> patch = {};
  /** What the driver may do instead of the kernel, where the planes allow it: copy, or fill with neutral chroma. */
  enum class Command { none, copy, fill } command = Command::none;
};

/** Kernels that run one after the other. Its constructors move, where an initializer list would copy. */
struct Launches : std::vector<Launch> {
  Launches () = default;
  Launches (Launch one) { push_back (std::move (one)); }
  template <std::same_as<Launch>... More> Launches (Launch one, Launch two, More... more)
  {
    reserve (2 + sizeof...(more));
    push_back (std::move (one));
    push_back (std::move (two));
    (push_back (std::move (more)), ...);
  }
  Launches &operator+= (Launches more)
  {
    insert (end (), std::make_move_iterator (more.begin ()), std::make_move_iterator (more.end ()));
    return *this;
  }
};

/** One way to filter a plane. */
struct Algorithm {
  /** The name that `stats` shows; "" leaves the one before. */
  const char *name = "";
  Launches launches = {};
};

/** The ways to filter a plane, best first. The last one is used while programs of the others are built. All results satisfy the
 *  element's formula. */
struct Plan : std::vector<Algorithm> {
  Plan () = default;
  Plan (Algorithm only) { push_back (std::move (only)); }
  Plan (const char *name, Launches launches) : Plan (Algorithm{name, std::move (launches)}) {}
};

/** A way to filter what `of` describes. */
template <typename... Of> struct Form {
  const char *name;
  /** Null: it applies to everything. */
  bool (*applies) (const Of &...of);
  Launches (*launches) (const Of &...of);
};

/** The first form that applies. */
template <typename... Of, size_t n>
Algorithm
algorithm_of (const Form<Of...> (&forms)[n], const Of &...of)
{
  const auto &form = *std::ranges::find_if (forms, [&] (const auto &each) { return !each.applies || each.applies (of...); });
  return {form.name, form.launches (of...)};
}

/** Caches plans, or data for plans, by what they depend on. Call clear() when a property changes. */
template <typename Key, typename Value = Plan> class PlanCache {
public:
  template <typename Make> const Value &get (const Key &key, Make make)
  {
    const auto known = plans.find (key);
    if (known != plans.end ())
      return known->second;
    /* moving regions come in many sizes */
    constexpr size_t most = 64;
    if (plans.size () == most)
      plans.clear ();
    return plans.emplace (key, make ()).first->second;
  }
  void clear () { plans.clear (); }

private:
  std::map<Key, Value> plans;
};

}  // namespace gst::cl
