/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/cl/gstclbufferpool.h>
#include <gst/cl/gstclcontext.h>
#include <gst/cl/gstclmemory.h>
#include <gst/cl/gstclmotionmeta.h>
