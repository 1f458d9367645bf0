/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs: sources and -D values in, a built program out, each built once per context and kept on disk. */
#pragma once

#include "core/device.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>

namespace gst::cl {

/** What a program is made of; equal specifications give the same program. */
struct ProgramSpec {
  /** Files below kernels/, in the order in which they are joined. */
  std::vector<std::string> sources;
  /** -D values, separated by spaces. */
  std::string options;
  /** Source text of the user's own, behind the sources, and what the compiler is to call it. Such a program is not kept on
   *  disk, and tells of its kernels' arguments. */
  std::string text, name;

  auto operator<=> (const ProgramSpec &) const = default;
};

/** Counts for the `stats` of an element. */
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

/** Programs that were asked for, each once; those of users' own texts are left out, since they are never on disk. */
struct ProgramTally {
  /** Not on disk before. */
  guint64 built = 0;
  guint64 from_disk = 0;

  guint64 all () const { return built + from_disk; }
};

/** Called before a program is built in the background. */
using BeforeBackground = void (*) (const ProgramSpec &);

/** A built program. Who holds one keeps it in its context's cache. */
using ProgramRef = std::shared_ptr<const ::cl::Program>;

/** The programs of one context. Thread-safe. */
class GST_CL_API ProgramCache {
public:
  /** How many programs stay that nobody holds: those of the next state cycle, file of a playlist, or change back. With each
   *  new program those go that were not asked for the longest. PoCL keeps up to three megabytes of one that it compiled. */
  static constexpr size_t most_idle = 96;

  ProgramCache (::cl::Context context, Device device, BeforeBackground before_background = nullptr);
  ~ProgramCache ();

  /** The program, from memory, from disk or built now; counts what happened. Throws Failure (LIBRARY, INIT) with the
   *  compiler's log. */
  ProgramRef get (const ProgramSpec &spec, BuildCounts &counts);

  /** The program where it is built already or lies on disk, which is read in less than a frame's time; else null, and
   *  a build is on its way in the background. A program that failed to build in the background is thrown here. */
  ProgramRef try_get (const ProgramSpec &spec, BuildCounts &counts);

  /** Starts a build in the background, where there is none yet; get() waits for it. */
  void prepare (const ProgramSpec &spec) { find_or_build (spec, true, true); }

  /** Waits for what is being built. */
  void finish ();

  /** What has come into this cache so far, without what is being built. */
  ProgramTally tally () const { return {built, from_disk}; }

private:
  struct Built {
    ProgramRef program;
    bool from_disk;
    double ms;
  };
  struct Slot {
    std::shared_future<Built> built;
    /** Whether an element has counted the build: the first one that takes the program does. */
    bool counted = false;
    /** When it was asked for, as a number of the cache's own. */
    guint64 used = 0;

    bool is_idle () const;
  };

  /** again: what failed to build before is built once more. A failure that nobody took may be of another stream's time. */
  std::shared_future<Built> find_or_build (const ProgramSpec &spec, bool background, bool again);
  ProgramRef take (const ProgramSpec &spec, const std::shared_future<Built> &built, BuildCounts &counts);
  /** What is to go now, to be released without the mutex, which is held here. */
  std::vector<std::shared_future<Built>> drop_idle ();
  Built build (const ProgramSpec &spec);
  Built build_or_read (const ProgramSpec &spec);
  std::string key_of (const ProgramSpec &spec, const std::string &source) const;
  void save (const std::string &key, const ::cl::Program &program) const;
  /** Whether the program is on disk, and nobody has asked for it yet. */
  bool is_at_hand (const ProgramSpec &spec);
  ::cl::Program compile (const ProgramSpec &spec, const std::string &source) const;
  /** The same, in less time where the compiler can be kept from reading what the program does not need. */
  ::cl::Program compile_short (const ProgramSpec &spec, const std::string &source) const;
  ::cl::Program load_binary (const ProgramSpec &spec, const std::vector<unsigned char> &binary) const;

  ::cl::Context context;
  Device device;
  const BeforeBackground before_background;
  std::atomic<guint64> built = 0, from_disk = 0;
  std::mutex mutex;
  std::map<ProgramSpec, Slot> slots;
  guint64 uses = 0;
  /** Background builds. */
  std::vector<std::future<void>> background;
};

}  // namespace gst::cl
