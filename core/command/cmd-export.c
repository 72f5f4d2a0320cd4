/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "capture-options.h"
#include "cmd.h"
#include "export/export-run.h"
#include "guard/output.h"
#include "guard/supervise.h"
#include "present.h"
#include "report-options.h"
#include "road/load.h"
#include "road/redacting.h"

#define DEFAULT_FORMAT "parquet"
/* Maximum bytes of a host in the name of a folder. */
#define MAX_HOST 200

static char *format, *output, *host;
static char *folder; /* the folder that output names; NULL: output names a file */
static gint rows = -1, group_by = GROUP_BY_PCOMM;
static gboolean partition;

static const struct ctprof_option_word row_words[] = {
	OPTION_WORD("threads", NULL),
	OPTION_WORD("groups", "of threads, as in show"),
	OPTION_WORD("cgroups", NULL),
	OPTION_WORD("objects", "mounts, segments, parts of memory"),
	OPTION_WORD("windows", "groups between two samples of a recording"),
	OPTION_WORD("captures", "hosts, as they were captured"),
};

static const Option options[] = {
	OPTION(TEXT, "format", 'f', &format, "FORMAT",
	       "Write with this sink: parquet, ndjson, csv, sqlite, openmetrics or another",
	       .from = FROM_TABULATORS, .row.default_value = DEFAULT_FORMAT),
	OPTION(WORD, "rows", 0, &rows, "WHAT",
	       "Write a row for each of these; default: threads; openmetrics: groups; sqlite: "
	       "threads, cgroups and captures, a table each",
	       OPTION_WORDS(row_words)),
	OPTION(WORD, "group-by", 0, &group_by, "KEY", "Fold threads by, for groups and windows",
	       OPTION_WORDS(reporting_group_words), .row.default_value = "pcomm"),
	OPTION(PATH, "output", 'o', &output, "PATH",
	       "Write this file ('-': standard output), or a file for each FILE into this folder",
	       .from = FROM_FILES, .row.default_value = "-"),
	OPTION(BOOL, "partition", 0, &partition, NULL,
	       "Write into folders host=HOST/date=DATE below the folder of -o, as query engines expect"),
	OPTION(TEXT, "host", 0, &host, "NAME",
	       "Name of the host; default: the name of FILE up to its time"),
	OPTION_END,
};

/* The files to be made, and their names. */
typedef struct work {
	const Globals *globals;
	const char *const *files;
	guint n_files;
	ExportOptions options;
	GPtrArray *paths; /* char *: names of the files to be made */
	GHashTable *taken;
} Work;

static int run_job(const Work *work, const char *const *files, const ExportDay *day,
		   const char *path)
{
	ExportJob job = {
		.globals = work->globals,
		.format = format ? format : DEFAULT_FORMAT,
		.host = host,
		.options = work->options,
		.files = files,
		.first = day ? day->first : 0,
		.last = day ? day->last : G_MAXUINT,
		.path = path,
		.makes_folders = day != NULL,
	};

	return supervise_run(export_step, &job, NULL);
}

/* ---- a file for each --------------------------------------------------------------- */

/* Replaces bytes that the name of a folder cannot contain, or at which an engine would split it. */
static char *escape_host(const char *text)
{
	GString *out = g_string_new(NULL);

	for (; *text && out->len < MAX_HOST; text++)
		if (g_ascii_isalnum(*text) || strchr("._-", *text))
			g_string_append_c(out, *text);
		else
			g_string_append_printf(out, "%%%02X", (guchar)*text);
	return g_string_free(out, FALSE);
}

static char *name_folder(const char *file, const ExportDay *day)
{
	if (!day)
		return g_strdup(folder);
	g_autofree char *name = export_name_host(host, file);
	g_autofree char *escaped = escape_host(name ? name : "unknown");
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc((gint64)day->day * 86400);
	g_autofree char *date = time ? g_date_time_format(time, "%Y-%m-%d") : g_strdup("unknown");

	return g_strdup_printf("%s/host=%s/date=%s", folder, escaped, date);
}

static char *name_file(const char *file, const ExportDay *day)
{
	g_autofree char *place = name_folder(file, day);
	g_autofree char *own = strcmp(file, "-") == 0 ? g_strdup("stdin") : export_stem_of(file);
	g_autofree char *stem = redacting_name(own);

	return g_strdup_printf("%s/%s.%s", place, stem, format ? format : DEFAULT_FORMAT);
}

/* Names all files first, so that nothing is written if one would replace another. */
static gboolean name_files(const Work *work, const ExportDay *days, guint n, GError **error)
{
	for (guint i = 0; i < n; i++) {
		const char *file = work->files[days ? days[i].file : i];
		char *path = name_file(file, days ? &days[i] : NULL);

		g_ptr_array_add(work->paths, path);
		if (!g_hash_table_add(work->taken, path))
			return error_set_usage(
				error, "'%s': two of the files would become '%s' (rename one)",
				file, path);
	}
	return TRUE;
}

/* If days is NULL, each file is written as a whole. */
static int make_each(const Work *work, const ExportDay *days, guint n, GError **error)
{
	int status = EXIT_DONE;

	if (!name_files(work, days, n, error))
		return EXIT_FAILED;
	for (guint i = 0; i < n && status == EXIT_DONE; i++) {
		const char *const files[] = {work->files[days ? days[i].file : i], NULL};

		status = run_job(work, files, days ? &days[i] : NULL,
				 g_ptr_array_index(work->paths, i));
	}
	return status;
}

/* Copies the days that another process reported, if they are plausible. */
static GArray *check_days(const Work *work, const ExportDays *days)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(ExportDay));
	guint n = MIN(days->n, EXPORT_MAX_DAYS);

	for (guint i = 0; i < n; i++) {
		const ExportDay day = days->days[i];

		if (day.file < work->n_files && day.first <= day.last)
			g_array_append_val(list, day);
	}
	return list;
}

static int make_partitions(const Work *work, GError **error)
{
	ExportDays *days =
		mmap(NULL, sizeof *days, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ExportSurvey survey = {work->globals, work->files, days};

	if (days == MAP_FAILED)
		return error_set_failed(error, "out of memory");
	int status = supervise_run(export_survey_step, &survey, NULL);
	g_autoptr(GArray) list = check_days(work, days);
	munmap(days, sizeof *days);
	return status == EXIT_DONE
		       ? make_each(work, (const ExportDay *)(gpointer)list->data, list->len, error)
		       : status;
}

/* ---- the command ---------------------------------------------------------------------- */

/* Takes the folder from output, without trailing slashes. */
static void take_folder(void)
{
	gsize length = output ? strlen(output) : 0;

	if (!partition && (!output || (!g_str_has_suffix(output, "/") &&
				       !g_file_test(output, G_FILE_TEST_IS_DIR))))
		return;
	while (length > 1 && output[length - 1] == '/')
		length--;
	folder = g_strndup(output, length);
}

static gboolean check(char **arguments, GError **error)
{
	guint n_stdin = 0;

	if (!arguments[0])
		return error_set_usage(error, "expected a snapshot or recording: FILE ('-': "
					      "standard input; 'ctprof capture' writes one)");
	for (char **file = arguments; *file; file++) {
		if (!load_find(file, error))
			return FALSE;
		n_stdin += strcmp(*file, "-") == 0;
		load_alone |= output_is_rotated(*file, (const char *const *)arguments);
	}
	if (n_stdin > 1)
		return error_set_usage(error, "'-' can be read only once");
	if (partition && n_stdin > 0)
		return error_set_usage(error, "--partition: not with standard input");
	if (partition && (!output || strcmp(output, "-") == 0))
		return error_set_usage(error, "--partition: expected -o FOLDER");
	return TRUE;
}

static int cmd_export_run(Globals *globals, char **arguments, GError **error)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GHashTable) taken = g_hash_table_new(g_str_hash, g_str_equal);
	const Work work = {
		.globals = globals,
		.files = (const char *const *)arguments,
		.options = {.tables = rows >= 0 ? 1u << rows : 0, .group_by = (GroupBy)group_by},
		.n_files = g_strv_length(arguments),
		.paths = paths,
		.taken = taken,
	};

	if (!check(arguments, error) || !redacting_prepare(FALSE, error))
		return EXIT_FAILED;
	take_folder();
	if (partition)
		return make_partitions(&work, error);
	if (folder)
		return make_each(&work, NULL, work.n_files, error);
	return run_job(&work, work.files, NULL, output ? output : "-");
}

const Command cmd_export = {
	.name = "export",
	.arguments = "FILE…",
	.summary = "Write snapshots and recordings as tables, for other programs",
	.help = "FILE is written by 'ctprof capture' or 'ctprof record'; every sample of a\n"
		"recording is exported. Absent values are null, never 0. The host's name is not\n"
		"in FILE: the file name, HOST-TIME.ctprof.zst, or --host provides it.\n\n"
		"Examples:\n"
		"  ctprof export -o host.parquet before.ctprof.zst\n"
		"  ctprof export -f csv --rows groups before.ctprof.zst after.ctprof.zst\n"
		"  ctprof export -f ndjson before.ctprof.zst | jq -c '{comm, run_time_ns}'\n"
		"  ctprof export -f sqlite -o host.sqlite before.ctprof.zst\n"
		"  ctprof export --partition -o fleet/ before.ctprof.zst",
	.options = options,
	.shared = {redacting_options, redacting_key_options, reading_options},
	.arguments_from = FROM_SNAPSHOTS,
	.supervises = TRUE,
	.run = cmd_export_run,
};
