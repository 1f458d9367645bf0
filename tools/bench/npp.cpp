/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NPP, in the program npp_bench, which measures one sample on request, so that it takes turns with the others; or its results of
 * an earlier run, an object of strings and numbers on every line. */
#include "../../pipelines/apps/common/json.hpp"
#include "peer.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

class Npp : public Peer {
public:
  explicit Npp (const std::string &program) : Peer ("npp", Helper ({program, "serve"}).ask ("version")), program (program) {}

  std::optional<Contender> contender (const Case &what, const Frames &frames) override
  {
    if (what.deep)
      return std::nullopt;
    const auto given = file.of (frames);
    /* one process for each case, because some sizes crash it */
    const auto helper = std::make_shared<Helper> (
        std::vector<std::string>{program, "serve", std::to_string (frames.size.width), std::to_string (frames.size.height),
            given->path, std::to_string (frames.format == "GRAY8" ? 1 : 4), std::to_string (what.channels ())});
    const std::string request =
        (what.gray ? what.filter.substr (0, what.filter.find ("-gray")) : what.filter) + " " + std::to_string (what.window);
    const std::string first = helper->ask (request);
    if (first == "none")
      return std::nullopt;
    microseconds (first);
    return Contender{name, [helper, request, given] { return microseconds (helper->ask (request)); }};
  }

private:
  static double microseconds (const std::string &answer)
  {
    const double us = g_ascii_strtod (answer.c_str (), nullptr);
    if (us <= 0)
      throw std::runtime_error ("npp_bench: " + answer);
    return us;
  }

  const std::string program;
  FrameFile file;
};

}  // namespace

std::unique_ptr<Peer>
make_npp (const std::string &program)
{
  std::string found = program;
  if (found.empty ())
    found = std::filesystem::path (own_program ()).replace_filename ("npp_bench");
  if (program.empty () && !std::filesystem::exists (found))
    found = "npp_bench";
  try {
    return std::make_unique<Npp> (found);
  } catch (const std::runtime_error &) {
    return nullptr; /* no NVIDIA GPU, or no CUDA */
  }
}

namespace {

ForeignResult
parse_result (const std::string &line)
{
  const Json object = parse_json (
      [&line] (JsonParser *parser, GError **error) { return json_parser_load_from_data (parser, line.c_str (), -1, error); },
      "no object");
  const auto number = [&] (const char *name) {
    ensure (object.has (name), std::string ("no ") + name);
    return object.number (name);
  };
  ForeignResult result{object.text ("peer"), object.text ("filter"), int (number ("size")), int (number ("channels")),
      {int (number ("width")), int (number ("height"))}, {}};
  const double us = number ("us");
  result.samples.in_turn = false;
  const auto or_us = [&] (const char *name) { return object.has (name) ? object.number (name) : us; };
  result.samples.us = {or_us ("min_us"), us, or_us ("max_us")};
  return result;
}

}  // namespace

std::vector<ForeignResult>
read_foreign_results (const std::string &path)
{
  std::ifstream file (path);
  ensure (bool (file), "cannot read " + path);
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
