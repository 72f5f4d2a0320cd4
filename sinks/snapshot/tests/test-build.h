/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds captures by hand, and checks what the sink writes for them. */
#pragma once

#include <json-glib/json-glib.h>

#include "fakehost.h"

typedef struct build Build;

Build *build_new(void);
void build_free(Build *build);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Build, build_free)

FakeHost *build_host(Build *build);
/* The capture given to begin(), to be changed before build_begin(). */
struct ctprof_capture *build_capture(Build *build);
struct ctprof_capture_end *build_end_facts(Build *build);

/* Registers a metric, with the index and type that the core would assign. */
struct ctprof_metric_info *build_metric(Build *build, const char *name, guint32 kind, guint32 unit,
					guint32 scope);

/* Registers 11 metrics of the format, at least one of each type. */
void build_add_known(Build *build);

/* Begins rows of a scope; every value is absent as unsupported. */
void build_rows(Build *build, guint32 scope, guint64 n);
void build_target(Build *build, guint64 row, gint32 tgid, gint32 tid);
void build_path(Build *build, guint64 row, const char *path);
/* Sets the group of an object row, which is "test" by default. */
void build_group(Build *build, guint64 row, const char *group);
void build_put(Build *build, guint64 row, const char *name, guint64 bits);
void build_put_text(Build *build, guint64 row, const char *name, const char *text);
void build_put_cpus(Build *build, guint64 row, const char *name, const guint32 *cpus, guint32 n);
/* Puts "k=1 l=2"; if a value is not a number, the map is one of texts. */
void build_put_map(Build *build, guint64 row, const char *name, const char *entries);
void build_put_state(Build *build, guint64 row, const char *name, guint8 state);

/* Makes write() accept that many more bytes and then fail. */
void build_write_limit(Build *build, gssize bytes, int error);
/* Call the sink's ops. */
int build_begin(Build *build);
int build_send(Build *build);
int build_end(Build *build);
/* Calls begin, which must succeed. */
void build_open(Build *build);
/* Ends and returns the JSON text. */
const char *build_text(Build *build);
/* Returns the exact text of a member of the top object, or NULL. */
char *build_section(Build *build, const char *key);
void build_assert_section(Build *build, const char *key, const char *expected);
/* Asserts that the text contains this part. */
void build_assert_part(Build *build, const char *expected);
/* Parses the text with another implementation of JSON. */
JsonNode *build_parse(Build *build);
