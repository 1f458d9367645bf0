/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

/**
 * GST_CL_API:
 *
 * Marks an exported function.
 *
 * Since: 0.1
 */
#define GST_CL_API __attribute__ ((visibility ("default")))
