/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Like common/pch/pch.hpp, plus the headers that every element includes. */
#include "../../common/pch/pch.hpp"

#include "filter/gstclfilter.hpp"
