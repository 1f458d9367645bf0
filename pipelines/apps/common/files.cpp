/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "files.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

std::string
read_file (const std::string &path)
{
  std::ifstream file (path, std::ios::binary);
  if (!file)
    throw std::runtime_error (path + " cannot be read");
  return {std::istreambuf_iterator<char> (file), {}};
}

void
write_file (const std::string &path, const std::string &text)
{
  std::ofstream file (path, std::ios::binary);
  if (!(file << text << std::flush))
    throw std::runtime_error (path + " cannot be written");
}
