/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rename.h"

#include <string.h>

#include "base/texts.h"
#include "report/name/pattern.h"

typedef struct typed_cgroup {
	const char *path;  /* the path, as in the groups' names */
	GHashTable *types; /* a set of RecordKey: pcomm, comm */
	guint shared;      /* number of types shared with the current candidate */
} TypedCgroup;

/* A cgroup of the baseline and one of the candidate that run the same programs. */
typedef struct match {
	const TypedCgroup *sides[SIDES];
	const char *roots[SIDES]; /* their paths without their common end */
	guint overlap;
	gdouble jaccard;
	guint cascaded;
} Match;

/* The data of the pairing. */
typedef struct pairing {
	Renames *renames;
	GPtrArray *candidates; /* Group, orphans of the candidate */
	GHashTable *orphans;   /* RecordKey -> Group, orphans of the baseline */
	GArray *matches;       /* Match */
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

/* Returns the offset of the last component ("/x") in the first len bytes. */
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
	/* If one path is the end of the other, nothing would be left of it. */
	match->roots[0] = x > 0 ? store_take(store, g_strndup(a, x)) : a;
	match->roots[1] = y > 0 ? store_take(store, g_strndup(b, y)) : b;
}

static void typed_cgroup_free(gpointer data)
{
	TypedCgroup *cgroup = data;

	g_hash_table_unref(cgroup->types);
	g_free(cgroup);
}

static TypedCgroup *typed_cgroup_new(const char *path)
{
	TypedCgroup *cgroup = g_new0(TypedCgroup, 1);

	cgroup->path = path;
	cgroup->types = g_hash_table_new_full(record_key_hash, record_key_equal, g_free, NULL);
	return cgroup;
}

/* Returns a TypedCgroup for each of the groups' cgroups that is not in except (by address).  It
 * keeps their order, which is bytewise, so the groups of one cgroup are adjacent. */
static GPtrArray *list_cgroups(const GPtrArray *groups, GHashTable *except, Store *store)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(typed_cgroup_free);
	TypedCgroup *last = NULL;

	for (guint i = 0; i < groups->len; i++) {
		const Group *group = g_ptr_array_index(groups, i);
		RecordKey type = {.start = 0};

		if (g_hash_table_contains(except, group->names[0]))
			continue;
		if (!last || last->path != group->names[0]) {
			last = typed_cgroup_new(group->names[0]);
			g_ptr_array_add(list, last);
		}
		/* Names may be literal; the pattern of a pattern is the pattern itself. */
		for (guint n = 0; n < 2; n++)
			type.names[n] = store_take(store, pattern_key(group->names[n + 1]));
		g_hash_table_add(last->types, g_memdup2(&type, sizeof type));
	}
	return list;
}

/* Returns a map from each type to the cgroups that have it. */
static GHashTable *index_types(const GPtrArray *cgroups)
{
	GHashTable *index = g_hash_table_new_full(record_key_hash, record_key_equal, NULL,
						  (GDestroyNotify)g_ptr_array_unref);

	for (guint i = 0; i < cgroups->len; i++) {
		TypedCgroup *cgroup = g_ptr_array_index(cgroups, i);
		GHashTableIter iter;
		gpointer type;

		g_hash_table_iter_init(&iter, cgroup->types);
		while (g_hash_table_iter_next(&iter, &type, NULL)) {
			GPtrArray *list = g_hash_table_lookup(index, type);

			if (!list) {
				list = g_ptr_array_new();
				g_hash_table_insert(index, type, list);
			}
			g_ptr_array_add(list, cgroup);
		}
	}
	return index;
}

static void count_shared(const GPtrArray *baselines, GHashTable *index, const TypedCgroup *cgroup)
{
	GHashTableIter iter;
	gpointer type;

	for (guint i = 0; i < baselines->len; i++)
		((TypedCgroup *)g_ptr_array_index(baselines, i))->shared = 0;
	g_hash_table_iter_init(&iter, cgroup->types);
	while (g_hash_table_iter_next(&iter, &type, NULL)) {
		const GPtrArray *list = g_hash_table_lookup(index, type);

		for (guint i = 0; list && i < list->len; i++)
			((TypedCgroup *)g_ptr_array_index(list, i))->shared++;
	}
}

/* Finds the baseline's cgroup that is most like the candidate's; in a tie, the first. */
static Match find_match(const GPtrArray *baselines, const TypedCgroup *candidate,
			const RenameRules *rules)
{
	guint mine = g_hash_table_size(candidate->types);
	Match best = {.jaccard = 0};

	for (guint i = 0; i < baselines->len; i++) {
		const TypedCgroup *baseline = g_ptr_array_index(baselines, i);
		guint shared = baseline->shared;

		if (shared == 0 || shared < rules->min_types)
			continue;
		guint either = mine + g_hash_table_size(baseline->types) - shared;
		gdouble jaccard = (gdouble)shared / either;
		if (jaccard >= rules->min_jaccard && jaccard > best.jaccard)
			best = (Match){
				{baseline, candidate}, .overlap = shared, .jaccard = jaccard};
	}
	return best;
}

static GArray *find_matches(const GPtrArray *baselines, const GPtrArray *candidates,
			    const RenameRules *rules, Store *store)
{
	GArray *matches = g_array_new(FALSE, FALSE, sizeof(Match));
	g_autoptr(GHashTable) index = index_types(baselines);

	for (guint i = 0; i < candidates->len; i++) {
		const TypedCgroup *candidate = g_ptr_array_index(candidates, i);

		if (g_hash_table_size(candidate->types) < rules->min_types)
			continue;
		count_shared(baselines, index, candidate);
		Match match = find_match(baselines, candidate, rules);
		if (match.overlap == 0)
			continue;
		find_roots(&match, store);
		g_array_append_val(matches, match);
	}
	return matches;
}

/* Joins a candidate's orphan to the baseline's orphan with the same pcomm and comm in that cgroup,
 * if there is one. */
static gboolean pair_group(Pairing *pairing, Group *candidate, const char *cgroup)
{
	RecordKey key = {.names = {cgroup, candidate->names[1], candidate->names[2]}};
	Group *baseline = g_hash_table_lookup(pairing->orphans, &key);

	if (!baseline)
		return FALSE;
	if (baseline->sides[1]) {
		record_merge(baseline->sides[1], candidate->sides[1]);
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

/* Returns the match whose candidate's root is nearest above the path. */
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

/* The paths of cgroups below a renamed cgroup have changed along with it. */
static void pair_below(Pairing *pairing)
{
	g_autoptr(GHashTable) by_root = g_hash_table_new(g_str_hash, g_str_equal);

	/* Cgroups paired by what runs in them are no longer orphans. */
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

/* Lists "pcomm:comm" of each type that is only in mine, sorted; owned by the renames. */
static const char **list_rest(Renames *renames, GHashTable *mine, GHashTable *theirs, Store *store,
			      guint64 *ret_n)
{
	GPtrArray *rest = g_ptr_array_new();
	GHashTableIter iter;
	gpointer data;

	g_hash_table_iter_init(&iter, mine);
	while (g_hash_table_iter_next(&iter, &data, NULL)) {
		const char *const *names = ((const RecordKey *)data)->names;

		if (!g_hash_table_contains(theirs, data))
			g_ptr_array_add(
				rest, (gpointer)(uintptr_t)store_take(
					      store, g_strdup_printf("%s:%s", names[0], names[1])));
	}
	g_ptr_array_sort(rest, texts_compare);
	*ret_n = rest->len;
	g_ptr_array_add(rest, NULL);
	gpointer *texts = g_ptr_array_free(rest, FALSE);
	g_ptr_array_add(renames->lists, texts);
	return (const char **)(void *)texts;
}

static void report_match(Renames *renames, const Match *match, const GArray *matches, Store *store)
{
	const TypedCgroup *baseline = match->sides[0], *candidate = match->sides[1];
	/* Returns the types of all cgroups that are paired with this cgroup of the baseline. */
	g_autoptr(GHashTable) partners = g_hash_table_new(record_key_hash, record_key_equal);
	struct ctprof_report_rename rename = {
		.struct_size = sizeof rename,
		.overlap = match->overlap,
		.baseline = baseline->path,
		.candidate = candidate->path,
		.baseline_root = match->roots[0],
		.candidate_root = match->roots[1],
		.jaccard = match->jaccard,
		.cascaded = match->cascaded,
	};

	for (guint i = 0; i < matches->len; i++) {
		const Match *other = &g_array_index(matches, Match, i);
		GHashTableIter iter;
		gpointer type;

		g_hash_table_iter_init(&iter, other->sides[1]->types);
		while (other->sides[0] == baseline && g_hash_table_iter_next(&iter, &type, NULL))
			g_hash_table_add(partners, type);
	}
	rename.only_baseline =
		list_rest(renames, baseline->types, partners, store, &rename.n_only_baseline);
	rename.only_candidate = list_rest(renames, candidate->types, baseline->types, store,
					  &rename.n_only_candidate);
	g_array_append_val(renames->pairs, rename);
}

/* Moves paired groups to the joined ones, and frees those that were merged into others. */
static void move_paired(Groups *groups)
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

void renames_find(Renames *renames, Groups *groups, const RenameRules *rules, Store *store)
{
	g_autoptr(GHashTable) joined = cgroups_of(groups->joined);
	g_autoptr(GPtrArray) baselines = list_cgroups(groups->only[0], joined, store);
	g_autoptr(GPtrArray) candidates = list_cgroups(groups->only[1], joined, store);
	g_autoptr(GArray) matches = find_matches(baselines, candidates, rules, store);
	g_autoptr(GHashTable) orphans = index_orphans(groups->only[0]);
	Pairing pairing = {renames, groups->only[1], orphans, matches, store};

	if (matches->len == 0)
		return;
	pair_matched(&pairing);
	pair_below(&pairing);
	for (guint i = 0; i < matches->len; i++)
		report_match(renames, &g_array_index(matches, Match, i), matches, store);
	move_paired(groups);
}
