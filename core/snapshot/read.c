/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "guard/crash.h"
#include "guard/limits.h"
#include "guard/userfile.h"
#include "row/batch.h"

/* What a reader believes at most. */
#define MAX_BYTES (G_GUINT64_CONSTANT(4) << 30)
#define MAX_THREADS (16u << 20)
#define MAX_DEPTH 64
#define MAX_STRING (1u << 20)
#define MAX_WINDOW_LOG 27
/* Compressed bytes of what cannot be read twice. */
#define MAX_KEPT (256u << 20)
/* Facts of a sort; more is a made-up file. */
#define MAX_FACTS 4096

/* Rows of one class on their way to who asked for them. */
struct lane {
	Batch *batch;
	struct ctprof_batch *open;
	gsize filled;        /* rows begun */
	GStringChunk *paths; /* of their targets */
};

typedef struct load {
	struct ctprof_input input;
	Loaded *loaded;
	Plugin *sink;
	const char *label; /* the file, for messages */
	LoadRows each;
	gpointer data;
	GError *error; /* what stopped it on our side */
	char *fault;   /* what the reader found */

	int fd;
	off_t begin;      /* where the snapshot begins; -1: cannot be read twice */
	GByteArray *kept; /* then: all that was read */
	gsize replayed;   /* of it, in this pass */
	gboolean ended;

	struct lane lanes[N_ROW_CLASSES];
	guint64 bad_puts;
} Load;

static Load *load_of(const struct ctprof_input *input)
{
	return input->handle;
}

/* ---- bytes ------------------------------------------------------------ */

static int fail(Load *load, int err, const char *what)
{
	if (!load->error)
		error_set_errno(&load->error, err, "%s: %s", load->label, what);
	return -err;
}

static gint64 read_more(Load *load, void *data, gsize size)
{
	ssize_t n;

	crash_pause();
	do
		n = read(load->fd, data, size);
	while (n < 0 && errno == EINTR && !crash_interrupted());
	crash_return();
	if (n < 0)
		return fail(load, errno, "cannot be read");
	if (load->begin >= 0 || n == 0) {
		load->ended = n == 0;
		return n;
	}
	if (load->kept->len > MAX_KEPT) {
		error_set_failed(&load->error,
				 "%s: more than %u MiB through a pipe: give the file itself",
				 load->label, MAX_KEPT >> 20);
		return -EFBIG;
	}
	g_byte_array_append(load->kept, data, (guint)n);
	load->replayed += (gsize)n;
	return n;
}

static gint64 input_read(const struct ctprof_input *input, void *data, guint64 size)
{
	Load *load = load_of(input);
	gsize kept = load->kept->len - load->replayed;
	gsize want = (gsize)MIN(size, G_MAXSSIZE / 2);

	if (crash_fail_interrupted(&load->error))
		return -ECANCELED;
	if (kept == 0)
		return load->ended ? 0 : read_more(load, data, want);
	gsize n = MIN(kept, want);
	memcpy(data, load->kept->data + load->replayed, n);
	load->replayed += n;
	return (gint64)n;
}

static int input_rewind(const struct ctprof_input *input)
{
	Load *load = load_of(input);

	load->replayed = 0;
	if (load->begin < 0)
		return 0;
	load->ended = FALSE;
	if (lseek(load->fd, load->begin, SEEK_SET) < 0)
		return fail(load, errno, "cannot be read again");
	return 0;
}

static gboolean open_input(Load *load, const char *path, GError **error)
{
	gboolean is_stdin = g_str_equal(path, "-");
	struct stat st;

	load->label = is_stdin ? "standard input" : path;
	if (is_stdin && isatty(STDIN_FILENO))
		return error_set_failed(
			error,
			"standard input is a terminal: a snapshot is expected from a pipe or "
			"file");
	load->fd = is_stdin ? STDIN_FILENO : userfile_open(path, 0);
	if (load->fd < 0)
		return error_set_errno(error, -load->fd, "%s", load->label);
	if (fstat(load->fd, &st) < 0)
		return error_set_errno(error, errno, "%s", load->label);
	if (S_ISDIR(st.st_mode))
		return error_set_errno(error, EISDIR, "%s", load->label);
	/* A device may pretend to seek. */
	load->begin = S_ISREG(st.st_mode) ? lseek(load->fd, 0, SEEK_CUR) : -1;
	load->kept = g_byte_array_new();
	return TRUE;
}

/* ---- metrics ---------------------------------------------------------- */

static const char *own(Load *load, const char *text)
{
	return text ? g_string_chunk_insert_const(load->loaded->strings, text) : NULL;
}

static int input_metric(const struct ctprof_input *input, const char *plugin,
			const struct ctprof_metric *metric, guint32 *ret_slot)
{
	Load *load = load_of(input);
	struct ctprof_metric def = {0};
	const char *why;

	memcpy(&def, metric, MIN(metric->struct_size, sizeof def));
	def.struct_size = sizeof def;
	def.name = own(load, def.name);
	def.group = own(load, def.group);
	def.tag = own(load, def.tag);
	def.gates = own(load, def.gates);
	def.help = own(load, def.help);
	def.origin = own(load, def.origin);
	/* What is in the file was asked for when it was captured. */
	def.flags &= ~CTPROF_METRIC_ON_DEMAND;
	return registry_add(load->loaded->registry, own(load, plugin ? plugin : ""), &def, ret_slot,
			    &why);
}

static int input_seal(const struct ctprof_input *input)
{
	Load *load = load_of(input);
	Registry *registry = load->loaded->registry;

	if (!registry_seal(registry, NULL, NULL, &load->error))
		return -EINVAL;
	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		load->lanes[i].batch = batch_new(registry, (enum row_class)i);
		load->lanes[i].paths = g_string_chunk_new(1024);
	}
	return 0;
}

/* ---- rows ------------------------------------------------------------- */

static int deliver(Load *load, struct lane *lane)
{
	struct ctprof_rows rows;

	if (lane->filled == 0)
		return 0;
	batch_view(lane->batch, &rows);
	rows.n = lane->filled;
	lane->filled = 0;
	if (load->error || !load->each(load->data, load->loaded->registry, &rows, &load->error))
		return -ECANCELED;
	return 0;
}

/* A batch is begun before its targets are known: as if of threads that lead
 * none, which row() makes good for a leader. */
static void begin_batch(Load *load, struct lane *lane)
{
	struct ctprof_target *targets = batch_targets(lane->batch);

	for (gsize i = 0; i < BATCH_ROWS; i++)
		targets[i] =
			(struct ctprof_target){.struct_size = sizeof targets[i], .task_fd = -1};
	g_string_chunk_clear(lane->paths);
	batch_begin(lane->batch, BATCH_ROWS);
	lane->open = batch_open(lane->batch, &load->bad_puts);
}

static void empty_leader_row(Load *load, struct lane *lane, enum row_class row)
{
	const GPtrArray *metrics = registry_row(load->loaded->registry, row);

	for (guint i = 0; i < metrics->len; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);

		if (metric->def.scope != CTPROF_SCOPE_THREAD)
			load->sink->host.put_absent(lane->open, lane->filled, metric->slot,
						    metric->unfilled);
	}
}

static int input_row(const struct ctprof_input *input, guint32 scope,
		     const struct ctprof_target *target, struct ctprof_batch **ret_batch,
		     guint64 *ret_row)
{
	Load *load = load_of(input);
	enum row_class row = registry_row_of_scope(scope);
	struct lane *lane = row < N_ROW_CLASSES ? &load->lanes[row] : NULL;
	struct ctprof_target own_target = {0};

	if (!lane || !lane->batch)
		return fail(load, EINVAL, "its reader requested a row of an unknown scope");
	int r = lane->filled == BATCH_ROWS ? deliver(load, lane) : 0;
	if (r < 0)
		return r;
	if (lane->filled == 0)
		begin_batch(load, lane);
	memcpy(&own_target, target, MIN(target->struct_size, sizeof own_target));
	own_target.struct_size = sizeof own_target;
	own_target.task_fd = -1;
	if (own_target.path)
		own_target.path = g_string_chunk_insert_len(lane->paths, own_target.path,
							    own_target.path_len);
	batch_targets(lane->batch)[lane->filled] = own_target;
	if (row == ROW_OBJECT && !batch_set_group(lane->batch, lane->filled, own_target.group))
		return fail(load, EINVAL, "its reader returned an object of an unknown group");
	if (row == ROW_THREAD && own_target.flags & CTPROF_TARGET_LEADER)
		empty_leader_row(load, lane, row);
	*ret_batch = lane->open;
	*ret_row = lane->filled++;
	return 0;
}

/* ---- facts ------------------------------------------------------------ */

static guint64 number_of(const char *text)
{
	guint64 number = 0;

	(void)g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, &number, NULL);
	return number;
}

static void input_fact(const struct ctprof_input *input, guint32 kind, const char *key,
		       const char *value)
{
	LoadFacts *facts = &load_of(input)->loaded->facts;

	if (kind == CTPROF_FACT_CAPTURE && g_str_equal(key, "captured_at_unix_ns"))
		facts->realtime_ns = number_of(value);
	else if (kind == CTPROF_FACT_CAPTURE && g_str_equal(key, "begin_boottime_ns"))
		facts->boottime_ns = number_of(value);
	else if (kind == CTPROF_FACT_OPTION && g_hash_table_size(facts->options) < MAX_FACTS)
		g_hash_table_replace(facts->options, g_strdup(key), g_strdup(value));
	else if (kind == CTPROF_FACT_PLUGIN && facts->plugins->len < MAX_FACTS)
		g_ptr_array_add(facts->plugins, g_strconcat(key, " ", value, NULL));
}

static CTPROF_PRINTF(3, 4) void input_fault(const struct ctprof_input *input, guint64 offset,
					    const char *format, ...)
{
	Load *load = load_of(input);
	va_list ap;

	va_start(ap, format);
	g_autofree char *sentence = g_strdup_vprintf(format, ap);
	va_end(ap);
	g_free(load->fault);
	load->fault = offset == G_MAXUINT64
			      ? g_strdup(sentence)
			      : g_strdup_printf("byte %" G_GUINT64_FORMAT ": %s", offset, sentence);
}

/* ---- the whole -------------------------------------------------------- */

static void load_clear(Load *load)
{
	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		g_clear_pointer(&load->lanes[i].batch, batch_free);
		g_clear_pointer(&load->lanes[i].paths, g_string_chunk_free);
	}
	if (load->fd >= 0 && load->fd != STDIN_FILENO)
		close(load->fd);
	g_clear_pointer(&load->kept, g_byte_array_unref);
	g_clear_error(&load->error);
	g_free(load->fault);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Load, load_clear)

static Loaded *loaded_new(void)
{
	Loaded *loaded = g_new0(Loaded, 1);

	loaded->registry = registry_new();
	loaded->strings = g_string_chunk_new(4096);
	loaded->facts.options = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	loaded->facts.plugins = g_ptr_array_new_with_free_func(g_free);
	return loaded;
}

void loaded_free(Loaded *loaded)
{
	registry_free(loaded->registry);
	g_string_chunk_free(loaded->strings);
	g_hash_table_unref(loaded->facts.options);
	g_ptr_array_unref(loaded->facts.plugins);
	g_free(loaded);
}

static void lend(Load *load)
{
	load->input = (struct ctprof_input){
		.struct_size = sizeof load->input,
		.max_depth = MAX_DEPTH,
		.max_string = MAX_STRING,
		.max_window_log = MAX_WINDOW_LOG,
		.max_bytes = MAX_BYTES,
		.max_threads = MAX_THREADS,
		.handle = load,
		.read = input_read,
		.rewind = input_rewind,
		.metric = input_metric,
		.seal = input_seal,
		.row = input_row,
		.fact = input_fact,
		.fault = input_fault,
	};
}

/* The one door to the op: from here on a crash is the plugin's. */
static int call_read(Load *load)
{
	Plugin *sink = load->sink;

	crash_enter(plugin_name(sink), "read");
	int result = sink->sink.read(sink->self, &load->input);
	crash_leave();
	return result;
}

/* Why nothing came of it, in one line: ours, the reader's, or the plugin's. */
static void explain(Load *load, int result, GError **error)
{
	const char *said = load->sink->said;

	if (load->error)
		g_propagate_error(error, g_steal_pointer(&load->error));
	else if (result == -ENOMEM)
		error_set_failed(error, "%s: %s", load->label, limits_why());
	else if (load->fault)
		error_set_failed(error, "%s: %s", load->label, load->fault);
	else
		error_set_failed(error, "%s: plugin %s: %s", load->label, plugin_name(load->sink),
				 said ? said : g_strerror(-result));
}

static int read_whole(Load *load)
{
	int result = call_read(load);

	if (result == 0 && load->bad_puts > 0) {
		error_set_failed(&load->error,
				 "%s: plugin %s returned %" G_GUINT64_FORMAT " invalid values",
				 load->label, plugin_name(load->sink), load->bad_puts);
		return -EINVAL;
	}
	for (guint i = 0; result == 0 && i < N_ROW_CLASSES; i++)
		result = deliver(load, &load->lanes[i]);
	return result;
}

Loaded *load_file(Plugin *sink, const char *path, LoadRows each, gpointer data, GError **error)
{
	g_autoptr(Loaded) loaded = loaded_new();
	g_auto(Load) load = {.loaded = loaded, .sink = sink, .each = each, .data = data, .fd = -1};

	if (!sink->sink.read || !sink->self) {
		error_set_failed(error, "plugin %s: cannot read a snapshot", plugin_name(sink));
		return NULL;
	}
	if (!open_input(&load, path, error))
		return NULL;
	lend(&load);
	int result = read_whole(&load);
	if (result < 0) {
		explain(&load, result, error);
		return NULL;
	}
	return g_steal_pointer(&loaded);
}
