/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read once for all files, which takes a third off a first build. Files include what they use all the same: the builds with
 * sanitizers go without (b_pch). */
#include "core/opencl.hpp"

#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>
