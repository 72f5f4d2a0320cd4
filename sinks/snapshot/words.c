/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "words.h"

#include "ctprof/sink.h"

const struct word words_kinds[] = {
	{CTPROF_COUNTER, "counter"},
	{CTPROF_LEVEL, "level"},
	{CTPROF_PEAK, "peak"},
	{CTPROF_LOW, "low"},
	{CTPROF_GAUGE, "gauge"},
	{CTPROF_ORDINAL, "ordinal"},
	{CTPROF_CATEGORY, "category"},
	{CTPROF_CPUSET, "cpuset"},
	{CTPROF_MAP, "map"},
	{CTPROF_LABEL, "label"},
	{0, NULL},
};

const struct word words_units[] = {
	{CTPROF_UNIT_NONE, "none"},
	{CTPROF_UNIT_NS, "ns"},
	{CTPROF_UNIT_US, "us"},
	{CTPROF_UNIT_TICKS, "ticks"},
	{CTPROF_UNIT_BYTES, "bytes"},
	{CTPROF_UNIT_KIB, "kib"},
	{CTPROF_UNIT_TEXT, "text"},
	{CTPROF_UNIT_CHAR, "char"},
	{CTPROF_UNIT_BOOL, "bool"},
	{CTPROF_UNIT_CPUS, "cpus"},
	{CTPROF_UNIT_CENTIPERCENT, "centipercent"},
	{0, NULL},
};

const struct word words_scopes[] = {
	{CTPROF_SCOPE_THREAD, "thread"},   {CTPROF_SCOPE_PROCESS, "process"},
	{CTPROF_SCOPE_MM, "mm"},           {CTPROF_SCOPE_CGROUP, "cgroup"},
	{CTPROF_SCOPE_OBJECT, "object"},   {CTPROF_SCOPE_HOST, "host"},
	{CTPROF_SCOPE_CAPTURE, "capture"}, {0, NULL},
};

const struct word words_flags[] = {
	{CTPROF_METRIC_ON_DEMAND, "on_demand"},
	{CTPROF_METRIC_UNLIMITED, "unlimited"},
	{CTPROF_METRIC_QUIET, "quiet"},
	{0, NULL},
};

const struct word words_plugin_kinds[] = {
	{CTPROF_KIND_SOURCE, "source"},
	{CTPROF_KIND_SINK, "sink"},
	{0, NULL},
};

const struct word words_plugin_states[] = {
	{CTPROF_STATE_LIVE, "live"},
	{CTPROF_STATE_LEFT_OUT, "left_out"},
	{CTPROF_STATE_FAILED, "failed"},
	{0, NULL},
};

const char *words_find(const struct word *words, uint32_t value)
{
	for (; words->word; words++)
		if (words->value == value)
			return words->word;
	return "unknown";
}

bool words_value(const struct word *words, struct text word, uint32_t *ret_value)
{
	for (; words->word; words++) {
		if (!text_equal(word, words->word))
			continue;
		*ret_value = words->value;
		return true;
	}
	return false;
}
