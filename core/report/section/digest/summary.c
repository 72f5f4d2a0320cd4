/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the first screen says about the host and the captures. */
#include <math.h>
#include <string.h>

#include "digest.h"
#include "report/fold/units.h"
#include "report/section/choices.h"
#include "row/absence.h"

#define USER_HZ 100
#define CENTIPERCENT 1e4 /* of one */
#define GIB (1024.0 * 1024 * 1024)
#define HOST "host"

/* ---- what is known ---- */

/* What both captures have of a metric; the newest. */
static const struct ctprof_value *values_of(const Digest *digest, const char *name,
					    struct ctprof_value ret_values[SIDES])
{
	const Measure *measure = draft_measure(digest->draft, TABLE_HOST, name);
	Record *sides[SIDES];

	draft_find_host(digest->draft, sides);
	ret_values[0] = ret_values[1] = value_of_text(NULL);
	if (measure)
		draft_values(digest->draft, TABLE_HOST, sides, measure, ret_values);
	return &ret_values[digest->newest];
}

/* A value of the newest capture; NAN: there is none. */
static gdouble now(const Digest *digest, const char *name)
{
	struct ctprof_value values[SIDES];
	const struct ctprof_value *value = values_of(digest, name, values);

	return value->type == CTPROF_VALUE_NUMBER ? (gdouble)value->number : NAN;
}

const char *host_state_text(const Digest *digest, const char *name)
{
	struct ctprof_value values[SIDES];

	return values_of(digest, name, values)->text;
}

/* How much a counter has grown in the window; NAN: that is not known. */
static gdouble grown(const Digest *digest, const char *name)
{
	struct ctprof_value values[SIDES];

	(void)values_of(digest, name, values);
	if (digest->seconds <= 0 || values[0].type != CTPROF_VALUE_NUMBER ||
	    values[1].type != CTPROF_VALUE_NUMBER || values[1].number < values[0].number)
		return NAN;
	return (gdouble)(values[1].number - values[0].number);
}

static gdouble rate(const Digest *digest, const char *name)
{
	return grown(digest, name) / digest->seconds;
}

/* In a window as the kernel has added it up, else its average of 10 seconds. */
static gdouble pressure(const Digest *digest, const char *total, const char *average)
{
	gdouble share = rate(digest, total) / 1e6 * 100;

	return isnan(share) ? now(digest, average) / 100 : MIN(share, 100);
}

static gdouble busy_cpus(const Digest *digest)
{
	gint64 ns;

	return digest->seconds > 0 && account_busy_ns(digest->draft, &ns)
		       ? (gdouble)ns / 1e9 / digest->seconds
		       : NAN;
}

void host_state_read(Digest *digest)
{
	const WindowResult *window = digest->draft->window;
	const struct ctprof_value *waiting = &digest->total.of[COST_WAITING];
	gboolean has_cpu = window && window->has_cpu;

	digest->host = (HostState){
		.cpus = now(digest, "system.cpu.online"),
		.busy = busy_cpus(digest),
		.waiting = digest->seconds > 0 && waiting->type == CTPROF_VALUE_REAL ? waiting->real
										     : NAN,
		.load = {now(digest, "system.load.avg1") / CENTIPERCENT,
			 now(digest, "system.load.avg5") / CENTIPERCENT,
			 now(digest, "system.load.avg15") / CENTIPERCENT},
		.runnable = now(digest, "system.load.runnable"),
		/* Measures of KiB are told in bytes. */
		.read = rate(digest, "system.vmstat.pgpgin"),
		.written = rate(digest, "system.vmstat.pgpgout"),
		.faults = rate(digest, "system.vmstat.pgmajfault"),
		.refaults = rate(digest, "system.vmstat.workingset_refault_anon") +
			    rate(digest, "system.vmstat.workingset_refault_file"),
		.memory = now(digest, "system.memory.total"),
		.memory_used =
			now(digest, "system.memory.total") - now(digest, "system.memory.available"),
		.swap = now(digest, "system.swap.total"),
		.swap_used = now(digest, "system.swap.total") - now(digest, "system.swap.free"),
		.cpu_pressure = pressure(digest, "psi.cpu.some.total_usec", "psi.cpu.some.avg10"),
		.io_pressure = pressure(digest, "psi.io.some.total_usec", "psi.io.some.avg10"),
		.memory_pressure =
			pressure(digest, "psi.memory.some.total_usec", "psi.memory.some.avg10"),
		.forks = rate(digest, "system.processes"),
		.oom_kills = grown(digest, "system.vmstat.oom_kill"),
		.accounted = has_cpu ? (gdouble)window->threads_ns / 1e9 / digest->seconds : NAN,
		.exited = has_cpu ? (gdouble)window->ended_ns / 1e9 / digest->seconds : NAN,
		.own = has_cpu && window->own_ns > 0
			       ? (gdouble)window->own_ns / 1e9 / digest->seconds
			       : NAN,
	};
	if (isnan(digest->host.cpus))
		digest->host.cpus = now(digest, "host.online_cpus");
	if (isnan(digest->host.memory))
		digest->host.memory = now(digest, "host.total_memory_kib");
}

/* ---- the section host ---- */

static void add_pressure(GPtrArray *pieces, gdouble share)
{
	if (!isnan(share))
		digest_add(pieces, "   pressure %3.0f %%", share);
}

static void tell_cpu(const Digest *digest, GPtrArray *pieces)
{
	const HostState *host = &digest->host;
	const Draft *draft = digest->draft;

	if (!isnan(host->busy) && host->cpus > 0)
		digest_add(pieces, "CPU     %s of %.0f busy (%.0f %%)",
			   digest_number(draft, CTPROF_LADDER_NONE, host->busy), host->cpus,
			   MIN(host->busy / host->cpus * 100, 100));
	else if (!isnan(host->load[0]))
		digest_add(pieces, "CPU     load %.2f %.2f %.2f", host->load[0], host->load[1],
			   host->load[2]);
	else
		return;
	add_pressure(pieces, host->cpu_pressure);
	if (!isnan(host->waiting))
		digest_add(pieces, "   %s threads wait at any time",
			   digest_number(draft, CTPROF_LADDER_NONE, host->waiting));
	else if (!isnan(host->runnable))
		digest_add(pieces, "   %.0f runnable", host->runnable);
}

static void tell_disk(const Digest *digest, GPtrArray *pieces)
{
	const HostState *host = &digest->host;
	const Draft *draft = digest->draft;

	if (!isnan(host->read) && !isnan(host->written))
		digest_add(pieces, "disk    %sB/s read, %sB/s written",
			   digest_number(draft, CTPROF_LADDER_UNITLESS, host->read),
			   digest_number(draft, CTPROF_LADDER_UNITLESS, host->written));
	else if (!isnan(host->io_pressure))
		digest_add(pieces, "disk");
	else
		return;
	add_pressure(pieces, host->io_pressure);
	if (!isnan(host->faults))
		digest_add(pieces, "   %s major faults/s",
			   digest_number(draft, CTPROF_LADDER_UNITLESS, host->faults));
}

static void tell_memory(const Digest *digest, GPtrArray *pieces)
{
	const HostState *host = &digest->host;

	if (isnan(host->memory))
		return;
	if (isnan(host->memory_used))
		digest_add(pieces, "memory  %.1f GiB", host->memory / GIB);
	else
		digest_add(pieces, "memory  %.1f of %.1f GiB in use", host->memory_used / GIB,
			   host->memory / GIB);
	add_pressure(pieces, host->memory_pressure);
	if (isnan(host->swap))
		return;
	if (host->swap > 0)
		digest_add(pieces, "   %.1f of %.1f GiB swap", host->swap_used / GIB,
			   host->swap / GIB);
	else
		digest_add(pieces, "   no swap");
}

/* What is between the ends of a recording. */
static void add_spread(const Digest *digest, GPtrArray *pieces, guint line)
{
	static const struct {
		const char *measure, *what;
		guint32 ladder;
	} of_line[] = {{"cpu", "busy", CTPROF_LADDER_NONE},
		       {"read", "read/s", CTPROF_LADDER_BYTES},
		       {"memory", "in use", CTPROF_LADDER_BYTES}};
	const AnalysisOptions *options = digest->draft->plan->options;
	const Past *past = options->host_past ? options->host_past : options->past;
	guint32 ladder = of_line[line].ladder;
	PastSpread spread;

	if (past && past_spread(past, NULL, of_line[line].measure, &spread))
		digest_add(pieces, "   median %s, 95%% %s, most %s %s",
			   digest_number(digest->draft, ladder, spread.median),
			   digest_number(digest->draft, ladder, spread.p95),
			   digest_number(digest->draft, ladder, spread.most), of_line[line].what);
}

GPtrArray *host_state_tell(const Digest *digest)
{
	static void (*const tellers[])(const Digest *, GPtrArray *) = {tell_cpu, tell_disk,
								       tell_memory};
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < G_N_ELEMENTS(tellers); i++) {
		g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func(g_free);

		tellers[i](digest, pieces);
		if (pieces->len > 0)
			add_spread(digest, pieces, i);
		if (pieces->len > 0)
			g_ptr_array_add(lines,
					digest_join(pieces, digest->draft->plan->options->width));
	}
	return lines;
}

/* What machines get: a line for each of them that is known. */
static const struct told {
	gsize at; /* in HostState */
	const char *name, *unit;
	guint32 ladder;
} told[] = {
#define TOLD(member, unit, ladder)                                                                 \
	{                                                                                          \
		G_STRUCT_OFFSET(HostState, member), #member, unit, CTPROF_LADDER_##ladder          \
	}
	TOLD(cpus, "cpus", NONE),
	TOLD(busy, "cpus", NONE),
	TOLD(waiting, "threads", NONE),
	TOLD(runnable, "threads", NONE),
	TOLD(read, "bytes/s", BYTES),
	TOLD(written, "bytes/s", BYTES),
	TOLD(faults, "1/s", UNITLESS),
	TOLD(refaults, "1/s", UNITLESS),
	TOLD(memory, "bytes", BYTES),
	TOLD(memory_used, "bytes", BYTES),
	TOLD(swap, "bytes", BYTES),
	TOLD(swap_used, "bytes", BYTES),
	TOLD(cpu_pressure, "percent", NONE),
	TOLD(io_pressure, "percent", NONE),
	TOLD(memory_pressure, "percent", NONE),
	TOLD(forks, "1/s", UNITLESS),
	TOLD(oom_kills, "none", NONE),
	TOLD(accounted, "cpus", NONE),
	TOLD(exited, "cpus", NONE),
	TOLD(own, "cpus", NONE),
#undef TOLD
};

static void draft_host_state(const Draft *draft, const Section *section)
{
	const Digest *digest = draft->digest;
	static const char *const names[] = {HOST};
	Table *table = tables_add(draft->tables, section->name, section->heading, HOST,
				  CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG |
					  CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD);

	for (guint i = 0; i < digest->host_lines->len; i++)
		table_note(table, "%s", (const char *)g_ptr_array_index(digest->host_lines, i));
	for (guint i = 0; i < G_N_ELEMENTS(told); i++) {
		const struct ctprof_report_field field =
			TABLE_FIELD(told[i].name, told[i].name, told[i].unit, told[i].ladder, 0);
		struct ctprof_value value = {.type = CTPROF_VALUE_REAL};

		memcpy(&value.real, (const char *)&digest->host + told[i].at, sizeof value.real);
		if (isnan(value.real))
			continue;
		draft_put_same(draft,
			       table_metric(table, names, 1, table_take_field(table, &field)),
			       value);
	}
}

const Section section_host_state = {
	.name = SECTION_HOST,
	.heading = "Host",
	.help = "CPU, disk, memory and pressure of the host: the first screen",
	.flags = SECTION_OF_DIGEST,
	.metrics = cost_metrics,
	.place = {-3, -3},
	.draft = draft_host_state,
};

/* ---- above and below ---- */

static char *file_name(const Digest *digest, guint side)
{
	const char *file = digest->draft->plan->options->files[side];
	g_autofree char *name = g_path_get_basename(file ? file : "-");
	char *end = strstr(name, ".ctprof");

	if (end && end > name)
		*end = '\0';
	return g_steal_pointer(&name);
}

static void add_taken(const Digest *digest, GPtrArray *pieces)
{
	const gdouble *taken = digest->draft->plan->options->taken_s;
	const Draft *draft = digest->draft;

	if (taken[0] <= 0)
		return;
	const char *first = digest_number(draft, CTPROF_LADDER_NS, taken[0] * 1e9);
	if (draft->view->compare && taken[1] > 0)
		digest_add(pieces, ", taken in %s and %s", first,
			   digest_number(draft, CTPROF_LADDER_NS, taken[1] * 1e9));
	else if (!draft->view->compare)
		digest_add(pieces, "   taken in %s", first);
}

static void add_machine(const Digest *digest, GPtrArray *pieces)
{
	const char *kernel = host_state_text(digest, "host.kernel_release");

	if (!isnan(digest->host.cpus))
		digest_add(pieces, "   %.0f CPUs", digest->host.cpus);
	if (!isnan(digest->host.memory))
		digest_add(pieces, " · %.1f GiB", digest->host.memory / GIB);
	if (kernel)
		digest_add(pieces, " · Linux %s", kernel);
}

/* What was run, as perf stat ends. */
static void add_command(const Digest *digest)
{
	const CommandFacts *facts = digest->draft->plan->options->command;
	const Draft *draft = digest->draft;
	g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func(g_free);

	if (!facts)
		return;
	digest_add(pieces, "%s:", facts->line);
	digest_add(pieces, " %s,", digest_number(draft, CTPROF_LADDER_NS, (gdouble)facts->wall_ns));
	digest_add(pieces, " %s CPU",
		   digest_number(draft, CTPROF_LADDER_NS,
				 (gdouble)(facts->user_ns + facts->system_ns)));
	digest_add(pieces, " (%s user, %s system),",
		   digest_number(draft, CTPROF_LADDER_NS, (gdouble)facts->user_ns),
		   digest_number(draft, CTPROF_LADDER_NS, (gdouble)facts->system_ns));
	if (facts->signal)
		digest_add(pieces, " killed by signal %d", facts->signal);
	else
		digest_add(pieces, " exit %d", facts->exit_status);
	digest_add(pieces, ", max RSS %s",
		   digest_number(draft, CTPROF_LADDER_BYTES, (gdouble)facts->max_rss_bytes));
	g_ptr_array_add(digest->titles, digest_join(pieces, draft->plan->options->width));
}

/* Whether both sides are samples of one recording: "FILE@TIME". */
static gboolean is_of_one_file(const AnalysisOptions *options)
{
	const char *first = options->files[0], *second = options->files[1];
	const char *at = first ? strrchr(first, '@') : NULL;

	return g_strcmp0(first, second) == 0 ||
	       (at && second && strncmp(first, second, (gsize)(at - first) + 1) == 0);
}

/* What a side is called: two samples of one recording, by their times, of which the second
 * names the zone. */
static char *side_name(const Digest *digest, guint side)
{
	const AnalysisOptions *options = digest->draft->plan->options;

	if (!is_of_one_file(options) || options->realtime_ns[side] == 0)
		return file_name(digest, side);
	g_autoptr(GDateTime) time =
		g_date_time_new_from_unix_local((gint64)(options->realtime_ns[side] / 1000000000));

	return time ? g_date_time_format(time, side == 0 ? "%H:%M:%S" : "%H:%M:%S %Z")
		    : file_name(digest, side);
}

static void add_captures(const Digest *digest)
{
	const Draft *draft = digest->draft;
	g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func(g_free);

	if (!draft->view->compare) {
		g_autofree char *name = file_name(digest, 0);

		digest_add(pieces, "%s", name);
	} else {
		g_autofree char *first = side_name(digest, 0);
		g_autofree char *second = side_name(digest, 1);

		digest_add(pieces, "%s → %s", first, second);
		if (digest->seconds > 0)
			digest_add(pieces, "   %s apart",
				   digest_number(draft, CTPROF_LADDER_NS, digest->seconds * 1e9));
	}
	add_taken(digest, pieces);
	add_machine(digest, pieces);
	g_ptr_array_add(digest->titles, digest_join(pieces, draft->plan->options->width));
}

static void add_threads(const Digest *digest)
{
	const WindowResult *window = digest->draft->window;
	guint64 threads[SIDES] = {0};

	for (guint i = 0; i < digest->lines->len; i++)
		for (guint side = 0; side < SIDES; side++)
			threads[side] += digest_line(digest, i)->threads[side];
	if (window)
		digest_add(digest->titles,
			   "%" G_GUINT64_FORMAT " → %" G_GUINT64_FORMAT
			   " threads (%" G_GUINT64_FORMAT " new, %" G_GUINT64_FORMAT " gone)",
			   window->counts.threads[0], window->counts.threads[1],
			   window->counts.n_born, window->counts.n_gone);
	else if (digest->has_sides)
		digest_add(digest->titles,
			   "%" G_GUINT64_FORMAT " → %" G_GUINT64_FORMAT
			   " threads; what they cost on average since each began",
			   threads[0], threads[1]);
	else
		digest_add(digest->titles,
			   "%" G_GUINT64_FORMAT
			   " threads; what they cost on average since each began",
			   threads[0]);
}

/* What no number here contains. */
static void add_unseen(const Digest *digest)
{
	const guint64 *unseen = digest->draft->plan->options->unseen;
	guint64 most = MAX(unseen[0], unseen[1]);

	if (most == G_MAXUINT64)
		digest_add(digest->titles, "processes of other users are hidden (hidepid), and not "
					   "in it");
	else if (most > 0)
		digest_add(digest->titles,
			   "%" G_GUINT64_FORMAT
			   " processes may not be listed (hidepid), and are not in it",
			   most);
}

void digest_add_titles(Digest *digest)
{
	add_command(digest);
	add_captures(digest);
	add_threads(digest);
	add_unseen(digest);
}
