/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory-kit.h"

#include <string.h>

/* The metrics of the plugin memory by slot group; amounts are levels. */
static const struct {
	const char *group, *amounts, *numbers, *texts, *categories, *maps;
} groups[] = {
	{"memory",
	 "pss_bytes uss_bytes rss_bytes swap_bytes swap_pss_bytes pss_anon_bytes pss_file_bytes "
	 "pss_shmem_bytes anonymous_bytes",
	 "ppid", "memory_source user cmdline cwd", "memory_state", ""},
	{"smaps", "", "", "", "smaps_state", ""},
	{"memory-ledger", "ledger_bytes", "ledger_estimate", "", "", ""},
	{"memory-tmpfs", "tmpfs_used_bytes tmpfs_limit_bytes tmpfs_files", "",
	 "tmpfs_device tmpfs_source", "", ""},
	{"memory-files", "file_allocated_bytes file_logical_bytes files_unreadable",
	 "file_depth file_linked", "file_mount", "file_kind", ""},
	{"memory-sysv", "sysv_attaches sysv_size_bytes sysv_rss_bytes sysv_swap_bytes",
	 "sysv_owner", "sysv_key", "", ""},
	{"memory-shared",
	 "object_pss_bytes object_rss_bytes object_uss_bytes object_swap_bytes object_size_bytes "
	 "object_vmas object_processes object_attaches",
	 "object_inode object_shmid", "object_device", "object_kind", "object_consumers"},
	{"memory-swap", "swap_shared_bytes swap_shared_by_name_bytes swap_unreadable swap_readable",
	 "", "", "", ""},
	{"memory-mappings",
	 "mapping_vmas mapping_size_bytes mapping_rss_bytes mapping_pss_bytes mapping_uss_bytes "
	 "mapping_swap_bytes mapping_anonymous_bytes mapping_read_ns",
	 "mapping_pid mapping_inode", "mapping_label mapping_device", "mapping_kind", ""},
};

/* A row to be created. */
typedef struct spec {
	char *group, *name;
	gint32 pid;
	GPtrArray *cells; /* char *: metric, value, ...; of maps "{K=V;K=V" */
} Spec;

static void spec_free(gpointer data)
{
	Spec *spec = data;

	g_free(spec->group);
	g_free(spec->name);
	g_ptr_array_unref(spec->cells);
	g_free(spec);
}

void memory_kit_init(MemoryKit *kit)
{
	*kit = (MemoryKit){.options = {.files = {"x.ctprof.zst", "y.ctprof.zst"}}};
	for (guint side = 0; side < G_N_ELEMENTS(kit->sides); side++) {
		kit->sides[side] = g_ptr_array_new_with_free_func(spec_free);
		kit->groups[side] = g_hash_table_new(g_str_hash, g_str_equal);
	}
}

static void forget_report(MemoryKit *kit)
{
	kit->report = NULL;
	g_clear_pointer(&kit->analysis, analysis_free);
	for (guint side = 0; side < G_N_ELEMENTS(kit->sides); side++)
		g_clear_pointer(&kit->samples[side], sample_free);
}

void memory_kit_clear(MemoryKit *kit)
{
	forget_report(kit);
	for (guint side = 0; side < G_N_ELEMENTS(kit->sides); side++) {
		g_ptr_array_unref(kit->sides[side]);
		g_hash_table_unref(kit->groups[side]);
	}
}

void memory_kit_capture(MemoryKit *kit, const char *group)
{
	for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
		if (strcmp(groups[i].group, group) == 0) {
			g_hash_table_add(kit->groups[kit->side],
					 (gpointer)(uintptr_t)groups[i].group);
			return;
		}
	g_assert_not_reached();
}

static void add_cell(Spec *spec, const char *metric, char *value)
{
	g_ptr_array_add(spec->cells, g_strdup(metric));
	g_ptr_array_add(spec->cells, value);
}

void memory_kit_row(MemoryKit *kit, const char *group, const char *name, gint32 pid,
		    const char *cells)
{
	g_auto(GStrv) words = g_strsplit(cells, ";", -1);
	Spec *spec = g_new0(Spec, 1);

	memory_kit_capture(kit, group);
	spec->group = g_strdup(group);
	spec->name = g_strdup(name);
	spec->pid = pid;
	spec->cells = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; words[i] && words[i][0]; i++) {
		g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);

		add_cell(spec, pair[0], g_strdup(pair[1]));
	}
	g_ptr_array_add(kit->sides[kit->side], spec);
}

void memory_kit_map(MemoryKit *kit, const char *metric, const char *entries)
{
	GPtrArray *rows = kit->sides[kit->side];

	add_cell(g_ptr_array_index(rows, rows->len - 1), metric, g_strconcat("{", entries, NULL));
}

/* ---- drawing ---- */

static void add_metrics(Sample *sample, guint group, const char *names, guint32 kind, guint32 unit)
{
	guint32 scope = g_str_has_prefix(groups[group].group, "memory-") ? CTPROF_SCOPE_OBJECT
									 : CTPROF_SCOPE_PROCESS;
	g_auto(GStrv) words = g_strsplit(names, " ", -1);

	for (guint i = 0; words[i] && words[i][0]; i++)
		sample_limit_metric(sample, words[i], kind, unit, scope, groups[group].group,
				    g_str_has_suffix(words[i], "_limit_bytes"));
}

static void add_group(Sample *sample, guint group)
{
	add_metrics(sample, group, groups[group].amounts, CTPROF_LEVEL, CTPROF_UNIT_BYTES);
	add_metrics(sample, group, groups[group].numbers, CTPROF_LABEL, CTPROF_UNIT_NONE);
	add_metrics(sample, group, groups[group].texts, CTPROF_LABEL, CTPROF_UNIT_TEXT);
	add_metrics(sample, group, groups[group].categories, CTPROF_CATEGORY, CTPROF_UNIT_TEXT);
	add_metrics(sample, group, groups[group].maps, CTPROF_MAP, CTPROF_UNIT_BYTES);
}

static gboolean is_text(const char *metric)
{
	static const char *const others[] = {"pcomm", "comm", "cgroup"};

	for (guint i = 0; i < G_N_ELEMENTS(others); i++)
		if (strcmp(others[i], metric) == 0)
			return TRUE;
	for (guint i = 0; i < G_N_ELEMENTS(groups); i++) {
		g_autofree char *all =
			g_strconcat(" ", groups[i].texts, " ", groups[i].categories, " ", NULL);
		g_autofree char *word = g_strconcat(" ", metric, " ", NULL);

		if (strstr(all, word))
			return TRUE;
	}
	return FALSE;
}

static void put_cell(Sample *sample, const char *metric, const char *value)
{
	guint64 number;

	if (strcmp(value, "!") == 0)
		sample_absent(sample, metric, CTPROF_ABSENT_INAPPLICABLE);
	else if (*value == '{')
		sample_map_split(sample, metric, value + 1, ";");
	else if (is_text(metric))
		sample_text(sample, metric, value);
	else if (g_ascii_string_to_unsigned(value, 10, 0, G_MAXUINT64, &number, NULL))
		sample_u64(sample, metric, number);
	else
		g_error("%s=%s", metric, value);
}

static Sample *make_sample(const MemoryKit *kit, guint side)
{
	Sample *sample = sample_new();

	for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
		if (g_hash_table_contains(kit->groups[side], groups[i].group))
			add_group(sample, i);
	for (guint i = 0; i < kit->sides[side]->len; i++) {
		const Spec *spec = g_ptr_array_index(kit->sides[side], i);

		if (spec->name)
			sample_object(sample, spec->group, spec->name);
		else
			sample_thread(sample, spec->pid, spec->pid, NULL, NULL, NULL);
		for (guint c = 0; c < spec->cells->len; c += 2)
			put_cell(sample, spec->cells->pdata[c], spec->cells->pdata[c + 1]);
	}
	sample_seal(sample);
	return sample;
}

void memory_kit_draw(MemoryKit *kit, const char *view)
{
	g_autoptr(GError) error = NULL;

	forget_report(kit);
	kit->options.view = view ? section_find(view, TRUE) : NULL;
	kit->options.compare = g_hash_table_size(kit->groups[1]) > 0;
	kit->analysis = analysis_new(&kit->options, &error);
	g_assert_no_error(error);
	for (guint side = 0; side <= (kit->options.compare ? 1u : 0u); side++) {
		kit->samples[side] = make_sample(kit, side);
		g_assert_true(analysis_bind(kit->analysis, side,
					    sample_registry(kit->samples[side]), &error));
		g_assert_true(sample_feed(kit->samples[side], kit->analysis, side, &error));
	}
	kit->report = analysis_finish(kit->analysis, &error);
	g_assert_no_error(error);
	g_assert_nonnull(kit->report);
}

/* ---- the result ---- */

const struct ctprof_report_section *memory_kit_section(const MemoryKit *kit, const char *name)
{
	for (guint64 i = 0; i < kit->report->n_sections; i++)
		if (strcmp(kit->report->sections[i].name, name) == 0)
			return &kit->report->sections[i];
	return NULL;
}

const struct ctprof_cell *memory_kit_cell(const struct ctprof_report_section *section, guint64 line,
					  const char *field)
{
	for (guint64 i = 0; i < section->n_fields; i++)
		if (strcmp(section->fields[i].name, field) == 0)
			return &section->lines[line].cells[i];
	g_error("no field '%s'", field);
}

static char *dump_value(const struct ctprof_value *value)
{
	const char *mark = value->flags & CTPROF_VALUE_PARTIAL ? "~" : "";

	if (value->type == CTPROF_VALUE_NUMBER)
		return g_strdup_printf("%s%" G_GUINT64_FORMAT, mark, value->number);
	if (value->type == CTPROF_VALUE_REAL)
		return g_strdup_printf("%.1f%%", value->real);
	if (value->type == CTPROF_VALUE_TEXT)
		return g_strdup(value->text);
	return g_strdup(value->type == CTPROF_VALUE_UNLIMITED ? "max" : "-");
}

static void dump_cell(GString *text, const struct ctprof_cell *cell, gboolean compare)
{
	g_autofree char *a = dump_value(&cell->value[0]);
	g_autofree char *b = dump_value(&cell->value[compare ? 1 : 0]);

	g_string_append(text, a);
	if (strcmp(a, b) != 0)
		g_string_append_printf(text, ">%s", b);
}

char *memory_kit_dump(const MemoryKit *kit, const char *name, const char *fields)
{
	const struct ctprof_report_section *section = memory_kit_section(kit, name);
	g_auto(GStrv) words = g_strsplit(fields, " ", -1);
	GString *text = g_string_new(NULL);

	g_assert_nonnull(section);
	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = &section->lines[i];

		g_string_append_printf(text, "%*s%s", (int)line->depth * 2, "",
				       line->flags & CTPROF_LINE_CONTEXT ? "^"
				       : line->flags & CTPROF_LINE_TOTAL ? "="
									 : "");
		for (guint f = 0; words[f]; f++) {
			if (f > 0)
				g_string_append_c(text, ' ');
			dump_cell(text, memory_kit_cell(section, i, words[f]),
				  kit->options.compare);
		}
		g_string_append_c(text, '\n');
	}
	return g_string_free(text, FALSE);
}

char *memory_kit_notes(const MemoryKit *kit, const char *name)
{
	const struct ctprof_report_section *section = memory_kit_section(kit, name);
	GString *text = g_string_new(NULL);

	for (guint64 i = 0; i < section->n_notes; i++)
		g_string_append_printf(text, "%s\n", section->notes[i]);
	return g_string_free(text, FALSE);
}
