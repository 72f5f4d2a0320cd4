/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Section cpu-account: where all CPU time of the host went in a window. */
#include "choices.h"

static const struct ctprof_report_field cpu_field = {
	.struct_size = sizeof cpu_field,
	.ladder = CTPROF_LADDER_NS,
	.kind = CTPROF_COUNTER,
	.name = "cpu_time_ns",
	.header = "cpu_time_ns",
	.unit = "ns",
	.tags = "",
};

/* Computes the busy time of all CPUs in the window, exact or in clock ticks; FALSE: not
 * captured. */
static gboolean ask_busy(const Draft *draft, gint64 *ret_ns, gboolean *ret_is_exact)
{
	const Quantity *busy = quantity_host_busy();
	struct ctprof_value value = {.type = CTPROF_VALUE_ABSENT};

	for (guint i = 0; i < 2 && value.type != CTPROF_VALUE_REAL; i++) {
		const Formula *formula = &busy[i].formulas[0];

		draft_ask_host(draft, formula, &value);
		*ret_ns = (gint64)(formula_convert(formula, value.real) * 1e9 + 0.5);
		*ret_is_exact = i == 0;
	}
	return value.type == CTPROF_VALUE_REAL;
}

static void add_line(const Draft *draft, Table *table, guint32 role, const char *name,
		     gboolean is_known, gint64 ns)
{
	const struct ctprof_value values[SIDES] = {
		{.type = CTPROF_VALUE_ABSENT},
		{.type = is_known ? CTPROF_VALUE_REAL : CTPROF_VALUE_ABSENT, .real = (gdouble)ns},
	};
	struct ctprof_cell *cell = draft_metric(draft, table, &name, 1, &cpu_field, values);

	table_last(table)->role = role;
	cell->flags = is_known ? CTPROF_CELL_HAS_DELTA : 0;
	cell->delta = (gdouble)ns;
	if (!is_known || draft->view->seconds <= 0)
		return;
	cell->flags |= CTPROF_CELL_RATE;
	cell->delta /= draft->view->seconds;
}

static void draft_account(const Draft *draft, const Section *section)
{
	const WindowResult *window = draft->window;
	gboolean is_exact;
	gint64 busy;

	/* If only some processes were captured, the rest of the time is not "unaccounted". */
	if (!window || !window->has_cpu || !draft->plan->options->is_whole_host ||
	    draft->plan->pids)
		return;
	gboolean has_busy = ask_busy(draft, &busy, &is_exact);
	Table *table = draft_long(draft, section->name, section->heading, "part");
	gint64 threads = (gint64)window->threads_ns, ended = (gint64)window->ended_ns;
	gint64 own = (gint64)window->own_ns, counted = busy;

	/* The CPU time of threads is exact, though read slightly later; ticks miss some of it. */
	busy = MAX(busy, threads + ended + own);
	add_line(draft, table, CTPROF_ROLE_NONE, "threads", TRUE, threads);
	add_line(draft, table, CTPROF_ROLE_EXITED, "exited", TRUE, ended);
	if (own > 0)
		add_line(draft, table, CTPROF_ROLE_OWN, "ctprof", TRUE, own);
	add_line(draft, table, CTPROF_ROLE_UNACCOUNTED, "unaccounted", has_busy,
		 busy - threads - ended - own);
	add_line(draft, table, CTPROF_ROLE_TOTAL, "host", has_busy, busy);
	if (has_busy && !is_exact && counted < busy)
		table_note(
			table,
			"host is the CPU time of threads: the kernel's clock ticks counted only %.3g s",
			(gdouble)counted / 1e9);
	if (window->exact_ns > 0)
		table_note(table, "groups include %.3g of %.3g s of exited threads, as measured",
			   (gdouble)window->exact_ns / 1e9, (gdouble)window->ended_ns / 1e9);
	if (window->divided_ns > 0)
		table_note(table,
			   "groups include %.3g of %.3g s of exited threads (~), divided in "
			   "proportion to their records",
			   (gdouble)window->divided_ns / 1e9, (gdouble)window->ended_ns / 1e9);
	if (window->counts.flags & CTPROF_WINDOW_LOST_EXITS)
		table_note(table, "exits incomplete: the kernel's buffer was full");
}

const Section section_account = {
	.name = "cpu-account",
	.heading = "CPU time of the host",
	.help = "of a window: living threads, exited ones, ctprof itself, unaccounted time, and the host",
	.flags = SECTION_SHOW_NAMED,
	.place = {15, 0},
	.draft = draft_account,
};
