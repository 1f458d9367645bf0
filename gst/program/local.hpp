/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "program/build.hpp"
#include "program/plan.hpp"

namespace gst::cl {

/** The text with an assertion at the end of each running kernel that its local memory is at most so many bytes. */
std::string with_local_limit (const ProgramRequest &request, const ProgramPlan &plan, size_t most);

}  // namespace gst::cl
