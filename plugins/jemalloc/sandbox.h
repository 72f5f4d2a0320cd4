/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drops the rights of a process. */
#pragma once

/*
 * From here on the process has no capabilities and cannot gain any, cannot be
 * traced or read by other processes of its user, and may only read and map open
 * descriptors, allocate, exchange messages and exit; everything else fails with
 * EPERM.  0 or -errno.
 */
int sandbox_enter(void);
