/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holds a mutex until the end of the block. */
#pragma once

#include <glib.h>

#define HOLD(mutex) g_autoptr(GMutexLocker) held_here G_GNUC_UNUSED = g_mutex_locker_new(mutex)
