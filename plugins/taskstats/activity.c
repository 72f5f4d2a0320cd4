/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "activity.h"

#include "text.h"

/* Linux 5.14 brought the sysctl, at struct version 10, and with it the default
 * "off"; kernels before count always (unless booted with nodelayacct, and then
 * they leave the cpu delay out as well). */
#define LAST_VERSION_WITHOUT_SYSCTL 10

uint32_t taskstats_parse_delayacct(const char *text, size_t len, const struct taskstats_values *own)
{
	struct text value = text_trim((struct text){text, text ? len : 0});
	uint32_t active = TASKSTATS_MEASURED;

	if (own->value[TASKSTATS_FIELD_HIWATER_VM] > 0)
		active |= TASKSTATS_XACCT;
	if (value.len > 0) {
		active |= TASKSTATS_CPU;
		if (text_equal(value, "1"))
			active |= TASKSTATS_BLOCK;
	} else if (own->value[TASKSTATS_FIELD_CPU_COUNT] > 0) {
		active |= TASKSTATS_CPU;
		if (own->version <= LAST_VERSION_WITHOUT_SYSCTL)
			active |= TASKSTATS_BLOCK;
	}
	return active;
}
