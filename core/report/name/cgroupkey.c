/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cgroupkey.h"

#include <string.h>

#include "glob.h"
#include "pattern.h"

/* The shape of all paths with the same skeleton. */
typedef struct shape {
	GPtrArray *pieces;    /* piece of the first path; NULL: the paths differ here */
	char *first;          /* the first path */
	const char *skeleton; /* the name common to all of them */
	char *key;            /* NULL: a path was added since it was made */
} Shape;

/* The origin of a path's name. */
typedef struct entry {
	const char *glob; /* NULL: none matches */
	Shape *shape;     /* NULL: the path itself */
} Entry;

struct cgroup_keys {
	char *const *globs;
	gboolean normalise;
	GHashTable *entries; /* path -> Entry */
	GHashTable *shapes;  /* skeleton -> Shape */
};

/* A piece of a path: as in pattern.h, or the instance of a template. */
typedef struct path_piece {
	PatternPiece text;
	gboolean instance;
} PathPiece;

/* Returns the length of the instance name at p, after an '@': everything up to the ".service" that
 * ends the component.  An escaped unit name (with '.', '_' or '-') is more than the number of an
 * instance and is kept.  Returns 0 if there is no instance name. */
static gsize instance_length(const char *p)
{
	static const char suffix[] = ".service";
	gsize len = strcspn(p, "/");

	if (len < sizeof suffix || memcmp(p + len - (sizeof suffix - 1), suffix, sizeof suffix - 1))
		return 0;
	len -= sizeof suffix - 1;
	return strcspn(p, "._-") < len ? 0 : len;
}

static gboolean path_next(const char *start, const char **at, PathPiece *ret_piece)
{
	gsize instance = *at > start && (*at)[-1] == '@' ? instance_length(*at) : 0;

	if (instance > 0) {
		*ret_piece = (PathPiece){{*at, instance, FALSE}, TRUE};
		*at += instance;
		return TRUE;
	}
	ret_piece->instance = FALSE;
	if (!pattern_next(at, &ret_piece->text))
		return FALSE;
	/* An instance may begin inside a run of separators: "x@:0.service". */
	const PatternPiece *text = &ret_piece->text;
	for (gsize i = 0; text->separator && i < text->len; i++) {
		if (text->text[i] == '@' && instance_length(text->text + i + 1) > 0) {
			*at = text->text + i + 1;
			ret_piece->text.len = i + 1;
		}
	}
	return TRUE;
}

static void append_piece(GString *out, const PathPiece *piece)
{
	if (piece->instance)
		g_string_append(out, "{I}");
	else
		pattern_append(out, &piece->text);
}

char *cgroup_skeleton(const char *path)
{
	GString *out = g_string_new(NULL);
	const char *at = path;
	PathPiece piece;

	while (path_next(path, &at, &piece))
		append_piece(out, &piece);
	return g_string_free(out, FALSE);
}

static void shape_free(gpointer data)
{
	Shape *shape = data;

	g_ptr_array_unref(shape->pieces);
	g_free(shape->first);
	g_free(shape->key);
	g_free(shape);
}

static Shape *shape_new(const char *path)
{
	Shape *shape = g_new0(Shape, 1);
	const char *at = path;
	PathPiece piece;

	shape->first = g_strdup(path);
	shape->pieces = g_ptr_array_new_with_free_func(g_free);
	while (path_next(path, &at, &piece))
		g_ptr_array_add(shape->pieces, g_strndup(piece.text.text, piece.text.len));
	return shape;
}

/* Paths of one skeleton have the same pieces, except the replaced ones. */
static void shape_join(Shape *shape, const char *path)
{
	const char *at = path;
	PathPiece piece;

	for (guint i = 0; i < shape->pieces->len && path_next(path, &at, &piece); i++) {
		char **mine = (char **)&g_ptr_array_index(shape->pieces, i);

		if (!*mine || (strlen(*mine) == piece.text.len &&
			       !memcmp(*mine, piece.text.text, piece.text.len)))
			continue;
		g_clear_pointer(mine, g_free);
	}
	g_clear_pointer(&shape->key, g_free);
}

/* Joins the paths' own pieces where all paths agree, and the skeleton's elsewhere. */
static char *shape_make_key(const Shape *shape)
{
	GString *out = g_string_new(NULL);
	const char *at = shape->first;
	PathPiece piece;

	for (guint i = 0; i < shape->pieces->len && path_next(shape->first, &at, &piece); i++) {
		const char *own = g_ptr_array_index(shape->pieces, i);

		if (own)
			g_string_append(out, own);
		else
			append_piece(out, &piece);
	}
	return g_string_free(out, FALSE);
}

CgroupKeys *cgroup_keys_new(char *const *globs, gboolean normalise)
{
	CgroupKeys *keys = g_new0(CgroupKeys, 1);

	keys->globs = globs;
	keys->normalise = normalise;
	keys->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	keys->shapes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, shape_free);
	return keys;
}

void cgroup_keys_free(CgroupKeys *keys)
{
	g_hash_table_unref(keys->entries);
	g_hash_table_unref(keys->shapes);
	g_free(keys);
}

static const char *find_glob(const CgroupKeys *keys, const char *path)
{
	for (char *const *glob = keys->globs; glob && *glob; glob++)
		if (glob_match(*glob, path))
			return *glob;
	return NULL;
}

/* Adds a new path to its shape, which may be new as well. */
static Shape *take_shape(CgroupKeys *keys, const char *path)
{
	g_autofree char *skeleton = cgroup_skeleton(path);
	Shape *shape = g_hash_table_lookup(keys->shapes, skeleton);

	if (shape) {
		shape_join(shape, path);
		return shape;
	}
	shape = shape_new(path);
	shape->skeleton = skeleton;
	g_hash_table_insert(keys->shapes, g_steal_pointer(&skeleton), shape);
	return shape;
}

void cgroup_keys_add(CgroupKeys *keys, const char *path)
{
	if (g_hash_table_contains(keys->entries, path))
		return;
	Entry *entry = g_new0(Entry, 1);
	entry->glob = find_glob(keys, path);
	if (!entry->glob && keys->normalise)
		entry->shape = take_shape(keys, path);
	g_hash_table_insert(keys->entries, g_strdup(path), entry);
}

static const char *key_of(Shape *shape)
{
	if (!shape->key)
		shape->key = shape_make_key(shape);
	return shape->key;
}

const char *cgroup_keys_get(CgroupKeys *keys, const char *path)
{
	const Entry *entry = g_hash_table_lookup(keys->entries, path);

	if (!entry || (!entry->glob && !entry->shape))
		return path;
	if (entry->glob)
		return entry->glob;
	return key_of(entry->shape);
}

const char *cgroup_keys_shape(const CgroupKeys *keys, const char *path)
{
	const Entry *entry = g_hash_table_lookup(keys->entries, path);

	if (!entry || (!entry->glob && !entry->shape))
		return path;
	return entry->glob ? entry->glob : entry->shape->skeleton;
}

const char *cgroup_keys_name(const CgroupKeys *keys, const char *shape)
{
	Shape *found = g_hash_table_lookup(keys->shapes, shape);

	return found ? key_of(found) : shape;
}
