/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The chapters of a report of runs under two schedulers: what the command gained or lost, which
 * pools paid, what the scheduler did, and the rest.  Other reports of runs have only the rest.
 */
#pragma once

#include "report/draft/draft.h"
#include "report/join/runs.h"

typedef enum chapter {
	CHAPTER_COMMAND,
	CHAPTER_PAID, /* pools that became worse, the most expensive first */
	CHAPTER_EVENTS,
	CHAPTER_MIGRATIONS,
	CHAPTER_DOMAINS,
	CHAPTER_TURNS,
	CHAPTER_REST,
	N_CHAPTERS,
} Chapter;

/* Whether a metric of the host shows what a scheduler does. */
gboolean chapters_take(const char *metric);
/* Returns whether the settings, RunsSetting *, are those of two schedulers. */
gboolean chapters_differ(const GPtrArray *settings);
/* Returns the rows of the chapter, RunsRow *, in the order of the report; the caller unrefs. */
GPtrArray *chapters_list(const Runs *runs, const GPtrArray *rows, Chapter chapter);
/* Adds the chapter's table, which is empty. */
Table *chapters_add(const Draft *draft, Chapter chapter);
/* Adds titles, char *: what the command gained or lost, and which pools paid. */
void chapters_title(const Draft *draft, const GPtrArray *rows);
