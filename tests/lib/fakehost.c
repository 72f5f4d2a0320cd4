/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fakehost.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define OBJECT_ROWS 256
#define MAX_NAME_BYTES 4096

/* One value of a batch, kept as text for everything that is not a number. */
struct cell {
	guint32 state;
	guint64 bits;
	char *string;
};

struct fake_host {
	struct ctprof_host table;
	int roots[3];
	gboolean live;
	GHashTable *options, *wanted; /* no wanted: all */
	GPtrArray *metrics;           /* struct ctprof_metric *, slot = index + 1 */
	GString *error, *log, *findings;
	GMutex lock;       /* protects opened, to which helper threads add */
	GPtrArray *opened; /* paths */
	GByteArray *written;
	GArray *targets, *batch_targets;
	guint room;
	GHashTable *named; /* "GROUP NAME" of a round of object batches, which must be unique */
	GHashTable *cells; /* "row/slot" -> struct cell */
	GHashTable *vanished;
	struct ctprof_batch batch;
};

static FakeHost *self(const struct ctprof_host *host)
{
	return host->handle;
}

static CTPROF_PRINTF(3, 4) void host_log(const struct ctprof_host *host, guint32 level,
					 const char *format, ...)
{
	va_list ap;

	g_string_append_printf(self(host)->log, "%u ", level);
	va_start(ap, format);
	g_string_append_vprintf(self(host)->log, format, ap);
	va_end(ap);
	g_string_append_c(self(host)->log, '\n');
}

static CTPROF_PRINTF(2, 3) void host_error(const struct ctprof_host *host, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	g_string_vprintf(self(host)->error, format, ap);
	va_end(ap);
}

static int host_root(const struct ctprof_host *host, guint32 which)
{
	g_assert_true(which >= 10 && which <= 30 && which % 10 == 0);
	int fd = self(host)->roots[which / 10 - 1];

	return fd >= 0 ? fd : -ENOENT;
}

static int host_live(const struct ctprof_host *host)
{
	return self(host)->live;
}

static int host_open_file(const struct ctprof_host *host, int dirfd, const char *path)
{
	g_autoptr(GMutexLocker) held G_GNUC_UNUSED = g_mutex_locker_new(&self(host)->lock);
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	g_ptr_array_add(self(host)->opened, g_strdup(path));
	return fd >= 0 ? fd : -errno;
}

static const char *host_option(const struct ctprof_host *host, const char *key)
{
	return g_hash_table_lookup(self(host)->options, key);
}

/* Live and exited threads have metrics with the same names. */
static gboolean is_of_exits(const struct ctprof_metric *metric)
{
	return metric->scope == CTPROF_SCOPE_EXIT;
}

static int host_metric(const struct ctprof_host *host, const struct ctprof_metric *metric,
		       guint32 *ret_slot)
{
	FakeHost *fake = self(host);

	g_assert_cmpuint(metric->struct_size, >=, sizeof *metric);
	g_assert_nonnull(metric->help);
	g_assert_nonnull(metric->origin);
	for (guint i = 0; i < fake->metrics->len; i++) {
		const struct ctprof_metric *other = g_ptr_array_index(fake->metrics, i);

		g_assert_true(is_of_exits(other) != is_of_exits(metric) ||
			      strcmp(other->name, metric->name) != 0);
	}
	g_ptr_array_add(fake->metrics, g_memdup2(metric, sizeof *metric));
	*ret_slot = fake->metrics->len;
	return 0;
}

static int host_wanted(const struct ctprof_host *host, guint32 slot)
{
	FakeHost *fake = self(host);

	g_assert_true(slot >= 1 && slot <= fake->metrics->len);
	if (!fake->wanted)
		return 1;
	const struct ctprof_metric *metric = g_ptr_array_index(fake->metrics, slot - 1);
	return g_hash_table_contains(fake->wanted, metric->name);
}

static void host_finding(const struct ctprof_host *host, const struct ctprof_finding *finding)
{
	g_string_append_printf(self(host)->findings, "%s %u %s|%s\n", finding->group,
			       finding->state, finding->why ? finding->why : "",
			       finding->remedy ? finding->remedy : "");
}

static int host_write(const struct ctprof_host *host, const void *data, size_t size)
{
	g_byte_array_append(self(host)->written, data, (guint)size);
	return 0;
}

static struct cell *cell_at(FakeHost *fake, guint64 row, guint32 slot, gboolean make)
{
	g_autofree char *key = g_strdup_printf("%" G_GUINT64_FORMAT "/%u", row, slot);
	struct cell *cell = g_hash_table_lookup(fake->cells, key);

	if (!cell && make) {
		cell = g_new0(struct cell, 1);
		g_hash_table_insert(fake->cells, g_steal_pointer(&key), cell);
	}
	return cell;
}

/* Checks the arguments as the interface requires, and returns the cell to fill. */
static struct cell *put(struct ctprof_batch *batch, guint64 row, guint32 slot, gboolean type_ok)
{
	FakeHost *fake = batch->handle;

	g_assert_cmpuint(row, <, batch->n);
	g_assert_true(slot >= 1 && slot <= fake->metrics->len);
	g_assert_true(type_ok);
	struct cell *cell = cell_at(fake, row, slot, TRUE);
	g_clear_pointer(&cell->string, g_free);
	cell->state = CTPROF_PRESENT;
	return cell;
}

static const struct ctprof_metric *metric_of(struct ctprof_batch *batch, guint32 slot)
{
	FakeHost *fake = batch->handle;

	g_assert_true(slot >= 1 && slot <= fake->metrics->len);
	return g_ptr_array_index(fake->metrics, slot - 1);
}

static void host_put_u64(struct ctprof_batch *batch, guint64 row, guint32 slot, guint64 value)
{
	const struct ctprof_metric *m = metric_of(batch, slot);

	put(batch, row, slot,
	    m->kind != CTPROF_ORDINAL && m->kind != CTPROF_MAP && m->kind != CTPROF_CPUSET &&
		    m->unit != CTPROF_UNIT_TEXT)
		->bits = value;
}

static void host_put_i64(struct ctprof_batch *batch, guint64 row, guint32 slot, gint64 value)
{
	put(batch, row, slot, metric_of(batch, slot)->kind == CTPROF_ORDINAL)->bits =
		(guint64)value;
}

static void host_put_text(struct ctprof_batch *batch, guint64 row, guint32 slot, const char *text,
			  size_t length)
{
	const struct ctprof_metric *m = metric_of(batch, slot);

	put(batch, row, slot, m->kind != CTPROF_MAP && m->unit == CTPROF_UNIT_TEXT)->string =
		g_strndup(text, length);
}

static void host_put_cpuset(struct ctprof_batch *batch, guint64 row, guint32 slot,
			    const guint32 *cpus, size_t n)
{
	GString *out = g_string_new(NULL);

	g_assert_cmpuint(n, >=, 1);
	for (size_t i = 0; i < n; i++)
		g_string_append_printf(out, "%s%u", i ? "," : "", cpus[i]);
	put(batch, row, slot, metric_of(batch, slot)->kind == CTPROF_CPUSET)->string =
		g_string_free(out, FALSE);
}

static gint compare_strings(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void host_put_map(struct ctprof_batch *batch, guint64 row, guint32 slot,
			 const struct ctprof_map_entry *entries, size_t n)
{
	const struct ctprof_metric *m = metric_of(batch, slot);
	g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_free);

	for (size_t i = 0; i < n; i++) {
		const struct ctprof_map_entry *e = &entries[i];
		g_autofree char *key = g_strndup(e->key, e->key_len);
		g_autofree char *text = e->text ? g_strndup(e->text, e->text_len) : NULL;

		g_assert_cmpint(e->text != NULL, ==, m->unit == CTPROF_UNIT_TEXT);
		g_ptr_array_add(items,
				text ? g_strdup_printf("%s=%s", key, text)
				     : g_strdup_printf("%s=%" G_GUINT64_FORMAT, key, e->number));
	}
	g_ptr_array_sort(items, compare_strings);
	g_ptr_array_add(items, NULL);
	put(batch, row, slot, m->kind == CTPROF_MAP)->string =
		g_strjoinv(" ", (char **)items->pdata);
}

static void host_put_absent(struct ctprof_batch *batch, guint64 row, guint32 slot, guint32 why)
{
	g_assert_true(why != CTPROF_PRESENT && why % 10 == 0 && why <= CTPROF_ABSENT_INAPPLICABLE);
	put(batch, row, slot, TRUE)->state = why;
}

static void host_vanished(struct ctprof_batch *batch, guint64 row)
{
	FakeHost *fake = batch->handle;

	g_assert_cmpuint(row, <, batch->n);
	g_hash_table_add(fake->vanished, GUINT_TO_POINTER((guint)row + 1));
}

static int host_filled(const struct ctprof_batch *batch, guint64 row, guint32 slot)
{
	FakeHost *fake = batch->handle;

	g_assert_cmpuint(row, <, batch->n);
	g_assert_true(slot >= 1 && slot <= fake->metrics->len);
	const struct cell *cell = cell_at(fake, row, slot, FALSE);
	/* A slot that was never put has no cell. */
	return cell && (cell->state == CTPROF_PRESENT || cell->state == CTPROF_ABSENT_UNSUPPORTED ||
			cell->state == CTPROF_ABSENT_INAPPLICABLE);
}

static gboolean has_object_group(const FakeHost *fake, const char *group)
{
	for (guint i = 0; i < fake->metrics->len; i++) {
		const struct ctprof_metric *m = g_ptr_array_index(fake->metrics, i);

		if (m->scope == CTPROF_SCOPE_OBJECT && strcmp(m->group, group) == 0)
			return TRUE;
	}
	return FALSE;
}

/* Appends a row to a batch that began empty. */
static int add_row(FakeHost *fake, struct ctprof_target target, guint64 *ret_row)
{
	target.struct_size = sizeof target;
	target.task_fd = -1;
	*ret_row = fake->batch.n++;
	g_array_append_val(fake->batch_targets, target);
	fake->batch.targets = (const void *)fake->batch_targets->data;
	return 0;
}

static int host_object(struct ctprof_batch *batch, const char *group, const char *name,
		       size_t length, guint64 *ret_row)
{
	FakeHost *fake = batch->handle;
	struct ctprof_target target = {.path_len = (guint32)length};

	g_assert_cmpuint(batch->scope, ==, CTPROF_SCOPE_OBJECT);
	g_assert_true(has_object_group(fake, group));
	g_assert_true(length >= 1 && length <= MAX_NAME_BYTES && !memchr(name, '\0', length));
	if (batch->n == fake->room)
		return -ENOSPC;
	target.path = g_strndup(name, length);
	target.group = g_intern_string(group);
	/* A repeated name would merge two objects. */
	g_assert_true(g_hash_table_add(fake->named, g_strdup_printf("%s %s", group, target.path)));
	return add_row(fake, target, ret_row);
}

static int host_exited(struct ctprof_batch *batch, gint32 tgid, gint32 tid, guint64 *ret_row)
{
	FakeHost *fake = batch->handle;
	const struct ctprof_target target = {.tgid = tgid, .tid = tid};

	g_assert_cmpuint(batch->scope, ==, CTPROF_SCOPE_EXIT);
	g_assert_true(tgid >= 0 && tid >= 1);
	return batch->n == fake->room ? -ENOSPC : add_row(fake, target, ret_row);
}

static void cell_free(gpointer data)
{
	struct cell *cell = data;

	g_free(cell->string);
	g_free(cell);
}

static int open_root(const char *path)
{
	return path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

FakeHost *fake_host_new(const char *proc, const char *sys, const char *cgroup, gboolean live)
{
	FakeHost *fake = g_new0(FakeHost, 1);

	fake->table = (struct ctprof_host){
		.struct_size = sizeof fake->table,
		.abi_minor = CTPROF_ABI_MINOR,
		.handle = fake,
		.log = host_log,
		.error = host_error,
		.root = host_root,
		.live = host_live,
		.open_file = host_open_file,
		.option = host_option,
		.metric = host_metric,
		.wanted = host_wanted,
		.finding = host_finding,
		.put_u64 = host_put_u64,
		.put_i64 = host_put_i64,
		.put_text = host_put_text,
		.put_cpuset = host_put_cpuset,
		.put_map = host_put_map,
		.put_absent = host_put_absent,
		.vanished = host_vanished,
		.write = host_write,
		.filled = host_filled,
		.object = host_object,
		.exited = host_exited,
	};
	fake->room = OBJECT_ROWS;
	fake->named = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	fake->roots[0] = open_root(proc);
	fake->roots[1] = open_root(sys);
	fake->roots[2] = open_root(cgroup);
	fake->live = live;
	fake->options = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	fake->metrics = g_ptr_array_new_with_free_func(g_free);
	fake->error = g_string_new(NULL);
	fake->log = g_string_new(NULL);
	fake->findings = g_string_new(NULL);
	fake->opened = g_ptr_array_new_with_free_func(g_free);
	fake->written = g_byte_array_new();
	fake->targets = g_array_new(FALSE, TRUE, sizeof(struct ctprof_target));
	fake->batch_targets = g_array_new(FALSE, TRUE, sizeof(struct ctprof_target));
	fake->cells = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, cell_free);
	fake->vanished = g_hash_table_new(NULL, NULL);
	return fake;
}

static void clear_targets(GArray *targets)
{
	for (guint i = 0; i < targets->len; i++) {
		struct ctprof_target *t = &g_array_index(targets, struct ctprof_target, i);

		if (t->task_fd >= 0)
			close(t->task_fd);
		g_free((gpointer)(uintptr_t)t->path);
	}
	g_array_set_size(targets, 0);
}

void fake_host_free(FakeHost *fake)
{
	for (guint i = 0; i < 3; i++)
		if (fake->roots[i] >= 0)
			close(fake->roots[i]);
	clear_targets(fake->targets);
	clear_targets(fake->batch_targets);
	g_array_unref(fake->targets);
	g_array_unref(fake->batch_targets);
	g_hash_table_unref(fake->named);
	g_hash_table_unref(fake->options);
	g_clear_pointer(&fake->wanted, g_hash_table_unref);
	g_ptr_array_unref(fake->metrics);
	g_string_free(fake->error, TRUE);
	g_string_free(fake->log, TRUE);
	g_string_free(fake->findings, TRUE);
	g_ptr_array_unref(fake->opened);
	g_byte_array_unref(fake->written);
	g_hash_table_unref(fake->cells);
	g_hash_table_unref(fake->vanished);
	g_free(fake);
}

const struct ctprof_host *fake_host_table(FakeHost *fake)
{
	return &fake->table;
}

void fake_host_option(FakeHost *fake, const char *key, const char *value)
{
	g_hash_table_insert(fake->options, g_strdup(key), g_strdup(value));
}

void fake_host_want(FakeHost *fake, const char *name)
{
	if (!fake->wanted)
		fake->wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_hash_table_add(fake->wanted, g_strdup(name));
}

const char *fake_host_error(FakeHost *fake)
{
	return fake->error->str;
}

const char *fake_host_log(FakeHost *fake)
{
	return fake->log->str;
}

const char *fake_host_findings(FakeHost *fake)
{
	return fake->findings->str;
}

guint fake_host_opens(FakeHost *fake, const char *suffix)
{
	guint n = 0;

	for (guint i = 0; i < fake->opened->len; i++)
		n += g_str_has_suffix(g_ptr_array_index(fake->opened, i), suffix) ? 1 : 0;
	return n;
}

const GByteArray *fake_host_written(FakeHost *fake)
{
	return fake->written;
}

/* If two metrics have this name, returns the one in the scope of the current batch. */
static guint32 slot_of(FakeHost *fake, const char *name)
{
	guint32 slot = 0;

	for (guint i = 0; i < fake->metrics->len; i++) {
		const struct ctprof_metric *m = g_ptr_array_index(fake->metrics, i);
		gboolean of_exits = fake->batch.scope == CTPROF_SCOPE_EXIT;

		if (strcmp(m->name, name) == 0 && (slot == 0 || is_of_exits(m) == of_exits))
			slot = i + 1;
	}
	return slot;
}

const struct ctprof_metric *fake_host_metric(FakeHost *fake, const char *name)
{
	guint32 slot = slot_of(fake, name);

	return slot ? g_ptr_array_index(fake->metrics, slot - 1) : NULL;
}

guint fake_host_n_metrics(FakeHost *fake)
{
	return fake->metrics->len;
}

void fake_host_add_thread(FakeHost *fake, gint32 tgid, gint32 tid)
{
	g_autofree char *path = g_strdup_printf("%d/task", tgid);
	struct ctprof_target target = {
		.struct_size = sizeof target,
		.flags = tgid == tid ? CTPROF_TARGET_LEADER : 0,
		.tgid = tgid,
		.tid = tid,
		.task_fd = openat(fake->roots[0], path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	};

	g_array_append_val(fake->targets, target);
}

void fake_host_add_cgroup(FakeHost *fake, const char *path)
{
	struct ctprof_target target = {
		.struct_size = sizeof target,
		.task_fd = -1,
		.path_len = (guint32)strlen(path),
		.path = g_strdup(path),
	};

	g_array_append_val(fake->targets, target);
}

struct ctprof_batch *fake_host_batch(FakeHost *fake, guint32 scope)
{
	GArray *old = fake->batch_targets;

	if (fake->targets->len == 0 && scope != CTPROF_SCOPE_OBJECT && scope != CTPROF_SCOPE_EXIT) {
		struct ctprof_target none = {.struct_size = sizeof none, .task_fd = -1};

		g_array_append_val(fake->targets, none);
	}
	/* A source ends a round with a batch without rows: this one begins the next round. */
	if (fake->batch.scope == CTPROF_SCOPE_OBJECT && fake->batch.n == 0)
		g_hash_table_remove_all(fake->named);
	clear_targets(old);
	fake->batch_targets = fake->targets;
	fake->targets = old;
	g_hash_table_remove_all(fake->cells);
	g_hash_table_remove_all(fake->vanished);
	fake->batch = (struct ctprof_batch){
		.struct_size = sizeof fake->batch,
		.scope = scope,
		.n = fake->batch_targets->len,
		.targets = (const void *)fake->batch_targets->data,
		.handle = fake,
	};
	return &fake->batch;
}

static const struct cell *get(FakeHost *fake, guint64 row, const char *name)
{
	guint32 slot = slot_of(fake, name);

	g_assert_cmpuint(slot, !=, 0);
	return cell_at(fake, row, slot, FALSE);
}

guint32 fake_host_state(FakeHost *fake, guint64 row, const char *name)
{
	const struct cell *cell = get(fake, row, name);

	return cell ? cell->state : CTPROF_ABSENT_UNSUPPORTED;
}

static const struct cell *present(FakeHost *fake, guint64 row, const char *name)
{
	g_assert_cmpuint(fake_host_state(fake, row, name), ==, CTPROF_PRESENT);
	return get(fake, row, name);
}

guint64 fake_host_u64(FakeHost *fake, guint64 row, const char *name)
{
	return present(fake, row, name)->bits;
}

gint64 fake_host_i64(FakeHost *fake, guint64 row, const char *name)
{
	return (gint64)present(fake, row, name)->bits;
}

const char *fake_host_string(FakeHost *fake, guint64 row, const char *name)
{
	return present(fake, row, name)->string;
}

guint fake_host_rows(FakeHost *fake)
{
	return (guint)fake->batch.n;
}

const struct ctprof_target *fake_host_target(FakeHost *fake, guint64 row)
{
	g_assert_cmpuint(row, <, fake->batch.n);
	return &g_array_index(fake->batch_targets, struct ctprof_target, row);
}

gint64 fake_host_find_object(FakeHost *fake, const char *group, const char *name)
{
	for (guint64 row = 0; row < fake->batch.n; row++)
		if (strcmp(fake_host_target(fake, row)->group, group) == 0 &&
		    strcmp(fake_host_target(fake, row)->path, name) == 0)
			return (gint64)row;
	return -1;
}

void fake_host_room(FakeHost *fake, guint rows)
{
	fake->room = rows;
}

gboolean fake_host_row_vanished(FakeHost *fake, guint64 row)
{
	return g_hash_table_contains(fake->vanished, GUINT_TO_POINTER((guint)row + 1));
}
