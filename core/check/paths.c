/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paths.h"

#include <string.h>

#include "base/texts.h"

static gboolean is_number(const char *word)
{
	return word[0] && strspn(word, "0123456789") == strlen(word);
}

static gboolean is_placeholder(const char *word)
{
	return word[0] == '<' && g_str_has_suffix(word, ">");
}

/* Controllers of cgroup v1 may share a directory, such as "cpu,cpuacct". */
static gboolean fits(const char *need, const char *word, const char *own_pid)
{
	return is_placeholder(need) || g_pattern_match_simple(need, word) ||
	       (strcmp(need, "self") == 0 && strcmp(word, own_pid) == 0) ||
	       texts_list_has(word, need);
}

/* Returns how many of need's words, up to a <path>, match the beginning of words; -1: one does not
 * match. */
static int count_fitting(char **need, char **words, const char *own_pid)
{
	int n = 0;

	while (need[n] && words[n] && strcmp(need[n], "<path>") != 0) {
		if (!fits(need[n], words[n], own_pid))
			return -1;
		n++;
	}
	return n;
}

gboolean path_is_covered(const char *need, const char *opened, const char *own_pid)
{
	g_auto(GStrv) n = g_strsplit(need, "/", -1);
	g_auto(GStrv) o = g_strsplit(opened, "/", -1);
	int at = count_fitting(n, o, own_pid);

	if (at < 0 || !n[at])
		return at >= 0;
	if (strcmp(n[at], "<path>") != 0)
		return FALSE;
	/* A need contains at most one <path>. */
	for (char **rest = o + at; *rest; rest++) {
		int fit = count_fitting(n + at + 1, rest, own_pid);

		if (fit >= 0 && !n[at + 1 + fit])
			return TRUE;
	}
	return !n[at + 1];
}

gboolean path_leads_to(const char *need, const char *opened, const char *own_pid)
{
	g_auto(GStrv) n = g_strsplit(need, "/", -1);
	g_auto(GStrv) o = g_strsplit(opened, "/", -1);
	int at = count_fitting(n, o, own_pid);

	return at >= 0 && (!o[at] || g_strcmp0(n[at], "<path>") == 0);
}

char *path_generalise(const char *opened)
{
	g_auto(GStrv) words = g_strsplit(opened, "/", -1);

	if (!words[0] || strcmp(words[0], "proc") != 0 || !words[1] || !is_number(words[1]))
		return g_strdup(opened);
	g_free(words[1]);
	words[1] = g_strdup("<tgid>");
	if (words[2] && strcmp(words[2], "task") == 0 && words[3] && is_number(words[3])) {
		g_free(words[3]);
		words[3] = g_strdup("<tid>");
	}
	return g_strjoinv("/", words);
}
