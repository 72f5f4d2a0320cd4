/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scheduling policies by name. */
#pragma once

#include "text.h"

#define POLICY_NAME_BYTES 32u

/* "SCHED_OTHER" and the like; of one that is not known here its number, in store. */
struct text policy_name(int32_t policy, char store[POLICY_NAME_BYTES]);
