/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instance of the plugin; only procfs.c and the tests look inside. */
#pragma once

#include <pthread.h>

#include "reader.h"
#include "smaps-put.h"

struct procfs {
	struct plan plan;
	struct smaps_limits limits;
	uint32_t summary[N_SUMMARY]; /* slots */
	pthread_mutex_t lock;        /* of tally */
	struct tally tally;          /* of the workers that have finished */
	struct still still;
};
