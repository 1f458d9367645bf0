/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EACH (MACRO, a, b, c) stands for MACRO (a) MACRO (b) MACRO (c), of at most 64. */
#pragma once

#define EACH(macro, ...) EACH_SCAN (EACH_NEXT (macro, __VA_ARGS__))
#define EACH_NEXT(macro, first, ...) macro (first) __VA_OPT__ (EACH_LATER EACH_BRACKETS (macro, __VA_ARGS__))
#define EACH_LATER() EACH_NEXT
#define EACH_BRACKETS ()
/* every scan expands one more */
#define EACH_SCAN(...) EACH_SCAN_16 (EACH_SCAN_16 (EACH_SCAN_16 (EACH_SCAN_16 (__VA_ARGS__))))
#define EACH_SCAN_16(...) EACH_SCAN_4 (EACH_SCAN_4 (EACH_SCAN_4 (EACH_SCAN_4 (__VA_ARGS__))))
#define EACH_SCAN_4(...) EACH_SCAN_1 (EACH_SCAN_1 (EACH_SCAN_1 (EACH_SCAN_1 (__VA_ARGS__))))
#define EACH_SCAN_1(...) __VA_ARGS__
