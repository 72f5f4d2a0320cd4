/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory.h"

#include <gio/gio.h>

#include "base/error.h"
#include "memory-views.h"

struct memory_view {
	const char *name, *summary;
	void (*draft)(MemoryDraft *draft);
	MemorySorts sort;
	enum memory_group needs;
	const char *groups;  /* what to capture for it */
	const char *what;    /* it lacks without */
	const char *capture; /* an option of capture that has it read */
	gboolean takes_pid;
};

static const MemoryView views[] = {
	{"ledger", "Where the host's RAM went", memory_draft_ledger, memory_ledger_sort,
	 MEMORY_LEDGER, "memory-ledger,memory,memory-tmpfs,memory-sysv", "memory ledger",
	 "--memory", FALSE},
	{"processes", "PSS, USS, RSS and swap of processes, as a tree", memory_draft_processes,
	 memory_processes_sort, MEMORY_PROCESSES, "memory,memory-ledger", "memory of processes",
	 "--memory=processes", FALSE},
	{"process", "What one process maps: process PID", memory_draft_process, memory_process_sort,
	 MEMORY_MAPPINGS, "memory,memory-mappings", "mappings of a process",
	 "-g memory,memory-mappings -O memory.pid=PID", TRUE},
	{"shared", "Objects that processes share, and who uses them most", memory_draft_shared,
	 memory_shared_sort, MEMORY_SHARED, "memory,memory-shared,memory-swap,memory-sysv",
	 "shared objects", "--memory=shared", FALSE},
	{"tmpfs", "tmpfs mounts, and with --walk their files", memory_draft_tmpfs,
	 memory_tmpfs_sort, MEMORY_TMPFS, "memory-tmpfs", "tmpfs mounts", "--memory=tmpfs", FALSE},
	{"sysv", "SysV shared memory segments", memory_draft_sysv, memory_sysv_sort, MEMORY_SYSV,
	 "memory-sysv", "SysV segments", "--memory=sysv", FALSE},
	{"categories", "PSS and swap of processes by what they are", memory_draft_categories,
	 memory_categories_sort, MEMORY_PROCESSES, "memory,smaps,memory-swap",
	 "memory of processes", "--memory=processes", FALSE},
};

struct memory {
	const MemoryOptions *options;
	GRegex *filter;
	guint sort;
	MemoryData data;
	MemoryTables *tables;
	GArray *sections; /* struct ctprof_report_section */
	struct ctprof_report report;
};

/* ---- views -------------------------------------------------------------------- */

const MemoryView *memory_view_at(guint i)
{
	return i < G_N_ELEMENTS(views) ? &views[i] : NULL;
}

const MemoryView *memory_view_find(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(views); i++)
		if (g_str_equal(views[i].name, name))
			return &views[i];
	return NULL;
}

const char *memory_view_name(const MemoryView *view)
{
	return view->name;
}

const char *memory_view_summary(const MemoryView *view)
{
	return view->summary;
}

const char *memory_view_groups(const MemoryView *view)
{
	return view->groups;
}

const char *memory_view_sort(const MemoryView *view, guint i)
{
	return view->sort(i);
}

gboolean memory_view_takes_pid(const MemoryView *view)
{
	return view->takes_pid;
}

/* ---- options -------------------------------------------------------------------- */

static gboolean parse_filter(Memory *memory, GError **error)
{
	const char *filter = memory->options->filter;
	g_autoptr(GError) cause = NULL;

	if (!filter)
		return TRUE;
	/* Names are bytes, and need not be UTF-8. */
	memory->filter = g_regex_new(filter, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, &cause);
	if (!memory->filter)
		g_set_error(error, USAGE_ERROR, 0, "--filter '%s': %s", filter, cause->message);
	return memory->filter != NULL;
}

static gboolean parse_sort(Memory *memory, GError **error)
{
	const MemoryView *view = memory->options->view;
	const char *wanted = memory->options->sort;
	g_autoptr(GString) known = g_string_new(NULL);

	if (!wanted)
		return TRUE;
	for (guint i = 0; view->sort(i); i++) {
		memory->sort = i;
		if (g_str_equal(view->sort(i), wanted))
			return TRUE;
		g_string_append_printf(known, "%s%s", i > 0 ? ", " : "", view->sort(i));
	}
	g_set_error(error, USAGE_ERROR, 0, "--sort '%s': the view %s has %s", wanted, view->name,
		    known->str);
	return FALSE;
}

Memory *memory_new(const MemoryOptions *options, GError **error)
{
	g_autoptr(Memory) memory = g_new0(Memory, 1);

	memory->options = options;
	memory_data_init(&memory->data);
	memory->tables = memory_tables_new();
	memory->sections = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_section));
	if (!parse_filter(memory, error) || !parse_sort(memory, error))
		return NULL;
	return g_steal_pointer(&memory);
}

void memory_free(Memory *memory)
{
	g_clear_pointer(&memory->filter, g_regex_unref);
	g_array_unref(memory->sections);
	g_ptr_array_unref(memory->tables);
	memory_data_clear(&memory->data);
	g_free(memory);
}

/* ---- from rows to a report -------------------------------------------------------- */

void memory_add(Memory *memory, const Registry *registry, const struct ctprof_rows *rows)
{
	memory_data_bind(&memory->data, registry);
	memory_data_add(&memory->data, rows);
}

gboolean memory_draft_matches(const MemoryDraft *draft, const char *text)
{
	return !draft->filter || (text && g_regex_match(draft->filter, text, 0, NULL));
}

static gboolean has_process(const Memory *memory)
{
	const GPtrArray *rows = memory->data.rows[MEMORY_MAPPINGS];
	g_autofree char *prefix = g_strdup_printf("%d ", memory->options->pid);

	for (guint i = 0; i < rows->len; i++)
		if (g_str_has_prefix(((const MemoryRow *)g_ptr_array_index(rows, i))->name, prefix))
			return TRUE;
	return FALSE;
}

static gboolean check_needs(const Memory *memory, GError **error)
{
	const MemoryView *view = memory->options->view;

	if (!memory->data.captured[view->needs]) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
			    "%s has no %s: capture with %s", memory->options->file, view->what,
			    view->capture);
		return FALSE;
	}
	if (view->takes_pid && !has_process(memory)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
			    "%s has no mappings of process %d: there was none, or it could not be "
			    "read",
			    memory->options->file, memory->options->pid);
		return FALSE;
	}
	return TRUE;
}

const struct ctprof_report *memory_finish(Memory *memory, const Registry *registry, GError **error)
{
	MemoryDraft draft = {
		.data = &memory->data,
		.options = memory->options,
		.filter = memory->filter,
		.sort = memory->sort,
		.tables = memory->tables,
	};

	memory_data_bind(&memory->data, registry);
	if (!check_needs(memory, error))
		return NULL;
	memory->options->view->draft(&draft);
	for (guint i = 0; i < memory->tables->len; i++) {
		struct ctprof_report_section section =
			memory_table_section(g_ptr_array_index(memory->tables, i));

		g_array_append_val(memory->sections, section);
	}
	memory->report = (struct ctprof_report){
		.struct_size = sizeof memory->report,
		.flags = CTPROF_REPORT_HEADER,
		.files = {memory->options->file, NULL},
		.n_sections = memory->sections->len,
		.sections = (const void *)memory->sections->data,
		.command = "memory",
	};
	return &memory->report;
}

char *memory_artifact(const Memory *memory)
{
	return memory_format_artifact(&memory->data, memory->options->swap_by_name);
}
