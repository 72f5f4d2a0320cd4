/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "when.h"

#include <stdio.h>

#include "base/error.h"
#include "base/option.h"
#include "ctprof/sink.h"

/* Maximum names of marks in an error. */
#define MOST_KNOWN 20
#define NS_PER_S G_GUINT64_CONSTANT(1000000000)
/* Times are accurate to a millisecond. */
#define SLACK_NS 1000000u

static guint64 first_of(const Recording *recording)
{
	return recording_time(recording, 0);
}

static guint64 last_of(const Recording *recording)
{
	return recording_time(recording, recording_n_samples(recording) - 1);
}

/* Parses "+90s" or "-5m". */
static gboolean parse_distance(const Recording *recording, const char *text, guint64 *ret_ns)
{
	static const struct ctprof_option time = {
		.struct_size = sizeof time, .type = CTPROF_OPTION_TIME, .name = "time"};
	g_autofree char *distance = option_normalise(&time, "", text + 1, NULL);

	if (!distance)
		return FALSE;
	guint64 ns = g_ascii_strtoull(distance, NULL, 10);
	*ret_ns = text[0] == '+' ? first_of(recording) + ns : last_of(recording) - ns;
	return text[0] == '+' || ns <= last_of(recording);
}

/* Parses "03:12" or "03:12:05": the first such time that is not before the recording. */
static gboolean parse_clock(const Recording *recording, const char *text, guint64 *ret_ns)
{
	guint hour, minute, second = 0;
	int end = 0;
	int n = sscanf(text, "%2u:%2u%n:%2u%n", &hour, &minute, &end, &second, &end);

	if (n < 2 || text[end] != '\0' || hour > 23 || minute > 59 || second > 59)
		return FALSE;
	g_autoptr(GDateTime) start =
		g_date_time_new_from_unix_local((gint64)(first_of(recording) / NS_PER_S));
	for (gint day = 0; start && day <= 1; day++) {
		g_autoptr(GDateTime) then = g_date_time_add_days(start, day);
		g_autoptr(GDateTime) time = g_date_time_new_local(
			g_date_time_get_year(then), g_date_time_get_month(then),
			g_date_time_get_day_of_month(then), (gint)hour, (gint)minute, second);

		*ret_ns = time ? (guint64)g_date_time_to_unix(time) * NS_PER_S : 0;
		if (*ret_ns + NS_PER_S > first_of(recording))
			return TRUE;
	}
	return FALSE;
}

static gboolean parse_date(const char *text, guint64 *ret_ns)
{
	g_autoptr(GTimeZone) local = g_time_zone_new_local();
	g_autoptr(GDateTime) time = g_date_time_new_from_iso8601(text, local);

	if (!time || g_date_time_to_unix(time) < 0)
		return FALSE;
	*ret_ns = (guint64)g_date_time_to_unix(time) * NS_PER_S +
		  (guint64)g_date_time_get_microsecond(time) * 1000;
	return TRUE;
}

static gboolean parse(const Recording *recording, const char *text, guint64 *ret_ns)
{
	if (text[0] == '+' || text[0] == '-')
		return parse_distance(recording, text, ret_ns);
	return parse_clock(recording, text, ret_ns) || parse_date(text, ret_ns);
}

/* Whether the sample has a mark of that name; adds the names of other marks to known, each once. */
static gboolean has_mark(const GArray *marks, const char *name, GPtrArray *known)
{
	for (guint i = 0; i < marks->len; i++) {
		const char *other = g_array_index(marks, struct ctprof_fact, i).value;

		if (g_str_equal(other, name))
			return TRUE;
		if (known->len < MOST_KNOWN &&
		    !g_ptr_array_find_with_equal_func(known, other, g_str_equal, NULL))
			g_ptr_array_add(known, g_strdup(other));
	}
	return FALSE;
}

static gboolean fail_mark(const Recording *recording, const char *shown, const char *text,
			  guint first, GPtrArray *known, GError **error)
{
	g_autofree char *since = first > 0 ? when_name(recording, first - 1) : NULL;
	g_autofree char *place = since ? g_strconcat(" after ", since, NULL) : g_strdup("");
	gboolean is_full = known->len == MOST_KNOWN;

	if (known->len == 0)
		return error_set_failed(error, "%s '%s': the recording has no marks%s", shown, text,
					place);
	g_ptr_array_add(known, NULL);
	g_autofree char *names = g_strjoinv("', '@", (char **)known->pdata);
	return error_set_failed(error, "%s '%s': the recording has no such mark%s; it has '@%s'%s",
				shown, text, place, names, is_full ? " and more" : "");
}

/* Finds a mark by its name: it is in the first sample after it. */
static gboolean find_mark(Recording *recording, const char *shown, const char *text,
			  const guint *after, guint *ret_sample, GError **error)
{
	g_autoptr(GPtrArray) known = g_ptr_array_new_with_free_func(g_free);
	guint first = after ? *after + 1 : 0;

	for (guint i = first; i < recording_n_samples(recording); i++) {
		g_autoptr(Loaded) loaded = recording_read_host(recording, i, 1, NULL, NULL, error);

		if (!loaded)
			return FALSE;
		if (!has_mark(loaded->facts.marks, text + 1, known))
			continue;
		*ret_sample = after ? i - 1 : i;
		return TRUE;
	}
	return fail_mark(recording, shown, text, first, known, error);
}

gboolean when_find(Recording *recording, const char *shown, const char *text, const guint *after,
		   guint *ret_sample, GError **error)
{
	guint n = recording_n_samples(recording), found = 0;
	guint64 ns;

	if (first_of(recording) == 0)
		return error_set_failed(
			error, "%s: a snapshot has only one sample, and no other time", shown);
	if (text[0] == '@')
		return find_mark(recording, shown, text, after, ret_sample, error);
	if (!parse(recording, text, &ns))
		return error_set_usage(error,
				       "%s '%s': expected a time such as 2026-11-22T03:12:00Z, "
				       "03:12, +90s (from the start), -5m (from the end) or @NAME "
				       "of a mark",
				       shown, text);
	g_autofree char *first = when_name(recording, 0), *last = when_name(recording, n - 1);
	if (ns + SLACK_NS < first_of(recording) || ns > last_of(recording) + NS_PER_S)
		return error_set_failed(error, "%s '%s': the recording is from %s to %s", shown,
					text, first, last);
	while (found + 1 < n && recording_time(recording, found + 1) <= ns + SLACK_NS)
		found++;
	*ret_sample = found;
	return TRUE;
}

gboolean when_find_number(const Recording *recording, const char *shown, const char *text,
			  guint *ret_sample, GError **error)
{
	gint64 n = recording_n_samples(recording), number;

	if (!g_ascii_string_to_signed(text, 10, G_MININT32, G_MAXINT32, &number, NULL))
		return error_set_usage(error,
				       "%s '%s': expected a number, from 0 or negative from "
				       "the end",
				       shown, text);
	if (number < -n || number >= n)
		return error_set_failed(error,
					"%s %s: the recording has %" G_GINT64_FORMAT " sample%s",
					shown, text, n, n == 1 ? "" : "s");
	*ret_sample = (guint)(number < 0 ? n + number : number);
	return TRUE;
}

char *when_name(const Recording *recording, guint sample)
{
	guint64 ns = recording_time(recording, sample);
	g_autoptr(GDateTime) time =
		ns > 0 ? g_date_time_new_from_unix_utc((gint64)(ns / NS_PER_S)) : NULL;

	return time ? g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ")
		    : g_strdup_printf("sample %u", sample);
}
