/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the views of the screen. */
#pragma once

#include "drawer.h"
#include "sampler.h"
#include "screen.h"

/* Below the page: what is shown, and the keys. */
#define N_BELOW 2
/* A signal may come between any look and the wait. */
#define LOOK_MS 200

typedef struct screen Screen;

/* A kind of page. */
typedef struct view_kind {
	/* subject: what it is about, that of a row of the view it was opened from. */
	gboolean (*make)(Screen *screen, const char *subject, Page *page, GError **error);
	const struct view_kind *opens; /* by a row; NULL: nothing */
	/* Or what choosing a row does. */
	void (*choose)(Screen *screen, const char *name);
	gboolean is_still; /* no sample is needed for it */
	/* The view of ctprof memory that it shows, NULL: none; the tables of it, above (NULL: that
	 * of the host) and below; how this one has rows. */
	const char *memory, *above, *table;
	SheetRows rows;
} ViewKind;

extern const ViewKind kind_pools, kind_pool, kind_help, kind_columns;
extern const ViewKind kind_memory, kind_findings;

typedef struct view {
	const ViewKind *kind;
	char *subject; /* NULL: none */
	Place place;
} View;

/* The memory of a process that counts on the memory page. */
enum memory_of { MEMORY_OF_SUBTREE, MEMORY_OF_SELF, MEMORY_FLAT, N_MEMORY_OF };

struct screen {
	Feed *feed;
	const ScreenOptions *options;
	Terminal *terminal;
	Drawer drawer;
	Sampler *sampler;
	Series *history;
	Series *past;  /* of the whole recording, for the page of findings; NULL: not read */
	GArray *views; /* View, the visible one last */
	Page *page;    /* its; NULL: it is to be made */

	/* How pools are shown. */
	GroupBy group_by;
	char *sort, *filter;    /* NULL: by cost; all */
	GHashTable *hidden;     /* headers of columns that the user does not want */
	GPtrArray *sortable;    /* char *, of the table of pools, from left to right */
	GPtrArray *choices;     /* char *, headers of all its columns */
	gboolean is_new_window; /* what is drawn has not been noted in the history */
	/* How memory is. */
	const char *measure; /* a word of --sort of ctprof memory; NULL: the usual one */
	enum memory_of memory_of;

	/* Where the threads of the pool that is open wait, as last read: not every sample has
	 * that.  NULL: it has not been. */
	GPtrArray *places; /* char * */
	char *places_of;   /* the pool */

	gboolean paused;
	gboolean done;
	char *search;      /* what was searched for; NULL: nothing yet */
	char *message;     /* below; NULL: none */
	gint64 message_us; /* until when, if no key comes before */
	gint64 due_us;     /* when the next sample is */
	gint64 taken_us;   /* when the one that is taken began */
};

View *screen_view(const Screen *screen);
void screen_open_view(Screen *screen, const ViewKind *kind, const char *subject);
void screen_close_view(Screen *screen);
/* Only so many stay. */
void screen_keep_views(Screen *screen, guint n);
/* The page is made anew. */
void screen_forget_page(Screen *screen);
/* At once; FALSE: it cannot be made, and there is none. */
gboolean screen_make_page(Screen *screen, GError **error);
gboolean screen_draw(Screen *screen, GError **error);
/* Shows a message for a while, or until the next key. */
void screen_say(Screen *screen, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Waits for the sample that is being read, if one is, and takes it over. */
void screen_settle(Screen *screen);
guint screen_height(const Screen *screen);
/* Does what the key asks for. */
void screen_act(Screen *screen, gunichar key);

/* The history: so many of the last windows; of pools, only their CPU. */
#define HISTORY_WINDOWS 60
#define HISTORY_OF_POOLS "cpu"

/* The data that must be read for the views. */
Look screen_look(const Screen *screen);
/* Adds a table of pools to a page, as the user wants its columns. */
void screen_add_pools(Screen *screen, const struct ctprof_report *report, Page *page);
/* Options of an analysis of the window, and its report, which lives as long as the analysis;
 * the options must, too. */
AnalysisOptions screen_options(const Screen *screen);
const struct ctprof_report *screen_analyse(const Screen *screen, AnalysisOptions *options,
					   Analysis **ret_analysis, GError **error);
/* The same of a page about the window, or a pool in it (NULL: none); what it shows is noted in the
 * history. */
const struct ctprof_report *screen_analyse_window(Screen *screen, const char *watched,
						  AnalysisOptions *options, Analysis **ret_analysis,
						  GError **error);
/* The visible view of memory, how it is sorted, and when it was read: for the line below. */
char *screen_describe_memory(const Screen *screen);
/* Reads the whole recording for the page of its findings, and opens it. */
void screen_open_findings(Screen *screen);
/* Turns to the next of the measures that the visible view can be sorted by. */
void screen_turn_measure(Screen *screen, gint by);
