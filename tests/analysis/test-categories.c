/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes by what they are: tables of patterns, sums of memory, sections. */
#include <string.h>

#include "base/error.h"
#include "command/categories-file.h"
#include "report/name/categories.h"
#include "report/section/memory/artifact.h"
#include "sample.h"

static Categories *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	Categories *categories = categories_parse(text, strlen(text), &error);

	g_assert_no_error(error);
	return categories;
}

static const char *find(Categories *categories, const char *command)
{
	return categories_name(categories, categories_find(categories, command));
}

/* As it ships. */
static void test_chromeos(void)
{
	static const struct {
		const char *command, *name;
	} cases[] = {
		/* vector 56 */
		{"/usr/bin/crosvm run --foo --socket /run/vm/arcvm.sock x", "crosvm_arcvm"},
		{"/usr/bin/crosvm run --foo --socket /run/vm/arcvm_sock x", "crosvm_arcvm"},
		{"/usr/bin/crosvm run --foo", "crosvm_other"},
		{"/usr/bin/crosvm-worker", "crosvm_other"},
		/* vector 57 */
		{"/opt/google/chrome/chrome --crash --type=renderer", "chrome_renderer"},
		{"/opt/google/chrome/chrome --type=gpu-process", "chrome_gpu"},
		{"/opt/google/chrome/chrome --type=utility", "chrome_other"},
		{"/opt/google/chrome/chrome", "chrome_browser"},
		{"/opt/google/chrome/chrome_crashpad_handler", "chrome_browser"},
		/* Also in arguments of several lines, or of no text at all. */
		{"/opt/google/chrome/chrome a\nb \xff --type=gpu-process", "chrome_gpu"},
		/* vector 58 */
		{"bash /usr/bin/crosvm run /arcvm.sock", "other"},
		{"", "other"},
	};
	g_autoptr(GError) error = NULL;
	const char *path =
		g_test_get_filename(G_TEST_DIST, "data", "categories", "chromeos.json", NULL);
	g_autoptr(Categories) categories = categories_load(path, &error);

	g_assert_no_error(error);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_test_message("case %zu", i);
		g_assert_cmpstr(find(categories, cases[i].command), ==, cases[i].name);
	}
	g_assert_null(categories_complaint(categories));
}

static void test_first_match_wins(void)
{
	g_autoptr(Categories) categories =
		parse("{\"categories\": [{\"name\": \"shell\", \"match\": \"sh\"},"
		      " {\"match\": \"^x\", \"name\": \"other\"},"
		      " {\"match\": \"\", \"name\": \"shell\"}]}");

	g_assert_cmpuint(categories_count(categories), ==, 2);
	g_assert_cmpstr(categories_name(categories, 0), ==, "shell");
	g_assert_cmpstr(categories_name(categories, 1), ==, "other");
	/* A pattern without '^' may match anywhere; an empty one always does. */
	g_assert_cmpstr(find(categories, "bash"), ==, "shell");
	g_assert_cmpstr(find(categories, "xsh"), ==, "shell");
	g_assert_cmpstr(find(categories, "xz"), ==, "other");
	g_assert_cmpstr(find(categories, "y"), ==, "shell");
}

static void test_bad_tables(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "expected a list of rules"},
		{"{}", "expected a list of rules"},
		{"{\"categories\": {}}", "expected a list of rules"},
		{"17", "expected a list of rules"},
		{"[{\"match\"", "no JSON"},
		{"[1]", "rule 1: expected {"},
		{"[{\"match\": \"a\", \"name\": \"b\"}, {\"match\": \"a\"}]",
		 "rule 2: expected a string \"name\""},
		{"[{\"match\": 1, \"name\": \"b\"}]", "rule 1: expected a string \"match\""},
		{"[{\"match\": null, \"name\": \"b\"}]", "rule 1: expected a string \"match\""},
		{"[{\"match\": \"a\", \"name\": \"\"}]",
		 "rule 1: \"name\" is of 0 bytes; expected 1 to 64"},
		{"[{\"match\": \"a\", \"name\": \"b\", \"mach\": 1}]", "rule 1: has more than"},
		{"[{\"match\": \"a\", \"name\": \"b\"}, {\"match\": \"^ab(c\", \"name\": \"b\"}]",
		 "rule 2: "},
		{"[{\"match\": \"^ab(c\", \"name\": \"b\"}]", " at char 5: "},
		{"[{\"match\": \"\xff\", \"name\": \"b\"}]", "no text in UTF-8"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(Categories) categories =
			categories_parse(cases[i].text, strlen(cases[i].text), &error);

		g_test_message("case %zu", i);
		g_assert_null(categories);
		g_assert_error(error, USAGE_ERROR, 0);
		g_test_message("%s", error->message);
		g_assert_nonnull(strstr(error->message, cases[i].message));
	}
}

/* count copies of middle between the ends. */
static char *repeat(const char *begin, const char *middle, guint count, const char *end)
{
	GString *text = g_string_new(begin);

	for (guint i = 0; i < count; i++)
		g_string_append(text, middle);
	g_string_append(text, end);
	return g_string_free(text, FALSE);
}

static void check_bound(char *text, const char *message)
{
	g_autofree char *owned G_GNUC_UNUSED = text;
	g_autoptr(GError) error = NULL;
	g_autoptr(Categories) categories = categories_parse(text, strlen(text), &error);

	g_assert_cmpint(categories == NULL, ==, message != NULL);
	if (message)
		g_assert_nonnull(strstr(error->message, message));
}

static void test_bounds(void)
{
	static const char rule[] = "{\"match\": \"a\", \"name\": \"b\"},";
	static const char end[] = "{\"match\": \"a\", \"name\": \"b\"}]";
	static const char begin[] = "[{\"match\": \"", rest[] = "\", \"name\": \"b\"}]";

	check_bound(repeat("[", rule, CATEGORIES_MAX_RULES - 1, end), NULL);
	check_bound(repeat("[", rule, CATEGORIES_MAX_RULES, end), "257 rules; at most 256");
	check_bound(repeat(begin, "a", 1024, rest), NULL);
	check_bound(repeat(begin, "a", 1025, rest), "rule 1: \"match\" is of 1025 bytes");
	check_bound(repeat("", "[", 100000, ""), "opening brackets");
	check_bound(repeat("", " ", CATEGORIES_MAX_BYTES, "[]"), "more than 262144 bytes");
}

/* Who writes a command line must not be able to keep ctprof busy. */
static void test_patterns_give_up(void)
{
	g_autoptr(Categories) categories = parse(
		"[{\"match\": \"^x\", \"name\": \"x\"}, {\"match\": \"^(a+)+$\", \"name\": \"as\"},"
		" {\"match\": \"\", \"name\": \"rest\"}]");
	g_autofree char *hostile = repeat("", "a", 60, "b");
	g_autofree char *longest = repeat("", "a", 60000, "");

	g_assert_cmpstr(find(categories, "ab"), ==, "rest");
	g_assert_null(categories_complaint(categories));
	g_assert_cmpstr(find(categories, hostile), ==, "other");
	g_assert_cmpstr(find(categories, hostile), ==, "other");
	g_autofree char *complaint = categories_complaint(categories);
	g_assert_cmpstr(complaint, ==,
			"categories: 2 command lines took too many steps to match (first of rule "
			"2): their processes are in 'other'");
	/* What is only long is no attack. */
	g_autoptr(Categories) stars = parse("[{\"match\": \"^a.*a$\", \"name\": \"as\"}]");
	g_assert_cmpstr(find(stars, longest), ==, "as");
}

static void test_fold(void)
{
	static const CategoryProcess processes[] = {
		{.category = 0, .has_pss = TRUE, .has_swap = TRUE, .pss = 100, .swap = 7},
		{.category = 0, .has_pss = TRUE, .pss = 30, .swap = 999},
		{.category = 0, .pss = 999, .swap = 999, .has_swap = TRUE},
		{.category = 2, .has_pss = TRUE, .has_swap = TRUE, .pss = G_MAXUINT64, .swap = 1},
		{.category = 2, .has_pss = TRUE, .has_swap = TRUE, .pss = 1, .swap = 1},
	};
	g_autoptr(Categories) categories =
		parse("[{\"match\": \"a\", \"name\": \"a\"}, {\"match\": \"b\", \"name\": \"b\"}]");
	g_autoptr(GArray) sums = categories_fold(categories, processes, G_N_ELEMENTS(processes));
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < sums->len; i++) {
		const CategorySum *sum = &g_array_index(sums, CategorySum, i);

		g_string_append_printf(text, "%s %ld=%ld+%ld+%ld %lu %lu\n", sum->name,
				       (long)sum->processes, (long)sum->exact,
				       (long)sum->approximate, (long)sum->missing, (gulong)sum->pss,
				       (gulong)sum->pss_swap);
	}
	g_autofree char *expected = g_strdup_printf("a 3=1+1+1 130 7\nb 0=0+0+0 0 0\n"
						    "other 2=2+0+0 %lu 2\n",
						    (gulong)G_MAXUINT64);
	g_assert_cmpstr(text->str, ==, expected);
}

/* ---- the section ---- */

static Sample *new_sample(void)
{
	Sample *sample = sample_new();

	sample_metric(sample, "cmdline", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_PROCESS,
		      "memory");
	sample_metric(sample, "memory_state", CTPROF_CATEGORY, CTPROF_UNIT_TEXT,
		      CTPROF_SCOPE_PROCESS, "memory");
	sample_metric(sample, "pss_bytes", CTPROF_COUNTER, CTPROF_UNIT_BYTES, CTPROF_SCOPE_PROCESS,
		      "memory");
	sample_metric(sample, "swap_pss_bytes", CTPROF_COUNTER, CTPROF_UNIT_BYTES,
		      CTPROF_SCOPE_PROCESS, "memory");
	return sample;
}

static void add_exact(Sample *sample, gint32 pid, const char *command, guint64 pss, guint64 swap)
{
	sample_thread(sample, pid, pid, "p", "p", "/");
	sample_text(sample, "memory_state", "exact");
	sample_text(sample, "cmdline", command);
	sample_u64(sample, "pss_bytes", pss);
	sample_u64(sample, "swap_pss_bytes", swap);
	/* A thread that is no leader is no process. */
	sample_thread(sample, pid, pid + 1, "p", "p", "/");
}

static void add_denied(Sample *sample, gint32 pid, const char *command, const char *state)
{
	sample_thread(sample, pid, pid, "p", "p", "/");
	sample_text(sample, "memory_state", state);
	sample_text(sample, "cmdline", command);
}

static char *draw(const Sample *a, const Sample *b, AnalysisOptions options, char **ret_warnings)
{
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, b, &options, &report);
	g_autoptr(GString) warnings = g_string_new(NULL);

	for (guint64 i = 0; i < report->n_warnings; i++)
		g_string_append_printf(warnings, "%s\n", report->warnings[i]);
	if (ret_warnings)
		*ret_warnings = g_strdup(warnings->str);
	return sample_dump_section(report, "memory-categories");
}

static void test_show(void)
{
	g_autoptr(Sample) sample = new_sample();
	g_autoptr(Categories) categories = parse("[{\"match\": \"^/a\", \"name\": \"a\"},"
						 "{\"match\": \"^/d\", \"name\": \"denied\"},"
						 "{\"match\": \"^/n\", \"name\": \"nobody\"}]");
	AnalysisOptions options = {.categories = categories};
	g_autofree char *warnings = NULL;

	add_exact(sample, 10, "/a x", 100, 1);
	add_exact(sample, 20, "/a", 50, 2);
	add_denied(sample, 30, "/a", "approximate");
	add_denied(sample, 40, "/d", "inaccessible");
	add_denied(sample, 2, "", "not-applicable");
	/* Without the plugin memory: by name and rollup. */
	sample_thread(sample, 50, 50, "/a", "p", "/");
	sample_map(sample, "smaps_rollup_kib", "Pss=2 SwapPss=1 Swap=4");
	sample_thread(sample, 60, 60, "b", "p", "/");
	/* vector 60: without SwapPss */
	sample_map(sample, "smaps_rollup_kib", "Pss=7");
	/* A kernel thread, as files without states have it. */
	sample_thread(sample, 70, 70, "/n", "p", "/");
	sample_map(sample, "smaps_rollup_kib", "");
	g_autofree char *dump = draw(sample, NULL, options, &warnings);
	/* What is not known is no 0. */
	g_assert_cmpstr(dump, ==,
			"memory-categories a pss 2198\n"
			"memory-categories a pss_swap 1027\n"
			"memory-categories a pss_total 3225\n"
			"memory-categories a processes 4\n"
			"memory-categories a missing 1\n"
			"memory-categories denied pss .\n"
			"memory-categories denied pss_swap .\n"
			"memory-categories denied pss_total .\n"
			"memory-categories denied processes 1\n"
			"memory-categories denied missing 1\n"
			"memory-categories other pss 7168\n"
			"memory-categories other pss_swap .\n"
			"memory-categories other pss_total .\n"
			"memory-categories other processes 1\n"
			"memory-categories other approximate 1\n");
	g_assert_cmpstr(warnings, ==,
			"categories: no PSS of 2 processes (pid 30, 40): counted as missing, in no "
			"sum\n"
			"categories: swap of shared memory is in no sum: capture with "
			"--memory=shared\n");
}

static void test_compare(void)
{
	g_autoptr(Sample) a = new_sample();
	g_autoptr(Sample) b = new_sample();
	g_autoptr(Categories) categories =
		parse("[{\"match\": \"^/a\", \"name\": \"a\"}, {\"match\": \"^/b\", \"name\": "
		      "\"b\"}]");
	AnalysisOptions options = {.categories = categories};
	char filter[] = "^b$";

	add_exact(a, 10, "/a", 100, 0);
	add_exact(b, 11, "/a 2", 150, 10);
	add_exact(b, 12, "/b", 7, 0);
	g_autofree char *dump = draw(a, b, options, NULL);
	g_assert_cmpstr(dump, ==,
			"memory-categories a pss 100 150 +50 +50.0%\n"
			"memory-categories a pss_swap 0 10 +10\n"
			"memory-categories a pss_total 100 160 +60 +60.0%\n"
			"memory-categories a processes 1 1 +0 +0.0% S\n"
			"memory-categories b pss 0 7 +7\n"
			"memory-categories b pss_swap 0 0 +0 S\n"
			"memory-categories b pss_total 0 7 +7\n"
			"memory-categories b processes 0 1 +1\n");
	options.changed = TRUE;
	options.filter = filter;
	g_autofree char *some = draw(a, b, options, NULL);
	g_assert_cmpstr(some, ==,
			"memory-categories b pss 0 7 +7\n"
			"memory-categories b pss_total 0 7 +7\n"
			"memory-categories b processes 0 1 +1\n");
}

/* Shared memory's swap is in no process's SwapPss, but has rows of its own. */
static void test_shares(void)
{
	static const struct {
		SwapShare share;
		const char *dump;
	} cases[] = {
		{SHARE_BY_OBJECT, "memory-categories other pss_swap 1010\n"},
		{SHARE_BY_NAME, "memory-categories other pss_swap 110\n"},
	};
	static const char *const metrics[] = {"swap_shared_bytes", "swap_shared_by_name_bytes",
					      "swap_unreadable"};
	g_autoptr(Sample) sample = new_sample();

	for (gsize i = 0; i < G_N_ELEMENTS(metrics); i++)
		sample_metric(sample, metrics[i], CTPROF_LEVEL, CTPROF_UNIT_NONE,
			      CTPROF_SCOPE_OBJECT, "memory-swap");
	add_exact(sample, 10, "/a", 7, 10);
	sample_object(sample, "memory-swap", "10");
	sample_u64(sample, "swap_shared_bytes", 1000);
	sample_u64(sample, "swap_shared_by_name_bytes", 100);
	/* Of a process that is not in the snapshot; of none. */
	sample_object(sample, "memory-swap", "11");
	sample_u64(sample, "swap_shared_bytes", 5000);
	sample_object(sample, "memory-swap", "1e1");
	sample_u64(sample, "swap_shared_bytes", 5000);
	sample_object(sample, "memory-swap", "*");
	sample_u64(sample, "swap_unreadable", 3);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char section[] = "memory-categories";
		AnalysisOptions options = {.sections = section, .swap_share = cases[i].share};
		g_autofree char *warnings = NULL;
		g_autofree char *dump = draw(sample, NULL, options, &warnings);

		g_assert_nonnull(strstr(dump, cases[i].dump));
		g_assert_cmpstr(warnings, ==,
				"categories: the mappings of 3 processes could not be read: the "
				"shares of shared swap may be too big\n");
	}
}

/* Only where it is asked for: by a table, or by name. */
static void test_asked_for(void)
{
	g_autoptr(Sample) sample = new_sample();
	g_autoptr(Categories) categories = categories_new();
	const char *const pids[] = {"10", NULL};
	char named[] = "memory-categories", others[] = "host";

	add_exact(sample, 10, "/a", 100, 0);
	add_exact(sample, 20, "/a", 100, 0);
	const struct {
		AnalysisOptions options;
		const char *begin;
	} cases[] = {
		{{.limit = 0}, ""},
		{{.sections = others}, ""},
		{{.sections = named}, "memory-categories other pss 200\n"},
		{{.sections = others, .categories = categories},
		 "memory-categories other pss 200\n"},
		{{.sections = named, .pids = pids}, "memory-categories other pss 100\n"},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *dump = draw(sample, NULL, cases[i].options, NULL);

		g_assert_true(g_str_has_prefix(dump, cases[i].begin));
		g_assert_cmpint(*dump == '\0', ==, *cases[i].begin == '\0');
	}
}

/* The bytes of ChromeOS's smaps_rollup.json. */
static void test_artifact(void)
{
	static const ArtifactField fields[] = {
		{"SwapPss", 0}, {"Rss", 905216}, {"Pss", 394240}, {"Anonymous", G_MAXUINT64}};
	g_autoptr(GArray) some = g_array_new(FALSE, FALSE, sizeof(ArtifactField));
	g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(ArtifactField));
	const ArtifactRecord records[] = {{"/bin/a \"b\\\n\xff", 7, 4096, some}, {"", 8, 0, none}};

	g_array_append_vals(some, fields, G_N_ELEMENTS(fields));
	g_autofree char *text = artifact_format(records, G_N_ELEMENTS(records));
	g_assert_cmpstr(text, ==,
			"[\n"
			"  {\n"
			"    \"Command\": \"/bin/a \\\"b\\\\\\u000a\357\277\275\",\n"
			"    \"Pid\": 7,\n"
			"    \"SharedSwapPss\": 4096,\n"
			"    \"Rollup\": {\n"
			"      \"Anonymous\": 18446744073709551615,\n"
			"      \"Pss\": 394240,\n"
			"      \"Rss\": 905216,\n"
			"      \"SwapPss\": 0\n"
			"    }\n"
			"  },\n"
			"  {\n"
			"    \"Command\": \"\",\n"
			"    \"Pid\": 8,\n"
			"    \"SharedSwapPss\": 0,\n"
			"    \"Rollup\": {}\n"
			"  }\n"
			"]");
	g_autofree char *empty = artifact_format(NULL, 0);
	g_assert_cmpstr(empty, ==, "null");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/categories/chromeos", test_chromeos);
	g_test_add_func("/categories/first-match", test_first_match_wins);
	g_test_add_func("/categories/bad-tables", test_bad_tables);
	g_test_add_func("/categories/bounds", test_bounds);
	g_test_add_func("/categories/give-up", test_patterns_give_up);
	g_test_add_func("/categories/fold", test_fold);
	g_test_add_func("/categories/show", test_show);
	g_test_add_func("/categories/compare", test_compare);
	g_test_add_func("/categories/shares", test_shares);
	g_test_add_func("/categories/asked-for", test_asked_for);
	g_test_add_func("/categories/artifact", test_artifact);
	return g_test_run();
}
