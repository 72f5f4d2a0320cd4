/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes, as the tree of who started whom or one below the other. */
#include "processes.h"

#include <string.h>

#include "collapse.h"
#include "footprint.h"
#include "forest.h"

/* Columns before the amounts, and those behind. */
enum {
	COLUMN_PID,
	COLUMN_PPID,
	COLUMN_USER,
	COLUMN_STATE,
	COLUMN_THREADS,
	N_BEFORE,
	COLUMN_MEMORY_STATE = N_BEFORE,
	COLUMN_MEMORY_SOURCE,
	COLUMN_NAME,
	COLUMN_FOLDED,
	COLUMN_COMMAND,
	COLUMN_CWD,
	N_COLUMNS,
};

static const struct column {
	struct ctprof_report_field field;
	gboolean is_rare;
	const char *metric;   /* it shows; NULL: of none */
	gboolean is_measured; /* on each side; else it is about the process itself */
} columns[N_COLUMNS] = {
	[COLUMN_PID] = {COUNT_FIELD("pid", "PID"), FALSE, NULL, FALSE},
	[COLUMN_PPID] = {COUNT_FIELD("ppid", "PPID"), TRUE, "ppid", FALSE},
	[COLUMN_USER] = {TEXT_FIELD("user", "USER"), FALSE, "user", FALSE},
	[COLUMN_STATE] = {TEXT_FIELD("state", "S"), TRUE, "state", FALSE},
	[COLUMN_THREADS] = {COUNT_FIELD("threads", "THREADS"), TRUE, "nr_threads", TRUE},
	[COLUMN_MEMORY_STATE] = {TEXT_FIELD("memory_state", "READ"), FALSE, "memory_state", TRUE},
	[COLUMN_MEMORY_SOURCE] = {TEXT_FIELD("memory_source", "FROM"), TRUE, "memory_source", TRUE},
	[COLUMN_NAME] = {TEXT_FIELD("name", "NAME"), TRUE, NULL, FALSE},
	[COLUMN_FOLDED] = {COUNT_FIELD("folded", "FOLDED"), FALSE, NULL, FALSE},
	[COLUMN_COMMAND] = {TEXT_FIELD("command", "COMMAND"), FALSE, NULL, FALSE},
	[COLUMN_CWD] = {TEXT_FIELD("cwd", "CWD"), TRUE, "cwd", FALSE},
};

/* Behind those by the amounts. */
enum { SORT_PID = N_FOOTPRINTS, SORT_NAME };

typedef struct process {
	const Pool *row;
	const char *name, *command;
	enum reading reading;
	Sums tree[N_FOOTPRINTS]; /* with its children */
	gboolean matches;        /* asked for */
	gboolean is_inside;      /* that, or below one that is */
	gboolean is_wanted;      /* asked for, and not without a change where these are */
	gboolean is_shown;       /* that, or above one that is, and not folded away */
	guint n_folded;          /* processes its line stands for besides */
} Process;

typedef struct processes {
	const Draft *draft;
	const AnalysisOptions *options;
	guint order;
	gboolean is_flat;
	Rows rows; /* by pid */
	SwapShares shares;
	Process *list;             /* as rows */
	GHashTable *by_pid[SIDES]; /* pid -> its place + 1 */
	Forest forest;
	Table *table;
	guint64 n_matches;
	guint64 readings[N_READINGS];
} Processes;

static void processes_clear(Processes *self)
{
	forest_clear(&self->forest);
	swap_shares_clear(&self->shares);
	rows_clear(&self->rows);
	for (guint side = 0; side < SIDES; side++)
		g_clear_pointer(&self->by_pid[side], g_hash_table_unref);
	g_clear_pointer(&self->list, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Processes, processes_clear)

/* ---- taking them ------------------------------------------------------------ */

static gint compare_pids(gconstpointer a, gconstpointer b)
{
	const RecordKey *x = &(*(const Pool *const *)a)->key, *y = &(*(const Pool *const *)b)->key;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* As ps names a process without a command line. */
static const char *command_of(const Processes *self, const Pool *row, const char *name)
{
	const char *command = row_text(&self->rows, row, "cmdline");

	return command && command[0]
		       ? command
		       : store_take(self->draft->store, g_strdup_printf("[%s]", name));
}

static void take_process(Processes *self, guint i)
{
	const Pool *row = g_ptr_array_index(self->rows.list, i);
	const char *name = row_text(&self->rows, row, "pcomm");
	Process *process = &self->list[i];

	process->row = row;
	process->name = name ? name : "?";
	process->command = command_of(self, row, process->name);
	process->reading = reading_of_sides(&self->rows, row);
	for (guint side = 0; side < SIDES; side++)
		if (row->sides[side])
			g_hash_table_insert(self->by_pid[side], GINT_TO_POINTER(row->key.tid),
					    GUINT_TO_POINTER(i + 1));
}

static void take_processes(Processes *self)
{
	self->rows = rows_of(self->draft, NULL);
	g_ptr_array_sort(self->rows.list, compare_pids);
	swap_shares_init(&self->shares, self->draft);
	for (guint side = 0; side < SIDES; side++)
		self->by_pid[side] = g_hash_table_new(NULL, NULL);
	self->list = g_new0(Process, self->rows.list->len);
	for (guint i = 0; i < self->rows.list->len; i++)
		take_process(self, i);
	forest_init(&self->forest, self->rows.list->len);
}

static void own_values(const Processes *self, const Process *process, guint footprint,
		       struct ctprof_value ret_values[SIDES])
{
	footprint_values(&self->rows, process->row, footprint, &self->shares, ret_values);
}

/* ---- the tree ----------------------------------------------------------------- */

/* As the side has it that the process is shown of. */
static guint find_parent(const Processes *self, const Pool *row)
{
	guint side = row_side(row);
	guint64 ppid;
	guint place = 0;

	if (row_number(&self->rows, row, side, "ppid", &ppid) && ppid <= G_MAXINT32)
		place = GPOINTER_TO_UINT(
			g_hash_table_lookup(self->by_pid[side], GINT_TO_POINTER((gint)ppid)));
	return place > 0 && self->list[place - 1].row != row ? place - 1 : FOREST_ROOT;
}

static void find_parents(Processes *self)
{
	for (guint i = 0; !self->is_flat && i < self->forest.n; i++)
		self->forest.parents[i] = find_parent(self, self->list[i].row);
	forest_settle(&self->forest);
}

/* Each sum goes up to the parent when all below it is in it. */
static void sum_trees(Processes *self)
{
	for (guint at = self->forest.n; at-- > 0;) {
		guint i = self->forest.order[at], parent = self->forest.parents[i];
		Process *process = &self->list[i];

		for (guint f = 0; f < N_FOOTPRINTS; f++) {
			struct ctprof_value own[SIDES];

			own_values(self, process, f, own);
			sums_add(self->draft, &process->tree[f], own);
			if (parent != FOREST_ROOT)
				sums_merge(&self->list[parent].tree[f], &process->tree[f]);
		}
	}
}

static gboolean is_asked_for(const Processes *self, const Process *process)
{
	const Draft *draft = self->draft;
	gint32 pid = process->row->key.tid;
	char text[16];

	if (self->options->pid > 0)
		return pid == self->options->pid;
	if (process->reading == READ_NONE && !self->options->all)
		return FALSE;
	g_snprintf(text, sizeof text, "%d", pid);
	const char *const texts[] = {process->name, process->command,
				     row_text(&self->rows, process->row, "user"), text};
	return view_matches(draft->view, texts, G_N_ELEMENTS(texts));
}

/* Whether any of its amounts is to be seen, by what changed. */
static gboolean passes(const Processes *self, const Process *process)
{
	for (guint f = 0; f < N_FOOTPRINTS; f++) {
		struct ctprof_value own[SIDES];

		own_values(self, process, f, own);
		if (rows_pass(self->draft, process->row, &footprints[f].own, own))
			return TRUE;
	}
	return FALSE;
}

static void choose(Processes *self)
{
	const Forest *forest = &self->forest;

	for (guint at = 0; at < forest->n; at++) {
		Process *process = &self->list[forest->order[at]];
		guint parent = forest->parents[forest->order[at]];

		process->matches = is_asked_for(self, process);
		process->is_wanted = process->matches && passes(self, process);
		process->is_shown = process->is_wanted;
		process->is_inside =
			process->matches || (parent != FOREST_ROOT && self->list[parent].is_inside);
		self->n_matches += process->matches ? 1 : 0;
		self->readings[process->reading] += process->is_inside ? 1 : 0;
	}
	for (guint at = forest->n; at-- > 0;) {
		guint i = forest->order[at], parent = forest->parents[i];

		if (parent != FOREST_ROOT && self->list[i].is_shown)
			self->list[parent].is_shown = TRUE;
	}
}

/* What does not matter by the amount they are sorted by. */
static void collapse(Processes *self)
{
	guint by = self->order < N_FOOTPRINTS ? self->order : FOOTPRINT_PSS;
	g_autofree CollapseNode *nodes = g_new0(CollapseNode, self->forest.n);

	for (guint i = 0; i < self->forest.n; i++) {
		const Process *process = &self->list[i];

		nodes[i].tree = process->tree[by];
		nodes[i].is_shown = process->is_shown;
		nodes[i].is_kept = process->is_shown && !process->is_wanted;
	}
	collapse_forest(&self->forest, nodes, ledger_ram(self->draft));
	for (guint i = 0; i < self->forest.n; i++) {
		self->list[i].is_shown &= !nodes[i].is_hidden;
		self->list[i].n_folded = nodes[i].n_folded;
	}
}

static gint compare_processes(guint a, guint b, gconstpointer data)
{
	const Processes *self = data;
	const Process *x = &self->list[a], *y = &self->list[b];
	struct ctprof_value p[SIDES], q[SIDES];

	/* Numbers of the list are in order of pids, and decide what this does not. */
	if (self->order == SORT_PID)
		return 0;
	if (self->order == SORT_NAME)
		return strcmp(x->name, y->name);
	sums_values(self->draft, &x->tree[self->order], FALSE, p);
	sums_values(self->draft, &y->tree[self->order], FALSE, q);
	return rows_compare_values(self->draft, p, q);
}

/* ---- the table ------------------------------------------------------------------ */

static guint add_column(Processes *self, guint column)
{
	guint field = table_take_field(self->table, &columns[column].field);

	table_hide(self->table, field, columns[column].is_rare && !self->options->wide);
	return field;
}

static void add_amount(Processes *self, const struct ctprof_report_field *field, gboolean is_shown)
{
	table_hide(self->table, table_take_field(self->table, field),
		   !is_shown && !self->options->wide);
}

static void begin_table(Processes *self)
{
	guint64 n_unread = self->readings[READ_APPROXIMATE] + self->readings[READ_MISSING];

	self->table = tables_add(self->draft->tables, "processes", "Processes", NULL, 0);
	for (guint i = 0; i < N_BEFORE; i++)
		add_column(self, i);
	for (guint f = 0; f < N_FOOTPRINTS; f++) {
		add_amount(self, &footprints[f].own, footprints[f].is_common || f == self->order);
		if (!self->is_flat)
			add_amount(self, &footprints[f].tree, f == self->order);
	}
	for (guint i = N_BEFORE; i < N_COLUMNS; i++) {
		guint field = add_column(self, i);

		if (i == COLUMN_MEMORY_STATE)
			table_hide(self->table, field, !self->options->wide && n_unread == 0);
		else if (i == COLUMN_FOLDED)
			table_hide(self->table, field, !self->options->fold);
		else if (i == COLUMN_COMMAND && !self->is_flat)
			table_field(self->table, field)->flags |= CTPROF_FIELD_TREE;
	}
}

static void put(const Processes *self, struct ctprof_cell *cells,
		const struct ctprof_report_field *field, const struct ctprof_value values[SIDES])
{
	rows_put(self->draft, self->table, cells, table_take_field(self->table, field), values);
}

static void put_same(const Processes *self, struct ctprof_cell *cells, guint column,
		     struct ctprof_value value)
{
	rows_put_same(self->draft, self->table, cells,
		      table_take_field(self->table, &columns[column].field), &value);
}

static void put_column(const Processes *self, struct ctprof_cell *cells, const Process *process,
		       guint column)
{
	const struct column *from = &columns[column];
	struct ctprof_value values[SIDES];

	row_values(&self->rows, process->row, from->metric, values);
	if (from->is_measured)
		put(self, cells, &from->field, values);
	else
		put_same(self, cells, column, values[row_side(process->row)]);
}

static void put_footprint(const Processes *self, struct ctprof_cell *cells, guint footprint,
			  const struct ctprof_value own[SIDES], const Sums *tree, gboolean zero)
{
	struct ctprof_value values[SIDES];

	put(self, cells, &footprints[footprint].own, own);
	if (self->is_flat)
		return;
	sums_values(self->draft, tree, zero, values);
	put(self, cells, &footprints[footprint].tree, values);
}

static void put_process(const Processes *self, guint i)
{
	const Process *process = &self->list[i];
	guint32 flags = process->is_wanted ? 0 : CTPROF_LINE_CONTEXT;

	if (!table_has_room(self->table, self->options->limit))
		return;
	struct ctprof_cell *cells = table_line(self->table, flags, self->forest.depths[i]);
	put_same(self, cells, COLUMN_PID, value_of_number((guint64)process->row->key.tid));
	put_same(self, cells, COLUMN_NAME, value_of_text(process->name));
	put_same(self, cells, COLUMN_COMMAND, value_of_text(process->command));
	if (process->n_folded > 0)
		put_same(self, cells, COLUMN_FOLDED, value_of_number(process->n_folded));
	for (guint column = 0; column < N_COLUMNS; column++)
		if (columns[column].metric)
			put_column(self, cells, process, column);
	for (guint f = 0; f < N_FOOTPRINTS; f++) {
		struct ctprof_value own[SIDES];

		own_values(self, process, f, own);
		put_footprint(self, cells, f, own, &process->tree[f], FALSE);
	}
}

/* Of matches: what they take themselves, and what they take with their children,
 * of whom those that match as well are not counted twice. */
static void sum_matches(const Processes *self, guint footprint, Sums *own, Sums *tree)
{
	for (guint i = 0; i < self->forest.n; i++) {
		const Process *process = &self->list[i];
		guint parent = self->forest.parents[i];
		struct ctprof_value values[SIDES];

		if (!process->matches)
			continue;
		own_values(self, process, footprint, values);
		sums_add(self->draft, own, values);
		if (parent == FOREST_ROOT || !self->list[parent].is_inside)
			sums_merge(tree, &process->tree[footprint]);
	}
}

static void put_total(const Processes *self)
{
	struct ctprof_cell *cells = table_line(self->table, CTPROF_LINE_TOTAL, 0);
	const char *words = "total";

	if (self->draft->view->match)
		words = store_take(self->draft->store,
				   g_strdup_printf(self->n_matches == 1 ? "%" G_GUINT64_FORMAT
									  " process matches"
									: "%" G_GUINT64_FORMAT
									  " processes match",
						   self->n_matches));
	put_same(self, cells, COLUMN_COMMAND, value_of_text(words));
	for (guint f = 0; f < N_FOOTPRINTS; f++) {
		Sums own = {0}, tree = {0};
		struct ctprof_value values[SIDES];

		sum_matches(self, f, &own, &tree);
		sums_values(self->draft, &own, TRUE, values);
		put_footprint(self, cells, f, values, &tree, TRUE);
	}
}

/* On either side. */
static guint64 count_state(const Processes *self, const char *state)
{
	guint64 n = 0;

	for (guint i = 0; i < self->forest.n; i++) {
		const Process *process = &self->list[i];
		gboolean has = FALSE;

		for (guint side = 0; side < SIDES; side++)
			has |= g_strcmp0(
				       row_text_of(&self->rows, process->row, side, "memory_state"),
				       state) == 0;
		n += process->is_inside && has;
	}
	return n;
}

static void put_notes(const Processes *self)
{
	static const struct {
		const char *state, *remedy;
	} notes[] = {
		{"approximate", "the kernel refused: capture as root, or with CAP_SYS_PTRACE, or "
				"CAP_PERFMON since Linux 6.15"},
		{"skipped", "too expensive: raise --smaps-max-rss or --smaps-budget"},
		{"timeout", "not read in time: raise --smaps-timeout"},
		{"inaccessible", "none of their memory could be read"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(notes); i++) {
		guint64 n = count_state(self, notes[i].state);

		if (n > 0)
			table_note(self->table,
				   "PSS missing for %" G_GUINT64_FORMAT " process%s: %s", n,
				   n == 1 ? "" : "es", notes[i].remedy);
	}
}

void processes_draft(const Draft *draft, guint order)
{
	const AnalysisOptions *options = draft->plan->options;
	gboolean is_one = options->pid > 0;
	g_auto(Processes) self = {
		.draft = draft,
		.options = options,
		.order = order,
		.is_flat = options->flat || is_one,
	};

	take_processes(&self);
	find_parents(&self);
	sum_trees(&self);
	choose(&self);
	if (options->fold)
		collapse(&self);
	forest_sort(&self.forest, compare_processes, &self);
	begin_table(&self);
	for (guint at = 0; at < self.forest.n; at++)
		if (self.list[self.forest.order[at]].is_shown)
			put_process(&self, self.forest.order[at]);
	if (!is_one)
		put_total(&self);
	table_cover(self.table, "processes",
		    &(Tally){self.readings[READ_EXACT], self.readings[READ_APPROXIMATE],
			     self.readings[READ_MISSING]});
	if (!options->is_told)
		put_notes(&self);
}

static void draft_processes(const Draft *draft, const Section *section)
{
	(void)section;
	processes_draft(draft, draft->plan->order);
}

static const char *const orders[] = {
	"pss", "uss", "rss", "swap", "eps", "anon", "file", "shmem", "pid", "name", NULL,
};

const Section view_processes = {
	.name = "processes",
	.heading = "Processes",
	.help = "PSS, USS, RSS and swap of processes, as a tree",
	.flags = SECTION_VIEW,
	.draft = draft_processes,
	.orders = orders,
	.groups = "memory,memory-ledger",
	.optional = "memory-swap",
	.needs = "memory_state",
	.what = "memory of processes",
	.capture = "--memory=processes",
};
