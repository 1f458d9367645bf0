/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.hpp"

#include <algorithm>
#include <set>

using namespace gst::cl;

namespace {

/* The gain that a shape must have, so that it is not measured by chance. */
constexpr double least_gain = 1.03;
/* A shape whose first trial is slower than the best one by this factor is dropped. */
constexpr double hopeless = 1.1;
/* How often a shape and the shipped one are measured in turn. */
constexpr int rounds = 5;

/* Frames whose bytes are compared; enough for filters that depend on earlier frames. */
constexpr guint frames_to_compare = 4;

/* Frames of a stream that is timed: many on a GPU, where a frame takes microseconds. */
guint
frames_for (const Device &device)
{
  return device.type & CL_DEVICE_TYPE_CPU ? 7 : 16;
}

double
seconds ()
{
  return double (g_get_monotonic_time ()) / G_USEC_PER_SEC;
}

/* The values of b, and those of a where b has none. */
Shape
joined (Shape a, const Shape &b)
{
  for (int Shape::*member : {&Shape::local_x, &Shape::local_y, &Shape::item_samples, &Shape::item_rows, &Shape::value})
    if (b.*member)
      a.*member = b.*member;
  return a;
}

class Search {
public:
  Search (Bench &bench_, const Options &options_, Progress &progress_)
      : bench (bench_), options (options_), least_us (options.check ? 0 : bench.least_us ()), progress (progress_)
  {
  }

  /* Searches with one element. Throws std::runtime_error if it does not even play as shipped. If a plan changes on the way,
   * other kernels are launched and searched. */
  void run (const Subject &subject)
  {
    while (search_once (subject))
      ;
  }

  std::vector<Finding> take_findings () { return std::move (all); }

private:
  /* The state of a kernel's search. */
  struct Kernel {
    const Subject &subject;
    const Met &met;
    /* the element's result with shipped shapes */
    const Outcome &reference;
    Finding finding;
    /* time of the shipped shape divided by the time of finding.shape */
    double gain = 1;
    double shipped_us = 0;
    double end = 0;
    int n_shapes = 0;
  };

  void tune (Kernel &kernel)
  {
    progress.show (kernel.subject.element, kernel.finding.key, 0, kernel.n_shapes);
    const double usual = bench.device ().type & CL_DEVICE_TYPE_CPU ? 20 : 2.5;
    kernel.end = seconds () + (options.budget > 0 ? options.budget : usual);
    kernel.shipped_us = measure (kernel, Shape ());
    if (kernel.shipped_us <= 0)
      return; /* a plan asks for a number of a kernel that it then does not launch */
    kernel.finding.at_limit = kernel.met.axes.values.empty () && kernel.shipped_us <= least_us;
    if (!kernel.finding.at_limit)
      for (const Shape &shape : kernel.met.axes.items ())
        consider (kernel, shape);
    const Shape items = kernel.finding.shape;
    if (!kernel.finding.at_limit)
      for (const Shape &shape : kernel.met.axes.groups ())
        consider (kernel, joined (items, shape));
    if (!interrupted)
      keep (kernel);
  }

  void check (Kernel &kernel)
  {
    /* all shapes of items, then all of groups; a program for each pair would take too long to build */
    const std::vector<Shape> items = kernel.met.axes.items (), groups = kernel.met.axes.groups ();
    std::vector<Shape> shapes (std::max (items.size (), groups.size ()));
    for (size_t i = 0; i < shapes.size (); i++)
      shapes[i] = joined (
          items.empty () ? Shape () : items[i % items.size ()], groups.empty () ? Shape () : groups[i % groups.size ()]);
    kernel.n_shapes = int (shapes.size ());
    for (const Shape &shape : shapes) {
      if (interrupted)
        return;
      progress.show (kernel.subject.element, kernel.finding.key, kernel.finding.tried++, kernel.n_shapes);
      is_right (kernel, shape);
    }
    all.push_back (kernel.finding);
  }

  /* Returns whether the element's plan has changed. */
  bool search_once (const Subject &subject)
  {
    const Outcome reference = bench.run (subject, frames_to_compare, true);
    ensure (reference.error.empty (), subject.element + ": " + reference.error);
    bool changed = false;
    for (const auto &[key, met] : reference.met) {
      if (interrupted || !done.insert (key).second)
        continue;
      Kernel kernel{subject, met, reference, {.key = key, .element = subject.element}};
      const auto known = bench.tuning ().entries ();
      if (const auto found = known.find (key); !options.check && found != known.end () && found->second.source == met.source) {
        all.push_back ({.key = key,
            .element = subject.element,
            .shape = found->second.shape,
            .shipped_us = found->second.shipped_us,
            .best_us = found->second.best_us,
            .known = true});
        continue;
      }
      kernel.n_shapes = int (met.axes.items ().size () + met.axes.groups ().size ());
      options.check ? check (kernel) : tune (kernel);
      changed = changed || (!options.dry_run && kernel.finding.shape.value);
    }
    return changed && !interrupted;
  }

  void consider (Kernel &kernel, const Shape &shape)
  {
    if (interrupted || seconds () > kernel.end)
      return;
    progress.show (kernel.subject.element, kernel.finding.key, kernel.finding.tried++, kernel.n_shapes);
    const double us = measure (kernel, shape);
    if (us <= 0 || us > kernel.shipped_us / kernel.gain * hopeless)
      return;
    const double gain = compare (kernel, shape);
    if (gain < kernel.gain * (kernel.finding.shape == Shape () ? least_gain : 1.01) || !is_right (kernel, shape))
      return;
    kernel.gain = gain;
    kernel.finding.shape = shape;
  }

  /* Whether the element gives the same result with the shape. */
  bool is_right (Kernel &kernel, const Shape &shape)
  {
    const Outcome outcome = bench.run (kernel.subject, frames_to_compare, true, kernel.finding.key, shape);
    if (outcome.same_as (kernel.reference))
      return true;
    refuse (kernel, shape, outcome.error.empty () ? "changes the picture" : outcome.error);
    return false;
  }

  void refuse (Kernel &kernel, const Shape &shape, const std::string &why)
  {
    kernel.finding.wrong++;
    progress.say (
        "wrong: " + kernel.finding.key + " with " + shape.describe () + ": " + why + " (" + kernel.subject.element + ")");
  }

  /* The kernel's time; negative if it was not launched. */
  double measure (Kernel &kernel, const Shape &shape)
  {
    const Outcome outcome = bench.run (kernel.subject, frames_for (bench.device ()), false, kernel.finding.key, shape);
    if (!outcome.error.empty ())
      refuse (kernel, shape, outcome.error);
    return outcome.error.empty () ? outcome.cost (kernel.finding.key) : -1;
  }

  /* How many times faster the shape is than the shipped one. Both are measured in turn, so that drift affects both. */
  double compare (Kernel &kernel, const Shape &shape)
  {
    std::vector<double> gains, shipped;
    for (int i = 0; i < rounds && !interrupted; i++) {
      const double before = measure (kernel, Shape ()), us = measure (kernel, shape);
      if (before <= 0 || us <= 0)
        return 0;
      gains.push_back (before / us);
      shipped.push_back (before);
      /* two rounds suffice to see that it is not faster */
      if (i == 1 && std::ranges::max (gains) < kernel.gain)
        return std::ranges::max (gains);
    }
    if (int (gains.size ()) < rounds)
      return 0;
    kernel.shipped_us = median (shipped);
    return median (gains);
  }

  /* Measures the winner once more, because the best of many is often only the luckiest. */
  void keep (Kernel &kernel)
  {
    Finding &finding = kernel.finding;
    if (finding.shape != Shape ()) {
      kernel.gain = 1;
      const double gain = compare (kernel, finding.shape);
      if (gain < least_gain)
        finding.shape = {};
      else
        kernel.gain = gain;
      if (interrupted)
        return;
    }
    finding.shipped_us = kernel.shipped_us;
    finding.best_us = kernel.shipped_us / (finding.shape == Shape () ? 1 : kernel.gain);
    const TuningEntry found{finding.shape, kernel.met.source, finding.shipped_us, finding.best_us};
    ensure (options.dry_run || bench.tuning ().store (finding.key, found), "cannot write " + bench.tuning ().file ());
    all.push_back (finding);
    progress.found (finding);
  }

  Bench &bench;
  const Options &options;
  /* see Bench::least_us() */
  const double least_us;
  Progress &progress;
  std::set<std::string> done;
  std::vector<Finding> all;
};

}  // namespace

bool
search_all (Bench &bench, const Options &options, Progress &progress, const std::vector<Subject> &subjects,
    std::vector<Finding> &findings)
{
  Search search (bench, options, progress);
  bool good = true;
  for (size_t i = 0; i < subjects.size () && !interrupted; i++) {
    progress.at (i, subjects.size ());
    try {
      search.run (subjects[i]);
    } catch (const std::runtime_error &error) {
      /* if an element does not take the format, the search continues with the others */
      progress.say (error.what ());
      good = false;
    }
  }
  findings = search.take_findings ();
  return good;
}
