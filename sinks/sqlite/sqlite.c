/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes tables as an SQLite database.  The library does not write a file sequentially, as a pipe
 * requires, so the database grows in an unnamed temporary file, which is copied to the output when
 * complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tables.h"

#define COPY_BYTES (1u << 16)

struct sqlite {
	struct tables tables;
	sqlite3 *db;
	sqlite3_stmt *inserts[TABLES_MAX];
	int fd; /* the database file; -1: none */
};

static int fail(const struct sqlite *self, int r, const char *what)
{
	const struct ctprof_host *host = self->tables.host;

	host->error(host, "%s: %s", what, self->db ? sqlite3_errmsg(self->db) : "out of memory");
	return r;
}

static void close_database(struct sqlite *self)
{
	for (uint32_t i = 0; i < TABLES_MAX; i++) {
		sqlite3_finalize(self->inserts[i]);
		self->inserts[i] = NULL;
	}
	sqlite3_close(self->db);
	self->db = NULL;
}

static int sqlite_open(const struct ctprof_host *host, void **ret_self)
{
	struct sqlite *self = tables_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->fd = -1;
	*ret_self = self;
	return 0;
}

static void sqlite_close(void *closed)
{
	struct sqlite *self = closed;

	close_database(self);
	if (self->fd >= 0)
		close(self->fd);
	tables_free(&self->tables);
}

/* ---- the database ---------------------------------------------------------------- */

static int execute(struct sqlite *self, const char *sql)
{
	return sqlite3_exec(self->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : fail(self, -EIO, "the temporary database");
}

static int make_file(struct sqlite *self, char ret_path[PATH_MAX])
{
	const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int err = ENOENT;

	for (size_t i = 0; self->fd < 0 && i < sizeof folders / sizeof folders[0]; i++) {
		if (!folders[i] || folders[i][0] != '/')
			continue;
		snprintf(ret_path, PATH_MAX, "%s/ctprof-sqlite.XXXXXX", folders[i]);
		self->fd = mkostemp(ret_path, O_CLOEXEC);
		err = errno;
	}
	if (self->fd >= 0)
		return 0;
	self->tables.host->error(self->tables.host,
				 "a temporary file cannot be made: %s (set TMPDIR)", strerror(err));
	return -err;
}

/* Everything is written in one transaction, without a journal: an incomplete database is
 * dropped. */
static int open_database(struct sqlite *self)
{
	char path[PATH_MAX];
	int r = make_file(self, path);

	if (r < 0)
		return r;
	r = sqlite3_open_v2(path, &self->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
			    NULL) == SQLITE_OK
		    ? 0
		    : fail(self, -EIO, "the temporary database");
	if (r == 0)
		r = execute(self, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=OFF; "
				  "PRAGMA synchronous=OFF; BEGIN EXCLUSIVE");
	/* The file remains open; without a name, nothing of it is left behind in any case. */
	unlink(path);
	return r;
}

/* A number above 2^63-1 is stored as text, in a column without a type so that SQLite does not
 * convert it. */
static const char *type_of(uint32_t type)
{
	switch (type) {
	case CTPROF_TYPE_TEXT:
	case CTPROF_TYPE_TIME:
		return " TEXT";
	case CTPROF_TYPE_REAL:
		return " REAL";
	case CTPROF_TYPE_U64:
		return "";
	default:
		return " INTEGER";
	}
}

/* Creates the table, and prepares the statement that adds a row. */
static int create(struct sqlite *self, const struct ctprof_table *table)
{
	sqlite3_str *create = sqlite3_str_new(self->db), *insert = sqlite3_str_new(self->db);

	/* Some names are keywords. */
	sqlite3_str_appendf(create, "CREATE TABLE \"%w\" (", table->name);
	sqlite3_str_appendf(insert, "INSERT INTO \"%w\" VALUES (", table->name);
	for (uint64_t i = 0; i < table->n_columns; i++) {
		const struct ctprof_table_column *column = BORDER_AT(table->columns, i);
		const char *end = i + 1 < table->n_columns ? "," : ")";

		sqlite3_str_appendf(create, "\"%w\"%s%s", column->name, type_of(column->type), end);
		sqlite3_str_appendf(insert, "?%s", end);
	}
	char *sql[] = {sqlite3_str_finish(create), sqlite3_str_finish(insert)};
	int r = sql[0] && sql[1] ? execute(self, sql[0]) : fail(self, -ENOMEM, table->name);
	if (r == 0 && sqlite3_prepare_v2(self->db, sql[1], -1, &self->inserts[table->number],
					 NULL) != SQLITE_OK)
		r = fail(self, -EIO, table->name);
	sqlite3_free(sql[0]);
	sqlite3_free(sql[1]);
	return r;
}

static int sqlite_table(void *called, const struct ctprof_table *table)
{
	struct sqlite *self = called;
	int r = tables_add(&self->tables, table);

	if (r == 0 && !self->db)
		r = open_database(self);
	return r < 0 ? r : create(self, table);
}

/* ---- rows ------------------------------------------------------------------------ */

static void bind_number(sqlite3_stmt *insert, int at, uint64_t value)
{
	char text[24];

	if (value <= INT64_MAX) {
		sqlite3_bind_int64(insert, at, (int64_t)value);
		return;
	}
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	sqlite3_bind_text(insert, at, text, -1, SQLITE_TRANSIENT);
}

static void bind(sqlite3_stmt *insert, int at, uint32_t type, uint64_t value)
{
	char time[TABLES_TIME_ROOM];

	switch (type) {
	case CTPROF_TYPE_TEXT:
		sqlite3_bind_text(insert, at, tables_text(value)->bytes,
				  (int)tables_text(value)->length, SQLITE_STATIC);
		break;
	case CTPROF_TYPE_TIME:
		tables_time(value, time);
		sqlite3_bind_text(insert, at, time, -1, SQLITE_TRANSIENT);
		break;
	case CTPROF_TYPE_REAL:
		sqlite3_bind_double(insert, at, tables_real(value));
		break;
	case CTPROF_TYPE_U64:
		bind_number(insert, at, value);
		break;
	default:
		sqlite3_bind_int64(insert, at, (int64_t)value);
	}
}

static int sqlite_records(void *called, const struct ctprof_records *records)
{
	struct sqlite *self = called;
	const struct ctprof_table *table = tables_of(&self->tables, records);

	if (!table)
		return -EINVAL;
	sqlite3_stmt *insert = self->inserts[records->table];
	for (uint64_t row = 0; row < records->n; row++) {
		for (uint64_t i = 0; i < table->n_columns; i++) {
			uint64_t value;

			if (tables_value(records, row, i, &value))
				bind(insert, (int)i + 1, BORDER_AT(table->columns, i)->type, value);
			else
				sqlite3_bind_null(insert, (int)i + 1);
		}
		if (sqlite3_step(insert) != SQLITE_DONE)
			return fail(self, -EIO, table->name);
		sqlite3_reset(insert);
	}
	return 0;
}

/* ---- the end ---------------------------------------------------------------------- */

static int write_metric(struct sqlite *self, const struct ctprof_table *table,
			const struct ctprof_table_column *column)
{
	char *sql = sqlite3_mprintf("INSERT INTO metric VALUES (%Q,%Q,%Q,%Q,%Q)", table->name,
				    column->name, column->unit, tables_kind(column->kind),
				    column->help);
	int r = sql ? execute(self, sql) : fail(self, -ENOMEM, "metric");

	sqlite3_free(sql);
	return r;
}

/* Writes the table that describes all columns. */
static int write_metrics(struct sqlite *self)
{
	int r = execute(self, "CREATE TABLE metric (\"table\" TEXT, name TEXT, unit TEXT, "
			      "kind TEXT, help TEXT)");

	for (uint32_t t = 0; r == 0 && t < self->tables.n; t++)
		for (uint64_t i = 0; r == 0 && i < self->tables.list[t]->n_columns; i++)
			r = write_metric(self, self->tables.list[t],
					 BORDER_AT(self->tables.list[t]->columns, i));
	return r;
}

static int copy_out(const struct sqlite *self)
{
	const struct ctprof_host *host = self->tables.host;
	char buffer[COPY_BYTES];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(self->fd, buffer, sizeof buffer, at)) > 0) {
		int r = host->write(host, buffer, (size_t)n);

		if (r < 0) {
			host->error(host, "the output cannot be written");
			return r;
		}
		at += n;
	}
	if (n == 0)
		return 0;
	host->error(host, "the temporary database: %s", strerror(errno));
	return -EIO;
}

static int sqlite_finish(void *called)
{
	struct sqlite *self = called;
	int r = write_metrics(self);

	r = r < 0 ? r : execute(self, "COMMIT");
	close_database(self);
	return r < 0 ? r : copy_out(self);
}

SINK_PLUGIN("sqlite", "Writes tables as a SQLite database", .open = sqlite_open,
	    .close = sqlite_close, .finish = sqlite_finish, .table = sqlite_table,
	    .records = sqlite_records,
	    .usual_tables = CTPROF_TABLE_THREADS | CTPROF_TABLE_CGROUPS | CTPROF_TABLE_CAPTURES)
