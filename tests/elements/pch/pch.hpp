/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Precompiled for all suites. Files include the headers they use, or a header of the tests that does, because builds with
 * sanitizers have no precompiled header (b_pch). */
#include "../../filters/bilateral/reference.hpp"
#include "../filtercase.hpp"
#include "../gl.hpp"
#include "../link.hpp"
#include "../pipeline.hpp"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/controller/controller.h>
#include <gst/video/navigation.h>
#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
