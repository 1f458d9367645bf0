/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that control the failing layer (tests/machinery/census). */
#pragma once

#include "../elements/layer.hpp"
#include "census/faults.hpp"

namespace test {

/* Sets the plan. */
inline void
plan_faults (const faults::Plan &plan)
{
  layer_function<decltype (cl_faults_plan)> ("cl_faults_plan") (&plan);
}

/* The account since the last plan. */
inline faults::Account
fault_account ()
{
  faults::Account account;
  layer_function<decltype (cl_faults_account)> ("cl_faults_account") (&account);
  return account;
}

}  // namespace test
