/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds programs from sources and -D values, each once for a context, and caches them on disk. */
#pragma once

#include "core/device.hpp"

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>

namespace gst::cl {

/** Sources and options of a program. Equal specifications give the same program. */
struct ProgramSpec {
  /** Files in kernels/, in the order in which they are joined. */
  std::vector<std::string> sources;
  /** -D values, separated by spaces. */
  std::string options;
  /** A user's source text, which is appended to the sources, and its name in the compiler's log. Such a program is not stored
   *  on disk, and is built with the names of its kernels' arguments. */
  std::string text, name;

  auto operator<=> (const ProgramSpec &) const = default;
};

/** Builds of programs, for the `stats` of an element. */
struct BuildCounts {
  guint64 builds = 0;
  guint64 cache_hits = 0;
  double build_ms = 0;

  BuildCounts &operator+= (const BuildCounts &more)
  {
    builds += more.builds;
    cache_hits += more.cache_hits;
    build_ms += more.build_ms;
    return *this;
  }
};

/** How many different programs were requested, without programs from users' texts, which are never on disk. */
struct ProgramTally {
  /** Programs that were not on disk. */
  guint64 built = 0;
  guint64 from_disk = 0;

  guint64 all () const { return built + from_disk; }
};

/** A function that is called before a program is built in the background. */
using BeforeBackground = void (*) (const ProgramSpec &);

/** A built program. A reference keeps it in its context's cache. */
using ProgramRef = std::shared_ptr<const ::cl::Program>;

/** The programs of one context. Thread-safe. */
class GST_CL_API ProgramCache {
public:
  /** How many unused programs stay, for later streams and changes of settings. When a program is added, the least recently
   *  requested ones beyond this number are dropped. A compiled program takes up to three megabytes with PoCL. */
  static constexpr size_t most_idle = 96;

  ProgramCache (::cl::Context context, Device device, BeforeBackground before_background = nullptr);
  ~ProgramCache ();

  /** The program, from memory, from disk or built now. Adds to counts. Throws Failure (LIBRARY, INIT) with the compiler's
   *  log. */
  ProgramRef get (const ProgramSpec &spec, BuildCounts &counts);

  /** The program if it is built or on disk (reading it takes less than a frame's time). Otherwise starts a build in the
   *  background and returns null. Throws the Failure of a background build. */
  ProgramRef try_get (const ProgramSpec &spec, BuildCounts &counts);

  struct Built {
    ProgramRef program;
    bool from_disk;
    double ms;
  };
  using Build = std::shared_future<Built>;
  /** Starts a build in the background, unless the program is built or being built. get() waits for it. */
  Build prepare (const ProgramSpec &spec) { return find_or_build (spec, true, true); }

  /** Waits for the builds in the background. */
  void finish ();

  /** The number of programs that this cache has so far, without unfinished builds. */
  ProgramTally tally () const { return {built, from_disk}; }

private:
  struct Slot {
    Build built;
    /** Whether an element has counted the build. The first element that takes the program counts it. */
    bool counted = false;
    /** The value of `uses` at the last request. */
    guint64 used = 0;

    bool is_idle () const;
  };

  /** again: whether a program whose build failed is built again. The failure may be from an earlier stream. */
  Build find_or_build (const ProgramSpec &spec, bool background, bool again);
  ProgramRef take (const ProgramSpec &spec, const Build &built, BuildCounts &counts);
  /** Removes programs beyond most_idle. Called with the mutex held; the caller releases the result without it. */
  std::vector<Build> drop_idle ();
  Built build (const ProgramSpec &spec);
  Built build_or_read (const ProgramSpec &spec);
  std::string key_of (const ProgramSpec &spec, const std::string &source) const;
  void save (const std::string &key, const ::cl::Program &program) const;
  /** Whether the program is on disk and was not requested yet. */
  bool is_at_hand (const ProgramSpec &spec);
  ::cl::Program compile (const ProgramSpec &spec, const std::string &source) const;
  /** The same in less time on PoCL: replaces the declarations of all OpenCL functions by those that kernels use. */
  ::cl::Program compile_short (const ProgramSpec &spec, const std::string &source) const;
  ::cl::Program load_binary (const ProgramSpec &spec, const std::vector<unsigned char> &binary) const;

  ::cl::Context context;
  Device device;
  const BeforeBackground before_background;
  std::atomic<guint64> built = 0, from_disk = 0;
  /** The cache is being destroyed: builds that have not begun are skipped. */
  std::atomic<bool> ends = false;
  std::mutex mutex;
  std::map<ProgramSpec, Slot> slots;
  guint64 uses = 0;
  /** Background builds. */
  std::vector<std::future<void>> background;
};

}  // namespace gst::cl
