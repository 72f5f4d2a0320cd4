/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rename.h"

#include <string.h>

#include "report/name/thread-types.h"

/* A cgroup of the baseline and one of the candidate that run the same. */
typedef struct match {
	const TypedCgroup *sides[SIDES];
	const char *roots[SIDES]; /* their paths without the end they share */
	guint overlap;
	gdouble jaccard;
	guint cascaded;
} Match;

/* What pairing goes on. */
typedef struct pairing {
	Renames *renames;
	GPtrArray *candidates; /* Group, orphans of the candidate */
	GHashTable *orphans;   /* RecordKey -> Group, orphans of the baseline */
	GArray *matches;       /* Match */
	const Layout *layout;
	Store *store;
} Pairing;

void renames_init(Renames *renames)
{
	renames->pairs = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_rename));
	renames->cgroups = g_hash_table_new(NULL, NULL);
	renames->lists = g_ptr_array_new_with_free_func(g_free);
}

void renames_clear(Renames *renames)
{
	g_clear_pointer(&renames->pairs, g_array_unref);
	g_clear_pointer(&renames->cgroups, g_hash_table_unref);
	g_clear_pointer(&renames->lists, g_ptr_array_unref);
}

const char *renames_cgroup(const Renames *renames, const char *candidate)
{
	return candidate ? g_hash_table_lookup(renames->cgroups, candidate) : NULL;
}

/* Where the last component ("/x") of the first len bytes begins. */
static gsize last_component(const char *path, gsize len)
{
	while (len > 0 && path[len - 1] != '/')
		len--;
	return len > 0 ? len - 1 : 0;
}

static void find_roots(Match *match, Store *store)
{
	const char *a = match->sides[0]->path, *b = match->sides[1]->path;
	gsize x = strlen(a), y = strlen(b);

	while (x > 0 && y > 0) {
		gsize p = last_component(a, x), q = last_component(b, y);

		if (x - p != y - q || memcmp(a + p, b + q, x - p) != 0)
			break;
		x = p;
		y = q;
	}
	/* One path is the end of the other: nothing is left to begin with. */
	match->roots[0] = x > 0 ? store_take(store, g_strndup(a, x)) : a;
	match->roots[1] = y > 0 ? store_take(store, g_strndup(b, y)) : b;
}

/* The baseline's cgroup most like the candidate's; of equal ones the first. */
static gboolean find_match(const GPtrArray *baselines, const TypedCgroup *candidate,
			   const guint *shared, const RenameRules *rules, Match *ret_match)
{
	guint mine = g_hash_table_size(candidate->types);
	Match best = {.jaccard = 0};

	for (guint i = 0; i < baselines->len; i++) {
		const TypedCgroup *baseline = g_ptr_array_index(baselines, i);

		if (shared[i] == 0 || shared[i] < rules->min_types)
			continue;
		guint either = mine + g_hash_table_size(baseline->types) - shared[i];
		gdouble jaccard = (gdouble)shared[i] / either;
		if (jaccard >= rules->min_jaccard && jaccard > best.jaccard)
			best = (Match){
				.sides = {baseline, candidate},
				.overlap = shared[i],
				.jaccard = jaccard,
			};
	}
	*ret_match = best;
	return best.overlap > 0;
}

static GArray *find_matches(const GPtrArray *baselines, const GPtrArray *candidates,
			    const RenameRules *rules, Store *store)
{
	GArray *matches = g_array_new(FALSE, FALSE, sizeof(Match));
	g_autoptr(GHashTable) index = type_index_new(baselines);

	for (guint i = 0; i < candidates->len; i++) {
		const TypedCgroup *candidate = g_ptr_array_index(candidates, i);
		Match match;

		if (g_hash_table_size(candidate->types) < rules->min_types)
			continue;
		g_autofree guint *shared = type_index_count(index, candidate, baselines->len);
		if (!find_match(baselines, candidate, shared, rules, &match))
			continue;
		find_roots(&match, store);
		g_array_append_val(matches, match);
	}
	return matches;
}

/* Joins a candidate's orphan to the baseline's of the same pcomm and comm in
 * that cgroup, if there is one. */
static gboolean pair_group(Pairing *pairing, Group *candidate, const char *cgroup)
{
	RecordKey key = {.names = {cgroup, candidate->names[1], candidate->names[2]}};
	Group *baseline = g_hash_table_lookup(pairing->orphans, &key);

	if (!baseline)
		return FALSE;
	if (baseline->sides[1]) {
		record_merge(baseline->sides[1], pairing->layout, candidate->sides[1]);
	} else {
		baseline->sides[1] = candidate->sides[1];
		baseline->renamed = candidate->names[0];
	}
	candidate->sides[1] = NULL;
	g_hash_table_insert(pairing->renames->cgroups, (gpointer)(uintptr_t)candidate->names[0],
			    (gpointer)(uintptr_t)cgroup);
	return TRUE;
}

static void pair_matched(Pairing *pairing)
{
	g_autoptr(GHashTable) targets = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < pairing->matches->len; i++) {
		const Match *match = &g_array_index(pairing->matches, Match, i);

		g_hash_table_insert(targets, (gpointer)(uintptr_t)match->sides[1]->path,
				    (gpointer)(uintptr_t)match->sides[0]->path);
	}
	for (guint i = 0; i < pairing->candidates->len; i++) {
		Group *candidate = g_ptr_array_index(pairing->candidates, i);
		const char *cgroup = g_hash_table_lookup(targets, candidate->names[0]);

		if (cgroup)
			pair_group(pairing, candidate, cgroup);
	}
}

static gboolean is_paired(gpointer key, gpointer group, gpointer unused)
{
	(void)key;
	(void)unused;
	return ((const Group *)group)->sides[1] != NULL;
}

/* The match whose candidate's root is nearest above the path. */
static Match *find_root(GHashTable *by_root, const char *path, gsize *ret_len)
{
	for (gsize len = strlen(path); len > 0; len = last_component(path, len)) {
		g_autofree char *root = g_strndup(path, len);
		Match *match = g_hash_table_lookup(by_root, root);

		if (match) {
			*ret_len = len;
			return match;
		}
	}
	return NULL;
}

/* What lies below a renamed cgroup has changed its path with it. */
static void pair_below(Pairing *pairing)
{
	g_autoptr(GHashTable) by_root = g_hash_table_new(g_str_hash, g_str_equal);

	/* What was paired for what runs in it has its counterpart. */
	g_hash_table_foreach_remove(pairing->orphans, is_paired, NULL);
	for (guint i = pairing->matches->len; i > 0; i--) {
		Match *match = &g_array_index(pairing->matches, Match, i - 1);

		g_hash_table_insert(by_root, (gpointer)(uintptr_t)match->roots[1], match);
	}
	for (guint i = 0; i < pairing->candidates->len; i++) {
		Group *candidate = g_ptr_array_index(pairing->candidates, i);
		const char *path = candidate->names[0];
		gboolean known = renames_cgroup(pairing->renames, path) != NULL;
		gsize len;
		Match *match = candidate->sides[1] ? find_root(by_root, path, &len) : NULL;

		if (!match)
			continue;
		const char *cgroup =
			store_take(pairing->store, g_strconcat(match->roots[0], path + len, NULL));
		if (pair_group(pairing, candidate, cgroup) && !known)
			match->cascaded++;
	}
}

static void report_match(Renames *renames, const Match *match, const GArray *matches, Store *store)
{
	g_autoptr(GPtrArray) partners = g_ptr_array_new();
	g_autoptr(GPtrArray) baseline = g_ptr_array_new();
	struct ctprof_report_rename rename = {
		.struct_size = sizeof rename,
		.overlap = match->overlap,
		.baseline = match->sides[0]->path,
		.candidate = match->sides[1]->path,
		.baseline_root = match->roots[0],
		.candidate_root = match->roots[1],
		.jaccard = match->jaccard,
		.cascaded = match->cascaded,
	};

	for (guint i = 0; i < matches->len; i++) {
		const Match *other = &g_array_index(matches, Match, i);

		if (other->sides[0] == match->sides[0])
			g_ptr_array_add(partners, (gpointer)(uintptr_t)other->sides[1]);
	}
	g_ptr_array_add(baseline, (gpointer)(uintptr_t)match->sides[0]);
	rename.only_baseline =
		typed_cgroup_rest(match->sides[0], partners, store, &rename.n_only_baseline);
	rename.only_candidate =
		typed_cgroup_rest(match->sides[1], baseline, store, &rename.n_only_candidate);
	g_ptr_array_add(renames->lists, (gpointer)(uintptr_t)rename.only_baseline);
	g_ptr_array_add(renames->lists, (gpointer)(uintptr_t)rename.only_candidate);
	g_array_append_val(renames->pairs, rename);
}

/* Moves what was paired to the joined groups, and drops what was used up. */
static void resettle(Groups *groups)
{
	for (guint side = 0; side < SIDES; side++) {
		GPtrArray *list = groups->only[side];

		groups->only[side] = g_ptr_array_new_with_free_func(g_free);
		for (guint i = 0; i < list->len; i++) {
			Group *group = g_ptr_array_index(list, i);

			if (group->sides[0] && group->sides[1])
				g_ptr_array_add(groups->joined, group);
			else if (group->sides[0] || group->sides[1])
				g_ptr_array_add(groups->only[side], group);
			else
				g_free(group);
		}
		g_ptr_array_set_free_func(list, NULL);
		g_ptr_array_unref(list);
	}
	groups_order(groups);
}

static GHashTable *cgroups_of(const GPtrArray *groups)
{
	GHashTable *cgroups = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < groups->len; i++) {
		const Group *group = g_ptr_array_index(groups, i);

		g_hash_table_add(cgroups, (gpointer)(uintptr_t)group->names[0]);
	}
	return cgroups;
}

static GHashTable *index_orphans(const GPtrArray *groups)
{
	GHashTable *orphans =
		g_hash_table_new_full(record_key_hash, record_key_equal, g_free, NULL);

	for (guint i = 0; i < groups->len; i++) {
		Group *group = g_ptr_array_index(groups, i);
		RecordKey key = {.names = {group->names[0], group->names[1], group->names[2]}};

		g_hash_table_insert(orphans, g_memdup2(&key, sizeof key), group);
	}
	return orphans;
}

void renames_find(Renames *renames, Groups *groups, const Layout *layout, const RenameRules *rules,
		  Store *store)
{
	g_autoptr(GHashTable) joined = cgroups_of(groups->joined);
	g_autoptr(GPtrArray) baselines = typed_cgroups_new(groups->only[0], joined, store);
	g_autoptr(GPtrArray) candidates = typed_cgroups_new(groups->only[1], joined, store);
	g_autoptr(GArray) matches = find_matches(baselines, candidates, rules, store);
	g_autoptr(GHashTable) orphans = index_orphans(groups->only[0]);
	Pairing pairing = {renames, groups->only[1], orphans, matches, layout, store};

	if (matches->len == 0)
		return;
	pair_matched(&pairing);
	pair_below(&pairing);
	for (guint i = 0; i < matches->len; i++)
		report_match(renames, &g_array_index(matches, Match, i), matches, store);
	resettle(groups);
}
