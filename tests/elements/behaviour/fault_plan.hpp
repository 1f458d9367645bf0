/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests tell the layer that breaks calls (tests/census), and ask of it. */
#pragma once

#include "../../census/faults.hpp"
#include "../layer.hpp"

namespace test {

/* From now on this plan holds. */
inline void
plan_faults (const faults::Plan &plan)
{
  layer_function<decltype (cl_faults_plan)> ("cl_faults_plan") (&plan);
}

/* Since the last plan. */
inline faults::Account
fault_account ()
{
  faults::Account account;
  layer_function<decltype (cl_faults_account)> ("cl_faults_account") (&account);
  return account;
}

}  // namespace test
