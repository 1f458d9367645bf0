/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "api/api.hpp"

const gst::cl::ApiTable gst::cl::api_table{
#define GST_CL_ENTRY(result, name, parameters, arguments) .name = ::name,
    GST_CL_FUNCTIONS (GST_CL_ENTRY)};
