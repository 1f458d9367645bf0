/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Precompiled for all files of the window; see common/pch/pch.hpp. */
#include <gst/gst.h>
#include <gtk/gtk.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>
