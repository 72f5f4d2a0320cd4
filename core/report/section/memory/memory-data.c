/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory-data.h"

#include <string.h>

/* What one metric of a snapshot goes into. */
struct binding {
	enum memory_group group;
	guint cell;
	guint index; /* in a row of its class */
	guint32 type;
};

static const char *const process_metrics[N_PROCESS_CELLS] = {
	[PROCESS_PSS] = "pss_bytes",
	[PROCESS_USS] = "uss_bytes",
	[PROCESS_RSS] = "rss_bytes",
	[PROCESS_SWAP] = "swap_bytes",
	[PROCESS_SWAP_PSS] = "swap_pss_bytes",
	[PROCESS_PSS_ANON] = "pss_anon_bytes",
	[PROCESS_PSS_FILE] = "pss_file_bytes",
	[PROCESS_PSS_SHMEM] = "pss_shmem_bytes",
	[PROCESS_ANONYMOUS] = "anonymous_bytes",
	[PROCESS_MEMORY_STATE] = "memory_state",
	[PROCESS_MEMORY_SOURCE] = "memory_source",
	[PROCESS_PPID] = "ppid",
	[PROCESS_USER] = "user",
	[PROCESS_CMDLINE] = "cmdline",
	[PROCESS_CWD] = "cwd",
	[PROCESS_PCOMM] = "pcomm",
	[PROCESS_STATE] = "state",
	[PROCESS_THREADS] = "nr_threads",
	[PROCESS_ROLLUP] = "smaps_rollup_kib",
};

static const char *const ledger_metrics[N_LEDGER_CELLS] = {
	[LEDGER_BYTES] = "ledger_bytes",
	[LEDGER_ESTIMATE] = "ledger_estimate",
};

static const char *const tmpfs_metrics[N_TMPFS_CELLS] = {
	[TMPFS_USED] = "tmpfs_used_bytes", [TMPFS_LIMIT] = "tmpfs_limit_bytes",
	[TMPFS_DEVICE] = "tmpfs_device",   [TMPFS_FILES] = "tmpfs_files",
	[TMPFS_SOURCE] = "tmpfs_source",
};

static const char *const file_metrics[N_FILE_CELLS] = {
	[FILE_MOUNT] = "file_mount",
	[FILE_KIND] = "file_kind",
	[FILE_ALLOCATED] = "file_allocated_bytes",
	[FILE_LOGICAL] = "file_logical_bytes",
	[FILE_DEPTH] = "file_depth",
	[FILE_LINKED] = "file_linked",
	[FILE_UNREADABLE] = "files_unreadable",
};

static const char *const sysv_metrics[N_SYSV_CELLS] = {
	[SYSV_OWNER] = "sysv_owner",     [SYSV_ATTACHES] = "sysv_attaches",
	[SYSV_SIZE] = "sysv_size_bytes", [SYSV_RSS] = "sysv_rss_bytes",
	[SYSV_SWAP] = "sysv_swap_bytes", [SYSV_KEY] = "sysv_key",
};

static const char *const shared_metrics[N_SHARED_CELLS] = {
	[SHARED_KIND] = "object_kind",           [SHARED_DEVICE] = "object_device",
	[SHARED_INODE] = "object_inode",         [SHARED_PSS] = "object_pss_bytes",
	[SHARED_RSS] = "object_rss_bytes",       [SHARED_USS] = "object_uss_bytes",
	[SHARED_SWAP] = "object_swap_bytes",     [SHARED_SIZE] = "object_size_bytes",
	[SHARED_VMAS] = "object_vmas",           [SHARED_PROCESSES] = "object_processes",
	[SHARED_CONSUMERS] = "object_consumers", [SHARED_SHMID] = "object_shmid",
	[SHARED_ATTACHES] = "object_attaches",
};

static const char *const swap_metrics[N_SWAP_CELLS] = {
	[SWAP_BY_OBJECT] = "swap_shared_bytes",
	[SWAP_BY_NAME] = "swap_shared_by_name_bytes",
	[SWAP_UNREADABLE] = "swap_unreadable",
	[SWAP_READABLE] = "swap_readable",
};

static const char *const mapping_metrics[N_MAPPING_CELLS] = {
	[MAPPING_PID] = "mapping_pid",         [MAPPING_KIND] = "mapping_kind",
	[MAPPING_LABEL] = "mapping_label",     [MAPPING_DEVICE] = "mapping_device",
	[MAPPING_INODE] = "mapping_inode",     [MAPPING_VMAS] = "mapping_vmas",
	[MAPPING_SIZE] = "mapping_size_bytes", [MAPPING_RSS] = "mapping_rss_bytes",
	[MAPPING_PSS] = "mapping_pss_bytes",   [MAPPING_USS] = "mapping_uss_bytes",
	[MAPPING_SWAP] = "mapping_swap_bytes", [MAPPING_ANONYMOUS] = "mapping_anonymous_bytes",
	[MAPPING_READ_NS] = "mapping_read_ns",
};

static const struct {
	const char *name;   /* the slot group */
	const char *marker; /* a metric that a snapshot has only with this group */
	guint32 scope;
	const char *const *metrics;
	guint n;
} groups[N_MEMORY_GROUPS] = {
	[MEMORY_PROCESSES] = {"memory", "memory_state", CTPROF_SCOPE_THREAD, process_metrics,
			      N_PROCESS_CELLS},
	[MEMORY_LEDGER] = {"memory-ledger", "ledger_bytes", CTPROF_SCOPE_OBJECT, ledger_metrics,
			   N_LEDGER_CELLS},
	[MEMORY_TMPFS] = {"memory-tmpfs", "tmpfs_used_bytes", CTPROF_SCOPE_OBJECT, tmpfs_metrics,
			  N_TMPFS_CELLS},
	[MEMORY_FILES] = {"memory-files", "file_allocated_bytes", CTPROF_SCOPE_OBJECT, file_metrics,
			  N_FILE_CELLS},
	[MEMORY_SYSV] = {"memory-sysv", "sysv_rss_bytes", CTPROF_SCOPE_OBJECT, sysv_metrics,
			 N_SYSV_CELLS},
	[MEMORY_SHARED] = {"memory-shared", "object_pss_bytes", CTPROF_SCOPE_OBJECT, shared_metrics,
			   N_SHARED_CELLS},
	[MEMORY_SWAP] = {"memory-swap", "swap_shared_bytes", CTPROF_SCOPE_OBJECT, swap_metrics,
			 N_SWAP_CELLS},
	[MEMORY_MAPPINGS] = {"memory-mappings", "mapping_pss_bytes", CTPROF_SCOPE_OBJECT,
			     mapping_metrics, N_MAPPING_CELLS},
};

guint memory_data_n_cells(enum memory_group group)
{
	return groups[group].n;
}

const char *memory_data_group(enum memory_group group)
{
	return groups[group].name;
}

const char *memory_data_metric(enum memory_group group, guint cell)
{
	return groups[group].metrics[cell];
}

void memory_data_init(MemoryData *data)
{
	*data = (MemoryData){
		.strings = g_string_chunk_new(4096),
		.maps = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref),
		.bindings = g_array_new(FALSE, FALSE, sizeof(struct binding)),
	};
	for (guint i = 0; i < N_MEMORY_GROUPS; i++)
		data->rows[i] = g_ptr_array_new_with_free_func(g_free);
}

void memory_data_clear(MemoryData *data)
{
	for (guint i = 0; i < N_MEMORY_GROUPS; i++)
		g_clear_pointer(&data->rows[i], g_ptr_array_unref);
	g_clear_pointer(&data->bindings, g_array_unref);
	g_clear_pointer(&data->maps, g_ptr_array_unref);
	g_clear_pointer(&data->strings, g_string_chunk_free);
}

static gboolean is_understood(const Metric *metric)
{
	return metric->type == CTPROF_TYPE_U64 || metric->type == CTPROF_TYPE_TEXT ||
	       (metric->type == CTPROF_TYPE_MAP && metric->def.unit != CTPROF_UNIT_TEXT);
}

static void bind_group(MemoryData *data, const Registry *registry, enum memory_group group)
{
	enum row_class row = registry_row_of_scope(groups[group].scope);

	if (row == N_ROW_CLASSES)
		return;
	const Metric *marker = registry_named(registry, row, groups[group].marker);
	data->captured[group] = marker && marker->wanted;
	for (guint i = 0; i < groups[group].n; i++) {
		const Metric *metric = registry_named(registry, row, groups[group].metrics[i]);
		struct binding binding = {.group = group, .cell = i};

		if (!metric || !is_understood(metric))
			continue;
		binding.index = metric->index;
		binding.type = metric->type;
		g_array_append_val(data->bindings, binding);
	}
}

void memory_data_bind(MemoryData *data, const Registry *registry)
{
	if (data->registry)
		return;
	data->registry = registry;
	for (guint i = 0; i < N_MEMORY_GROUPS; i++)
		bind_group(data, registry, i);
}

MemoryRow *memory_data_new_row(MemoryData *data, enum memory_group group, const char *name,
			       gint32 pid)
{
	MemoryRow *row = g_malloc0(sizeof(MemoryRow) + groups[group].n * sizeof(MemoryCell));

	row->name = name ? memory_data_keep(data, name) : NULL;
	row->pid = pid;
	for (guint i = 0; i < groups[group].n; i++)
		row->cells[i].state = CTPROF_ABSENT_UNSUPPORTED;
	g_ptr_array_add(data->rows[group], row);
	return row;
}

const char *memory_data_keep(MemoryData *data, const char *text)
{
	return g_string_chunk_insert(data->strings, text);
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
	const MemoryEntry *x = a, *y = b;

	if (x->number != y->number)
		return x->number > y->number ? -1 : 1;
	return strcmp(x->key, y->key);
}

static const GArray *take_map(MemoryData *data, const struct ctprof_map *map)
{
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(MemoryEntry));

	for (guint64 i = 0; i < map->n; i++) {
		MemoryEntry entry = {
			.key = g_string_chunk_insert_len(data->strings, map->entries[i].key,
							 map->entries[i].key_len),
			.number = map->entries[i].number,
		};

		g_array_append_val(entries, entry);
	}
	g_array_sort(entries, compare_entries);
	g_ptr_array_add(data->maps, entries);
	return entries;
}

static void take_cell(MemoryData *data, MemoryCell *cell, guint32 type, guint64 bits)
{
	cell->state = CTPROF_PRESENT;
	cell->type = type;
	if (type == CTPROF_TYPE_TEXT)
		cell->text = memory_data_keep(data,
					      ((const struct ctprof_text *)(uintptr_t)bits)->bytes);
	else if (type == CTPROF_TYPE_MAP)
		cell->map = take_map(data, (const void *)(uintptr_t)bits);
	else
		cell->number = bits;
}

static void take_row(MemoryData *data, enum memory_group group, const struct ctprof_rows *rows,
		     guint64 i)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	MemoryRow *row = memory_data_new_row(data, group, target->path, target->tgid);

	for (guint b = 0; b < data->bindings->len; b++) {
		const struct binding *binding = &g_array_index(data->bindings, struct binding, b);
		guint64 at = i * rows->n_slots + binding->index;

		if (binding->group != group)
			continue;
		if (rows->states[at] == CTPROF_PRESENT)
			take_cell(data, &row->cells[binding->cell], binding->type,
				  rows->values[at]);
		else
			row->cells[binding->cell].state = rows->states[at];
	}
}

/* The group a row is of; N_MEMORY_GROUPS: none of these. */
static enum memory_group group_of(const struct ctprof_rows *rows, guint64 i)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	guint group = 0;

	if (rows->scope == CTPROF_SCOPE_THREAD)
		return target->flags & CTPROF_TARGET_LEADER ? MEMORY_PROCESSES : N_MEMORY_GROUPS;
	if (rows->scope != CTPROF_SCOPE_OBJECT || !target->group || !target->path)
		return N_MEMORY_GROUPS;
	while (group < N_MEMORY_GROUPS && strcmp(groups[group].name, target->group) != 0)
		group++;
	return group == MEMORY_PROCESSES ? N_MEMORY_GROUPS : group;
}

void memory_data_add(MemoryData *data, const struct ctprof_rows *rows)
{
	for (guint64 i = 0; i < rows->n; i++) {
		enum memory_group group = group_of(rows, i);

		if (group < N_MEMORY_GROUPS)
			take_row(data, group, rows, i);
	}
}

gboolean memory_row_number(const MemoryRow *row, guint cell, guint64 *ret_number)
{
	const MemoryCell *c = &row->cells[cell];

	if (c->state != CTPROF_PRESENT || c->type != CTPROF_TYPE_U64)
		return FALSE;
	*ret_number = c->number;
	return TRUE;
}

const char *memory_row_text(const MemoryRow *row, guint cell)
{
	const MemoryCell *c = &row->cells[cell];

	return c->state == CTPROF_PRESENT && c->type == CTPROF_TYPE_TEXT ? c->text : NULL;
}

struct ctprof_value memory_row_value(const MemoryRow *row, guint cell)
{
	struct ctprof_value value = {.struct_size = sizeof value};
	const char *text = memory_row_text(row, cell);

	if (text) {
		value.type = CTPROF_VALUE_TEXT;
		value.text = text;
	} else if (memory_row_number(row, cell, &value.number)) {
		value.type = CTPROF_VALUE_NUMBER;
	}
	return value;
}
