/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of frames by several threads: all bytes of the rows, and none beside them. */
#include <algorithm>
#include <thread>

#include "memory/hostcopy.hpp"

#include "../elements/suite.hpp"

using namespace gst::cl;
namespace test::hostcopy_suite {

static Tests tests ("hostcopy", Needs::Nothing);

/* Rows with gaps between them, bottom-up if a stride is negative. */
struct Rows {
  std::vector<std::byte> bytes;
  std::ptrdiff_t stride;
  std::byte *first;

  Rows (size_t row_bytes, size_t rows, size_t gap, bool reversed, std::byte value)
      : bytes ((row_bytes + gap) * rows, value), stride (std::ptrdiff_t (row_bytes + gap)), first (bytes.data ())
  {
    if (!reversed)
      return;
    first += stride * std::ptrdiff_t (rows - 1);
    stride = -stride;
  }
  std::byte *row (size_t i) { return first + stride * std::ptrdiff_t (i); }
};

struct Shape {
  size_t row_bytes, rows, from_gap, to_gap;
  bool from_reversed, to_reversed;
};

constexpr Shape shapes[] = {{7680, 1080, 0, 0, false, false}, {7680, 1080, 64, 0, false, false}, {1921, 733, 3, 5, false, true},
    {4096, 700, 0, 16, true, false}, {5, 3, 1, 2, false, false}, {1, 1, 0, 0, false, false}, {1 << 20, 9, 0, 7, true, true}};

static void
check_copy (HostCopier &copier, const Shape &shape, unsigned seed)
{
  Rows from (shape.row_bytes, shape.rows, shape.from_gap, shape.from_reversed, std::byte{0});
  Rows to (shape.row_bytes, shape.rows, shape.to_gap, shape.to_reversed, std::byte{0xa5});
  std::minstd_rand random (seed);
  for (std::byte &each : from.bytes)
    each = std::byte (random () >> 8);
  const RowsCopy copies[] = {{from.first, from.stride, to.first, to.stride, shape.row_bytes, shape.rows}};
  copier.copy (copies);
  for (size_t y = 0; y < shape.rows; y++) {
    test_check (std::equal (to.row (y), to.row (y) + shape.row_bytes, from.row (y)), "row %zu differs", y);
    const std::byte *gap = to.row (y) + shape.row_bytes;
    test_check (std::all_of (gap, gap + shape.to_gap, [] (std::byte each) { return each == std::byte{0xa5}; }),
        "something was written after row %zu", y);
  }
}

TEST (rows, 5)
{
  HostCopier copier{unsigned (__i__)};
  for (const Shape &shape : shapes)
    check_copy (copier, shape, unsigned (__i__));
  copier.copy ({});
}

/* Elements of several pipelines share the threads. */
TEST (callers_at_once)
{
  HostCopier copier (3);
  std::vector<std::thread> callers;
  for (unsigned caller = 0; caller < 4; caller++)
    callers.emplace_back ([&copier, caller] {
      for (unsigned i = 0; i < 20; i++)
        check_copy (copier, shapes[(caller + i) % 4], caller * 100 + i);
    });
  for (std::thread &each : callers)
    each.join ();
}

}  // namespace test::hostcopy_suite
