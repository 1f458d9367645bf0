/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "problem.hpp"

namespace studio {

namespace {

/* Behind the place in the element's code, which is of no use here. */
std::string
advice_in (const std::string &debug)
{
  const size_t end = debug.find ('\n');
  const std::string first = debug.substr (0, end);
  if (first.find ("): ") == std::string::npos)
    return debug;
  return end == std::string::npos ? "" : debug.substr (end + 1);
}

}  // namespace

Problem
problem_of (GstMessage *message)
{
  const auto [error, debug] = parse_problem (message);
  Problem problem{.details = advice_in (debug), .fatal = is_fatal (message), .source = GST_MESSAGE_SRC (message)};
  if (g_error_matches (error.get (), GST_PARSE_ERROR, GST_PARSE_ERROR_DELAYED_LINK))
    problem.text = "The source has no video that can be shown";
  else
    problem.text = std::string (GST_OBJECT_NAME (GST_MESSAGE_SRC (message))) + ": " + error->message;
  return problem;
}

}  // namespace studio
