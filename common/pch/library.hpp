/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pch.hpp, with what most files of the library include. */
#include "pch.hpp"

#include "filter/runner.hpp"
