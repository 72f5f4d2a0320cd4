/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of the first screen about the host and the captures. */
#include <math.h>
#include <string.h>

#include "frame/units.h"
#include "row/absence.h"
#include "rules.h"

#define CENTIPERCENT 1e4 /* of one */
#define HOST "host"
#define MOST_SKEW 0.02        /* time between the values at the beginning and end of a capture */
#define LEAST_INTERRUPTS 0.05 /* CPUs */

static const char *const loads[] = {"system.load.avg1", "system.load.avg5", "system.load.avg15"};

/* ---- the state of the host ---- */

/* Returns the host's value in the newest capture. */
static struct ctprof_value host_value(const Digest *digest, const char *name)
{
	const Draft *draft = digest->draft;

	return draft_value(draft, TABLE_HOST, draft->host, digest->newest, name);
}

gdouble host_state_number(const Digest *digest, const char *name)
{
	const struct ctprof_value value = host_value(digest, name);

	return value.type == CTPROF_VALUE_NUMBER ? (gdouble)value.number : NAN;
}

const char *host_state_text(const Digest *digest, const char *name)
{
	return host_value(digest, name).text;
}

gdouble host_state_value(const Digest *digest, const Quantity *quantity)
{
	return G_STRUCT_MEMBER(gdouble, (HostState *)(uintptr_t)&digest->host, quantity->at);
}

/* Computes a quantity by one of its formulas; NAN: it gives no value. */
static gdouble ask(const Digest *digest, const Quantity *quantity, const Formula *formula)
{
	struct ctprof_value value;
	gboolean counts = draft_ask_host(digest->draft, formula, &value);

	if (value.type != CTPROF_VALUE_REAL || (counts && digest->seconds <= 0))
		return NAN;
	if (counts && quantity->kind == CTPROF_COUNTER)
		value.real /= digest->seconds;
	return formula_convert(formula, value.real);
}

/* Computes each quantity by the first of its formulas that gives a value. */
static void ask_all(Digest *digest)
{
	for (const Quantity *quantity = host_quantities; quantity->name; quantity++) {
		gdouble *value = &G_STRUCT_MEMBER(gdouble, &digest->host, quantity->at);

		*value = NAN;
		for (guint i = 0; i < QUANTITY_FORMULAS && isnan(*value) &&
				  quantity->formulas[i].form != FORM_NONE;
		     i++)
			*value = ask(digest, quantity, &quantity->formulas[i]);
		if (g_str_equal(quantity->column.unit, "percent"))
			*value = isnan(*value) ? NAN : MIN(*value, 100);
	}
}

/* Sets the host's busy CPUs from the best counter available. */
static void settle_busy(HostState *host)
{
	/* A time slice that ended in the window may have begun long before it, so the CPUs that
	 * were not idle are the limit. */
	if (isnan(host->busy) && !isnan(host->idle) && !isnan(host->busy_turns))
		host->busy = CLAMP(host->busy_turns, 0, MAX(host->cpus - host->idle, 0));
	host->is_rough = host->is_of_ticks = isnan(host->busy) && !isnan(host->busy_ticks);
	if (host->is_of_ticks)
		host->busy = host->busy_ticks;
	host->busy = host->busy > host->cpus ? host->cpus : host->busy;
}

void host_state_read(Digest *digest)
{
	const WindowResult *window = digest->draft->window;
	const CostValue *waiting = &digest->total.of[COST_WAITING];
	HostState *host = &digest->host;

	ask_all(digest);
	settle_busy(host);
	/* The thread that read the number was running itself, so it is not counted. */
	if (host->runnable >= 1)
		host->runnable--;
	for (guint i = 0; i < G_N_ELEMENTS(host->load); i++)
		host->load[i] = host_state_number(digest, loads[i]) / CENTIPERCENT;
	if (digest->seconds > 0 && waiting->type == CTPROF_VALUE_REAL)
		host->waiting = waiting->real;
	if (!window || !window->has_cpu)
		return;
	host->accounted = (gdouble)window->threads_ns / 1e9 / digest->seconds;
	host->exited = (gdouble)window->ended_ns / 1e9 / digest->seconds;
	if (window->own_ns > 0)
		host->own = (gdouble)window->own_ns / 1e9 / digest->seconds;
	/* Without records, parents may be charged with what children used before the window. */
	gdouble room = (host->is_of_ticks ? host->cpus : host->busy) - host->accounted -
		       digest_own(digest);
	if (!digest_has_exits(digest) && host->exited > room)
		host->exited = MAX(room, 0);
	/* The CPU time of threads is exact, but read a moment later. */
	gdouble used = MIN(host->accounted + host->exited + digest_own(digest), host->cpus);
	host->is_rough |= used > host->busy * (1 + MOST_SKEW) + MOST_SKEW;
	if (used > host->busy)
		host->busy = used;
}

/* ---- the section host ---- */

static struct ctprof_term gib(gdouble bytes)
{
	return term_plain(CTPROF_TERM_GIB, CTPROF_LADDER_BYTES, bytes);
}

static struct ctprof_term label(const char *text)
{
	return term_text(CTPROF_TERM_LABEL, text);
}

static void add_pressure(Sentence *sentence, gdouble share)
{
	if (!isnan(share))
		SAY_APART(sentence, "pressure {} %",
			  term_plain(CTPROF_TERM_PADDED, CTPROF_LADDER_NONE, share));
}

/* Adds the share of the pressure that may be due to quotas. The kernel counts a throttled thread as
 * waiting for a CPU; for how much of that time no other thread waited is not known. */
static void add_throttling(const Digest *digest, Sentence *sentence)
{
	gdouble share = digest->host.cpu_pressure, throttled = 0;

	for (guint i = 0; i < digest->limits->len; i++)
		throttled += g_array_index(digest->limits, CgroupLimits, i).throttled_s;
	throttled = digest->seconds > 0 ? MIN(throttled / digest->seconds * 100, share) : 0;
	if (throttled >= LEAST_THROTTLED)
		SAY_APART(sentence, "pressure by quotas up to {} %", term_whole(throttled));
}

static void say_cpu(const Digest *digest, Sentence *sentence)
{
	const HostState *host = &digest->host;

	if (!isnan(host->busy) && host->cpus > 0)
		SAY(sentence, host->is_rough ? "{}~{} of {} busy ({} %)" : "{}{} of {} busy ({} %)",
		    label("CPU"), term_short(CTPROF_LADDER_NONE, host->busy),
		    term_whole(host->cpus), term_whole(MIN(host->busy / host->cpus * 100, 100)));
	else if (!isnan(host->load[0]))
		SAY(sentence, "{}load {} {} {}", label("CPU"),
		    term_plain(CTPROF_TERM_HUNDREDTHS, CTPROF_LADDER_NONE, host->load[0]),
		    term_plain(CTPROF_TERM_HUNDREDTHS, CTPROF_LADDER_NONE, host->load[1]),
		    term_plain(CTPROF_TERM_HUNDREDTHS, CTPROF_LADDER_NONE, host->load[2]));
	else
		return;
	if (host->interrupts >= LEAST_INTERRUPTS)
		SAY_APART(sentence, "{} in interrupts",
			  term_short(CTPROF_LADDER_NONE, host->interrupts));
	add_pressure(sentence, host->cpu_pressure);
	if (!isnan(host->waiting))
		SAY_APART(sentence, "{} threads wait on average",
			  term_short(CTPROF_LADDER_NONE, host->waiting));
	else if (!isnan(host->runnable))
		SAY_APART(sentence, "{} runnable", term_whole(host->runnable));
	add_throttling(digest, sentence);
}

static void say_disk(const Digest *digest, Sentence *sentence)
{
	const HostState *host = &digest->host;

	if (!isnan(host->read) && !isnan(host->written))
		SAY(sentence, "{}{}/s read, {}/s written", label("disk"),
		    term_short(CTPROF_LADDER_BYTES, host->read),
		    term_short(CTPROF_LADDER_BYTES, host->written));
	else if (!isnan(host->io_pressure))
		SAY(sentence, "{}", term_text(CTPROF_TERM_TEXT, "disk"));
	else
		return;
	add_pressure(sentence, host->io_pressure);
	if (!isnan(host->faults))
		SAY_APART(sentence, "{} major faults/s",
			  term_short(CTPROF_LADDER_UNITLESS, host->faults));
}

static void say_memory(const Digest *digest, Sentence *sentence)
{
	const HostState *host = &digest->host;

	if (isnan(host->memory))
		return;
	if (isnan(host->memory_used))
		SAY(sentence, "{}{} GiB", label("memory"), gib(host->memory));
	else
		SAY(sentence, "{}{} of {} GiB in use", label("memory"), gib(host->memory_used),
		    gib(host->memory));
	add_pressure(sentence, host->memory_pressure);
	if (isnan(host->swap))
		return;
	if (host->swap > 0)
		SAY_APART(sentence, "{} of {} GiB swap", gib(host->swap_used), gib(host->swap));
	else
		sentence_add(sentence, CTPROF_PIECE_APART, "no swap", NULL, 0);
}

/* The three lines about the host, and the measure of each whose spread a recording shows. */
static const struct host_line {
	guint32 role;
	void (*say)(const Digest *digest, Sentence *sentence);
	const char *measure, *what;
	guint32 ladder;
} host_lines[] = {
	{CTPROF_SENTENCE_CPU, say_cpu, "busy", "busy", CTPROF_LADDER_NONE},
	{CTPROF_SENTENCE_DISK, say_disk, "read", "read/s", CTPROF_LADDER_BYTES},
	{CTPROF_SENTENCE_MEMORY, say_memory, "memory_used", "in use", CTPROF_LADDER_BYTES},
};

static void add_spread(const Digest *digest, Sentence *sentence, const struct host_line *line)
{
	const AnalysisOptions *options = digest->draft->plan->options;
	const Series *past = options->host_past ? options->host_past : options->past;
	Spread spread = {.n = 0};

	if (past)
		spread = series_spread(past, NULL, line->measure);
	if (spread.n > 1)
		SAY_APART(sentence, "median {}, 95% {}, max {} {}",
			  term_short(line->ladder, spread.median),
			  term_short(line->ladder, spread.p95),
			  term_short(line->ladder, spread.most),
			  term_text(CTPROF_TERM_TEXT, line->what));
}

GPtrArray *host_state_lines(const Digest *digest)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)sentence_free);

	for (guint i = 0; i < G_N_ELEMENTS(host_lines); i++) {
		g_autoptr(Sentence) sentence = sentence_new(host_lines[i].role);

		host_lines[i].say(digest, sentence);
		if (sentence_data(sentence)->n_pieces == 0)
			continue;
		add_spread(digest, sentence, &host_lines[i]);
		g_ptr_array_add(lines, g_steal_pointer(&sentence));
	}
	return lines;
}

static void draft_host_state(const Draft *draft, const Section *section)
{
	const Digest *digest = draft->digest;
	static const char *const names[] = {HOST};
	Table *table = tables_add(draft->tables, section->name, section->heading, HOST,
				  CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG |
					  CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD);

	for (guint i = 0; i < digest->host_lines->len; i++)
		table_note_sentence(table, "", g_ptr_array_index(digest->host_lines, i));
	for (const Quantity *quantity = host_quantities; quantity->name; quantity++) {
		const struct ctprof_value value = value_of_real(host_state_value(digest, quantity));

		if (isnan(value.real))
			continue;
		guint field = table_take_field(table, &quantity->column);
		draft_put_same(draft, table_metric(table, names, 1, field), value);
	}
}

const Section section_host_state = {
	.name = SECTION_HOST,
	.heading = "Host",
	.help = "CPU, disk, memory and pressure of the host: the first screen",
	.flags = SECTION_OF_DIGEST,
	.place = {-3, -3},
	.draft = draft_host_state,
};

/* ---- titles ---- */

static Sentence *add_title(const Digest *digest)
{
	Sentence *title = sentence_new(CTPROF_SENTENCE_TITLE);

	g_ptr_array_add(digest->titles, title);
	return title;
}

static struct ctprof_term file_name(const Digest *digest, guint side)
{
	const char *file = digest->draft->plan->options->files[side];
	char *name = g_path_get_basename(file ? file : "-");
	char *end = strstr(name, ".ctprof");

	if (end && end > name)
		*end = '\0';
	return term_text(CTPROF_TERM_TEXT, store_take(digest->draft->store, name));
}

static void add_taken(const Digest *digest, Sentence *title)
{
	const CaptureFacts *captures = digest->draft->plan->options->captures;
	gboolean is_compare = digest->draft->view->compare;

	if (captures[0].taken_s <= 0)
		return;
	if (is_compare && captures[1].taken_s > 0)
		SAY(title, ", taken in {} and {}",
		    term_short(CTPROF_LADDER_NS, captures[0].taken_s * 1e9),
		    term_short(CTPROF_LADDER_NS, captures[1].taken_s * 1e9));
	else if (!is_compare)
		SAY_APART(title, "taken in {}",
			  term_short(CTPROF_LADDER_NS, captures[0].taken_s * 1e9));
}

static void add_machine(const Digest *digest, Sentence *title)
{
	const char *kernel = host_state_text(digest, "host.kernel_release");

	if (!isnan(digest->host.cpus))
		SAY_APART(title, "{} CPUs", term_whole(digest->host.cpus));
	if (!isnan(digest->host.memory))
		SAY(title, " · {} GiB", gib(digest->host.memory));
	if (kernel)
		SAY(title, " · Linux {}",
		    term_text(CTPROF_TERM_TEXT, store_text(digest->draft->store, kernel)));
}

/* Adds the command and its times, like the last lines of perf stat. */
static void add_command(const Digest *digest)
{
	const CommandFacts *facts = digest->draft->plan->options->command;

	if (!facts)
		return;
	Sentence *title = add_title(digest);
	SAY(title, "{}:", term_text(CTPROF_TERM_TEXT, facts->line));
	SAY(title, " {},", term_short(CTPROF_LADDER_NS, (gdouble)facts->wall_ns));
	SAY(title, " {} CPU",
	    term_short(CTPROF_LADDER_NS, (gdouble)(facts->user_ns + facts->system_ns)));
	SAY(title, " ({} user, {} system),", term_short(CTPROF_LADDER_NS, (gdouble)facts->user_ns),
	    term_short(CTPROF_LADDER_NS, (gdouble)facts->system_ns));
	if (facts->signal)
		SAY(title, " killed by signal {}", term_whole(facts->signal));
	else
		SAY(title, " exit {}", term_whole(facts->exit_status));
	if (facts->max_rss_bytes > 0)
		SAY(title, ", max RSS {}",
		    term_short(CTPROF_LADDER_BYTES, (gdouble)facts->max_rss_bytes));
}

/* Whether both sides are samples of one recording: "FILE@TIME". */
static gboolean is_of_one_file(const AnalysisOptions *options)
{
	const char *first = options->files[0], *second = options->files[1];
	const char *at = first ? strrchr(first, '@') : NULL;

	return g_strcmp0(first, second) == 0 ||
	       (at && second && strncmp(first, second, (gsize)(at - first) + 1) == 0);
}

/* Returns the name of a side: the file's or, for two samples of one recording, the sample's time,
 * on the second side with the time zone. */
static struct ctprof_term side_name(const Digest *digest, guint side)
{
	const AnalysisOptions *options = digest->draft->plan->options;
	guint64 seconds = options->captures[side].realtime_ns / 1000000000;

	if (!is_of_one_file(options) || seconds == 0)
		return file_name(digest, side);
	return term_plain(side == 0 ? CTPROF_TERM_TIME : CTPROF_TERM_TIME_ZONE, CTPROF_LADDER_NONE,
			  (gdouble)seconds);
}

static void add_captures(const Digest *digest)
{
	Sentence *title = add_title(digest);

	if (!digest->draft->view->compare) {
		SAY(title, "{}", file_name(digest, 0));
	} else {
		SAY(title, "{} → {}", side_name(digest, 0), side_name(digest, 1));
		if (digest->seconds > 0)
			SAY_APART(title, "{} apart",
				  term_short(CTPROF_LADDER_NS, digest->seconds * 1e9));
	}
	add_taken(digest, title);
	add_machine(digest, title);
}

static void add_threads(const Digest *digest)
{
	const WindowResult *window = digest->draft->window;
	Sentence *title = add_title(digest);

	if (window)
		SAY(title, "{} → {} threads ({} new, {} gone)",
		    term_whole((gdouble)window->counts.threads[0]),
		    term_whole((gdouble)window->counts.threads[1]),
		    term_whole((gdouble)window->counts.n_born),
		    term_whole((gdouble)window->counts.n_gone));
	else if (digest->has_sides)
		SAY(title, "{} → {} threads; average cost since each started",
		    term_whole((gdouble)digest->threads[0]),
		    term_whole((gdouble)digest->threads[1]));
	else
		SAY(title, "{} threads; average cost since each started",
		    term_whole((gdouble)digest->threads[0]));
}

/* Adds the number of processes that are not included in any number here. */
static void add_unseen(const Digest *digest)
{
	const CaptureFacts *captures = digest->draft->plan->options->captures;
	guint64 most = MAX(captures[0].unseen, captures[1].unseen);

	if (most == G_MAXUINT64)
		TELL(add_title(digest), "processes of other users are hidden (hidepid), and not "
					"included");
	else if (most > 0)
		SAY(add_title(digest),
		    "{} processes cannot be listed (hidepid), and are not included",
		    term_whole((gdouble)most));
}

void digest_add_titles(Digest *digest)
{
	add_command(digest);
	add_captures(digest);
	add_threads(digest);
	add_unseen(digest);
}
