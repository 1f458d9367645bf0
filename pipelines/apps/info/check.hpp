/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-info --check: does this device compute the same results as others? */
#pragma once

#include <string>

/** Filters small frames with every element on the device (named like the elements' property `device`). Prints differences from
 *  PoCL's results, and a line for a bug report. record: prints the results instead, in the format of check_results.inc. Returns
 *  the program's exit status: 1 if a result is wrong. */
int check_elements (const std::string &device, bool record);
