/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preface.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "value.h"

#define MAX_METRICS 16384u
#define MAX_FACTS 16384u

static void definition_free(struct definition *definition)
{
	const struct ctprof_metric *metric = &definition->metric;

	free(definition->plugin);
	free((char *)(uintptr_t)metric->name);
	free((char *)(uintptr_t)metric->group);
	free((char *)(uintptr_t)metric->tag);
	free((char *)(uintptr_t)metric->gates);
	free((char *)(uintptr_t)metric->help);
	free((char *)(uintptr_t)metric->origin);
}

/* Copies a text; NULL stays NULL.  Sets *ok to false if out of memory. */
static char *copy_text(const char *text, bool *ok)
{
	char *copy = text ? strdup(text) : NULL;

	*ok = *ok && (!text || copy);
	return copy;
}

static uint32_t type_of(const struct ctprof_metric *metric)
{
	switch (value_kind_of_metric(metric)) {
	case VALUE_I64:
		return CTPROF_TYPE_I64;
	case VALUE_TEXT:
		return CTPROF_TYPE_TEXT;
	case VALUE_CPUS:
		return CTPROF_TYPE_CPUS;
	case VALUE_MAP:
	case VALUE_TEXTS:
		return CTPROF_TYPE_MAP;
	default:
		return CTPROF_TYPE_U64;
	}
}

int preface_add_metric(struct preface *preface, struct kept *kept, const char *plugin,
		       const struct ctprof_metric *metric, uint32_t *ret_slot)
{
	enum kept_class class = kept_class_of(metric->scope);
	bool ok = true;

	if (class == KEPT_N_CLASSES || preface->n_definitions >= MAX_METRICS)
		return -EINVAL;
	struct definition *definitions =
		array_room(preface->definitions, preface->n_definitions, sizeof *definitions);
	if (!definitions)
		return -ENOMEM;
	preface->definitions = definitions;
	struct definition *made = &definitions[preface->n_definitions];
	*made = (struct definition){.metric = *metric,
				    .class = class,
				    .index = kept->of[class].n_slots,
				    .of_leader = class == KEPT_THREAD &&
						 metric->scope != CTPROF_SCOPE_THREAD};
	made->plugin = copy_text(plugin, &ok);
	made->metric.name = copy_text(metric->name, &ok);
	made->metric.group = copy_text(metric->group, &ok);
	made->metric.tag = copy_text(metric->tag, &ok);
	made->metric.gates = copy_text(metric->gates, &ok);
	made->metric.help = copy_text(metric->help, &ok);
	made->metric.origin = copy_text(metric->origin, &ok);
	*ret_slot = preface->n_definitions++;
	return ok ? kept_set_type(&kept->of[class], made->index, type_of(metric)) : -ENOMEM;
}

static struct preface_fact *find_fact(const struct preface *preface, uint32_t kind, const char *key)
{
	for (uint32_t i = 0; i < preface->n_facts; i++)
		if (preface->facts[i].kind == kind && strcmp(preface->facts[i].key, key) == 0)
			return &preface->facts[i];
	return NULL;
}

static void fact_free(struct preface_fact *fact)
{
	free(fact->key);
	free(fact->value);
}

static int append_fact(struct preface *preface, const struct preface_fact *fact)
{
	struct preface_fact *facts = array_room(preface->facts, preface->n_facts, sizeof *facts);

	if (!facts)
		return -ENOMEM;
	preface->facts = facts;
	facts[preface->n_facts++] = *fact;
	return 0;
}

int preface_add_fact(struct preface *preface, uint32_t kind, const char *key, const char *value)
{
	bool ok = true;
	struct preface_fact made = {kind, copy_text(key, &ok), copy_text(value, &ok)};
	struct preface_fact *old = find_fact(preface, kind, key), rest = made;
	int r = ok ? 0 : -ENOMEM;

	if (r == 0 && old) {
		rest = *old;
		*old = made;
	} else if (r == 0 && preface->n_facts < MAX_FACTS) {
		r = append_fact(preface, &made);
		rest = r < 0 ? made : (struct preface_fact){0};
	}
	fact_free(&rest);
	return r;
}

/* Drops the facts of a kind; key NULL: of any key. */
static void drop_facts(struct preface *preface, uint32_t kind, const char *key)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < preface->n_facts; i++) {
		struct preface_fact *fact = &preface->facts[i];

		if (fact->kind == kind && (!key || strcmp(fact->key, key) == 0))
			fact_free(fact);
		else
			preface->facts[n++] = *fact;
	}
	preface->n_facts = n;
}

void preface_begin_sample(struct preface *preface)
{
	drop_facts(preface, CTPROF_FACT_CAPTURE, "note");
}

void preface_drop_marks(struct preface *preface)
{
	drop_facts(preface, CTPROF_FACT_MARK, NULL);
}

/* Moves facts to the end of the preface; kind 0: of any kind. */
static int move_facts(struct preface *preface, struct preface *from, uint32_t kind)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < from->n_facts; i++) {
		struct preface_fact *fact = &from->facts[i];

		if (!fact->key || (kind != 0 && fact->kind != kind) ||
		    preface->n_facts >= 2 * MAX_FACTS)
			continue;
		r = append_fact(preface, fact);
		if (r == 0)
			*fact = (struct preface_fact){.kind = fact->kind};
	}
	return r;
}

int preface_put_first(struct preface *preface, struct preface *before)
{
	struct preface after = {.facts = preface->facts, .n_facts = preface->n_facts};

	preface->facts = NULL;
	preface->n_facts = 0;
	int r = move_facts(preface, before, CTPROF_FACT_MARK);
	if (r == 0)
		r = move_facts(preface, &after, 0);
	preface_clear(&after);
	return r;
}

void preface_clear(struct preface *preface)
{
	for (uint32_t i = 0; i < preface->n_definitions; i++)
		definition_free(&preface->definitions[i]);
	for (uint32_t i = 0; i < preface->n_facts; i++)
		fact_free(&preface->facts[i]);
	free(preface->definitions);
	free(preface->facts);
	*preface = (struct preface){0};
}
