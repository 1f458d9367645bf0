/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read once for all references; see common/pch/pch.hpp. */
#include "../common.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>
