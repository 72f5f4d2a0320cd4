/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the views of the screen share. */
#pragma once

#include "drawer.h"
#include "screen.h"

typedef struct screen Screen;

/* A kind of page. */
typedef struct view_kind {
	/* subject: what it is about, the name of a row of the view it was opened from. */
	gboolean (*make)(Screen *screen, const char *subject, Page *page, GError **error);
	const struct view_kind *opens; /* by a row; NULL: nothing */
	/* Or what choosing a row does. */
	void (*choose)(Screen *screen, const char *name);
} ViewKind;

extern const ViewKind kind_pools, kind_pool, kind_help, kind_columns;

typedef struct view {
	const ViewKind *kind;
	char *subject; /* NULL: none */
	Place place;
} View;

struct screen {
	Feed *feed;
	const ScreenOptions *options;
	Terminal *terminal;
	Drawer drawer;
	History *history;
	GArray *views; /* View, the one in sight last */
	Page *page;    /* its; NULL: it is to be made */

	/* How pools are shown. */
	GroupBy group_by;
	char *sort, *filter;    /* NULL: by cost; all */
	GHashTable *hidden;     /* headers of columns that the user does not want */
	GPtrArray *sortable;    /* char *, of the table of pools, from left to right */
	GPtrArray *choices;     /* char *, headers of all its columns */
	gboolean is_new_window; /* what is drawn has not been noted in the history */
	gboolean is_closer;     /* the feed reads where threads wait */
	gboolean paused;
	gboolean done;
	char *message; /* below; NULL: none */
	gint64 due_us; /* when the next sample is */
};

/* Adds a table of pools to a page, as the user wants its columns. */
gboolean screen_add_pools(Screen *screen, const struct ctprof_report *report, Page *page,
			  GError **error);
/* Options of an analysis of the window, and its report, which lives as long as the analysis;
 * the options must, too. */
AnalysisOptions screen_options(const Screen *screen);
const struct ctprof_report *screen_analyse(const Screen *screen, AnalysisOptions *options,
					   Analysis **ret_analysis, GError **error);
