/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "intake.h"

#include <string.h>

#include "report/name/pattern.h"

#define SMAPS_METRIC "smaps_rollup_kib"
#define UID_METRIC "uid"
#define START_METRIC "start_time_clock_ticks"
#define RECEIVED_METRIC "exits_received"
#define LOST_METRIC "exits_lost"
#define SOURCE_METRIC "exits_source"
#define INSTANTS_METRIC "states_instants"
#define BEGAN_METRIC "states_began_ns"
#define ENDED_METRIC "ended_states"

static const char *const label_metrics[N_LABELS] = {
	[LABEL_CGROUP] = "cgroup",   [LABEL_PCOMM] = "pcomm",         [LABEL_COMM] = "comm",
	[LABEL_UNIT] = "cgroup",     [LABEL_PROCESS] = "pcomm",       [LABEL_USER] = "user",
	[LABEL_CMDLINE] = "cmdline", [LABEL_SCHEDULER] = "scheduler",
};

static const Fold *choose_smaps(gconstpointer data, const Metric *metric)
{
	const Plan *plan = data;

	if (!(plan_has_section(plan, SECTION_SMAPS) || plan->conditions->len > 0) ||
	    strcmp(metric->def.name, SMAPS_METRIC) != 0 || metric->def.kind != CTPROF_MAP ||
	    metric->def.unit == CTPROF_UNIT_TEXT)
		return NULL;
	return fold_find(CTPROF_MAP, metric->def.unit);
}

static const char *take_label(Side *side, const struct ctprof_rows *rows, guint64 i,
			      enum label label)
{
	const char *text = rows_text(rows, i, side->labels[label]);

	text = text ? text : NO_NAME;
	if (!side->last[label] || strcmp(side->last[label], text) != 0)
		side->last[label] = store_text(side->intake->store, text);
	return side->last[label];
}

const char *intake_user(const Intake *intake, guint64 uid)
{
	const char *name = g_hash_table_lookup(intake->users, GSIZE_TO_POINTER(uid));

	return name ? name : store_take(intake->store, g_strdup_printf("%" G_GUINT64_FORMAT, uid));
}

/* A user without a name is its number. */
static const char *take_user(Side *side, const struct ctprof_rows *rows, guint64 i)
{
	const char *text = take_label(side, rows, i, LABEL_USER);
	guint64 uid;

	if (!rows_read(rows, i, side->uid, &uid))
		return text;
	if (strcmp(text, NO_NAME) == 0)
		return intake_user(side->intake, uid);
	g_hash_table_insert(side->intake->users, GSIZE_TO_POINTER(uid), (gpointer)(uintptr_t)text);
	return text;
}

/* Takes a label that only leaders have.  The leader's row comes first. */
static const char *take_of_process(Side *side, const struct ctprof_rows *rows, guint64 i,
				   enum label label)
{
	gpointer tgid = GINT_TO_POINTER(ctprof_rows_target(rows, i)->tgid);
	const char *text =
		label == LABEL_USER ? take_user(side, rows, i) : take_label(side, rows, i, label);

	if (strcmp(text, NO_NAME) != 0) {
		g_hash_table_insert(side->of_process, tgid, (gpointer)(uintptr_t)text);
		return text;
	}
	const char *known = g_hash_table_lookup(side->of_process, tgid);
	return known ? known : text;
}

static const char *take_layer(Side *side, const struct ctprof_rows *rows, guint64 i)
{
	const Layers *layers = side->intake->plan->options->layers;
	LayerThread thread = {
		.cgroup = take_label(side, rows, i, LABEL_CGROUP),
		.comm = take_label(side, rows, i, LABEL_COMM),
		.pcomm = take_label(side, rows, i, LABEL_PCOMM),
	};

	thread.known |= strcmp(thread.cgroup, NO_NAME) != 0 ? LAYER_CGROUP : 0;
	thread.known |= strcmp(thread.comm, NO_NAME) != 0 ? LAYER_COMM : 0;
	thread.known |= strcmp(thread.pcomm, NO_NAME) != 0 ? LAYER_PCOMM : 0;
	return store_text(side->intake->store,
			  layered_find(side->layered, layers, rows, i, thread));
}

static const char *take_name(Side *side, const struct ctprof_rows *rows, guint64 i,
			     enum label label)
{
	gint32 tgid = ctprof_rows_target(rows, i)->tgid;
	const char *before = side->last[label];

	if (label_is_of_process(label))
		return take_of_process(side, rows, i, label);
	const char *text = take_label(side, rows, i, label);
	if (!side->made[label] || text != before || tgid != side->made_tgid)
		side->made[label] = label_name(label, side->intake->store, text, tgid);
	side->made_tgid = tgid;
	return side->made[label];
}

gboolean side_name_thread(Side *side, const struct ctprof_rows *rows, guint64 i, RecordKey *ret_key)
{
	const Axis *axis = side->intake->plan->axis;
	RecordKey key = {.start = 0};

	/* ctprof memory shows single processes, not groups of threads. */
	if (side->intake->plan->options->view)
		return FALSE;
	for (guint n = 0; n < axis->n_names; n++) {
		key.names[n] = axis->labels[n] == LABEL_LAYER
				       ? take_layer(side, rows, i)
				       : take_name(side, rows, i, axis->labels[n]);
		if (axis->labels[n] != LABEL_CGROUP)
			key.names[n] = name_keys_take(side->intake->names, key.names[n]);
	}
	if (axis->by_thread) {
		key.tid = ctprof_rows_target(rows, i)->tid;
		rows_read(rows, i, side->start, &key.start);
	}
	*ret_key = key;
	return TRUE;
}

static const enum label exit_names[] = {
	[EXIT_NAME_COMM] = LABEL_COMM,
	[EXIT_NAME_PCOMM] = LABEL_PCOMM,
	[EXIT_NAME_CGROUP] = LABEL_CGROUP,
};

void side_read_names(const Side *side, const RosterEntry *thread, RosterRow *row)
{
	/* Layers are matched by numbers, too. */
	(side->layered || side->uid >= 0 ? roster_read : roster_read_texts)(side->roster, thread,
									    row);
}

void side_name_exit(const Side *side, const struct ctprof_rows *rows, guint64 i,
		    const char *ret_names[KEY_NAMES])
{
	for (guint n = 0; n < G_N_ELEMENTS(exit_names); n++) {
		const char *text = rows_text(rows, i, side->exit_labels[exit_names[n]]);

		ret_names[n] = n == EXIT_NAME_COMM ? NO_NAME : NULL;
		if (text)
			ret_names[n] = store_text(side->intake->store, text);
	}
}

/* Makes the key of a process's map: its cgroup (or NULL) and "pcomm[tgid]", or, if names are
 * patterns, the pattern of pcomm. */
static void make_smaps_key(const Intake *intake, const char *cgroup, const char *pcomm, gint32 tgid,
			   RecordKey *ret_key)
{
	gboolean literal = intake->literal_processes;
	char *name = literal ? g_strdup_printf("%s[%d]", pcomm, tgid) : pattern_key(pcomm);

	*ret_key = (RecordKey){.names = {[SMAPS_CGROUP] = cgroup,
					 [SMAPS_PROCESS] = store_take(intake->store, name)}};
	ret_key->names[SMAPS_PCOMM] = literal ? pcomm : ret_key->names[SMAPS_PROCESS];
}

/* Only leaders' rows have the map, and only if the process has memory.  A map
 * that could not be read counts as missing. */
static gboolean smaps_key(Side *side, const struct ctprof_rows *rows, guint64 i, RecordKey *ret_key)
{
	const Axis *axis = side->intake->plan->axis;
	gboolean nested = axis_has(axis, LABEL_CGROUP) && axis_has(axis, LABEL_PCOMM);
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	guint64 map;

	if (side->layouts[TABLE_SMAPS].bindings->len == 0 || target->tid != target->tgid ||
	    rows->states[i * rows->n_slots + (gsize)side->smaps] == CTPROF_ABSENT_INAPPLICABLE)
		return FALSE;
	if (rows_read(rows, i, side->smaps, &map) &&
	    ((const struct ctprof_map *)(uintptr_t)map)->n == 0)
		return FALSE;
	const char *pcomm = take_label(side, rows, i, LABEL_PCOMM);
	const char *cgroup = nested ? take_label(side, rows, i, LABEL_CGROUP) : NULL;
	make_smaps_key(side->intake, cgroup, pcomm, target->tgid, ret_key);
	return TRUE;
}

/* With --group-by all, paths without threads still affect the names of their peers. */
static gboolean cgroup_key(Side *side, const struct ctprof_rows *rows, guint64 i,
			   RecordKey *ret_key)
{
	const Plan *plan = side->intake->plan;
	const struct ctprof_target *target = ctprof_rows_target(rows, i);

	if (!target->path || !(plan->wants_digest || axis_has(plan->axis, LABEL_CGROUP)))
		return FALSE;
	*ret_key = (RecordKey){.names = {store_text(side->intake->store, target->path)}};
	return TRUE;
}

static gboolean object_key(Side *side, const struct ctprof_rows *rows, guint64 i,
			   RecordKey *ret_key)
{
	return objects_make_key(side->intake->objects, side->categories,
				side->intake->literal_processes, side->intake->store, rows, i,
				ret_key);
}

/* A reused PID is another process, which has a different start. */
static gboolean process_key(Side *side, const struct ctprof_rows *rows, guint64 i,
			    RecordKey *ret_key)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	RecordKey key = {.tid = target->tgid};

	if (target->tid != target->tgid || side->layouts[TABLE_PROCESSES].bindings->len == 0)
		return FALSE;
	rows_read(rows, i, side->start, &key.start);
	*ret_key = key;
	return TRUE;
}

static gboolean single_object_key(Side *side, const struct ctprof_rows *rows, guint64 i,
				  RecordKey *ret_key)
{
	const Intake *intake = side->intake;
	const struct ctprof_target *target = ctprof_rows_target(rows, i);

	if (!target->group || !target->path || !plan_needs_group(intake->plan, target->group))
		return FALSE;
	*ret_key = (RecordKey){.names = {store_text(intake->store, target->group),
					 store_text(intake->store, target->path)}};
	return TRUE;
}

/* Makes the key of row i; FALSE: the row is not for the table.  A table without this function folds
 * all rows under one key. */
typedef gboolean (*MakeKey)(Side *side, const struct ctprof_rows *rows, guint64 i,
			    RecordKey *ret_key);

static const struct table_def {
	enum row_class row;
	MeasureChoice choose; /* NULL: as section_choices says */
	MakeKey make_key;
} tables[N_TABLES] = {
	[TABLE_THREADS] = {ROW_THREAD, plan_choose, side_name_thread},
	[TABLE_EXITS] = {ROW_EXIT, plan_choose_exit, NULL},
	[TABLE_SMAPS] = {ROW_THREAD, choose_smaps, smaps_key},
	[TABLE_CGROUPS] = {ROW_CGROUP, NULL, cgroup_key},
	[TABLE_HOST] = {ROW_HOST, NULL, NULL},
	[TABLE_OBJECTS] = {ROW_OBJECT, plan_choose_object, object_key},
	[TABLE_PROCESSES] = {ROW_THREAD, NULL, process_key},
	[TABLE_SINGLE_OBJECTS] = {ROW_OBJECT, NULL, single_object_key},
};

void intake_init(Intake *intake, const Plan *plan, Store *store)
{
	intake->plan = plan;
	intake->store = store;
	intake->objects = g_array_new(FALSE, FALSE, sizeof(ObjectGroup));
	intake->users = g_hash_table_new(NULL, NULL);
	intake->own = own_new();
	for (guint i = 0; i < N_TABLES; i++)
		measures_init(&intake->measures[i], store);
}

void intake_clear(Intake *intake)
{
	g_clear_pointer(&intake->objects, g_array_unref);
	g_clear_pointer(&intake->users, g_hash_table_unref);
	g_clear_pointer(&intake->own, own_free);
	g_clear_pointer(&intake->names, name_keys_free);
	for (guint i = 0; i < N_TABLES; i++)
		measures_clear(&intake->measures[i]);
}

/* Makes a roster that keeps the values its table folds and the labels that name a row. */
static Roster *new_roster(const Side *side, enum row_class row)
{
	const Plan *plan = side->intake->plan;
	gboolean is_exit = row == ROW_EXIT;
	const GArray *bindings = side->layouts[is_exit ? TABLE_EXITS : TABLE_THREADS].bindings;
	const gint *labels = is_exit ? side->exit_labels : side->labels;
	gint uid = is_exit ? side->exit_uid : side->uid;
	g_autofree gboolean *slots = g_new0(gboolean, registry_row(side->registry, row)->len + 1);

	for (guint b = 0; b < bindings->len; b++)
		slots[g_array_index(bindings, Binding, b).slot] = TRUE;
	for (guint i = 0; i < N_LABELS; i++)
		if (labels[i] >= 0 && (is_exit || side->layered || axis_has(plan->axis, i) ||
				       (i == LABEL_COMM && plan->wants_digest)))
			slots[labels[i]] = TRUE;
	if (uid >= 0)
		slots[uid] = TRUE;
	if (side->layered && !is_exit)
		layered_mark(side->layered, slots);
	return roster_new(side->registry, row, slots, fold_entries);
}

static gint index_of_label(const Registry *registry, enum row_class row, enum label label)
{
	const char *name = label_metrics[label];

	return name ? registry_index(registry, row, name, CTPROF_TYPE_TEXT) : -1;
}

void side_bind(Side *side, const Registry *registry, GPtrArray *clashes)
{
	Intake *intake = side->intake;
	const Plan *plan = intake->plan;

	side->registry = registry;
	for (guint i = 0; i < N_LABELS; i++) {
		side->labels[i] = index_of_label(registry, ROW_THREAD, i);
		side->exit_labels[i] = index_of_label(registry, ROW_EXIT, i);
	}
	side->uid = side->exit_uid = -1;
	if (axis_has(plan->axis, LABEL_USER)) {
		side->uid = registry_index(registry, ROW_THREAD, UID_METRIC, CTPROF_TYPE_U64);
		side->exit_uid = registry_index(registry, ROW_EXIT, UID_METRIC, CTPROF_TYPE_U64);
	}
	side->start = registry_index(registry, ROW_THREAD, START_METRIC, CTPROF_TYPE_U64);
	side->smaps = registry_index(registry, ROW_THREAD, SMAPS_METRIC, CTPROF_TYPE_MAP);
	for (guint i = 0; i < N_TABLES; i++) {
		const struct table_def *table = &tables[i];

		layout_init(&side->layouts[i], &intake->measures[i], registry, table->row,
			    table->choose ? table->choose : section_choices[i], plan, clashes);
	}
	if (axis_has(plan->axis, LABEL_LAYER))
		side->layered = layered_new(registry);
	if (intake->one_by_one) {
		side->roster = new_roster(side, ROW_THREAD);
		side->exits = new_roster(side, ROW_EXIT);
	}
	objects_bind(intake->objects, side->categories, plan, intake->store, registry);
}

void side_init(Side *side, Intake *intake, guint index)
{
	side->intake = intake;
	side->index = index;
	for (guint i = 0; i < N_TABLES; i++)
		record_set_init(&side->sets[i], &side->layouts[i]);
	side->categories = g_array_new(FALSE, FALSE, sizeof(gint));
	side->of_process = g_hash_table_new(NULL, NULL);
	side->ended = g_hash_table_new(g_str_hash, g_str_equal);
}

void side_clear(Side *side)
{
	g_clear_pointer(&side->roster, roster_free);
	g_clear_pointer(&side->exits, roster_free);
	g_clear_pointer(&side->ended, g_hash_table_unref);
	for (guint i = 0; i < N_TABLES; i++) {
		record_set_clear(&side->sets[i]);
		layout_clear(&side->layouts[i]);
	}
	g_clear_pointer(&side->categories, g_array_unref);
	g_clear_pointer(&side->of_process, g_hash_table_unref);
	g_clear_pointer(&side->layered, layered_free);
}

/* Whether the thread passes --pid and belongs to the watched group, as far as these are given. */
static gboolean selects(const Plan *plan, gint32 tgid, gint32 tid)
{
	GHashTable *pids = plan->pids, *tids = plan->options->tids;

	return (!pids || g_hash_table_contains(pids, GINT_TO_POINTER(tgid))) &&
	       (!tids || g_hash_table_contains(tids, GINT_TO_POINTER(tid)));
}

static gboolean selects_entry(gconstpointer data, const RosterEntry *thread)
{
	const Plan *plan = data;

	return selects(plan, thread->tgid, thread->tid) && !own_has(plan->options->own, thread);
}

static gboolean is_excluded(const Plan *plan, const struct ctprof_rows *rows, guint64 i)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, i);

	return (rows->scope == CTPROF_SCOPE_THREAD || rows->scope == CTPROF_SCOPE_EXIT) &&
	       !selects(plan, target->tgid, target->tid);
}

static void fold_row(Side *side, enum intake_table t, const struct ctprof_rows *rows, guint64 i)
{
	guint64 start = 0;
	RecordKey key = {.start = 0};

	if (tables[t].make_key && !tables[t].make_key(side, rows, i, &key))
		return;
	if (tables[t].row == ROW_THREAD)
		(void)rows_read(rows, i, side->start, &start);
	record_add(record_set_take(&side->sets[t], &key), side->intake->store, rows, i, start);
}

/* Folds a row into all tables; the threads of a window are kept instead of being grouped. */
static void add_row(Side *side, const struct ctprof_rows *rows, guint64 i)
{
	enum row_class row = registry_row_of_scope(rows->scope);
	guint64 start;

	if (row == ROW_THREAD && rows_read(rows, i, side->start, &start))
		side->newest = MAX(side->newest, start);
	for (guint t = 0; t < N_TABLES; t++)
		if (tables[t].row == row && t != TABLE_EXITS &&
		    !(t == TABLE_THREADS && side->roster))
			fold_row(side, t, rows, i);
}

/* Takes the tallies of the source that listened for ended threads. */
static void note_tallies(Side *side, const struct ctprof_rows *rows)
{
	gint received =
		registry_index(side->registry, ROW_CAPTURE, RECEIVED_METRIC, CTPROF_TYPE_U64);
	gint source = registry_index(side->registry, ROW_CAPTURE, SOURCE_METRIC, CTPROF_TYPE_TEXT);
	const char *name = rows_text(rows, 0, source);

	side->has_exits = rows_read(rows, 0, received, &side->exits_received);
	side->exits_lost = registry_number(side->registry, rows, 0, LOST_METRIC);
	side->exits_source = name ? store_text(side->intake->store, name) : NULL;
}

/* Takes the samples of an ended thread, which are the row of an object. */
static void note_ended(Side *side, const struct ctprof_rows *rows, guint64 i, gint slot)
{
	Store *store = side->intake->store;
	const char *text = rows_text(rows, i, slot);

	if (text)
		g_hash_table_insert(
			side->ended,
			(gpointer)(uintptr_t)store_text(store, ctprof_rows_target(rows, i)->path),
			(gpointer)(uintptr_t)store_text(store, text));
}

/* Takes the facts about the capture itself. */
static void note_facts(Side *side, enum row_class row, const struct ctprof_rows *rows)
{
	gint ended = registry_index(side->registry, ROW_OBJECT, ENDED_METRIC, CTPROF_TYPE_TEXT);

	if (row == ROW_CAPTURE && rows->n > 0)
		note_tallies(side, rows);
	if (row == ROW_HOST && rows->n > 0) {
		side->instants = registry_number(side->registry, rows, 0, INSTANTS_METRIC);
		side->instants_ns = registry_number(side->registry, rows, 0, BEGAN_METRIC);
	}
	for (guint64 i = 0; row == ROW_OBJECT && i < rows->n; i++)
		note_ended(side, rows, i, ended);
}

void side_add(Side *side, const struct ctprof_rows *rows)
{
	const Plan *plan = side->intake->plan;
	enum row_class row = registry_row_of_scope(rows->scope);
	Roster *roster = row == ROW_THREAD ? side->roster : row == ROW_EXIT ? side->exits : NULL;

	note_facts(side, row, rows);
	for (guint64 i = 0; i < rows->n; i++) {
		if (own_take(side->intake->own, plan->options->hidden, side->index, side->registry,
			     rows, i) ||
		    is_excluded(plan, rows, i))
			continue;
		if (roster && !plan->options->view)
			roster_add(roster, rows, i);
		add_row(side, rows, i);
	}
}

/* A TakeRows. */
static gboolean take_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	(void)registry;
	(void)error;
	side_add(data, rows);
	return TRUE;
}

/* Whether the side also folds processes one by one. */
static gboolean wants_processes(const Side *side)
{
	return side->layouts[TABLE_PROCESSES].bindings->len > 0 ||
	       side->layouts[TABLE_SMAPS].bindings->len > 0;
}

void side_add_moment(Side *side, const Moment *moment)
{
	const Plan *plan = side->intake->plan;
	gboolean is_part = plan->pids || plan->options->tids || plan->options->own[0];

	if (!side->intake->one_by_one || plan->options->view) {
		(void)moment_each(moment, take_rows, side, NULL);
		return;
	}
	(void)moment_each_other(moment, take_rows, side, NULL);
	roster_free(side->roster);
	roster_free(side->exits);
	side->roster = roster_view(moment_threads(moment), is_part ? selects_entry : NULL, plan);
	side->exits = roster_view(moment_exits(moment), is_part ? selects_entry : NULL, plan);
	g_auto(RosterRow) row;
	roster_row_init(&row, side->roster);
	for (guint i = 0; i < roster_length(side->roster); i++) {
		const RosterEntry *entry = roster_entry(side->roster, i);

		side->newest = MAX(side->newest, entry->start);
		if (entry->tid != entry->tgid || !wants_processes(side))
			continue;
		roster_read(side->roster, entry, &row);
		add_row(side, &row.rows, 0);
	}
}

void side_fold_roster(Side *side)
{
	g_auto(RosterRow) row;

	roster_row_init(&row, side->roster);
	for (guint i = 0; i < roster_length(side->roster); i++) {
		roster_read(side->roster, roster_entry(side->roster, i), &row);
		fold_row(side, TABLE_THREADS, &row.rows, 0);
	}
}
