/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Giving up what a process may do. */
#pragma once

/*
 * From here on the process has no capability, gains none, cannot be traced or
 * read by another of its user, and may only read and map open descriptors,
 * allocate, exchange messages and end; all else fails with EPERM.  0 or -errno.
 */
int sandbox_enter(void);
