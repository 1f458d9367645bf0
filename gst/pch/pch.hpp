/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* As common/pch/pch.hpp, with what every element includes. */
#include "../../common/pch/pch.hpp"

#include "filter/gstclfilter.hpp"
