/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "schema.h"

const struct schema_object schema_objects[SCHEMA_N_OBJECTS] = {
	{"host", "host.", CTPROF_SCOPE_HOST, SCHEMA_EMPTY_NULL},
	{"probe_summary", "probe_summary.", CTPROF_SCOPE_CAPTURE, SCHEMA_EMPTY_NULL},
	{"parse_summary", "parse_summary.", CTPROF_SCOPE_CAPTURE, SCHEMA_EMPTY_NULL},
	{"taskstats_summary", "taskstats_summary.", CTPROF_SCOPE_CAPTURE, SCHEMA_EMPTY_NULL},
	{"psi", "psi.", CTPROF_SCOPE_HOST, SCHEMA_EMPTY_SHAPE},
	{"sched_ext", "sched_ext.", CTPROF_SCOPE_HOST, SCHEMA_EMPTY_NULL},
	{"extra", "", 0, SCHEMA_EMPTY_OMIT},
};

/* Fields that are written differently from others of the same kind and unit. */
static const struct {
	const char *name;
	enum value_kind kind;
} special[] = {
	{"rt_priority", VALUE_U32},
	{"cpu.max_quota_us", VALUE_LIMIT},
	{"cpu.max_period_us", VALUE_PERIOD},
	{"cpu.weight", VALUE_OPT_U64},
	{"cpu.weight_nice", VALUE_OPT_I32},
	{"memory.max", VALUE_LIMIT},
	{"memory.high", VALUE_LIMIT},
	{"memory.low", VALUE_OPT_U64},
	{"memory.min", VALUE_OPT_U64},
	{"pids.current", VALUE_OPT_U64},
	{"pids.max", VALUE_LIMIT},
	{"probe_summary.dominant_failure", VALUE_OPT_TEXT},
	{"parse_summary.dominant_read_failure", VALUE_OPT_TEXT},
};

size_t schema_find_place(const struct ctprof_metric *metric)
{
	size_t i = 0;

	if (metric->scope == CTPROF_SCOPE_EXIT)
		return SCHEMA_EXIT;
	/* Thread, process and mm scope share the thread's record. */
	if (metric->scope < CTPROF_SCOPE_CGROUP)
		return SCHEMA_THREAD;
	if (metric->scope == CTPROF_SCOPE_CGROUP)
		return SCHEMA_CGROUP;
	if (metric->scope == CTPROF_SCOPE_OBJECT)
		return SCHEMA_NAMED;
	while (schema_objects[i].scope != 0 && (schema_objects[i].scope != metric->scope ||
						strncmp(metric->name, schema_objects[i].prefix,
							strlen(schema_objects[i].prefix)) != 0))
		i++;
	return i;
}

static enum value_kind schema_kind(const struct ctprof_metric *field)
{
	enum value_kind natural = value_kind_of_metric(field);

	for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
		if (strcmp(special[i].name, field->name) == 0)
			return special[i].kind;
	if (field->unit == CTPROF_UNIT_CENTIPERCENT)
		return VALUE_U16;
	return natural == VALUE_I64 ? VALUE_I32 : natural;
}

int schema_add_fields(struct shape *shape, size_t place)
{
	int r = 0;

	if (place == SCHEMA_HOST)
		return 0;
	if (place == SCHEMA_THREAD || place == SCHEMA_EXIT) {
		r = shape_add_field(shape, "tid", VALUE_U32);
		r = r < 0 ? r : shape_add_field(shape, "tgid", VALUE_U32);
	}
	for (size_t i = 0; r == 0 && i < known_n_metrics; i++)
		if (schema_find_place(&known_metrics[i]) == place)
			r = shape_add_field(shape, known_metrics[i].name,
					    schema_kind(&known_metrics[i]));
	return r;
}
