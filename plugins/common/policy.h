/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scheduling policies by name. */
#pragma once

#include "text.h"

#define POLICY_NAME_BYTES 32u

/* Returns "SCHED_OTHER" and the like; for an unknown policy its number, written to store. */
struct text policy_name(int32_t policy, char store[POLICY_NAME_BYTES]);
