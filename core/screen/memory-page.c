/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pages of memory: processes, what one of them maps, and who maps an object.  They are
 * views of ctprof memory. */
#include <string.h>

#include "inside.h"

#define NS_PER_S G_GUINT64_CONSTANT(1000000000)
#define HOST_VIEW "pools"

static const char *const memory_of_words[N_MEMORY_OF] = {
	[MEMORY_OF_SUBTREE] = "with children",
	[MEMORY_OF_SELF] = "of each alone",
	[MEMORY_FLAT] = "flat list",
};

/* ---- the analysis -------------------------------------------------------------------- */

/* The word that the view is sorted by. */
static const char *measure_of(const Screen *screen, const Section *view)
{
	for (guint i = 0; view->orders[i]; i++)
		if (g_strcmp0(view->orders[i], screen->measure) == 0)
			return view->orders[i];
	return view->orders[0];
}

static AnalysisOptions options_of(const Screen *screen, const Look *look)
{
	return (AnalysisOptions){
		.view = look->memory,
		.sort = measure_of(screen, look->memory),
		.filter = screen->filter,
		.pid = look->pid,
		.flat = screen->memory_of == MEMORY_FLAT,
		.is_self = screen->memory_of == MEMORY_OF_SELF,
	};
}

/* The report lives as long as the analysis; NULL with no error: nothing has been read. */
static const struct ctprof_report *analyse(const Screen *screen, const Look *look,
					   AnalysisOptions *options, Analysis **ret_analysis,
					   GError **error)
{
	Feed *feed = screen->feed;

	*ret_analysis = analysis_new(options, error);
	if (!*ret_analysis || !feed->load_memory(feed, look, *ret_analysis, options, error))
		return NULL;
	return analysis_finish(*ret_analysis, error);
}

/* ---- tables -------------------------------------------------------------------------- */

/* How the lines of a table become rows: which fields say what a line is about, together, and
 * which what is opened by it; given: a field that it must have for that. */
struct rows {
	const char *names[3]; /* NULL after the last */
	const char *subject, *given;
};

static gboolean is_there(const struct ctprof_value *value)
{
	return value->type != CTPROF_VALUE_ABSENT;
}

/* NULL: the line has none. */
static char *text_of(const struct ctprof_report *report,
		     const struct ctprof_report_section *section,
		     const struct ctprof_report_line *line, const char *field)
{
	const struct ctprof_value *value = drawer_value(report, line, drawer_field(section, field));

	if (value->type == CTPROF_VALUE_NUMBER)
		return g_strdup_printf("%" G_GUINT64_FORMAT, value->number);
	return g_strdup(value->text);
}

static void add_row(const struct ctprof_report *report, const struct ctprof_report_section *section,
		    const struct ctprof_report_line *line, const struct rows *rows, char *text,
		    Page *page)
{
	g_autoptr(GString) name = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(rows->names) && rows->names[i]; i++) {
		g_autofree char *part = text_of(report, section, line, rows->names[i]);

		g_string_append_printf(name, "%s%s", i > 0 ? " " : "", part ? part : "");
	}
	gboolean opens = rows->subject &&
			 (!rows->given ||
			  is_there(drawer_value(report, line, drawer_field(section, rows->given))));
	g_autofree char *subject = opens ? text_of(report, section, line, rows->subject) : NULL;
	page_add_row(page, text, name->str, subject);
}

/* Whether it is a size that is 0 wherever it is known, as swap often is; or what the table below
 * says in full. */
static gboolean is_idle(const struct ctprof_report *report,
			const struct ctprof_report_section *section, guint64 field)
{
	if (strcmp(section->fields[field].name, "consumers") == 0)
		return TRUE;
	if (section->fields[field].ladder != CTPROF_LADDER_BYTES)
		return FALSE;
	for (guint64 i = 0; i < section->n_lines; i++)
		if (drawer_value(report, &section->lines[i], (gint)field)->number > 0)
			return FALSE;
	return section->n_lines > 0;
}

/* The table without what is around it; sizes have as many digits as there is room for at 80
 * columns.  lines: of the heading, and of each line. */
static gboolean draw_bare(const Screen *screen, const struct ctprof_report *report,
			  const struct ctprof_report_section *section, GPtrArray *lines,
			  GError **error)
{
	struct ctprof_report_section part = *section;
	g_autofree struct ctprof_report_field *fields =
		g_memdup2(section->fields, section->n_fields * sizeof *fields);

	for (guint64 i = 0; i < section->n_fields; i++) {
		if (fields[i].ladder == CTPROF_LADDER_BYTES)
			fields[i].flags |= CTPROF_FIELD_SHORT;
		if (is_idle(report, section, i))
			fields[i].flags |= CTPROF_FIELD_HIDDEN;
	}
	part.fields = fields;
	part.flags = (part.flags | CTPROF_SECTION_BARE) & ~CTPROF_SECTION_HAS_COVERAGE;
	if (!(part.flags & CTPROF_SECTION_TOLD))
		part.n_notes = 0;
	return drawer_section(&screen->drawer, report, &part, lines, error);
}

/* Lines become rows, those of sums stay in sight. */
static gboolean add_lines(const Screen *screen, const struct ctprof_report *report,
			  const struct ctprof_report_section *section, const struct rows *rows,
			  Page *page, GError **error)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	if (!draw_bare(screen, report, section, lines, error))
		return FALSE;
	for (guint i = 0; i < lines->len; i++) {
		char *text = g_steal_pointer(&g_ptr_array_index(lines, i));
		const struct ctprof_report_line *line =
			i > 0 && i <= section->n_lines ? &section->lines[i - 1] : NULL;

		if (!line)
			g_ptr_array_add(i == 0 ? page->heading : page->foot, text);
		else if (line->flags & CTPROF_LINE_TOTAL)
			g_ptr_array_add(page->foot, text);
		else
			add_row(report, section, line, rows, text, page);
	}
	return TRUE;
}

/* What is said below it.  How many were read is not worth a line if all were, or if a note
 * says how many were not. */
static gboolean add_notes(const Screen *screen, const struct ctprof_report *report,
			  const struct ctprof_report_section *section, Page *page, GError **error)
{
	struct ctprof_report_section part = *section;

	part.flags |= CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD;
	if (part.n_approximate + part.n_missing == 0 || part.n_notes > 0)
		part.flags &= ~CTPROF_SECTION_HAS_COVERAGE;
	return drawer_section(&screen->drawer, report, &part, page->notes, error);
}

static gboolean add_table(const Screen *screen, const struct ctprof_report *report,
			  const char *name, const struct rows *rows, Page *page, GError **error)
{
	const struct ctprof_report_section *section = drawer_find(report, name);

	return !section || (add_lines(screen, report, section, rows, page, error) &&
			    add_notes(screen, report, section, page, error));
}

/* A table above the other. */
static gboolean add_above(const Screen *screen, const struct ctprof_report *report,
			  const char *name, Page *page, GError **error)
{
	const struct ctprof_report_section *section = drawer_find(report, name);

	return !section || draw_bare(screen, report, section, page->head, error);
}

/* ---- pages --------------------------------------------------------------------------- */

/* What there is instead of a table: the reason, or that it comes. */
static gboolean add_reason(const Screen *screen, const Look *look, const GError *why, Page *page,
			   GError **error)
{
	gboolean is_slow = (look->memory->flags & SECTION_TAKES_NAME) != 0;

	return drawer_text(&screen->drawer,
			   why       ? why->message
			   : is_slow ? "reading what each process maps; this may take some seconds"
				     : "reading; what it shows comes in a moment",
			   page->head, error);
}

/* The host's memory in short, as the first screen of ctprof memory has it. */
static gboolean add_host(const Screen *screen, const Look *look, Page *page, GError **error)
{
	AnalysisOptions options = {.view = section_find(HOST_VIEW, TRUE)};
	g_autoptr(Analysis) analysis = NULL;
	const struct ctprof_report *report = analyse(screen, look, &options, &analysis, NULL);

	return !report || add_above(screen, report, "host", page, error);
}

/* A page of one view: its table, and above it another. */
struct plan {
	const char *above, *table;
	struct rows rows;
	gboolean is_of_host; /* what the host has is above it, too */
};

static gboolean make_by(const Screen *screen, const char *subject, const struct plan *plan,
			Page *page, GError **error)
{
	const Look look = screen_look(screen);
	AnalysisOptions options = options_of(screen, &look);
	g_autoptr(Analysis) analysis = NULL;
	g_autoptr(GError) why = NULL;

	if (look.memory->flags & SECTION_TAKES_NAME)
		options.object = subject;
	/* A bad filter is the user's to mend, what the host does not tell is not. */
	const struct ctprof_report *report = analyse(screen, &look, &options, &analysis, &why);
	if (!analysis) {
		g_propagate_error(error, g_steal_pointer(&why));
		return FALSE;
	}
	if (!report)
		return add_reason(screen, &look, why, page, error);
	if (plan->is_of_host && !add_host(screen, &look, page, error))
		return FALSE;
	return (!plan->above || add_above(screen, report, plan->above, page, error)) &&
	       add_table(screen, report, plan->table, &plan->rows, page, error);
}

static gboolean make_processes(Screen *screen, const char *subject, Page *page, GError **error)
{
	static const struct plan plan = {
		.table = "processes",
		.rows = {.names = {"pid"}, .subject = "pid"},
		.is_of_host = TRUE,
	};

	return make_by(screen, subject, &plan, page, error);
}

static gboolean make_mappings(Screen *screen, const char *subject, Page *page, GError **error)
{
	static const struct plan plan = {
		.above = "processes",
		.table = "mappings",
		.rows = {.names = {"object", "device", "inode"},
			 .subject = "object",
			 .given = "inode"},
	};

	return make_by(screen, subject, &plan, page, error);
}

static gboolean make_consumers(Screen *screen, const char *subject, Page *page, GError **error)
{
	static const struct plan plan = {
		.above = "shared",
		.table = "consumers",
		.rows = {.names = {"pid", "object"}, .subject = "pid"},
	};

	return make_by(screen, subject, &plan, page, error);
}

/* A process that maps an object opens as in the tree. */
static const ViewKind kind_mappings;
static const ViewKind kind_consumers = {
	.make = make_consumers, .opens = &kind_mappings, .memory = "object"};
static const ViewKind kind_mappings = {
	.make = make_mappings, .opens = &kind_consumers, .memory = "process"};
const ViewKind kind_memory = {
	.make = make_processes, .opens = &kind_mappings, .memory = "processes"};

/* ---- the line below ------------------------------------------------------------------ */

void screen_turn_measure(Screen *screen, gint by)
{
	const Look look = screen_look(screen);
	const char *const *orders = look.memory->orders;
	const char *now = measure_of(screen, look.memory);
	gint n = (gint)g_strv_length((char **)(uintptr_t)orders), at = 0;

	while (strcmp(orders[at], now) != 0)
		at++;
	screen->measure = orders[(at + by + n) % n];
	screen_forget_page(screen);
}

/* "12 s", "3 min" */
static char *describe_age(guint64 seconds)
{
	return seconds < 120 ? g_strdup_printf("%" G_GUINT64_FORMAT " s", seconds)
			     : g_strdup_printf("%" G_GUINT64_FORMAT " min", seconds / 60);
}

char *screen_describe_memory(const Screen *screen)
{
	const Look look = screen_look(screen);
	const Feed *feed = screen->feed;
	guint64 ns = feed->memory_time(feed, &look);
	guint64 now = (guint64)g_get_real_time() * 1000;
	GString *text = g_string_new(NULL);

	g_string_printf(text, " by %s", measure_of(screen, look.memory));
	if (look.memory->flags & SECTION_TAKES_PID)
		g_string_append_printf(text, " · mappings of %d", look.pid);
	else if (!(look.memory->flags & SECTION_TAKES_NAME))
		g_string_append_printf(text, " · %s", memory_of_words[screen->memory_of]);
	if (ns == 0)
		return g_string_free(text, FALSE);
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_local((gint64)(ns / NS_PER_S));
	g_autofree char *clock = time ? g_date_time_format(time, "%H:%M:%S") : g_strdup("?");
	g_string_append_printf(text, " · read at %s", clock);
	if (!feed->is_replay) {
		g_autofree char *age = describe_age(now > ns ? (now - ns) / NS_PER_S : 0);

		g_string_append_printf(text, ", %s ago", age);
	}
	return g_string_free(text, FALSE);
}
