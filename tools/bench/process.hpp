/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs other programs. */
#pragma once

#include "../../pipelines/apps/common/glib.hpp"

#include <gio/gio.h>

#include <map>

namespace bench {

struct Output {
  bool ok;
  std::string out, err;
};

/** Runs a program from PATH to its end, with these variables added to the environment. */
Output run_program (const std::vector<std::string> &arguments, const std::map<std::string, std::string> &variables = {});

/** The path of this program. */
std::string own_program ();

/** A program that answers each line with a line. */
class Helper {
public:
  /** Throws std::runtime_error if it does not start. */
  explicit Helper (const std::vector<std::string> &arguments);
  ~Helper ();
  Helper (const Helper &) = delete;
  Helper &operator= (const Helper &) = delete;

  /** Throws std::runtime_error if it has ended. */
  std::string ask (const std::string &line);

private:
  Ref<GSubprocess> child;
  Ref<GDataInputStream> answers;
};

/** A folder that is deleted with its content. */
class TemporaryFolder {
public:
  TemporaryFolder ();
  ~TemporaryFolder ();
  TemporaryFolder (const TemporaryFolder &) = delete;
  TemporaryFolder &operator= (const TemporaryFolder &) = delete;

  std::string path;
};

}  // namespace bench
