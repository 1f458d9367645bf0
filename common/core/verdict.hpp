/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace gst::cl {

/** The result of a test frame that passed between OpenCL and another interface. */
struct Verdict {
  bool works = false;
  /** Why it does not work, for a user; empty if it works. */
  std::string reason;
  /** Mean time of a small frame in µs: acquire, kernel, release and the wait for them. */
  double microseconds = 0;
  /** The same for a frame that is copied within the GPU first; 0 for paths without such frames. */
  double microseconds_copied = 0;

  /** For the log. */
  std::string text () const
  {
    const auto rounded = [] (double us) { return std::to_string (int (us)); };
    return !works ? "does not work: " + reason
                  : "works, " + rounded (microseconds) + " us a frame"
                        + (microseconds_copied > 0 ? ", " + rounded (microseconds_copied) + " if it is copied first" : "");
  }
};

/** Results of tests, one for each question. Thread-safe. */
template <typename Question> class Verdicts {
public:
  /** The known verdict, or the result of attempt(): nothing if the test proved nothing. Holds no lock while the test runs,
   *  because the test waits for devices and other threads; all callers get the first verdict. */
  template <typename Attempt> std::optional<Verdict> get (const Question &question, Attempt attempt)
  {
    {
      const std::lock_guard lock (mutex);
      if (const auto found = known.find (question); found != known.end ())
        return found->second;
    }
    const std::optional<Verdict> made = attempt ();
    if (!made)
      return made;
    const std::lock_guard lock (mutex);
    return known.emplace (question, *made).first->second;
  }

  /** Tests questions with a negative verdict again when they are next asked. */
  void forget_refusals ()
  {
    const std::lock_guard lock (mutex);
    std::erase_if (known, [] (const auto &each) { return !each.second.works; });
  }

private:
  std::mutex mutex;
  std::map<Question, Verdict> known;
};

/** Calls run ten times. Returns the mean time of a call in µs. */
template <typename Run>
double
mean_microseconds (Run run)
{
  constexpr int times = 10;
  const auto start = std::chrono::steady_clock::now ();
  for (int i = 0; i < times; i++)
    run ();
  const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now () - start;
  return elapsed.count () / times;
}

}  // namespace gst::cl
