/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-info --check: does this device compute as the others do? */
#pragma once

#include <string>

/** Plays small frames through every element on the device (as the elements' property `device` takes it) and prints what differs from
 *  PoCL's results, then one line for a bug report. record: prints the results instead, as check_results.inc has them. Returns the
 *  program's exit status: 1 where a result is wrong. */
int check_elements (const std::string &device, bool record);
