/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read once for all suites. Files include what they use all the same: the builds with sanitizers go without (b_pch). */
#include "../../reference/bilateral.hpp"
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
