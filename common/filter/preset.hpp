/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstPreset for the elements: settings of the filter by name, without those of the machine that it runs on. */
#pragma once

#include <gst/gst.h>

/* The interface's init function. */
void gst_cl_preset_init (gpointer iface, gpointer data);
