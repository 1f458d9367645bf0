/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "result.hpp"
#include "text.hpp"

#include <locale>

namespace bench {

namespace {

void
write_samples (std::ostream &out, const Samples &samples)
{
  out << "{\"median_us\": " << samples.median () << ", \"min_us\": " << samples.minimum ()
      << ", \"max_us\": " << samples.maximum () << ", \"runs\": " << samples.us.size () << "}";
}

void
write_row (std::ostream &out, const Row &row)
{
  out << "        {\"filter\": " << quoted (row.what.filter) << ", \"size\": " << row.what.window
      << ", \"title\": " << quoted (row.what.title) << ", \"channels\": " << row.what.channels ()
      << ", \"algorithm\": " << quoted (row.algorithm) << ", \"path\": " << quoted (row.path) << ",\n"
      << "         \"times\": {";
  const char *separator = "";
  for (const auto &[name, samples] : row.times) {
    out << separator << "\n           " << quoted (name) << ": ";
    write_samples (out, samples);
    separator = ",";
  }
  out << "},\n         \"notes\": [";
  separator = "";
  for (const std::string &note : row.notes) {
    out << separator << quoted (note);
    separator = ", ";
  }
  out << "]}";
}

void
write_verdicts (std::ostream &out, const std::vector<Verdict> &verdicts)
{
  const char *separator = "[\n";
  for (const Verdict &verdict : verdicts) {
    out << separator << "        {\"what\": " << quoted (verdict.what) << ", \"wanted\": " << verdict.wanted
        << ", \"reached\": ";
    if (verdict.reached)
      out << *verdict.reached;
    else
      out << "null";
    out << ", \"bounded\": " << (verdict.bounded () ? "true" : "false") << ", \"why\": " << quoted (verdict.why) << "}";
    separator = ",\n";
  }
  out << (verdicts.empty () ? "[]" : "]");
}

void
write_section (std::ostream &out, const Section &section)
{
  const Device &device = section.device;
  out << "    {\"device\": " << quoted (device.index) << ", \"name\": " << quoted (device.name)
      << ", \"platform\": " << quoted (device.platform) << ", \"driver\": " << quoted (device.driver)
      << ", \"version\": " << quoted (device.version) << ", \"type\": " << (device.is_cpu ? "\"cpu\"" : "\"gpu\"")
      << ",\n     \"width\": " << section.size.width << ", \"height\": " << section.size.height
      << ",\n     \"copy_us\": " << section.limits.copy_us () << ", \"copy_kernel\": ";
  write_samples (out, section.limits.copy_kernel);
  out << ", \"copy_command\": ";
  write_samples (out, section.limits.copy_command);
  if (section.limits.link) {
    out << ", \"link\": ";
    write_samples (out, *section.limits.link);
    out << ", \"host_copy\": ";
    write_samples (out, *section.limits.host_copy);
  }
  out << ",\n     \"rows\": [";
  const char *separator = "\n";
  for (const Row &row : section.rows) {
    out << separator;
    write_row (out, row);
    separator = ",\n";
  }
  out << "],\n     \"targets\": ";
  write_verdicts (out, judge (section));
  out << "}";
}

}  // namespace

void
write_json (std::ostream &out, const Report &report)
{
  out.imbue (std::locale::classic ());
  out << "{\n  \"header\": {";
  const char *separator = "\n";
  for (const auto &[name, value] : report.header) {
    out << separator << "    " << quoted (name) << ": " << quoted (value);
    separator = ",\n";
  }
  out << "\n  },\n  \"sections\": [";
  separator = "\n";
  for (const Section &section : report.sections) {
    out << separator;
    write_section (out, section);
    separator = ",\n";
  }
  out << "\n  ],\n  \"others\": ";
  write_verdicts (out, report.others);
  out << "\n}\n";
}

}  // namespace bench
