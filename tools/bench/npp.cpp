/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NPP, in the program npp_bench, which measures one sample on request, so that it takes turns with the others. */
#include "peer.hpp"

#include <filesystem>
#include <stdexcept>

namespace bench {

namespace {

class Npp : public Peer {
public:
  explicit Npp (std::string program_) : program (std::move (program_)), text (Helper ({program, "serve"}).ask ("version")) {}

  std::string name () const override { return "npp"; }
  std::string version () const override { return text; }

  std::optional<Contender> contender (const Case &what, const Frames &frames) override
  {
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
    return Contender{name (), [helper, request, given] { return microseconds (helper->ask (request)); }};
  }

private:
  static double microseconds (const std::string &answer)
  {
    const double us = g_ascii_strtod (answer.c_str (), nullptr);
    if (us <= 0)
      throw std::runtime_error ("npp_bench: " + answer);
    return us;
  }

  const std::string program, text;
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

}  // namespace bench
