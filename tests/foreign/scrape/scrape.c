/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scrape: a sink by a third party, who has only the installed files.  Draws a
 * report as OpenMetrics 1.0 text, for a monitoring system to scrape.
 */
#include <ctprof/report.h>
#include <ctprof/sink.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define SIDES 2
/* Names are cut at this length; no metric's name is longer, but the key of a map may be. */
#define NAME_ROOM 256

/* ---- units -------------------------------------------------------------- */

/* A unit of the report, and the base unit that becomes part of a family's name. */
static const struct unit {
	const char *word, *base;
	uint64_t divisor;       /* a power of ten */
	int decimals;           /* its */
	const char *endings[3]; /* endings of metrics that repeat the unit */
} units[] = {
	{"ns", "seconds", 1000000000, 9, {"_ns"}},
	{"us", "seconds", 1000000, 6, {"_usec", "_us"}},
	{"ticks", "seconds", 100, 2, {"_clock_ticks", "_ticks"}},
	{"bytes", "bytes", 1, 0, {"_bytes", "_kib"}},
	{"ratio", "ratio", 1, 0, {"_ratio"}},
	{"centipercent", "ratio", 10000, 4, {"_centipercent", "_ratio"}},
};

static const struct unit no_unit = {"none", NULL, 1, 0, {NULL}};

static const struct unit *find_unit(const char *word)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].word, word) == 0)
			return &units[i];
	return &no_unit;
}

static void put_scaled(struct text *out, int negative, uint64_t magnitude, const struct unit *unit)
{
	char text[48];

	if (magnitude % unit->divisor == 0)
		snprintf(text, sizeof text, "%s%" PRIu64, negative ? "-" : "",
			 magnitude / unit->divisor);
	else
		snprintf(text, sizeof text, "%s%" PRIu64 ".%0*" PRIu64, negative ? "-" : "",
			 magnitude / unit->divisor, unit->decimals, magnitude % unit->divisor);
	text_put(out, text);
}

static void put_signed(struct text *out, int64_t value, const struct unit *unit)
{
	uint64_t bits = (uint64_t)value;

	put_scaled(out, value < 0, value < 0 ? 0 - bits : bits, unit);
}

static void put_real(struct text *out, double value, const struct unit *unit)
{
	char text[64];

	value /= (double)unit->divisor;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	/* Some locales write a comma there. */
	char *comma = strchr(text, ',');
	if (comma)
		*comma = '.';
	text_put(out, text);
}

/* ---- samples ------------------------------------------------------------ */

/* A line to be written, and the description of its family. */
struct sample {
	struct text family, labels, value;
	const char *metric, *tags; /* of the report */
	const char *base;          /* unit, or NULL */
	int counter;
};

struct samples {
	struct sample *list;
	size_t n, room;
	int failed; /* -ENOMEM */
	const struct ctprof_report *report;
};

static void samples_free(struct samples *samples)
{
	for (size_t i = 0; i < samples->n; i++) {
		text_free(&samples->list[i].family);
		text_free(&samples->list[i].labels);
		text_free(&samples->list[i].value);
	}
	free(samples->list);
}

static struct sample *samples_add(struct samples *samples)
{
	if (samples->n == samples->room) {
		size_t room = 2 * samples->room + 64;
		struct sample *grown = realloc(samples->list, room * sizeof *grown);

		if (!grown) {
			samples->failed = -ENOMEM;
			return NULL;
		}
		samples->list = grown;
		samples->room = room;
	}
	samples->list[samples->n] = (struct sample){.metric = NULL};
	return &samples->list[samples->n++];
}

/* Returns element i of an array from ctprof, whose elements may be longer than this plugin
 * knows. */
static const void *element(const void *first, uint64_t i)
{
	uint32_t size;

	memcpy(&size, first, sizeof size);
	return (const char *)first + i * size;
}

/* ---- names -------------------------------------------------------------- */

/* Writes a name in lower case, with '_' for characters that a name must not have. */
static void put_name(struct text *out, const char *name)
{
	for (size_t i = 0; name[i] && i < NAME_ROOM; i++) {
		char c = name[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		else if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'))
			c = '_';
		text_put_bytes(out, &c, 1);
	}
}

/* Removes an ending; returns whether it was there. */
static int cut_ending(struct text *name, const char *ending)
{
	size_t n = ending ? strlen(ending) : 0;

	if (n == 0 || n >= name->length || memcmp(name->bytes + name->length - n, ending, n) != 0)
		return 0;
	name->length -= n;
	return 1;
}

/* Metrics of threads have their own name, others also that of their section: "total" means many
 * things. */
static int is_of_threads(const struct ctprof_report_section *section)
{
	static const char *const names[] = {"primary", "taskstats-delay", "derived"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(section->name, names[i]) == 0)
			return 1;
	return 0;
}

/* Writes "ctprof_run_time_seconds" for "run_time_ns": the unit and type in the name are replaced by
 * those of the format. */
static void put_family(struct text *out, const struct ctprof_report_section *section,
		       const char *metric, const char *which, const struct unit *unit)
{
	text_put(out, "ctprof_");
	if (!is_of_threads(section)) {
		put_name(out, section->name);
		text_put(out, "_");
	}
	put_name(out, metric);
	for (size_t i = 0; i < sizeof unit->endings / sizeof unit->endings[0]; i++)
		if (cut_ending(out, unit->endings[i]))
			break;
	cut_ending(out, "_total");
	text_put(out, which);
	if (unit->base) {
		text_put(out, "_");
		text_put(out, unit->base);
	}
}

/* ---- labels ------------------------------------------------------------- */

static void put_label(struct text *out, const char *name, const char *value)
{
	if (out->length > 0)
		text_put(out, ",");
	text_put(out, name);
	text_put(out, "=\"");
	text_put_escaped(out, value);
	text_put(out, "\"");
}

/* Returns the label for the i-th name of a line. */
static const char *label_of(const struct ctprof_report_section *section,
			    const struct ctprof_report_line *line, uint32_t i)
{
	static const char *const tree[CTPROF_LINE_NAMES] = {"cgroup", "pcomm", "comm", "part"};
	static const char *const known[] = {"cgroup", "pcomm", "comm", "thread", "object"};

	if (line->n_names > 2)
		return tree[i];
	if (line->n_names == 2)
		return i == 0                                 ? "cgroup"
		       : section->flags & CTPROF_SECTION_TREE ? "process"
							      : "stall";
	if (section->names_header && strcmp(section->names_header, "comm-pattern") == 0)
		return "comm";
	for (size_t j = 0; section->names_header && j < sizeof known / sizeof known[0]; j++)
		if (strcmp(section->names_header, known[j]) == 0)
			return known[j];
	return "group";
}

/* Sections of the same name are distinguished by their headings. */
static int has_twin(const struct ctprof_report *report, const struct ctprof_report_section *section)
{
	uint32_t n = 0;

	for (uint64_t i = 0; i < report->n_sections; i++) {
		const struct ctprof_report_section *other = element(report->sections, i);

		n += strcmp(other->name, section->name) == 0;
	}
	return n > 1;
}

static void put_labels(struct text *out, const struct ctprof_report *report,
		       const struct ctprof_report_section *section,
		       const struct ctprof_report_line *line, uint32_t side)
{
	static const char *const sides[SIDES] = {"baseline", "candidate"};

	text_put(out, ""); /* there may be no label */
	if (has_twin(report, section))
		put_label(out, "section", section->heading);
	for (uint32_t i = 0; i < line->n_names; i++)
		put_label(out, label_of(section, line, i), line->names[i]);
	if (report->flags & CTPROF_REPORT_COMPARE)
		put_label(out, "side", sides[side]);
}

/* ---- cells -------------------------------------------------------------- */

/* A cell's value on one side, from which samples are made. */
struct point {
	const struct ctprof_report_section *section;
	const struct ctprof_report_line *line;
	const struct ctprof_report_field *field;
	const struct unit *unit;
	const struct ctprof_value *value;
	uint32_t side;
};

/* which: "", "_min" or "_max". Returns NULL if out of memory. */
static struct sample *begin_sample(struct samples *samples, const struct point *point,
				   const char *which)
{
	struct sample *sample = samples_add(samples);

	if (!sample)
		return NULL;
	sample->metric = point->field->name;
	sample->tags = point->field->tags;
	sample->base = point->unit->base;
	put_family(&sample->family, point->section, point->field->name, which, point->unit);
	put_labels(&sample->labels, samples->report, point->section, point->line, point->side);
	return sample;
}

static void add_number(struct samples *samples, const struct point *point)
{
	struct sample *sample = begin_sample(samples, point, "");

	if (!sample)
		return;
	sample->counter = point->field->kind == CTPROF_COUNTER;
	put_scaled(&sample->value, 0, point->value->number, point->unit);
}

static void add_real(struct samples *samples, const struct point *point)
{
	struct sample *sample = begin_sample(samples, point, "");

	if (sample)
		put_real(&sample->value, point->value->real, point->unit);
}

static void add_range(struct samples *samples, const struct point *point)
{
	struct sample *low = begin_sample(samples, point, "_min");

	if (low)
		put_signed(&low->value, point->value->min, point->unit);
	struct sample *high = begin_sample(samples, point, "_max");
	if (high)
		put_signed(&high->value, point->value->max, point->unit);
}

static void add_unlimited(struct samples *samples, const struct point *point)
{
	struct sample *sample = begin_sample(samples, point, "");

	if (sample)
		text_put(&sample->value, "+Inf");
}

/* A text becomes a label; the number is how many rows have it. */
static void add_text(struct samples *samples, const struct point *point)
{
	int mode = point->value->type == CTPROF_VALUE_MODE;
	struct sample *sample = begin_sample(samples, point, "");

	if (!sample)
		return;
	put_label(&sample->labels, "value", point->value->text ? point->value->text : "");
	put_scaled(&sample->value, 0, mode ? point->value->count : 1, &no_unit);
}

static const struct {
	uint32_t type;
	void (*add)(struct samples *samples, const struct point *point);
} adders[] = {
	{CTPROF_VALUE_NUMBER, add_number},       {CTPROF_VALUE_REAL, add_real},
	{CTPROF_VALUE_RANGE, add_range},         {CTPROF_VALUE_CPUS, add_range},
	{CTPROF_VALUE_MODE, add_text},           {CTPROF_VALUE_TEXT, add_text},
	{CTPROF_VALUE_UNLIMITED, add_unlimited},
};

/* Leaves out absent values, and values of types that a later ctprof may have. */
static void add_point(struct samples *samples, const struct point *point)
{
	for (size_t i = 0; i < sizeof adders / sizeof adders[0]; i++)
		if (adders[i].type == point->value->type)
			adders[i].add(samples, point);
}

static void add_line(struct samples *samples, const struct ctprof_report_section *section,
		     const struct ctprof_report_line *line)
{
	uint32_t sides = samples->report->flags & CTPROF_REPORT_COMPARE ? SIDES : 1;
	struct point point = {.section = section, .line = line};

	for (uint64_t i = 0; i < line->n_cells; i++) {
		const struct ctprof_cell *cell = element(line->cells, i);

		point.field = element(section->fields, line->first + i);
		point.unit = find_unit(point.field->unit);
		for (point.side = 0; point.side < sides; point.side++) {
			point.value = &cell->value[point.side];
			add_point(samples, &point);
		}
	}
}

static void add_section(struct samples *samples, const struct ctprof_report_section *section)
{
	if (!(section->flags & CTPROF_SECTION_METRICS))
		return;
	for (uint64_t i = 0; i < section->n_lines; i++)
		add_line(samples, section, element(section->lines, i));
}

/* ---- the exposition ----------------------------------------------------- */

/* Orders the samples of a family together, and equal labels by metric. */
static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int order = strcmp(x->family.bytes, y->family.bytes);

	if (order == 0)
		order = strcmp(x->labels.bytes, y->labels.bytes);
	return order != 0 ? order : strcmp(x->metric, y->metric);
}

/* Returns the number of samples from here on that are of one family. */
static size_t family_size(const struct sample *first, size_t n)
{
	size_t size = 1;

	while (size < n && strcmp(first->family.bytes, first[size].family.bytes) == 0)
		size++;
	return size;
}

/* more: NULL or "" if there is nothing to add. */
static void put_meta(struct text *out, const char *word, const struct sample *first,
		     const char *value, const char *more)
{
	text_put(out, word);
	text_put(out, first->family.bytes);
	text_put(out, " ");
	text_put_escaped(out, value);
	if (more && more[0]) {
		text_put(out, " ");
		text_put_escaped(out, more);
	}
	text_put(out, "\n");
}

/* Writes the header of a family, which is a counter or has a unit only if all of its samples
 * agree. */
static void put_header(struct text *out, const struct sample *first, size_t n, int *ret_counter)
{
	int counter = 1, unit = first->base != NULL;

	for (size_t i = 0; i < n; i++) {
		counter = counter && first[i].counter;
		unit = unit && first[i].base == first->base;
	}
	put_meta(out, "# TYPE ", first, counter ? "counter" : "gauge", NULL);
	if (unit)
		put_meta(out, "# UNIT ", first, first->base, NULL);
	put_meta(out, "# HELP ", first, first->metric, first->tags);
	*ret_counter = counter;
}

/* Writes a family; returns the number of samples that were left out because they had the labels of
 * another one. */
static uint64_t put_samples(struct text *out, const struct sample *first, size_t n)
{
	uint64_t n_doubled = 0;
	int counter = 0;

	put_header(out, first, n, &counter);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && strcmp(first[i - 1].labels.bytes, first[i].labels.bytes) == 0) {
			n_doubled++;
			continue;
		}
		text_put(out, first[i].family.bytes);
		text_put(out, counter ? "_total{" : "{");
		text_put(out, first[i].labels.bytes);
		text_put(out, "} ");
		text_put(out, first[i].value.bytes);
		text_put(out, "\n");
	}
	return n_doubled;
}

static int check_memory(const struct samples *samples)
{
	int failed = samples->failed;

	for (size_t i = 0; i < samples->n && failed == 0; i++) {
		const struct sample *sample = &samples->list[i];

		failed = sample->family.failed < 0   ? sample->family.failed
			 : sample->labels.failed < 0 ? sample->labels.failed
						     : sample->value.failed;
	}
	return failed;
}

static int write_samples(const struct ctprof_host *host, struct samples *samples)
{
	uint64_t n_doubled = 0;
	int result = 0;

	qsort(samples->list, samples->n, sizeof *samples->list, compare_samples);
	for (size_t i = 0, n; i < samples->n && result == 0; i += n) {
		struct text out = {.bytes = NULL};

		n = family_size(&samples->list[i], samples->n - i);
		n_doubled += put_samples(&out, &samples->list[i], n);
		result = out.failed < 0 ? out.failed : host->write(host, out.bytes, out.length);
		text_free(&out);
	}
	if (n_doubled > 0)
		host->log(host, CTPROF_LOG_WARNING,
			  "%" PRIu64
			  " values left out: their names differ only in what OpenMetrics "
			  "has no room for",
			  n_doubled);
	return result;
}

/* Warns about what a reader of the output would not notice. */
static void tell_gaps(const struct ctprof_host *host, const struct samples *samples)
{
	for (uint64_t i = 0; i < samples->report->n_sections; i++) {
		const struct ctprof_report_section *section = element(samples->report->sections, i);

		if (!(section->flags & CTPROF_SECTION_METRICS))
			host->log(host, CTPROF_LOG_WARNING,
				  "%s: left out: its fields are no metrics of groups",
				  section->name);
		if (section->n_cut > 0)
			host->log(host, CTPROF_LOG_WARNING,
				  "%s: %" PRIu64 " rows left out (--limit 0 gives all)",
				  section->name, section->n_cut);
	}
}

static int scrape_report(void *self, const struct ctprof_report *report)
{
	const struct ctprof_host *host = self;
	struct samples samples = {.report = report};

	for (uint64_t i = 0; i < report->n_sections; i++)
		add_section(&samples, element(report->sections, i));
	int result = check_memory(&samples);
	if (result == 0)
		result = write_samples(host, &samples);
	if (result == 0)
		result = host->write(host, "# EOF\n", 6);
	if (result == -ENOMEM)
		host->error(host, "no memory for %zu samples", samples.n);
	tell_gaps(host, &samples);
	samples_free(&samples);
	return result;
}

static int scrape_open(const struct ctprof_host *host, void **ret_self)
{
	*ret_self = (void *)(uintptr_t)host;
	return 0;
}

static void scrape_close(void *self)
{
	(void)self;
}

static const struct ctprof_sink_ops ops = {
	.struct_size = sizeof ops,
	.open = scrape_open,
	.close = scrape_close,
	.report = scrape_report,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SINK,
	.thread_model = CTPROF_THREADS_SERIAL,
	.cost = CTPROF_COST_CHEAP,
	.name = "scrape",
	.version = "0.1",
	.summary = "Draws a report as OpenMetrics text",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
