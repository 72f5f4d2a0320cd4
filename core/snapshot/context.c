/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "context.h"

#include <string.h>

#include "base/error.h"

#define BOOT_ID "host.boot_id"
#define USER_HZ "host.user_hz"
#define DEFAULT_HZ 100 /* USER_HZ on all architectures except a few old ones */
#define NS_PER_S 1000000000u
/* Captures of one boot may disagree about its time: the clock is set now and then. */
#define BOOT_SLACK_NS (2 * (gint64)NS_PER_S)

struct context {
	GHashTable *host;    /* metric -> value as text */
	GHashTable *options; /* of the capture, as given */
	GHashTable *plugins; /* name -> state */
	char *redaction;     /* the key of the pseudonyms; NULL: names are real */
	guint64 realtime_ns, boottime_ns, skew_ns, unseen;
};

/* Properties of the host that affect the numbers, and the effect of a difference. */
static const struct {
	const char *metric, *what, *effect;
} conditions[] = {
	{"host.kernel_release", "kernel", "counters may have other meanings"},
	{"host.arch", "architecture", "times are not comparable"},
	{"host.cpu_model", "CPU model", "times are not comparable"},
	{"host.online_cpus", "online CPUs", "waits and shares of CPU are not comparable"},
	{"host.smt_active", "SMT", "times are not comparable"},
	{"host.total_memory_kib", "memory", "faults and reclaim are not comparable"},
	{"host.task_delayacct", "delay accounting", "delays are not comparable"},
	{"host.sched_schedstats", "schedstats", "waits, sleeps and wakeups are not comparable"},
	{"host.psi_enabled", "PSI", "pressure is not comparable"},
	{"host.config_task_xacct", "CONFIG_TASK_XACCT", "memory peaks are not comparable"},
	{"host.ptrace_scope", "Yama's ptrace scope", "other processes may be absent"},
	{"host.user_hz", "USER_HZ", "ticks are not comparable"},
	{"host.page_size", "page size", "faults are not comparable"},
};

/* The kernel's BPF scheduler, which only some hosts have. */
#define SCHEDULER "sched_ext.ops"
#define SCHEDULER_STATE "sched_ext.state"
#define SCHEDULER_LOADS "sched_ext.enable_seq"

static gboolean is_of_host(const char *metric)
{
	return g_str_has_prefix(metric, "host.") || strcmp(metric, SCHEDULER) == 0 ||
	       strcmp(metric, SCHEDULER_STATE) == 0 || strcmp(metric, SCHEDULER_LOADS) == 0;
}

static GHashTable *new_table(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

Context *context_new(void)
{
	Context *context = g_new0(Context, 1);

	context->host = new_table();
	context->options = new_table();
	context->plugins = new_table();
	return context;
}

void context_free(Context *context)
{
	g_hash_table_unref(context->host);
	g_hash_table_unref(context->options);
	g_hash_table_unref(context->plugins);
	g_free(context->redaction);
	g_free(context);
}

/* Formats a value as text; returns NULL for sets and maps. */
static char *format_value(guint32 type, guint64 value)
{
	const struct ctprof_text *text = (const struct ctprof_text *)(uintptr_t)value;

	switch (type) {
	case CTPROF_TYPE_U64:
		return g_strdup_printf("%" G_GUINT64_FORMAT, value);
	case CTPROF_TYPE_I64:
		return g_strdup_printf("%" G_GINT64_FORMAT, (gint64)value);
	case CTPROF_TYPE_TEXT:
		return g_strndup(text->bytes, text->length);
	default:
		return NULL;
	}
}

void context_note_rows(Context *context, const Registry *registry, const struct ctprof_rows *rows)
{
	if (rows->scope != CTPROF_SCOPE_HOST || rows->n == 0)
		return;
	const GPtrArray *metrics = registry_row(registry, ROW_HOST);
	for (guint i = 0; i < metrics->len && i < rows->n_slots; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);

		if (!is_of_host(metric->def.name) || rows->states[metric->index] != CTPROF_PRESENT)
			continue;
		char *value = format_value(metric->type, rows->values[metric->index]);
		if (value)
			g_hash_table_replace(context->host, g_strdup(metric->def.name), value);
	}
}

void context_note_facts(Context *context, const LoadFacts *facts)
{
	static const char *const places[] = {"proc_root", "sys_root", "cgroup_root", NULL};
	GHashTableIter iter;
	gpointer key, value;

	context->realtime_ns = facts->realtime_ns;
	context->boottime_ns = facts->boottime_ns;
	context->skew_ns = facts->skew_ns;
	context->unseen = facts->unseen;
	g_free(context->redaction);
	context->redaction = g_strdup(facts->redaction);
	if (facts->options)
		g_hash_table_iter_init(&iter, facts->options);
	while (facts->options && g_hash_table_iter_next(&iter, &key, &value))
		/* The location of a recorded tree says nothing about what was read. */
		if (!g_strv_contains(places, key))
			g_hash_table_replace(context->options, g_strdup(key), g_strdup(value));
	for (guint i = 0; facts->plugins && i < facts->plugins->len; i++) {
		g_auto(GStrv) words = g_strsplit(g_ptr_array_index(facts->plugins, i), " ", 2);

		if (words[0] && words[1])
			g_hash_table_replace(context->plugins, g_strdup(words[0]),
					     g_strdup(words[1]));
	}
	/* A sink has no metrics, so it does not affect the comparison. */
	for (guint i = 0; facts->reports && i < facts->reports->len; i++) {
		g_auto(GStrv) words = g_strsplit(g_ptr_array_index(facts->reports, i), " ", 3);

		if (g_strcmp0(words[1], "sink") == 0)
			g_hash_table_remove(context->plugins, words[0]);
	}
}

static G_GNUC_PRINTF(2, 3) void add(GPtrArray *differences, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	g_ptr_array_add(differences, g_strdup_vprintf(format, ap));
	va_end(ap);
}

/* A property that one file does not have is not a difference: the reference's files have fewer. */
static void compare_hosts(const Context *baseline, const Context *candidate, GPtrArray *differences)
{
	for (guint i = 0; i < G_N_ELEMENTS(conditions); i++) {
		const char *a = g_hash_table_lookup(baseline->host, conditions[i].metric);
		const char *b = g_hash_table_lookup(candidate->host, conditions[i].metric);

		if (a && b && strcmp(a, b) != 0)
			add(differences, "%s: %s in the baseline, %s in the candidate: %s",
			    conditions[i].what, a, b, conditions[i].effect);
	}
}

typedef enum boot_relation { BOOT_UNKNOWN, BOOT_SAME, BOOT_OTHER } BootRelation;

/* Whether the captures are of one boot of one host. */
static BootRelation relate_boots(const Context *baseline, const Context *candidate)
{
	const char *a = g_hash_table_lookup(baseline->host, BOOT_ID);
	const char *b = g_hash_table_lookup(candidate->host, BOOT_ID);

	if (a && b)
		return strcmp(a, b) == 0 ? BOOT_SAME : BOOT_OTHER;
	if (baseline->boottime_ns == 0 || candidate->boottime_ns == 0)
		return BOOT_UNKNOWN;
	/* Otherwise compare the boot times. */
	gint64 apart = (gint64)(baseline->realtime_ns - baseline->boottime_ns) -
		       (gint64)(candidate->realtime_ns - candidate->boottime_ns);
	return ABS(apart) <= BOOT_SLACK_NS ? BOOT_SAME : BOOT_OTHER;
}

/* Returns the name of the BPF scheduler; NULL: unknown. */
static const char *scheduler_of(const Context *context)
{
	const char *ops = g_hash_table_lookup(context->host, SCHEDULER);

	return ops || !g_hash_table_contains(context->host, SCHEDULER_STATE) ? ops : "none";
}

/* Event counts of different schedulers are not comparable, and each load starts at 0. */
static void compare_schedulers(const Context *baseline, const Context *candidate,
			       GPtrArray *differences)
{
	const char *a = scheduler_of(baseline), *b = scheduler_of(candidate);
	const char *x = g_hash_table_lookup(baseline->host, SCHEDULER_LOADS);
	const char *y = g_hash_table_lookup(candidate->host, SCHEDULER_LOADS);

	if (a && b && strcmp(a, b) != 0)
		add(differences, "BPF scheduler: %s in the baseline, %s in the candidate: %s", a, b,
		    "its events are not comparable");
	else if (a && b && x && y && strcmp(x, y) != 0 &&
		 relate_boots(baseline, candidate) == BOOT_SAME)
		add(differences, "BPF scheduler: %s was loaded again: its events start at 0", a);
}

/* Returns the keys of two tables, each once, in order. */
static GList *list_keys(GHashTable *a, GHashTable *b)
{
	GHashTableIter iter;
	gpointer key;
	GList *keys = g_hash_table_get_keys(a);

	g_hash_table_iter_init(&iter, b);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		if (!g_hash_table_contains(a, key))
			keys = g_list_prepend(keys, key);
	return g_list_sort(keys, (GCompareFunc)strcmp);
}

/* tolerated: a value that matches any other; NULL: none. */
static void compare_tables(GHashTable *baseline, GHashTable *candidate, const char *what,
			   const char *missing, const char *tolerated, const char *effect,
			   GPtrArray *differences)
{
	g_autoptr(GList) keys = list_keys(baseline, candidate);

	for (GList *l = keys; l; l = l->next) {
		const char *a = g_hash_table_lookup(baseline, l->data);
		const char *b = g_hash_table_lookup(candidate, l->data);

		if (tolerated && (g_strcmp0(a, tolerated) == 0 || g_strcmp0(b, tolerated) == 0))
			continue;
		if (g_strcmp0(a, b) != 0)
			add(differences, "%s %s: %s in the baseline, %s in the candidate: %s", what,
			    (const char *)l->data, a ? a : missing, b ? b : missing, effect);
	}
}

static void compare_times(const Context *baseline, const Context *candidate, GPtrArray *differences)
{
	if (baseline->realtime_ns > 0 && candidate->realtime_ns > 0 &&
	    candidate->realtime_ns < baseline->realtime_ns)
		add(differences, "the candidate was captured before the baseline");
}

static char *describe_names(const Context *context)
{
	return context->redaction ? g_strdup_printf("redacted by the key %s", context->redaction)
				  : g_strdup("not redacted");
}

static void compare_names(const Context *baseline, const Context *candidate, GPtrArray *differences)
{
	g_autofree char *a = describe_names(baseline), *b = describe_names(candidate);

	if (strcmp(a, b) != 0)
		add(differences, "names: %s in the baseline, %s in the candidate: %s", a, b,
		    "groups do not match ('ctprof redact --key-file')");
}

GPtrArray *context_compare(const Context *baseline, const Context *candidate)
{
	GPtrArray *differences = g_ptr_array_new_with_free_func(g_free);

	compare_hosts(baseline, candidate, differences);
	compare_schedulers(baseline, candidate, differences);
	/* Files of the reference (docs/file-format.md) list no plugins at all. */
	if (g_hash_table_size(baseline->plugins) > 0 && g_hash_table_size(candidate->plugins) > 0)
		/* Metrics that a plugin left out were read by another one, or are absent. */
		compare_tables(baseline->plugins, candidate->plugins, "plugin", "not there",
			       "left_out", "its metrics are not comparable", differences);
	compare_tables(baseline->options, candidate->options, "capture option", "not given", NULL,
		       "other threads or metrics were read", differences);
	compare_times(baseline, candidate, differences);
	compare_names(baseline, candidate, differences);
	return differences;
}

gboolean context_is_redacted(const Context *context)
{
	return context->redaction != NULL;
}

gboolean context_is_whole(const Context *context)
{
	return !g_hash_table_contains(context->options, "pid");
}

static guint64 ticks_a_second(const Context *context)
{
	const char *text = g_hash_table_lookup(context->host, USER_HZ);
	guint64 hz = text ? g_ascii_strtoull(text, NULL, 10) : 0;

	return hz > 0 && hz <= NS_PER_S ? hz : DEFAULT_HZ;
}

CaptureFacts context_capture(const Context *context)
{
	return (CaptureFacts){
		.now = context->boottime_ns / (NS_PER_S / ticks_a_second(context)),
		.taken_s = (gdouble)context->skew_ns / NS_PER_S,
		.realtime_ns = context->realtime_ns,
		.unseen = context->unseen,
	};
}

const char *context_span(const Context *baseline, const Context *candidate, ContextSpan *ret_span)
{
	BootRelation relation = relate_boots(baseline, candidate);
	guint64 from = baseline->boottime_ns, to = candidate->boottime_ns;

	if (relation == BOOT_OTHER)
		return "the captures are of different boots";
	if (from == 0 || to == 0) {
		relation = BOOT_UNKNOWN;
		from = baseline->realtime_ns;
		to = candidate->realtime_ns;
	}
	if (from == 0 || to == 0)
		return "the time of a capture is not known";
	if (to <= from)
		return "the candidate was not captured after the baseline";
	*ret_span = (ContextSpan){
		.of_one_boot = relation == BOOT_SAME,
		.seconds = (gdouble)(to - from) / NS_PER_S,
		.began = context_capture(baseline).now,
	};
	return NULL;
}
