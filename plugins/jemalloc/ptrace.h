/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads thread pointers with ptrace, which stops each thread briefly. */
#pragma once

#include "counters.h"

/*
 * Reads the threads of an entered target (TAG_OK).  A thread that does not stop within a quarter of
 * a second is left alone.  No thread stays traced, even if the caller is killed: the tracer is a
 * thread of its own, and the kernel detaches its tracees when it ends (exit_ptrace()).
 */
void ptrace_read(const struct target *target, struct reading *readings, size_t n);
