/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The id in a segment's name, "sysv:9"; UINT64_MAX: there is none. */
guint64 sysv_id(const char *name);
