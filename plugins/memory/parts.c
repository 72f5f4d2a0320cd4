/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "part.h"

const struct memory_part *const memory_parts[] = {
	&objects_part,
	NULL,
};
