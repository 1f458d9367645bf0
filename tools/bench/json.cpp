/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../pipelines/apps/common/json.hpp"
#include "result.hpp"

namespace bench {

namespace {

void
add_samples (Json &json, const char *name, const Samples &samples)
{
  json.name (name).begin_object ().member ("median_us", samples.median ()).member ("min_us", samples.minimum ());
  json.member ("max_us", samples.maximum ()).member ("runs", samples.us.size ()).end_object ();
}

void
add_row (Json &json, const Row &row)
{
  json.begin_object ().member ("filter", row.what.filter).member ("size", row.what.window).member ("title", row.what.title);
  json.member ("channels", row.what.channels ()).member ("algorithm", row.algorithm).member ("path", row.path);
  json.name ("times").begin_object ();
  for (const auto &[name, samples] : row.times)
    add_samples (json, name.c_str (), samples);
  json.end_object ().name ("notes").begin_array ();
  for (const std::string &note : row.notes)
    json.value (note);
  json.end_array ().end_object ();
}

void
add_verdicts (Json &json, const char *name, const std::vector<Verdict> &verdicts)
{
  json.name (name).begin_array ();
  for (const Verdict &verdict : verdicts) {
    json.begin_object ().member ("what", verdict.what).member ("wanted", verdict.wanted).name ("reached");
    if (verdict.reached)
      json.value (*verdict.reached);
    else
      json.null ();
    json.member ("bounded", verdict.bounded ()).member ("why", verdict.why).end_object ();
  }
  json.end_array ();
}

void
add_section (Json &json, const Section &section)
{
  const Device &device = section.device;
  json.begin_object ().member ("device", device.index).member ("name", device.name).member ("platform", device.platform);
  json.member ("driver", device.driver).member ("version", device.version).member ("type", device.is_cpu ? "cpu" : "gpu");
  json.member ("width", section.size.width).member ("height", section.size.height);
  json.member ("copy_us", section.limits.copy_us ());
  add_samples (json, "copy_kernel", section.limits.copy_kernel);
  add_samples (json, "copy_command", section.limits.copy_command);
  if (section.limits.link) {
    add_samples (json, "link", *section.limits.link);
    add_samples (json, "host_copy", *section.limits.host_copy);
  }
  json.name ("rows").begin_array ();
  for (const Row &row : section.rows)
    add_row (json, row);
  json.end_array ();
  add_verdicts (json, "targets", judge (section));
  json.end_object ();
}

}  // namespace

void
add_header (Json &json, const Header &header)
{
  json.name ("header").begin_object ();
  for (const auto &[name, value] : header)
    json.member (name, value);
  json.end_object ();
}

void
write_json (const JsonOutput &output, const Report &report)
{
  Json json;
  json.begin_object ();
  add_header (json, report.header);
  json.name ("sections").begin_array ();
  for (const Section &section : report.sections)
    add_section (json, section);
  json.end_array ();
  add_verdicts (json, "others", report.others);
  json.end_object ();
  output.write (json.text ());
}

}  // namespace bench
