/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the comparison of two captures by the facts about their hosts. */
#include "snapshot/context.h"

#include <string.h>

/* A side being built from "metric=value" (host), "option:key=value", "plugin:name=state",
 * "time:boottime" and "real:realtime". */
struct build {
	Registry *registry;
	GArray *values;   /* guint64 */
	GPtrArray *texts; /* pointed to by values */
	GHashTable *options;
	GPtrArray *plugins, *reports;
	LoadFacts facts;
};

static void add_host(struct build *build, const char *name, const char *value)
{
	const struct ctprof_metric def = {
		.struct_size = sizeof def,
		.kind = CTPROF_LABEL,
		.unit = CTPROF_UNIT_TEXT,
		.scope = CTPROF_SCOPE_HOST,
		.name = g_intern_string(name),
		.group = "host",
		.help = "h",
		.origin = "o",
	};
	gsize len = strlen(value);
	struct ctprof_text *text = g_malloc0(sizeof *text + len);
	guint64 bits = (guint64)(guintptr)text;
	const char *why;
	guint32 slot;

	text->length = (guint32)len;
	memcpy(text->bytes, value, len);
	g_assert_cmpint(registry_add(build->registry, "host", &def, &slot, &why), ==, 0);
	g_array_append_val(build->values, bits);
	g_ptr_array_add(build->texts, text);
}

static void add_fact(struct build *build, const char *fact)
{
	g_auto(GStrv) words = g_strsplit_set(fact, ":=", 3);

	if (strcmp(words[0], "option") == 0)
		g_hash_table_replace(build->options, g_strdup(words[1]), g_strdup(words[2]));
	else if (strcmp(words[0], "plugin") == 0)
		g_ptr_array_add(build->plugins, g_strdup_printf("%s %s", words[1], words[2]));
	else if (strcmp(words[0], "report") == 0)
		g_ptr_array_add(build->reports, g_strdup_printf("%s %s", words[1], words[2]));
	else if (strcmp(words[0], "time") == 0)
		build->facts.boottime_ns = g_ascii_strtoull(words[1], NULL, 10);
	else if (strcmp(words[0], "real") == 0)
		build->facts.realtime_ns = g_ascii_strtoull(words[1], NULL, 10);
	else
		add_host(build, words[0], words[1]);
}

static Context *make_context(const char *facts)
{
	struct build build = {
		.registry = registry_new(),
		.values = g_array_new(FALSE, FALSE, sizeof(guint64)),
		.texts = g_ptr_array_new_with_free_func(g_free),
		.options = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
		.plugins = g_ptr_array_new_with_free_func(g_free),
		.reports = g_ptr_array_new_with_free_func(g_free),
	};
	g_auto(GStrv) words = g_strsplit(facts, " ", -1);
	Context *context = context_new();

	for (guint i = 0; words[i] && words[i][0]; i++)
		add_fact(&build, words[i]);
	g_assert_true(registry_seal(build.registry, NULL, NULL, NULL));
	g_autofree guint8 *states = g_new0(guint8, build.values->len + 1);
	const struct ctprof_rows rows = {
		.struct_size = sizeof rows,
		.scope = CTPROF_SCOPE_HOST,
		.n = 1,
		.n_slots = build.values->len,
		.values = (const void *)build.values->data,
		.states = states,
	};
	context_note_rows(context, build.registry, &rows);
	build.facts.options = build.options;
	build.facts.plugins = build.plugins;
	build.facts.reports = build.reports;
	context_note_facts(context, &build.facts);
	registry_free(build.registry);
	g_array_unref(build.values);
	g_ptr_array_unref(build.texts);
	g_hash_table_unref(build.options);
	g_ptr_array_unref(build.plugins);
	g_ptr_array_unref(build.reports);
	return context;
}

static void test_compare(void)
{
	static const struct {
		const char *baseline, *candidate, *expected; /* sentences, joined by '|' */
	} cases[] = {
		{"", "", ""},
		{"host.kernel_release=6.1", "host.kernel_release=6.1", ""},
		{"host.online_cpus=8 real:2", "host.online_cpus=16 real:3",
		 "online CPUs: 8 in the baseline, 16 in the candidate: waits and shares of CPU are "
		 "not comparable"},
		{"host.task_delayacct=on", "host.task_delayacct=runtime_off",
		 "delay accounting: on in the baseline, runtime_off in the candidate: delays are not "
		 "comparable"},
		/* A fact that one file does not have is not known to differ. */
		{"host.online_cpus=8", "", ""},
		{"plugin:procfs=live", "", ""},
		/* A different boot or clock source alone invalidates no number. */
		{"host.boot_id=a host.clocksource=tsc", "host.boot_id=b host.clocksource=hpet", ""},
		{"plugin:procfs=live plugin:taskstats=live", "plugin:procfs=live",
		 "plugin taskstats: live in the baseline, not there in the candidate: its metrics are "
		 "not comparable"},
		{"plugin:b=live plugin:a=live", "plugin:a=failed plugin:b=left_out",
		 "plugin a: live in the baseline, failed in the candidate: its metrics are not "
		 "comparable"},
		/* The sinks that were loaded change no metric. */
		{"plugin:procfs=live plugin:csv=live report:procfs=source report:csv=sink",
		 "plugin:procfs=live report:procfs=source", ""},
		{"option:pid=1", "",
		 "capture option pid: 1 in the baseline, not given in the candidate: other threads "
		 "or metrics were read"},
		{"option:proc_root=/a", "option:proc_root=/b", ""},
		{"real:5", "real:4", "the candidate was captured before the baseline"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Context) baseline = make_context(cases[i].baseline);
		g_autoptr(Context) candidate = make_context(cases[i].candidate);
		g_autoptr(GPtrArray) differences = context_compare(baseline, candidate);

		g_ptr_array_add(differences, NULL);
		g_autofree char *text = g_strjoinv("|", (char **)differences->pdata);
		g_assert_cmpstr(text, ==, cases[i].expected);
	}
}

static void test_span(void)
{
	static const struct {
		const char *baseline, *candidate;
		gdouble seconds; /* 0: refused */
		const char *why;
	} cases[] = {
		{"host.boot_id=a time:1000000000", "host.boot_id=a time:3500000000", 2.5, NULL},
		{"host.boot_id=a time:1", "host.boot_id=b time:2", 0,
		 "the captures are of different boots"},
		/* The wall clock was set while the host ran. */
		{"host.boot_id=a time:1000000000 real:9", "host.boot_id=a time:3500000000 real:5",
		 2.5, NULL},
		/* Files without a boot ID are compared by the time of their boot. */
		{"time:1000000000 real:5000000000", "time:2000000000 real:7500000000", 1, NULL},
		{"host.boot_id=a time:1000000000 real:5000000000",
		 "time:2000000000 real:9000000000", 0, "the captures are of different boots"},
		{"host.boot_id=a real:1000000000", "host.boot_id=a time:2 real:4000000000", 3,
		 NULL},
		{"real:1000000000", "real:4000000000", 3, NULL},
		{"host.boot_id=a", "host.boot_id=a time:2", 0,
		 "the time of a capture is not known"},
		{"host.boot_id=a time:2", "host.boot_id=a time:2", 0,
		 "the candidate was not captured after the baseline"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Context) baseline = make_context(cases[i].baseline);
		g_autoptr(Context) candidate = make_context(cases[i].candidate);
		ContextSpan span = {.seconds = 0};

		g_assert_cmpstr(context_span(baseline, candidate, &span), ==, cases[i].why);
		g_assert_cmpfloat(span.seconds, ==, cases[i].seconds);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/comparing/what makes captures incomparable is told", test_compare);
	g_test_add_func("/comparing/time between captures", test_span);
	return g_test_run();
}
