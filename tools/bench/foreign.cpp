/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the output of npp_bench: an object of strings and numbers on every line. */
#include "peer.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

class LineReader {
public:
  explicit LineReader (const std::string &line_) : line (line_) {}

  std::map<std::string, std::string> object ()
  {
    std::map<std::string, std::string> fields;
    expect ('{');
    while (!accept ('}')) {
      const std::string key = text ();
      expect (':');
      fields[key] = peek () == '"' ? text () : number ();
      if (!accept (',') && peek () != '}')
        throw std::runtime_error ("expected , or }");
    }
    return fields;
  }

private:
  char peek ()
  {
    at = line.find_first_not_of (" \t\r", at);
    if (at == std::string::npos)
      throw std::runtime_error ("the line ends too early");
    return line[at];
  }
  bool accept (char c)
  {
    if (peek () != c)
      return false;
    at++;
    return true;
  }
  void expect (char c)
  {
    if (!accept (c))
      throw std::runtime_error (std::string ("expected ") + c);
  }
  std::string text ()
  {
    expect ('"');
    const size_t end = line.find ('"', at);
    if (end == std::string::npos)
      throw std::runtime_error ("a string does not end");
    const std::string result = line.substr (at, end - at);
    at = end + 1;
    return result;
  }
  std::string number ()
  {
    const size_t end = line.find_first_of (",} ", at);
    const std::string result = line.substr (at, end - at);
    at = end == std::string::npos ? line.size () : end;
    if (result.empty ())
      throw std::runtime_error ("expected a number");
    return result;
  }

  const std::string &line;
  size_t at = 0;
};

double
field (const std::map<std::string, std::string> &fields, const char *name)
{
  const auto found = fields.find (name);
  if (found == fields.end ())
    throw std::runtime_error (std::string ("no ") + name);
  char *end = nullptr;
  const double value = g_ascii_strtod (found->second.c_str (), &end);
  if (end == found->second.c_str () || *end)
    throw std::runtime_error (std::string (name) + " is no number");
  return value;
}

ForeignResult
parse_result (const std::string &line)
{
  auto fields = LineReader (line).object ();
  ForeignResult result{fields["peer"], fields["filter"], int (field (fields, "size")), int (field (fields, "channels")),
      {int (field (fields, "width")), int (field (fields, "height"))}, {}};
  const double us = field (fields, "us");
  const auto or_median = [&] (const char *name) { return fields.count (name) ? field (fields, name) : us; };
  result.samples.in_turn = false;
  result.samples.us = {or_median ("min_us"), us, or_median ("max_us")};
  return result;
}

}  // namespace

std::vector<ForeignResult>
read_foreign_results (const std::string &path)
{
  std::ifstream file (path);
  if (!file)
    throw std::runtime_error ("cannot read " + path);
  std::vector<ForeignResult> results;
  std::string line;
  for (int number = 1; std::getline (file, line); number++) {
    if (line.find_first_not_of (" \t\r") == std::string::npos)
      continue;
    try {
      results.push_back (parse_result (line));
    } catch (const std::runtime_error &error) {
      throw std::runtime_error (path + ":" + std::to_string (number) + ": " + error.what ());
    }
  }
  return results;
}

}  // namespace bench
