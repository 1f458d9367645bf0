/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other programs, and how they start this one. */
#pragma once

#include "job.hpp"

/* A word for the shell. */
std::string quoted (const std::string &text);

/* The shell's command that does a task; task is a number, or whatever the engine replaces by one. */
std::string command_of (const Job &job, const std::string &task);

/* This program's file. */
std::string own_path ();

struct Output {
  bool good;
  /* What it printed on standard output, and on standard error. */
  std::string text, errors;
};

/* Runs a line of the shell and waits. Throws where there is no shell. */
Output run_shell (const std::string &line);
