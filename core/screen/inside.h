/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the views of the screen. */
#pragma once

#include "renderer.h"
#include "sampler.h"
#include "screen.h"

/* Lines below the page: the state of the page, and the keys. */
#define N_BELOW 2
/* Maximum length of a wait, as a signal may come between a check and the wait. */
#define POLL_MS 200

typedef struct screen Screen;

/* A kind of page. */
typedef struct view_kind {
	/* subject: what the page is about, taken from the row that opened it. */
	gboolean (*make)(Screen *screen, const char *subject, Page *page, GError **error);
	const struct view_kind *opens; /* the kind that a row opens; NULL: none */
	/* Called if a row is chosen, instead of opening a view. */
	void (*choose)(Screen *screen, const char *name);
	gboolean is_still; /* needs no sample */
	/* memory: the view of ctprof memory that the page shows; NULL: none.  above: the table at
	 * its top; NULL: that of the host.  table: the table below, whose rows are made as rows
	 * says. */
	const char *memory, *above, *table;
	PanelRows rows;
} ViewKind;

extern const ViewKind kind_pools, kind_pool, kind_help, kind_columns;
extern const ViewKind kind_memory, kind_findings;

typedef struct view {
	const ViewKind *kind;
	char *subject; /* NULL: none */
	Place place;
} View;

/* The memory that counts for a process on the memory page. */
enum memory_of { MEMORY_OF_SUBTREE, MEMORY_OF_SELF, MEMORY_FLAT, N_MEMORY_OF };

struct screen {
	Feed *feed;
	const ScreenOptions *options;
	Terminal *terminal;
	Renderer renderer;
	Sampler *sampler;
	Series *history;
	Series *past;  /* values of the whole recording, for the page of findings; NULL: not read */
	GArray *views; /* View, the visible one last */
	Page *page;    /* of the visible view; NULL: not made yet */

	/* How pools are shown. */
	GroupBy group_by;
	char *sort, *filter;    /* NULL: by cost; all */
	GHashTable *hidden;     /* headers of columns that the user does not want */
	GPtrArray *sortable;    /* char *, of the table of pools, from left to right */
	GPtrArray *choices;     /* char *, headers of all its columns */
	gboolean is_new_window; /* the window is not in the history yet */
	/* How memory is shown. */
	const char *measure; /* a word of --sort of ctprof memory; NULL: the usual one */
	enum memory_of memory_of;

	/* The places where the threads of the open pool wait, as last read: not every sample has
	 * them.  NULL: they have not been read. */
	GPtrArray *places; /* char * */
	char *places_of;   /* the pool */

	gboolean paused;
	gboolean done;
	char *search;      /* the text of the last search; NULL: none yet */
	char *message;     /* shown below the page; NULL: none */
	gint64 message_us; /* end of the message, if no key comes before */
	gint64 due_us;     /* when the next sample is due */
	gint64 taken_us;   /* when the sample that is being taken began */
};

View *screen_view(const Screen *screen);
void screen_open_view(Screen *screen, const ViewKind *kind, const char *subject);
void screen_close_view(Screen *screen);
/* Closes all views except the first n. */
void screen_keep_views(Screen *screen, guint n);
/* Drops the page, so that it is rebuilt. */
void screen_forget_page(Screen *screen);
/* Makes the page at once; FALSE: it cannot be made, and there is no page. */
gboolean screen_make_page(Screen *screen, GError **error);
gboolean screen_draw(Screen *screen, GError **error);
/* Shows a message for a while, or until the next key. */
void screen_say(Screen *screen, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Waits for the sample that is being read, if there is one, and takes it over. */
void screen_settle(Screen *screen);
guint screen_height(const Screen *screen);
/* Performs the action of a key. */
void screen_act(Screen *screen, gunichar key);

/* The history has this many of the last windows; of pools, it has only their CPU. */
#define HISTORY_WINDOWS 60
#define HISTORY_OF_POOLS "cpu"

/* Returns the data that must be read for the views. */
Demand screen_demand(const Screen *screen);
/* Adds a table of pools to a page, as the user wants its columns. */
void screen_add_pools(Screen *screen, const struct ctprof_report *report, Page *page);
/* Return options of an analysis of the window, and its report, which is valid as long as the
 * analysis; the options must be valid as long, too. */
AnalysisOptions screen_options(const Screen *screen);
const struct ctprof_report *screen_analyse(const Screen *screen, AnalysisOptions *options,
					   Analysis **ret_analysis, GError **error);
/* Makes options and report for a page about the window, or about a pool in it (watched; NULL:
 * none); adds the values of a new window to the history. */
const struct ctprof_report *screen_analyse_window(Screen *screen, const char *watched,
						  AnalysisOptions *options, Analysis **ret_analysis,
						  GError **error);
/* Describes the visible view of memory, how it is sorted, and when it was read, for the line below
 * the page. */
char *screen_describe_memory(const Screen *screen);
/* Reads the whole recording for the page of its findings, and opens it. */
void screen_open_findings(Screen *screen);
/* Sorts the visible view by the next of its measures. */
void screen_cycle_measure(Screen *screen, gint by);
