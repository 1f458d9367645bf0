/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes a file that is not complete. */
#pragma once

#include <atomic>
#include <csignal>
#include <string>
#include <unistd.h>

/* Removes a file when it is destroyed. A signal that ends the program removes the file of the newest Removal only. The path must
 * outlive the Removal. */
class Removal {
public:
  explicit Removal (const std::string &path_) : path (path_)
  {
    incomplete = path.c_str ();
    for (const int signal : {SIGHUP, SIGINT, SIGTERM})
      if (std::signal (signal, remove_and_end) == SIG_IGN)
        std::signal (signal, SIG_IGN);
  }
  Removal (const Removal &) = delete;
  Removal &operator= (const Removal &) = delete;
  ~Removal ()
  {
    const char *own = path.c_str ();
    incomplete.compare_exchange_strong (own, nullptr);
    unlink (path.c_str ());
  }

private:
  static void remove_and_end (int signal)
  {
    if (const char *path = incomplete)
      unlink (path);
    std::signal (signal, SIG_DFL);
    std::raise (signal);
  }

  const std::string &path;
  static inline std::atomic<const char *> incomplete = nullptr;
};

/* The name of a file until it is complete; each process has its own. */
inline std::string
unfinished_name (const std::string &path)
{
  return path + "." + std::to_string (getpid ()) + ".part";
}
