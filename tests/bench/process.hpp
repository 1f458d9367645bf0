/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other programs. */
#pragma once

#include <glib.h>

#include <map>
#include <string>
#include <vector>

namespace bench {

struct Output {
  bool ok;
  std::string out, err;
};

/** Runs a program from PATH to its end, with these variables beside those of this process. */
Output run_program (const std::vector<std::string> &arguments, const std::map<std::string, std::string> &variables = {});

/** This program's own file. */
std::string own_program ();

/** A program that answers lines with lines. */
class Helper {
public:
  /** Throws std::runtime_error where it does not start. */
  explicit Helper (const std::vector<std::string> &arguments);
  ~Helper ();
  Helper (const Helper &) = delete;
  Helper &operator= (const Helper &) = delete;

  /** Throws std::runtime_error where it has ended. */
  std::string ask (const std::string &line);

private:
  GPid pid = 0;
  int to = -1, from = -1;
  std::string received;
};

/** A folder that goes with its content. */
class TemporaryFolder {
public:
  TemporaryFolder ();
  ~TemporaryFolder ();
  TemporaryFolder (const TemporaryFolder &) = delete;
  TemporaryFolder &operator= (const TemporaryFolder &) = delete;

  std::string path;
};

}  // namespace bench
