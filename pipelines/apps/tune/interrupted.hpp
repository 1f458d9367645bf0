/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <csignal>

/* Set by a signal: the program stops after the stream at hand. */
extern volatile std::sig_atomic_t interrupted;
