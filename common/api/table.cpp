/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "api/api.hpp"

const gst::cl::ApiTable gst::cl::api_table{
#define CL_API_ENTRY(result, name, parameters, arguments) .name = ::name,
    CL_API_FUNCTIONS (CL_API_ENTRY)};
