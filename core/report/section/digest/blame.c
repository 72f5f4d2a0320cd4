/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "blame.h"

#include <string.h>

#define WAITED "waited_ns"
#define WHILE_IDLE "waited_while_idle_ns"
#define WAITED_FOR "waited_for_ns"
#define WAITING "waiting_pool"
#define RUNNING "running_pool"
#define KIND "waited_for"

#define LEAST_SHARE 0.05   /* share of the wait: smaller parts are not named */
#define MOST_NAMED 3       /* pools */
#define MOST_RIVALS 256    /* names of pools; any more are counted as other pools */
#define MOST_UNKNOWN 0.2   /* of the wait */
#define LEAST_COVERED 0.8  /* share of the wait that the kernel counted */
#define MOST_MISMATCH 0.02 /* share of the wait: tolerated error of the sum of its parts */

/* The parts of a wait, besides other pools. */
enum part { OWN, OTHERS, IDLE, INTERRUPTS, THROTTLED, UNKNOWN, N_PARTS };

static const struct {
	const char *kind; /* kind of the object; any other is UNKNOWN */
	/* Its name in the sentence, which is too long for the name of a process. */
	const char *ran;
} parts[N_PARTS] = {
	[OWN] = {NULL, "threads of its own"},
	[OTHERS] = {"other pools", "the remaining pools"},
	[IDLE] = {"idle", "no thread at all"},
	[INTERRUPTS] = {"interrupts", "interrupts or the hypervisor"},
	[THROTTLED] = {"throttled", NULL},
};

typedef struct rival {
	const char *key;
	gdouble ns;
} Rival;

struct blame {
	gdouble waited, while_idle; /* ns */
	gdouble parts[N_PARTS], sum;
	GArray *rivals; /* Rival: the other pools */
};

static void blame_free(gpointer data)
{
	Blame *blame = data;

	g_array_unref(blame->rivals);
	g_free(blame);
}

/* ---- reading ---- */

static struct ctprof_value value_at(const Draft *draft, const Pair *object, guint side,
				    const char *metric)
{
	return draft_value(draft, TABLE_SINGLE_OBJECTS, object->sides, side, metric);
}

/* Returns the text of a label, which is the same on both sides; NULL: absent. */
static const char *text(const Draft *draft, const Pair *object, const char *metric)
{
	const char *newest = value_at(draft, object, SIDES - 1, metric).text;

	return newest ? newest : value_at(draft, object, 0, metric).text;
}

/* Returns the growth in ns.  An object that a side lacks had not waited until then.  A part that
 * seems to shrink was counted by another probe; if much of the wait does, the parts do not add
 * up. */
static gdouble growth(const Draft *draft, const Pair *object, const char *metric)
{
	gdouble ns[SIDES] = {0};

	for (guint side = 0; side < SIDES; side++) {
		const struct ctprof_value value = value_at(draft, object, side, metric);

		ns[side] = value.type == CTPROF_VALUE_NUMBER ? (gdouble)value.number : 0;
	}
	return MAX(ns[1] - ns[0], 0);
}

/* Returns the key of the group of threads with this name. */
static const char *key_of(const Draft *draft, const char *name)
{
	return name_keys_get(draft->intake->names, store_text(draft->store, name));
}

static enum part part_of(const char *kind)
{
	enum part part = OTHERS;

	while (part < UNKNOWN && strcmp(parts[part].kind, kind) != 0)
		part++;
	return part;
}

static void add_rival(Blame *blame, const char *key, gdouble ns)
{
	for (guint i = 0; i < blame->rivals->len; i++) {
		Rival *rival = &g_array_index(blame->rivals, Rival, i);

		if (rival->key == key) {
			rival->ns += ns;
			return;
		}
	}
	const Rival rival = {key, ns};
	if (blame->rivals->len < MOST_RIVALS)
		g_array_append_val(blame->rivals, rival);
	else
		blame->parts[OTHERS] += ns;
}

static void add_object(const Draft *draft, const Pair *object, const char *waiting, Blame *blame)
{
	const char *kind = text(draft, object, KIND), *running = text(draft, object, RUNNING);

	if (!kind) {
		blame->waited += growth(draft, object, WAITED);
		blame->while_idle += growth(draft, object, WHILE_IDLE);
		return;
	}
	gdouble ns = growth(draft, object, WAITED_FOR);
	const char *key = running ? key_of(draft, running) : NULL;

	blame->sum += ns;
	if (key && key != waiting)
		add_rival(blame, key, ns);
	else
		blame->parts[key ? OWN : part_of(kind)] += ns;
}

static gint compare_rivals(gconstpointer a, gconstpointer b)
{
	gdouble x = ((const Rival *)a)->ns, y = ((const Rival *)b)->ns;

	return (x < y) - (x > y);
}

GHashTable *blames_new(const Draft *draft)
{
	GHashTable *blames = g_hash_table_new_full(NULL, NULL, NULL, blame_free);
	const Axis *axis = draft->plan->axis;
	const GPtrArray *single_objects = draft->single_objects;
	GHashTableIter iter;
	gpointer blame;

	/* The matrix has pools by process name only, so other axes do not match it. */
	if (!draft->window || axis->n_names != 1 || axis->labels[0] != LABEL_PCOMM)
		return blames;
	for (guint i = 0; i < single_objects->len; i++) {
		const Pair *object = g_ptr_array_index(single_objects, i);
		const char *waiting = strcmp(object->key.names[0], MATRIX_GROUP) == 0
					      ? text(draft, object, WAITING)
					      : NULL;

		if (!waiting)
			continue;
		waiting = key_of(draft, waiting);
		blame = g_hash_table_lookup(blames, waiting);
		if (!blame) {
			blame = g_new0(Blame, 1);
			((Blame *)blame)->rivals = g_array_new(FALSE, FALSE, sizeof(Rival));
			g_hash_table_insert(blames, (gpointer)(uintptr_t)waiting, blame);
		}
		add_object(draft, object, waiting, blame);
	}
	g_hash_table_iter_init(&iter, blames);
	while (g_hash_table_iter_next(&iter, NULL, &blame))
		g_array_sort(((Blame *)blame)->rivals, compare_rivals);
	return blames;
}

/* ---- saying ---- */

/* Returns the wait without throttling: throttled threads do not wait for a CPU. */
static gdouble wait_of(const Blame *blame)
{
	return blame->waited - blame->parts[THROTTLED];
}

const Blame *blame_find(GHashTable *blames, const char *key, gdouble counted_ns)
{
	const Blame *blame = g_hash_table_lookup(blames, key);
	gboolean is_known = blame && wait_of(blame) > 0 &&
			    blame->waited >= LEAST_COVERED * counted_ns &&
			    ABS(blame->sum - blame->waited) <= MOST_MISMATCH * blame->waited &&
			    blame->parts[UNKNOWN] <= MOST_UNKNOWN * wait_of(blame);

	return is_known ? blame : NULL;
}

gdouble blame_contended(const Blame *blame)
{
	return blame ? wait_of(blame) / blame->waited : 1;
}

/* Only the first share gets a name as evidence, since names of numbers are unique. */
static void add_part(Sentence *sentence, gboolean is_first, struct ctprof_term who, gdouble share)
{
	if (is_first)
		SAY(sentence, "; meanwhile {} ran {} % of that time", who,
		    term_count("ran_share", "percent", share * 100));
	else
		SAY(sentence, ", {} {} %", who, term_whole(share * 100));
}

void blame_add(const Draft *draft, const Blame *blame, Sentence *sentence)
{
	gdouble wait = blame ? wait_of(blame) : 0, rest = blame ? blame->parts[OTHERS] : 0;
	guint n = 0;

	if (!blame)
		return;

	for (guint i = 0; i < blame->rivals->len; i++) {
		const Rival *rival = &g_array_index(blame->rivals, Rival, i);
		const char *name = name_keys_name(draft->intake->names, rival->key);

		if (n < MOST_NAMED && rival->ns >= LEAST_SHARE * wait)
			add_part(sentence, n++ == 0, term_name(name), rival->ns / wait);
		else
			rest += rival->ns;
	}
	for (enum part part = OWN; part < THROTTLED; part++) {
		gdouble ns = part == OTHERS ? rest : blame->parts[part];

		if (ns >= LEAST_SHARE * wait)
			add_part(sentence, n++ == 0, term_text(CTPROF_TERM_TEXT, parts[part].ran),
				 ns / wait);
	}
	if (blame->parts[UNKNOWN] >= LEAST_SHARE * wait)
		SAY(sentence, "; {} % of it is not known",
		    term_count("unknown_share", "percent", blame->parts[UNKNOWN] / wait * 100));
	if (blame->while_idle >= LEAST_SHARE * wait)
		SAY(sentence, "; {} % while a CPU was idle",
		    term_count("idle_share", "percent", blame->while_idle / wait * 100));
}
