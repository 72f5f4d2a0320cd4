/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "digest.h"

#include <math.h>
#include <string.h>

#include "ctprof/numbers.h"
#include "report/name/unit.h"

#define OWN_NAME "ctprof"
/* So many pools are worth the blank lines. */
#define FEW_POOLS 5
#define FEWEST_POOLS 3
#define N_TOTALS 3
#define N_BLANKS 3
#define MOST_SENTENCES 6
#define N_PROMPT 1
#define HEADER 1
/* Columns of a name in a sentence. */
#define MOST_NAME 24

const char *digest_number(const Draft *draft, guint32 ladder, gdouble value)
{
	char text[CTPROF_SHORT_ROOM];

	ctprof_number_short(ladder, value, text);
	return store_text(draft->store, text);
}

void digest_add(GPtrArray *pieces, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	g_ptr_array_add(pieces, g_strdup_vprintf(format, ap));
	va_end(ap);
}

/* Columns of text that is mostly UTF-8: a name may hold any bytes. */
static guint width_of(const char *text)
{
	guint width = 0;

	for (; *text; text++)
		width += ((guchar)*text & 0xc0) != 0x80;
	return width;
}

/* Where the character begins that text is in the midst of, or the next one. */
static const char *character_at(const char *text)
{
	while (((guchar)*text & 0xc0) == 0x80)
		text++;
	return text;
}

gdouble digest_own(const Digest *digest)
{
	return isnan(digest->host.own) ? 0 : digest->host.own;
}

const char *digest_name(const Digest *digest, const char *name)
{
	gsize length = strlen(name);

	if (digest->draft->plan->options->width == 0 || width_of(name) <= MOST_NAME)
		return name;
	const char *head = character_at(name + MOST_NAME / 2);
	const char *tail = character_at(name + length - MOST_NAME / 2 + 1);
	return store_take(digest->draft->store,
			  g_strdup_printf("%.*s…%s", (int)(head - name), name, tail));
}

char *digest_join(const GPtrArray *pieces, guint width)
{
	GString *line = g_string_new(NULL);

	for (guint i = 0; i < pieces->len; i++) {
		const char *piece = g_ptr_array_index(pieces, i);

		/* The first one is the point of it all; a sink puts a blank before the line. */
		if (i > 0 && width > 0 && 1 + width_of(line->str) + width_of(piece) > width)
			break;
		g_string_append(line, piece);
	}
	return g_string_free(line, FALSE);
}

/* ---- pools ---- */

static const char *name_of(const Draft *draft, const Group *group)
{
	if (group->n_names == 1)
		return group->names[0];
	return store_take(draft->store,
			  g_strjoin(" ", group->names[0], group->names[1],
				    group->n_names > 2 ? group->names[2] : NULL, NULL));
}

/* Most pools are of one unit; of several the commonest is named. */
static const char *unit_name(const Draft *draft, const Group *group, guint side)
{
	const struct ctprof_value cgroup = cost_cgroup(draft, group, side);

	if (cgroup.type != CTPROF_VALUE_MODE)
		return NULL;
	return store_take(draft->store, unit_of(cgroup.text));
}

static void add_line(Digest *digest, const Group *group)
{
	const Draft *draft = digest->draft;
	CostLine line = {.group = group, .name = name_of(draft, group)};

	for (guint side = 0; side < SIDES; side++) {
		line.threads[side] = record_count(group->sides[side]);
		if (side == digest->newest || digest->has_sides)
			costs_of_group(draft, group, side, FALSE, &line.costs[side]);
	}
	if (draft->window) {
		line.n_born = group->sides[0] ? group->sides[0]->n_ghosts : 0;
		line.n_gone = group->sides[1] ? group->sides[1]->n_ghosts : 0;
		/* What memory there was before is the other side's. */
		costs_of_group(draft, group, 0, TRUE, &line.costs[0]);
	}
	line.unit = unit_name(draft, group, digest->newest);
	if (!line.unit && draft->view->compare)
		line.unit = unit_name(draft, group, 0);
	g_array_append_val(digest->lines, line);
}

static void add_groups(Digest *digest, const GPtrArray *groups)
{
	for (guint i = 0; i < groups->len; i++) {
		const Group *group = g_ptr_array_index(groups, i);

		if (view_matches(digest->draft->view, group->names, group->n_names))
			add_line(digest, group);
	}
}

gboolean digest_is_own(const CostLine *line)
{
	return strcmp(line->name, OWN_NAME) == 0;
}

/* The side that costs more decides: what is gone has cost something, too. */
static gdouble weight_of(const CostLine *line, enum cost cost)
{
	return MAX(digest_cost(line, 0, cost), digest_cost(line, 1, cost));
}

static gint compare_lines(gconstpointer a, gconstpointer b, gpointer data)
{
	static const enum cost order[] = {COST_CPU, COST_WAITING, COST_PSS};
	const CostLine *x = a, *y = b;
	const Draft *draft = data;
	gint own = digest_is_own(x) - digest_is_own(y);

	if (draft->sort)
		return (x->group->rank > y->group->rank) - (x->group->rank < y->group->rank);
	if (own != 0)
		return own;
	for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
		gdouble p = weight_of(x, order[i]), q = weight_of(y, order[i]);

		if (p < q || p > q)
			return p < q ? 1 : -1;
	}
	return strcmp(x->name, y->name);
}

static void add_up(Digest *digest)
{
	for (guint i = 0; i < N_COSTS; i++) {
		struct ctprof_value *total = &digest->total.of[i];

		for (guint l = 0; cost_adds_up(i) && l < digest->lines->len; l++) {
			const struct ctprof_value *part =
				&digest_line(digest, l)->costs[digest->newest].of[i];

			total->flags |= part->flags;
			total->missing += part->missing;
			/* That some have ended is no reason for the others. */
			if (!total->why || total->why == CTPROF_ABSENT_VANISHED)
				total->why = part->why ? part->why : total->why;
			if (part->type != CTPROF_VALUE_REAL)
				continue;
			total->type = CTPROF_VALUE_REAL;
			total->real += part->real;
		}
	}
}

/* ---- the screen ---- */

/* How many pools there is room for; without a height as many as are wanted. */
static void fit(Digest *digest)
{
	const AnalysisOptions *options = digest->draft->plan->options;
	guint limit = options->limit > 0 ? options->limit : digest->lines->len;
	digest->n_findings = MIN(digest->findings->len, MOST_SENTENCES);
	digest->n_pools = MIN(limit, digest->lines->len);
	if (options->height == 0)
		return;
	/* The line of ctprof itself. */
	guint n_totals = N_TOTALS + (digest_own(digest) > 0 ? 1 : 0);
	guint taken = N_PROMPT + digest->titles->len + digest->host_lines->len + 1 +
		      MAX(digest->n_findings, 1) + HEADER + n_totals + digest->footers->len;
	gint room = (gint)options->height - (gint)taken;
	digest->is_dense = room - N_BLANKS < FEW_POOLS;
	if (!digest->is_dense)
		room -= N_BLANKS;
	if (!options->has_limit)
		digest->n_pools = MIN(digest->n_pools, (guint)MAX(room, FEWEST_POOLS));
}

static void finding_clear(gpointer data)
{
	g_free(((Finding *)data)->sentence);
}

Digest *digest_new(const Draft *draft)
{
	Digest *digest = g_new0(Digest, 1);

	digest->draft = draft;
	digest->newest = draft->view->compare ? 1 : 0;
	digest->has_sides = draft->view->compare && !draft->window;
	digest->seconds = draft->window ? draft->window->counts.seconds : 0;
	digest->lines = g_array_new(FALSE, FALSE, sizeof(CostLine));
	digest->findings = g_array_new(FALSE, FALSE, sizeof(Finding));
	g_array_set_clear_func(digest->findings, finding_clear);
	digest->titles = g_ptr_array_new_with_free_func(g_free);
	digest->footers = g_ptr_array_new_with_free_func(g_free);
	add_groups(digest, draft->groups);
	for (guint side = 0; digest->has_sides && side < SIDES; side++)
		add_groups(digest, draft->only[side]);
	g_array_sort_with_data(digest->lines, compare_lines, (gpointer)(uintptr_t)draft);
	add_up(digest);
	host_state_read(digest);
	findings_find(digest);
	if (draft->plan->options->collects)
		digest_note_past(digest, draft->plan->options->collects);
	digest_add_titles(digest);
	digest_add_footers(digest);
	digest->host_lines = host_state_tell(digest);
	fit(digest);
	return digest;
}

void digest_free(Digest *digest)
{
	g_array_unref(digest->lines);
	g_array_unref(digest->findings);
	g_ptr_array_unref(digest->titles);
	g_ptr_array_unref(digest->footers);
	g_ptr_array_unref(digest->host_lines);
	g_free(digest);
}
