/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "words.h"

#include "ctprof/sink.h"
#include "ctprof/words.h"

#define WORD(number, text) {number, text},
const struct word words_kinds[] = {CTPROF_KIND_WORDS(WORD){0, NULL}};
const struct word words_units[] = {CTPROF_UNIT_WORDS(WORD){0, NULL}};
const struct word words_scopes[] = {CTPROF_SCOPE_WORDS(WORD){0, NULL}};
const struct word words_absences[] = {CTPROF_ABSENCE_WORDS(WORD){0, NULL}};

const struct word words_flags[] = {
	{CTPROF_METRIC_ON_DEMAND, "on_demand"},
	{CTPROF_METRIC_UNLIMITED, "unlimited"},
	{CTPROF_METRIC_QUIET, "quiet"},
	{CTPROF_METRIC_RESTARTS, "restarts"},
	{0, NULL},
};

const struct word words_polarities[] = {
	{CTPROF_MORE_IS_WORSE, "more_is_worse"},
	{CTPROF_MORE_IS_BETTER, "more_is_better"},
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
