/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "glob.h"

#include <string.h>

#include "base/error.h"

/* Part of a glob or a path, between two '/'. */
typedef struct span {
	const char *p, *end;
} Span;

/* Returns the component at p. */
static Span component_at(const char *p)
{
	return (Span){p, p + strcspn(p, "/")};
}

/* Returns the start of the next component; NULL after the last. */
static const char *component_next(Span component)
{
	return *component.end == '/' ? component.end + 1 : NULL;
}

static gboolean is_any_depth(Span component)
{
	return component.end - component.p == 2 && memcmp(component.p, "**", 2) == 0;
}

/* Takes one character, or one byte if it is not UTF-8. */
static gunichar take_char(const char **p, const char *end)
{
	gunichar c = g_utf8_get_char_validated(*p, end - *p);

	if (c == (gunichar)-1 || c == (gunichar)-2) {
		c = (guchar) * *p;
		*p += 1;
		return c;
	}
	*p += g_utf8_skip[*(const guchar *)*p];
	return c;
}

/* Returns the position after the ']' of the class that starts at p with '[', or NULL.  A ']' that
 * comes first in the class is literal. */
static const char *class_end(const char *p, const char *end)
{
	p += end - p > 1 && p[1] == '!' ? 2 : 1;
	if (p >= end)
		return NULL;
	const char *close = memchr(p + 1, ']', (gsize)(end - p - 1));
	return close ? close + 1 : NULL;
}

/* Whether c is in the class from p to its end, both brackets included. */
static gboolean class_has(const char *p, const char *end, gunichar c)
{
	gboolean negated = p[1] == '!';
	gboolean found = FALSE;

	p += negated ? 2 : 1;
	end--;
	while (p < end) {
		gunichar low = take_char(&p, end), high = low;

		if (end - p >= 2 && *p == '-') {
			p++;
			high = take_char(&p, end);
		}
		found = found || (c >= low && c <= high);
	}
	return found != negated;
}

/* Matches one glob element other than '*' against one character. */
static gboolean match_one(Span *glob, Span *text)
{
	if (glob->p == glob->end || text->p == text->end)
		return FALSE;
	if (*glob->p == '[') {
		const char *end = class_end(glob->p, glob->end);
		const char *start = glob->p;

		glob->p = end;
		return class_has(start, end, take_char(&text->p, text->end));
	}
	gunichar wanted = take_char(&glob->p, glob->end);
	return take_char(&text->p, text->end) == wanted || wanted == '?';
}

/* After a mismatch, only the last '*' needs to match more: anything that an earlier one could
 * match, the last one can match as well. */
static gboolean match_component(Span glob, Span text)
{
	Span star = {NULL, NULL}, retry = text;

	while (glob.p < glob.end || text.p < text.end) {
		if (glob.p < glob.end && *glob.p == '*') {
			glob.p++;
			star = glob;
			retry = text;
			continue;
		}
		if (match_one(&glob, &text))
			continue;
		if (!star.p || retry.p == retry.end)
			return FALSE;
		take_char(&retry.p, retry.end);
		glob = star;
		text = retry;
	}
	return TRUE;
}

gboolean glob_match(const char *glob, const char *path)
{
	const char *after = NULL, *retry = NULL; /* after the last "**" */

	while (glob || path) {
		Span wanted = glob ? component_at(glob) : (Span){NULL, NULL};

		if (glob && is_any_depth(wanted)) {
			after = component_next(wanted);
			if (!after)
				return path != NULL;
			retry = path;
			glob = after;
			continue;
		}
		if (glob && path && match_component(wanted, component_at(path))) {
			glob = component_next(wanted);
			path = component_next(component_at(path));
			continue;
		}
		if (!after || !retry)
			return FALSE;
		retry = component_next(component_at(retry));
		path = retry;
		glob = after;
	}
	return TRUE;
}

static const char *find_fault(Span component)
{
	for (const char *p = component.p; p < component.end;) {
		if (*p == '[') {
			p = class_end(p, component.end);
			if (!p)
				return "a '[' is not closed";
			continue;
		}
		if (p + 1 < component.end && p[0] == '*' && p[1] == '*')
			return "'**' must be a whole component of the path";
		p++;
	}
	return NULL;
}

gboolean glob_check(const char *glob, GError **error)
{
	const char *fault = *glob ? NULL : "it is empty";

	for (const char *p = glob; p && !fault;) {
		Span component = component_at(p);

		if (!is_any_depth(component))
			fault = find_fault(component);
		p = component_next(component);
	}
	return !fault || error_set_usage(error, "--cgroup-flatten '%s': %s", glob, fault);
}
