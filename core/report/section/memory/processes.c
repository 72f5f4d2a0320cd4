/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes, as the tree of who started whom or one below the other. */
#include <string.h>

#include "collapse.h"
#include "footprint.h"
#include "forest.h"
#include "memory-views.h"

/* The fields before the amounts, and those behind. */
enum { FIELD_PID, FIELD_PPID, FIELD_USER, FIELD_STATE, FIELD_THREADS, N_BEFORE };
enum {
	FIELD_MEMORY_STATE,
	FIELD_MEMORY_SOURCE,
	FIELD_NAME,
	FIELD_FOLDED,
	FIELD_COMMAND,
	FIELD_CWD,
	N_BEHIND,
};

static const struct ctprof_report_field before[N_BEFORE] = {
	[FIELD_PID] = COUNT_FIELD("pid", "PID"),
	[FIELD_PPID] = COUNT_FIELD("ppid", "PPID"),
	[FIELD_USER] = TEXT_FIELD("user", "USER"),
	[FIELD_STATE] = TEXT_FIELD("state", "S"),
	[FIELD_THREADS] = COUNT_FIELD("threads", "THREADS"),
};

static const struct ctprof_report_field behind[N_BEHIND] = {
	[FIELD_MEMORY_STATE] = TEXT_FIELD("memory_state", "READ"),
	[FIELD_MEMORY_SOURCE] = TEXT_FIELD("memory_source", "FROM"),
	[FIELD_NAME] = TEXT_FIELD("name", "NAME"),
	[FIELD_FOLDED] = COUNT_FIELD("folded", "FOLDED"),
	[FIELD_COMMAND] = TEXT_FIELD("command", "COMMAND"),
	[FIELD_CWD] = TEXT_FIELD("cwd", "CWD"),
};

enum { SORT_PID = N_FOOTPRINTS, SORT_NAME, N_SORTS };

typedef struct process {
	const MemoryRow *row;
	const char *name, *command;
	enum memory_coverage coverage;
	Amount own[N_FOOTPRINTS];
	AmountSum tree[N_FOOTPRINTS]; /* with its children */
	gboolean matches;             /* asked for */
	gboolean is_inside;           /* that, or below one that is */
	gboolean is_shown;            /* that, or above one that is, and not folded away */
	guint n_folded;               /* processes its line stands for besides */
} Process;

typedef struct processes {
	const MemoryDraft *draft;
	gboolean is_flat;
	Process *list; /* by pid */
	Forest forest;
	MemoryTable *table;
	guint64 n_matches;
	guint64 coverage[MEMORY_NONE + 1];
} Processes;

static void processes_clear(Processes *self)
{
	forest_clear(&self->forest);
	g_clear_pointer(&self->list, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Processes, processes_clear)

const char *memory_processes_sort(guint i)
{
	static const char *const others[] = {"pid", "name"};

	return i < N_FOOTPRINTS ? footprint_words[i].name
	       : i < N_SORTS    ? others[i - N_FOOTPRINTS]
				: NULL;
}

enum memory_coverage memory_coverage_of(const MemoryRow *process)
{
	static const struct {
		const char *state;
		enum memory_coverage coverage;
	} states[] = {
		{"exact", MEMORY_EXACT},         {"approximate", MEMORY_APPROXIMATE},
		{"skipped", MEMORY_APPROXIMATE}, {"timeout", MEMORY_APPROXIMATE},
		{"not-applicable", MEMORY_NONE},
	};
	const char *state = memory_row_text(process, PROCESS_MEMORY_STATE);

	for (guint i = 0; i < G_N_ELEMENTS(states); i++)
		if (g_strcmp0(states[i].state, state) == 0)
			return states[i].coverage;
	return MEMORY_MISSING;
}

/* ---- taking them ------------------------------------------------------------ */

static gint compare_pids(gconstpointer a, gconstpointer b)
{
	const Process *x = a, *y = b;

	return x->row->pid < y->row->pid ? -1 : x->row->pid > y->row->pid;
}

/* As ps names a process without a command line. */
static const char *command_of(MemoryData *data, const MemoryRow *row, const char *name)
{
	const char *command = memory_row_text(row, PROCESS_CMDLINE);
	g_autofree char *quoted = g_strdup_printf("[%s]", name);

	return command && command[0] ? command : memory_data_keep(data, quoted);
}

static void take_process(const MemoryDraft *draft, const SwapShares *shares, const MemoryRow *row,
			 Process *ret_process)
{
	const char *name = memory_row_text(row, PROCESS_PCOMM);

	*ret_process = (Process){
		.row = row,
		.name = name ? name : "?",
		.coverage = memory_coverage_of(row),
	};
	ret_process->command = command_of(draft->data, row, ret_process->name);
	/* A process that has no memory any more may have had some a moment before. */
	for (guint i = 0; i < N_FOOTPRINTS; i++)
		ret_process->own[i] = ret_process->coverage == MEMORY_NONE
					      ? AMOUNT_ABSENT
					      : footprint_of(row, i, shares);
}

static void take_processes(Processes *self)
{
	const GPtrArray *rows = self->draft->data->rows[MEMORY_PROCESSES];
	g_auto(SwapShares) shares = {0};

	swap_shares_init(&shares, self->draft->data, self->draft->options->swap_by_name);
	self->list = g_new(Process, rows->len);
	for (guint i = 0; i < rows->len; i++)
		take_process(self->draft, &shares, g_ptr_array_index(rows, i), &self->list[i]);
	if (rows->len > 0)
		qsort(self->list, rows->len, sizeof *self->list, compare_pids);
	forest_init(&self->forest, rows->len);
}

/* ---- the tree ----------------------------------------------------------------- */

static guint find_process(const Processes *self, guint64 pid)
{
	guint low = 0, high = self->forest.n;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if ((guint64)self->list[middle].row->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < self->forest.n && (guint64)self->list[low].row->pid == pid)
		return low;
	return FOREST_ROOT;
}

static void find_parents(Processes *self)
{
	for (guint i = 0; !self->is_flat && i < self->forest.n; i++) {
		guint64 ppid;

		if (memory_row_number(self->list[i].row, PROCESS_PPID, &ppid) &&
		    find_process(self, ppid) != i)
			self->forest.parents[i] = find_process(self, ppid);
	}
	forest_settle(&self->forest);
}

/* What has no memory spoils no sum by not having it. */
static void add_own(AmountSum *sum, const Process *process, guint footprint)
{
	if (process->coverage != MEMORY_NONE)
		amount_sum_add(sum, process->own[footprint]);
}

/* Each sum goes up to the parent when all below it is in it. */
static void sum_trees(Processes *self)
{
	for (guint at = self->forest.n; at-- > 0;) {
		guint i = self->forest.order[at], parent = self->forest.parents[i];
		Process *process = &self->list[i];

		for (guint f = 0; f < N_FOOTPRINTS; f++) {
			add_own(&process->tree[f], process, f);
			if (parent != FOREST_ROOT)
				amount_sum_merge(&self->list[parent].tree[f], &process->tree[f]);
		}
	}
}

static gboolean is_asked_for(const Processes *self, const Process *process)
{
	const MemoryDraft *draft = self->draft;
	char pid[16];

	if (draft->options->pid > 0)
		return process->row->pid == draft->options->pid;
	if (process->coverage == MEMORY_NONE && !draft->options->all)
		return FALSE;
	g_snprintf(pid, sizeof pid, "%d", process->row->pid);
	return memory_draft_matches(draft, process->name) ||
	       memory_draft_matches(draft, process->command) ||
	       memory_draft_matches(draft, memory_row_text(process->row, PROCESS_USER)) ||
	       memory_draft_matches(draft, pid);
}

static void choose(Processes *self)
{
	const Forest *forest = &self->forest;

	for (guint at = 0; at < forest->n; at++) {
		Process *process = &self->list[forest->order[at]];
		guint parent = forest->parents[forest->order[at]];

		process->matches = is_asked_for(self, process);
		process->is_shown = process->matches;
		process->is_inside =
			process->matches || (parent != FOREST_ROOT && self->list[parent].is_inside);
		self->n_matches += process->matches ? 1 : 0;
		self->coverage[process->coverage] += process->is_inside ? 1 : 0;
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
	guint by = self->draft->sort < N_FOOTPRINTS ? self->draft->sort : FOOTPRINT_PSS;
	g_autofree CollapseNode *nodes = g_new0(CollapseNode, self->forest.n);

	for (guint i = 0; i < self->forest.n; i++) {
		const Process *process = &self->list[i];

		nodes[i].tree = process->tree[by];
		nodes[i].is_shown = process->is_shown;
		nodes[i].is_kept = process->is_shown && !process->matches;
	}
	collapse_forest(&self->forest, nodes, memory_draft_ram(self->draft));
	for (guint i = 0; i < self->forest.n; i++) {
		self->list[i].is_shown &= !nodes[i].is_hidden;
		self->list[i].n_folded = nodes[i].n_folded;
	}
}

static gint compare_processes(guint a, guint b, gconstpointer data)
{
	const Processes *self = data;
	const Process *x = &self->list[a], *y = &self->list[b];
	guint sort = self->draft->sort;

	/* Numbers of the list are in order of pids, and decide what this does not. */
	if (sort == SORT_PID)
		return 0;
	if (sort == SORT_NAME)
		return strcmp(x->name, y->name);
	return amount_compare(amount_sum_total(&x->tree[sort]), amount_sum_total(&y->tree[sort]));
}

/* ---- the table ------------------------------------------------------------------ */

static guint n_per_footprint(const Processes *self)
{
	return self->is_flat ? 1 : 2;
}

static guint place_behind(const Processes *self, guint field)
{
	return N_BEFORE + N_FOOTPRINTS * n_per_footprint(self) + field;
}

static void add_footprint_fields(const Processes *self, GArray *fields)
{
	for (guint i = 0; i < N_FOOTPRINTS; i++) {
		const FootprintWord *word = &footprint_words[i];
		gboolean is_order = i == self->draft->sort;
		struct ctprof_report_field own = BYTES_FIELD(word->name, word->header);
		struct ctprof_report_field tree = BYTES_FIELD(word->tree_name, word->tree_header);

		if (!self->draft->options->wide) {
			own.flags |= word->is_common || is_order ? 0 : CTPROF_FIELD_HIDDEN;
			tree.flags |= is_order ? 0 : CTPROF_FIELD_HIDDEN;
		}
		g_array_append_val(fields, own);
		if (!self->is_flat)
			g_array_append_val(fields, tree);
	}
}

static void begin_table(Processes *self)
{
	static const guint rare[] = {FIELD_PPID, FIELD_STATE, FIELD_THREADS};
	static const guint rare_behind[] = {FIELD_MEMORY_SOURCE, FIELD_NAME, FIELD_CWD};
	g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_field));
	gboolean wide = self->draft->options->wide;
	gboolean is_all_exact =
		self->coverage[MEMORY_APPROXIMATE] + self->coverage[MEMORY_MISSING] == 0;

	g_array_append_vals(fields, before, N_BEFORE);
	add_footprint_fields(self, fields);
	g_array_append_vals(fields, behind, N_BEHIND);
	self->table = memory_tables_add(self->draft->tables, "processes", "Processes",
					(const void *)fields->data, fields->len);
	for (guint i = 0; i < G_N_ELEMENTS(rare); i++)
		memory_table_hide(self->table, rare[i], !wide);
	for (guint i = 0; i < G_N_ELEMENTS(rare_behind); i++)
		memory_table_hide(self->table, place_behind(self, rare_behind[i]), !wide);
	memory_table_hide(self->table, place_behind(self, FIELD_MEMORY_STATE),
			  !wide && is_all_exact);
	memory_table_hide(self->table, place_behind(self, FIELD_FOLDED),
			  !self->draft->options->fold);
	if (!self->is_flat)
		memory_table_flag(self->table, place_behind(self, FIELD_COMMAND),
				  CTPROF_FIELD_TREE);
}

/* One letter, which a snapshot has as a number. */
static const char *state_of(MemoryData *data, const MemoryRow *row)
{
	char letter[2] = "";
	guint64 number;

	if (!memory_row_number(row, PROCESS_STATE, &number) || number <= ' ' || number > '~')
		return NULL;
	letter[0] = (char)number;
	return memory_data_keep(data, letter);
}

static void put_footprint(const Processes *self, struct ctprof_value *cells, guint footprint,
			  Amount own, Amount tree)
{
	guint n = n_per_footprint(self);

	cells[N_BEFORE + footprint * n] = value_of_amount(own);
	if (!self->is_flat)
		cells[N_BEFORE + footprint * n + 1] = value_of_amount(tree);
}

static void put_process(Processes *self, guint i)
{
	const Process *process = &self->list[i];
	const MemoryRow *row = process->row;
	guint32 flags = process->matches ? 0 : CTPROF_LINE_CONTEXT;

	if (!memory_table_has_room(self->table, self->draft->options->limit))
		return;
	struct ctprof_value *cells = memory_table_line(self->table, flags, self->forest.depths[i]);
	struct ctprof_value *last = cells + place_behind(self, 0);
	cells[FIELD_PID] = value_of_number((guint64)row->pid);
	cells[FIELD_PPID] = memory_row_value(row, PROCESS_PPID);
	cells[FIELD_USER] = memory_row_value(row, PROCESS_USER);
	cells[FIELD_STATE] = value_of_text(state_of(self->draft->data, row));
	cells[FIELD_THREADS] = memory_row_value(row, PROCESS_THREADS);
	for (guint f = 0; f < N_FOOTPRINTS; f++)
		put_footprint(self, cells, f, process->own[f], amount_sum_total(&process->tree[f]));
	last[FIELD_MEMORY_STATE] = memory_row_value(row, PROCESS_MEMORY_STATE);
	last[FIELD_MEMORY_SOURCE] = memory_row_value(row, PROCESS_MEMORY_SOURCE);
	last[FIELD_NAME] = value_of_text(process->name);
	if (process->n_folded > 0)
		last[FIELD_FOLDED] = value_of_number(process->n_folded);
	last[FIELD_COMMAND] = value_of_text(process->command);
	last[FIELD_CWD] = memory_row_value(row, PROCESS_CWD);
}

/* Of matches: what they take themselves, and what they take with their children,
 * of whom those that match as well are not counted twice. */
static void sum_matches(const Processes *self, AmountSum *own, AmountSum *tree)
{
	for (guint i = 0; i < self->forest.n; i++) {
		const Process *process = &self->list[i];
		guint parent = self->forest.parents[i];
		gboolean is_top = parent == FOREST_ROOT || !self->list[parent].is_inside;

		for (guint f = 0; process->matches && f < N_FOOTPRINTS; f++) {
			add_own(&own[f], process, f);
			if (is_top)
				amount_sum_merge(&tree[f], &process->tree[f]);
		}
	}
}

static void put_total(Processes *self)
{
	AmountSum own[N_FOOTPRINTS] = {{0}}, tree[N_FOOTPRINTS] = {{0}};
	g_autofree char *matches =
		g_strdup_printf(self->n_matches == 1 ? "%" G_GUINT64_FORMAT " process matches"
						     : "%" G_GUINT64_FORMAT " processes match",
				self->n_matches);

	sum_matches(self, own, tree);
	struct ctprof_value *cells = memory_table_line(self->table, CTPROF_LINE_TOTAL, 0);
	for (guint f = 0; f < N_FOOTPRINTS; f++)
		put_footprint(self, cells, f, amount_sum_of_all(&own[f]),
			      amount_sum_of_all(&tree[f]));
	cells[place_behind(self, FIELD_COMMAND)] = value_of_text(
		self->draft->filter ? memory_data_keep(self->draft->data, matches) : "total");
}

static void cover(Processes *self)
{
	const Coverage coverage = {
		.exact = self->coverage[MEMORY_EXACT],
		.approximate = self->coverage[MEMORY_APPROXIMATE],
		.missing = self->coverage[MEMORY_MISSING],
	};

	memory_table_cover(self->table, "processes", &coverage);
}

static guint64 count_state(const Processes *self, const char *state)
{
	guint64 n = 0;

	for (guint i = 0; i < self->forest.n; i++)
		n += self->list[i].is_inside &&
		     g_strcmp0(memory_row_text(self->list[i].row, PROCESS_MEMORY_STATE), state) ==
			     0;
	return n;
}

static void put_notes(Processes *self)
{
	static const struct {
		const char *state, *remedy;
	} notes[] = {
		{"approximate", "the kernel refused: capture as root, or with CAP_SYS_PTRACE, or "
				"CAP_PERFMON from Linux 6.15 on"},
		{"skipped", "too dear: raise --smaps-max-rss or --smaps-budget"},
		{"timeout", "not read in time: raise --smaps-timeout"},
		{"inaccessible", "nothing of them could be read"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(notes); i++) {
		guint64 n = count_state(self, notes[i].state);

		if (n > 0)
			memory_table_note(self->table,
					  "PSS of %" G_GUINT64_FORMAT " process%s is absent: %s", n,
					  n == 1 ? "" : "es", notes[i].remedy);
	}
}

void memory_draft_processes(MemoryDraft *draft)
{
	gboolean is_one = draft->options->pid > 0;
	g_auto(Processes) self = {.draft = draft, .is_flat = draft->options->flat || is_one};

	take_processes(&self);
	find_parents(&self);
	sum_trees(&self);
	choose(&self);
	if (draft->options->fold)
		collapse(&self);
	forest_sort(&self.forest, compare_processes, &self);
	begin_table(&self);
	for (guint at = 0; at < self.forest.n; at++)
		if (self.list[self.forest.order[at]].is_shown)
			put_process(&self, self.forest.order[at]);
	if (!is_one)
		put_total(&self);
	cover(&self);
	if (!draft->options->is_told)
		put_notes(&self);
}
