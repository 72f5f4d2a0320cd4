/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thread pointers the hard way: each thread is stopped for an instant. */
#pragma once

#include "counters.h"

/*
 * Reads the threads of an entered target (TAG_OK).  A thread that does not stop
 * within a quarter of a second is left alone.  No thread stays traced, not even
 * when the caller is killed: the tracer is a thread of its own, and the kernel
 * detaches all a tracer has when it ends (exit_ptrace()).
 */
void ptrace_read(const struct target *target, struct reading *readings, size_t n);
