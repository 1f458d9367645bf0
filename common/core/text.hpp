/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text files of users. */
#pragma once

#include <string>

namespace gst::cl {

/** Removes a byte order mark, and turns the line ends "\r\n" and "\r" into "\n". */
inline std::string
plain_text (std::string text)
{
  if (text.starts_with ("\xef\xbb\xbf"))
    text.erase (0, 3);
  size_t end = 0;
  for (size_t at = 0; at < text.size (); at++)
    if (text[at] != '\r')
      text[end++] = text[at];
    else if (at + 1 == text.size () || text[at + 1] != '\n')
      text[end++] = '\n';
  text.resize (end);
  return text;
}

}  // namespace gst::cl
