/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the project's five source documents (docs/sources.md), measured again. */
#pragma once

#include "table.hpp"

namespace bench {

struct SourceRow {
  std::string what, size;
  /** The document's figure; "" if it has none. */
  std::string published;
  /** Microseconds by contender. */
  std::map<std::string, Samples> times = {};
  /** Operations or bytes of a run, for tables of rates. */
  double amount = 0;
};

enum class SourceUnit { milliseconds, frames_a_second, gflop_s, gb_s, mean_and_deviation };

struct SourceTable {
  /** The document's letter. */
  std::string part;
  std::string title;
  SourceUnit unit = SourceUnit::milliseconds;
  std::vector<SourceRow> rows = {};
};

/** An OpenCL device to measure. */
struct SourceDevice {
  Device device;
  ContextPointer context;
};

struct Sources {
  const Options &options;
  ProgressLine &progress;
  std::vector<SourceDevice> devices = {};
  std::vector<SourceTable> tables = {};
  std::vector<std::string> notes = {};

  /** Measures the contenders in turn. */
  void add (SourceTable &table, SourceRow row, std::vector<Contender> contenders);
};

constexpr const char *plain_code = "plain C++, 1 thread";

/** Measures filters of pictures. */
void measure_filters (Sources &sources);
/** Measures vectors and matrices. */
void measure_compute (Sources &sources);
/** Document B's variants of one kernel, and document D's comparison of images and buffers. */
void measure_variants (Sources &sources);

/** The implementation of tests/reference on these frames; nothing if it would take too long. */
std::optional<Contender> plain_contender (const Case &what, const Frames &frames);

}  // namespace bench
