/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quantity.h"

#include <string.h>

#include "ctprof/plugin.h"
#include "percentile.h"
#include "units.h"

#define A_NS 1e-9
#define A_TICK (1.0 / 100) /* USER_HZ */

/* clang-format off */
#define SUM(scale, ...) {FORM_SUM, {__VA_ARGS__}, scale, 0}
#define WORSE .polarity = CTPROF_MORE_IS_WORSE
#define BETTER .polarity = CTPROF_MORE_IS_BETTER
#define QUOTIENT(part, whole) {FORM_QUOTIENT, {part, whole}, 0, 0}
#define SHARE(part, rest) {FORM_SHARE, {part, rest}, 0, 0}
#define STATE(state) {FORM_STATE, {"state", state}, 0, 0}

#define COUNTER(id) .name = (id), .kind = CTPROF_COUNTER
#define IN(section_, id, unit_, help_) \
	.name = (id), .unit = CTPROF_UNIT_##unit_, .help = (help_), .section = (section_)
#define DERIVED(id, unit, help) IN(SECTION_DERIVED, id, unit, help)
#define ASKED(id, unit_, help_) DERIVED(id, unit_, help_), .flags = CTPROF_METRIC_QUIET
#define AVERAGE_DELAY(what, help_) \
	{IN(SECTION_DELAY, "avg_" what "_delay_ns", NS, help_), \
	 WORSE, .formulas = {QUOTIENT(what "_delay_total_ns", what "_delay_count")}}

#define COLUMN(id, head, unit_, ladder_, flags_) .column = { \
		.struct_size = sizeof(struct ctprof_report_field), .name = (id), .header = (head), \
		.unit = (unit_), .ladder = CTPROF_LADDER_##ladder_, .flags = (flags_), .tags = ""}
#define SHORT(id, head, unit, ladder) COLUMN(id, head, unit, ladder, CTPROF_FIELD_SHORT)
#define FOR_MACHINES(id, unit) COLUMN(id, id, unit, NONE, CTPROF_FIELD_HIDDEN)
#define NO_COLUMN(id, unit) COLUMN(id, NULL, unit, NONE, CTPROF_FIELD_HIDDEN)

/* After the first few rows come those of the first screen, in the order of enum cost. */
#define FIRST_COST 6
#define SCREEN(cost) [FIRST_COST + (cost)]

const Quantity quantities[] = {
	{DERIVED("affine_success_ratio", NONE, "share of affine wakeup attempts that succeeded"),
	 .formulas = {QUOTIENT("nr_wakeups_affine", "nr_wakeups_affine_attempts")}},
	{DERIVED("avg_wait_ns", NS, "mean run-queue wait, from schedstats"),
	 WORSE, .formulas = {QUOTIENT("wait_sum", "wait_count")}},
	{DERIVED("cpu_efficiency", NONE, "share of runnable time spent on a CPU"),
	 BETTER, .formulas = {SHARE("run_time_ns", "wait_time_ns")}},
	{DERIVED("avg_slice_ns", NS, "mean time on a CPU per turn"),
	 .formulas = {QUOTIENT("run_time_ns", "timeslices")}},
	{DERIVED("involuntary_csw_ratio", NONE, "share of context switches that were forced"),
	 WORSE, .formulas = {SHARE("nonvoluntary_csw", "voluntary_csw")}},
	{DERIVED("disk_io_fraction", NONE,
		 "share of bytes read that came from storage; above 1 with read-ahead"),
	 .formulas = {QUOTIENT("read_bytes", "rchar")}},

	SCREEN(COST_HEAP) = {
		DERIVED("live_heap_estimate", BYTES, "bytes allocated and not freed, by jemalloc's counters"),
		WORSE, .aliases = {"heap"}, .is_read_long = TRUE,
		.formulas = {{FORM_DIFFERENCE, {"allocated_bytes", "deallocated_bytes"}, 0, 0}},
		NO_COLUMN("heap", "bytes")},
	SCREEN(COST_CPU) = {
		COUNTER("run_time_ns"), .aliases = {"cpu"}, .measured = "CPU time",
		.formulas = {SUM(A_NS, "run_time_ns"), SUM(A_TICK, "utime_clock_ticks", "stime_clock_ticks"),
			     SUM(A_NS, "slice_length_ns")},
		COLUMN("cpu", "CPU", "cpus", NONE, CTPROF_FIELD_SHORT | CTPROF_FIELD_BARS),
		.column.role = CTPROF_FIELD_CPU},
	SCREEN(COST_USER) = {
		COUNTER("utime_clock_ticks"), .aliases = {"usr"},
		.formulas = {SUM(A_TICK, "utime_clock_ticks")},
		FOR_MACHINES("user", "cpus")},
	SCREEN(COST_SYSTEM) = {
		COUNTER("stime_clock_ticks"), .aliases = {"sys", "system"},
		.formulas = {SUM(A_TICK, "stime_clock_ticks")},
		FOR_MACHINES("system", "cpus")},
	SCREEN(COST_WAITING) = {
		COUNTER("wait_time_ns"), .aliases = {"waiting"}, .measured = "run-queue wait",
		.formulas = {SUM(A_NS, "wait_time_ns"), SUM(A_NS, "cpu_delay_total_ns"),
			     SUM(A_NS, "run_delay_ns")},
		SHORT("waiting", "WAITING", "threads", NONE),
		.column.role = CTPROF_FIELD_WAITING},
	SCREEN(COST_TURN) = {
		ASKED("avg_turn_wait_ns", NS, "mean wait for a CPU per turn"), WORSE, .aliases = {"turn"},
		.formulas = {QUOTIENT("wait_time_ns", "timeslices"),
			     QUOTIENT("cpu_delay_total_ns", "cpu_delay_count")},
		SHORT("turn", "A TURN", "ns", NS)},
	SCREEN(COST_RUNNABLE) = {
		ASKED("runnable", NONE, "threads on a CPU, or waiting for one"),
		.kind = CTPROF_LEVEL, .formulas = {STATE("R")},
		SHORT("runnable", "R", "threads", NONE)},
	SCREEN(COST_BLOCKED) = {
		ASKED("blocked", NONE, "threads in uninterruptible sleep"),
		.kind = CTPROF_LEVEL, .formulas = {STATE("D")},
		SHORT("blocked", "D", "threads", NONE)},
	SCREEN(COST_SWITCHES) = {
		ASKED("context_switches", NONE, "context switches, voluntary and forced"),
		.kind = CTPROF_COUNTER, .aliases = {"switches"}, .measured = "switches",
		.formulas = {SUM(0, "voluntary_csw", "nonvoluntary_csw")},
		SHORT("switches", "SWITCH/s", "1/s", UNITLESS)},
	SCREEN(COST_READ) = {
		COUNTER("read_bytes"), .aliases = {"read"}, .measured = "reads",
		.formulas = {SUM(0, "read_bytes")},
		SHORT("read", "READ/s", "bytes/s", BYTES)},
	SCREEN(COST_WRITE) = {
		COUNTER("write_bytes"), .aliases = {"write"}, .measured = "writes",
		.formulas = {SUM(0, "write_bytes")},
		SHORT("write", "WRITE/s", "bytes/s", BYTES)},
	SCREEN(COST_PSS) = {
		ASKED("smaps_pss_bytes", BYTES, "PSS of the processes, from smaps_rollup"),
		WORSE, .aliases = {"pss"}, .measured = "PSS",
		.formulas = {SUM(0, "smaps_rollup_kib")},
		SHORT("pss", "PSS", "bytes", BYTES), .column.role = CTPROF_FIELD_MEMORY},
	SCREEN(COST_WAKEUPS) = {
		COUNTER("nr_wakeups"), .aliases = {"wakeups"}, .measured = "wakeups",
		.formulas = {SUM(0, "nr_wakeups")},
		NO_COLUMN("wakeups", "1/s")},
	/* Times that threads waited, converted to the number of threads that waited on average. */
	SCREEN(COST_DISK_WAIT) = {
		COUNTER("blkio_delay_total_ns"), .aliases = {"disk_wait"}, .measured = "block I/O delay",
		.formulas = {SUM(A_NS, "blkio_delay_total_ns"), SUM(A_NS, "iowait_sum")},
		FOR_MACHINES("disk_wait", "threads")},
	SCREEN(COST_SWAP_WAIT) = {
		COUNTER("swapin_delay_total_ns"), .aliases = {"swap_wait"}, .measured = "swap delay",
		.formulas = {SUM(A_NS, "swapin_delay_total_ns")},
		FOR_MACHINES("swap_wait", "threads")},
	SCREEN(COST_RECLAIM) = {
		COUNTER("freepages_delay_total_ns"), .aliases = {"reclaim"}, .measured = "reclaim delay",
		.formulas = {SUM(A_NS, "freepages_delay_total_ns")},
		FOR_MACHINES("reclaim", "threads")},
	SCREEN(COST_COMPACTION) = {
		COUNTER("compact_delay_total_ns"), .aliases = {"compaction"},
		.formulas = {SUM(A_NS, "compact_delay_total_ns")},
		FOR_MACHINES("compaction", "threads")},
	SCREEN(COST_THRASHING) = {
		COUNTER("thrashing_delay_total_ns"), .aliases = {"thrashing"},
		.formulas = {SUM(A_NS, "thrashing_delay_total_ns")},
		FOR_MACHINES("thrashing", "threads")},
	SCREEN(COST_CANCELLED) = {
		COUNTER("cancelled_write_bytes"), .formulas = {SUM(0, "cancelled_write_bytes")},
		NO_COLUMN("cancelled", "bytes/s")},

	{.name = "thread_count", .aliases = {"threads"}},
	{.name = "uss_bytes", .aliases = {"uss"}},
	{.name = "rss_bytes", .aliases = {"rss"}},
	{.name = "swap_bytes", .aliases = {"swap"}},

	{DERIVED("avg_iowait_ns", NS, "mean wait for I/O"),
	 WORSE, .formulas = {QUOTIENT("iowait_sum", "iowait_count")}},
	AVERAGE_DELAY("cpu", "mean wait for a CPU"),
	AVERAGE_DELAY("blkio", "mean wait for block I/O"),
	AVERAGE_DELAY("swapin", "mean wait for a page to be swapped in"),
	AVERAGE_DELAY("freepages", "mean time in direct reclaim"),
	AVERAGE_DELAY("thrashing", "mean wait for a page evicted too early"),
	AVERAGE_DELAY("compact", "mean time in direct compaction"),
	AVERAGE_DELAY("wpcopy", "mean time in write-protect copying"),
	AVERAGE_DELAY("irq", "mean time taken by interrupts"),
	{IN(SECTION_DELAY, "total_offcpu_delay_ns", NS,
	    "sum of all delays; swapin and thrashing overlap, so only the larger counts"),
	 WORSE, .formulas = {{FORM_DELAYS,
		       {"cpu_delay_total_ns", "blkio_delay_total_ns", "swapin_delay_total_ns",
			"freepages_delay_total_ns", "thrashing_delay_total_ns",
			"compact_delay_total_ns", "wpcopy_delay_total_ns", "irq_delay_total_ns"}, 0, 0}}},
	{.name = NULL},
};

#define HOST(member, kind_, unit, ladder, ...) { \
	.name = #member, .at = G_STRUCT_OFFSET(HostState, member), .kind = (kind_), \
	.formulas = {__VA_ARGS__}, COLUMN(#member, #member, unit, ladder, 0)}
#define NOW(...) SUM(0, __VA_ARGS__)
#define LEFT(whole, rest) {FORM_DIFFERENCE, {whole, rest}, 0, 0}
/* In a window, the kernel's total; otherwise its average of 10 seconds. */
#define PRESSURE(of) \
	HOST(of##_pressure, CTPROF_COUNTER, "percent", NONE, \
	     {FORM_SUM, {"psi." #of ".some.total_usec"}, 100, 1e6}, \
	     {FORM_SUM, {"psi." #of ".some.avg10"}, 0, 100})
#define COUNTED {.form = FORM_NONE}
#define BUSY 1

const Quantity host_quantities[] = {
	HOST(cpus, CTPROF_LEVEL, "cpus", NONE, NOW("system.cpu.online"), NOW("host.online_cpus")),
	HOST(busy, CTPROF_COUNTER, "cpus", NONE, SUM(A_NS, "cpu.host_usage_ns")),
	/* Time that is neither idle nor stolen by a hypervisor. */
	HOST(busy_ticks, CTPROF_COUNTER, "cpus", NONE,
	     SUM(A_TICK, "system.cpu.user", "system.cpu.nice", "system.cpu.system",
		 "system.cpu.irq", "system.cpu.softirq")),
	HOST(busy_turns, CTPROF_COUNTER, "cpus", NONE, SUM(A_NS, "schedstat.run_time_ns")),
	HOST(interrupts, CTPROF_COUNTER, "cpus", NONE, SUM(A_TICK, "system.cpu.irq", "system.cpu.softirq")),
	HOST(steal, CTPROF_COUNTER, "cpus", NONE, SUM(A_TICK, "system.cpu.steal")),
	HOST(idle, CTPROF_COUNTER, "cpus", NONE, SUM(A_TICK, "system.cpu.idle", "system.cpu.iowait")),
	HOST(waiting, 0, "threads", NONE, COUNTED),
	HOST(runnable, CTPROF_LEVEL, "threads", NONE, NOW("system.load.runnable")),
	/* vmstat also counts I/O of devices on top of disks, and of those in memory. */
	HOST(read, CTPROF_COUNTER, "bytes/s", BYTES,
	     NOW("system.disk.read_bytes"), NOW("system.vmstat.pgpgin")),
	HOST(written, CTPROF_COUNTER, "bytes/s", BYTES,
	     NOW("system.disk.write_bytes"), NOW("system.vmstat.pgpgout")),
	HOST(faults, CTPROF_COUNTER, "1/s", UNITLESS, NOW("system.vmstat.pgmajfault")),
	HOST(refaults, CTPROF_COUNTER, "1/s", UNITLESS,
	     NOW("system.vmstat.workingset_refault_anon", "system.vmstat.workingset_refault_file")),
	HOST(direct_scans, CTPROF_COUNTER, "1/s", UNITLESS, NOW("system.vmstat.pgscan_direct")),
	HOST(background_scans, CTPROF_COUNTER, "1/s", UNITLESS, NOW("system.vmstat.pgscan_kswapd")),
	HOST(memory, CTPROF_LEVEL, "bytes", BYTES, NOW("system.memory.total"), NOW("host.total_memory_kib")),
	HOST(memory_used, CTPROF_LEVEL, "bytes", BYTES, LEFT("system.memory.total", "system.memory.available")),
	HOST(swap, CTPROF_LEVEL, "bytes", BYTES, NOW("system.swap.total")),
	HOST(swap_used, CTPROF_LEVEL, "bytes", BYTES, LEFT("system.swap.total", "system.swap.free")),
	PRESSURE(cpu),
	PRESSURE(io),
	PRESSURE(memory),
	HOST(forks, CTPROF_COUNTER, "1/s", UNITLESS, NOW("system.processes")),
	HOST(oom_kills, 0, "none", NONE, NOW("system.vmstat.oom_kill")),
	HOST(accounted, 0, "cpus", NONE, COUNTED),
	HOST(exited, 0, "cpus", NONE, COUNTED),
	HOST(own, 0, "cpus", NONE, COUNTED),
	{.name = NULL},
};
/* clang-format on */

/* ---- by name ---- */

static gboolean has_alias(const Quantity *quantity, const char *name)
{
	for (guint i = 0; i < QUANTITY_ALIASES; i++)
		if (g_strcmp0(quantity->aliases[i], name) == 0)
			return TRUE;
	return FALSE;
}

const Quantity *quantity_find(const char *name)
{
	for (const Quantity *quantity = quantities; quantity->name; quantity++)
		if (strcmp(quantity->name, name) == 0 || has_alias(quantity, name))
			return quantity;
	return NULL;
}

gboolean quantity_is_derived(const Quantity *quantity)
{
	return quantity->help != NULL;
}

const Quantity *quantity_derived(const char *name)
{
	const Quantity *quantity = quantity_find(name);

	return quantity && quantity_is_derived(quantity) && strcmp(quantity->name, name) == 0
		       ? quantity
		       : NULL;
}

const Quantity *quantity_host_busy(void)
{
	return &host_quantities[BUSY];
}

const Quantity *quantity_of_cost(guint cost)
{
	const Quantity *quantity = &quantities[FIRST_COST + cost];

	return cost < MOST_COSTS && quantity->column.name ? quantity : NULL;
}

const char *quantity_name(const char *typed)
{
	const Quantity *quantity = quantity_find(typed);

	return quantity ? quantity->name : typed;
}

static void add_entry(GString *list, gboolean out, const char *metric)
{
	g_string_append_printf(list, "%s%s%s", list->len ? "," : "", out ? "-" : "", metric);
}

char *quantity_list_inputs(const char *list)
{
	g_auto(GStrv) entries = g_strsplit(list, ",", -1);
	GString *text = g_string_new(NULL);

	for (guint i = 0; entries[i]; i++) {
		const char *entry = g_strstrip(entries[i]);
		gboolean out = entry[0] == '-';
		const char *name = entry + (out ? 1 : 0);
		const Quantity *quantity = quantity_find(name);

		g_autofree char *metric = percentile_metric(quantity ? quantity->name : name);

		if (!quantity || !quantity_is_derived(quantity)) {
			add_entry(text, out, metric);
			continue;
		}
		for (guint k = 0; k < formula_n_inputs(&quantity->formulas[0]); k++)
			add_entry(text, out, quantity->formulas[0].inputs[k]);
	}
	return g_string_free(text, FALSE);
}

static gboolean has_input(const Formula *formula, const char *metric)
{
	for (guint i = 0; i < formula_n_inputs(formula); i++)
		if (strcmp(formula->inputs[i], metric) == 0)
			return TRUE;
	return FALSE;
}

gboolean quantity_serves_windows(const char *metric)
{
	const Quantity *quantity;

	for (guint i = 0; (quantity = quantity_of_cost(i)); i++)
		for (guint k = 0; k < QUANTITY_FORMULAS && !quantity->is_read_long; k++)
			if (has_input(&quantity->formulas[k], metric))
				return TRUE;
	return FALSE;
}

/* ---- units ---- */

gboolean quantity_is_ratio(const Quantity *quantity)
{
	return quantity->formulas[0].form == FORM_QUOTIENT ||
	       quantity->formulas[0].form == FORM_SHARE;
}

/* Whether the quantity is a ratio without a unit. */
static gboolean is_share(const Quantity *quantity)
{
	return quantity->unit == CTPROF_UNIT_NONE && quantity_is_ratio(quantity);
}

const char *quantity_unit(const Quantity *quantity)
{
	return is_share(quantity) ? "ratio" : unit_word(quantity->unit);
}

guint32 quantity_ladder(const Quantity *quantity)
{
	return is_share(quantity) ? CTPROF_LADDER_RATIO : ladder_of(CTPROF_GAUGE, quantity->unit);
}

/* ---- formulas ---- */

guint formula_n_inputs(const Formula *formula)
{
	guint n = 0;

	/* The other input is the state to count. */
	if (formula->form == FORM_STATE)
		return 1;
	while (n < QUANTITY_INPUTS && formula->inputs[n])
		n++;
	return n;
}

static gdouble sum_of(const Formula *formula, const guint64 *inputs)
{
	gdouble sum = 0;

	for (guint i = 0; i < formula_n_inputs(formula); i++)
		sum += (gdouble)inputs[i];
	return sum;
}

static gdouble difference_of(const guint64 *inputs)
{
	return inputs[0] >= inputs[1] ? (gdouble)(inputs[0] - inputs[1])
				      : -(gdouble)(inputs[1] - inputs[0]);
}

/* Swapping in a page that was evicted too early counts as both SWAPIN and
 * THRASHING. */
static gdouble delays_of(const Formula *formula, const guint64 *inputs)
{
	enum { CPU, BLKIO, SWAPIN, FREEPAGES, THRASHING };

	return sum_of(formula, inputs) - (gdouble)MIN(inputs[SWAPIN], inputs[THRASHING]);
}

gdouble formula_convert(const Formula *formula, gdouble value)
{
	if (formula->divisor > 0)
		value /= formula->divisor;
	return formula->scale > 0 ? value * formula->scale : value;
}

gboolean formula_compute(const Formula *formula, const guint64 *inputs, gdouble *ret_value)
{
	gdouble whole = 1;

	switch (formula->form) {
	case FORM_SUM:
		*ret_value = sum_of(formula, inputs);
		return TRUE;
	case FORM_DELAYS:
		*ret_value = delays_of(formula, inputs);
		return TRUE;
	case FORM_DIFFERENCE:
		*ret_value = difference_of(inputs);
		return TRUE;
	case FORM_QUOTIENT:
		whole = (gdouble)inputs[1];
		break;
	case FORM_SHARE:
		whole = sum_of(formula, inputs);
		break;
	default:
		return FALSE;
	}
	if (!(whole > 0))
		return FALSE;
	*ret_value = (gdouble)inputs[0] / whole;
	return TRUE;
}
