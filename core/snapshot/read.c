/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "guard/crash.h"
#include "guard/limits.h"
#include "row/batch.h"

/* The largest file that a reader accepts. */
#define MAX_BYTES (G_GUINT64_CONSTANT(4) << 30)
#define MAX_THREADS (16u << 20)
#define MAX_DEPTH 64
#define MAX_STRING (1u << 20)
#define MAX_WINDOW_LOG 27
/* Once the sentence about what is missing has this many bytes, nothing is added to it. */
#define MOST_DAMAGE 500

/* Rows of one class on their way to the caller. */
struct row_queue {
	Batch *batch;
	struct ctprof_batch *open;
	gsize filled;        /* rows that have been begun */
	GStringChunk *paths; /* of the rows' targets */
};

typedef struct recording {
	struct ctprof_input input;
	Plugin *sink;
	Bytes *bytes;

	GArray *samples;    /* struct ctprof_recorded */
	gboolean has_found; /* samples were found in this call of read(), which may list all of them
			     * again */
	char *damage;

	/* The sample that is being read. */
	Loaded *loaded;
	TakeRows each;
	gpointer data;
	gboolean only_host; /* the caller wants no other rows */
	GError *error;      /* an error on our side */
	char *fault;        /* an error that the reader found */
	struct row_queue queues[N_ROW_CLASSES];
	guint64 bad_puts;
	GArray *on_demand; /* guint32: slots of metrics that were on demand */
} Load;

static Load *load_of(const struct ctprof_input *input)
{
	return input->handle;
}

/* ---- bytes ------------------------------------------------------------ */

static int fail(Load *load, int err, const char *what)
{
	if (!load->error)
		error_set_errno(&load->error, err, "%s: %s", load->bytes->label, what);
	return -err;
}

static gint64 input_read(const struct ctprof_input *input, void *data, guint64 size)
{
	Load *load = load_of(input);

	if (crash_fail_interrupted(&load->error))
		return -ECANCELED;
	gint64 n = bytes_read(load->bytes, data, (gsize)size);
	return n < 0 ? fail(load, (int)-n, "cannot be read") : n;
}

static int input_seek(const struct ctprof_input *input, guint64 offset)
{
	Load *load = load_of(input);

	if (offset > load->input.size)
		return fail(load, ESPIPE, "cannot be read in another order");
	load->bytes->at = offset;
	return 0;
}

static int input_rewind(const struct ctprof_input *input)
{
	return input_seek(input, 0);
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
	gboolean is_on_demand = def.flags & CTPROF_METRIC_ON_DEMAND;
	/* Metrics in the file were requested when it was captured. */
	def.flags &= ~CTPROF_METRIC_ON_DEMAND;
	int r = registry_add(load->loaded->registry, own(load, plugin ? plugin : ""), &def,
			     ret_slot, &why);
	if (r == 0 && is_on_demand)
		g_array_append_val(load->on_demand, *ret_slot);
	return r;
}

static int input_seal(const struct ctprof_input *input)
{
	Load *load = load_of(input);
	Registry *registry = load->loaded->registry;

	if (!registry_seal(registry, NULL, NULL, &load->error))
		return -EINVAL;
	/* Restore the flag as in the file, for callers that write another one. */
	for (guint i = 0; i < load->on_demand->len; i++)
		registry_slot(registry, g_array_index(load->on_demand, guint32, i))->def.flags |=
			CTPROF_METRIC_ON_DEMAND;
	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		load->queues[i].batch = batch_new(registry, (enum row_class)i);
		load->queues[i].paths = g_string_chunk_new(1024);
	}
	return 0;
}

/* ---- rows ------------------------------------------------------------- */

static int deliver(Load *load, struct row_queue *queue)
{
	struct ctprof_rows rows;

	if (queue->filled == 0)
		return 0;
	batch_view(queue->batch, &rows);
	rows.n = queue->filled;
	queue->filled = 0;
	if (load->error ||
	    (load->each && !load->each(load->data, load->loaded->registry, &rows, &load->error)))
		return -ECANCELED;
	return 0;
}

/* Delivers rows in the order of the file, except the host's and the capture's, which are filled
 * until its end. */
static int deliver_before(Load *load, enum row_class row)
{
	int r = 0;

	for (guint i = 0; r == 0 && i < row && row < ROW_HOST; i++)
		r = deliver(load, &load->queues[i]);
	return r;
}

/* A batch begins before its targets are known: as if no thread were a leader.  input_row() corrects
 * that for leaders. */
static void begin_batch(Load *load, struct row_queue *queue)
{
	struct ctprof_target *targets = batch_targets(queue->batch);

	for (gsize i = 0; i < BATCH_ROWS; i++)
		targets[i] =
			(struct ctprof_target){.struct_size = sizeof targets[i], .task_fd = -1};
	g_string_chunk_clear(queue->paths);
	batch_begin(queue->batch, BATCH_ROWS);
	queue->open = batch_open(queue->batch, &load->bad_puts);
}

static void empty_leader_row(Load *load, struct row_queue *queue, enum row_class row)
{
	const GPtrArray *metrics = registry_row(load->loaded->registry, row);

	for (guint i = 0; i < metrics->len; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);

		if (metric->def.scope != CTPROF_SCOPE_THREAD)
			load->sink->host.put_absent(queue->open, queue->filled, metric->slot,
						    metric->unfilled);
	}
}

static int input_row(const struct ctprof_input *input, guint32 scope,
		     const struct ctprof_target *target, struct ctprof_batch **ret_batch,
		     guint64 *ret_row)
{
	Load *load = load_of(input);
	enum row_class row = registry_row_of_scope(scope);
	struct row_queue *queue = row < N_ROW_CLASSES ? &load->queues[row] : NULL;
	struct ctprof_target own_target = {0};

	if (!queue || !queue->batch)
		return fail(load, EINVAL, "its reader requested a row of an unknown scope");
	if (load->only_host && row != ROW_HOST)
		return -ECANCELED;
	int r = queue->filled == BATCH_ROWS ? deliver(load, queue) : deliver_before(load, row);
	if (r < 0)
		return r;
	if (queue->filled == 0)
		begin_batch(load, queue);
	memcpy(&own_target, target, MIN(target->struct_size, sizeof own_target));
	own_target.struct_size = sizeof own_target;
	own_target.task_fd = -1;
	if (own_target.path)
		own_target.path = g_string_chunk_insert_len(queue->paths, own_target.path,
							    own_target.path_len);
	batch_targets(queue->batch)[queue->filled] = own_target;
	if (row == ROW_OBJECT && !batch_set_group(queue->batch, queue->filled, own_target.group))
		return fail(load, EINVAL, "its reader returned an object of an unknown group");
	if (row == ROW_THREAD && own_target.flags & CTPROF_TARGET_LEADER)
		empty_leader_row(load, queue, row);
	*ret_batch = queue->open;
	*ret_row = queue->filled++;
	return 0;
}

/* ---- facts ------------------------------------------------------------ */

static void input_fact(const struct ctprof_input *input, guint32 kind, const char *key,
		       const char *value)
{
	facts_take(&load_of(input)->loaded->facts, kind, key, value);
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

/* ---- samples ---------------------------------------------------------- */

void recording_add_damage(Recording *load, const char *format, ...)
{
	g_autofree char *before = g_steal_pointer(&load->damage);
	va_list ap;

	va_start(ap, format);
	g_autofree char *sentence = g_strdup_vprintf(format, ap);
	va_end(ap);
	const char *added = before && strlen(before) > MOST_DAMAGE ? "and more" : sentence;
	/* The reader repeats its own sentence when it lists the samples again. */
	load->damage = !before                 ? g_steal_pointer(&sentence)
		       : strstr(before, added) ? g_steal_pointer(&before)
					       : g_strjoin("; ", before, added, NULL);
}

static int input_found(const struct ctprof_input *input, const struct ctprof_recorded *sample)
{
	Load *load = load_of(input);
	struct ctprof_recorded own = {0};

	if (!load->has_found)
		g_array_set_size(load->samples, 0);
	load->has_found = TRUE;
	memcpy(&own, sample, MIN(sample->struct_size, sizeof own));
	g_array_append_val(load->samples, own);
	return 0;
}

static void input_damaged(const struct ctprof_input *input, const char *sentence)
{
	recording_add_damage(load_of(input), "%s", sentence);
}

/* ---- the whole -------------------------------------------------------- */

/* Forgets what was read last; the file stays open. */
static void end_reading(Load *load)
{
	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		g_clear_pointer(&load->queues[i].batch, batch_free);
		g_clear_pointer(&load->queues[i].paths, g_string_chunk_free);
		load->queues[i] = (struct row_queue){0};
	}
	g_clear_error(&load->error);
	g_clear_pointer(&load->fault, g_free);
	load->bad_puts = 0;
	g_array_set_size(load->on_demand, 0);
	load->loaded = NULL;
}

void recording_free(Recording *load)
{
	end_reading(load);
	g_clear_pointer(&load->bytes, bytes_free);
	g_array_unref(load->samples);
	g_array_unref(load->on_demand);
	g_free(load->damage);
	g_free(load);
}

static Loaded *loaded_new(void)
{
	Loaded *loaded = g_new0(Loaded, 1);

	loaded->registry = registry_new();
	loaded->strings = g_string_chunk_new(4096);
	facts_init(&loaded->facts);
	return loaded;
}

void loaded_free(Loaded *loaded)
{
	registry_free(loaded->registry);
	g_string_chunk_free(loaded->strings);
	facts_clear(&loaded->facts);
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
		.seek = input_seek,
		.found = input_found,
		.damaged = input_damaged,
	};
}

/* The only call of the op: a crash from here on is blamed on the plugin. */
static int call_read(Load *load)
{
	Plugin *sink = load->sink;

	crash_enter(plugin_name(sink), "read");
	int result = sink->sink.read(sink->self, &load->input);
	crash_leave();
	return result;
}

/* Sets the error to one line, from us, the reader, or the plugin. */
static void explain(Load *load, int result, GError **error)
{
	const char *said = load->sink->said;

	if (load->error)
		g_propagate_error(error, g_steal_pointer(&load->error));
	else if (result == -ENOMEM)
		error_set_failed(error, "%s: %s", load->bytes->label, limits_describe());
	else if (load->fault)
		error_set_failed(error, "%s: %s", load->bytes->label, load->fault);
	else
		error_set_failed(error, "%s: plugin %s: %s", load->bytes->label,
				 plugin_name(load->sink), said ? said : g_strerror(-result));
}

static int read_whole(Load *load)
{
	int result = call_read(load);

	/* input_row() requested this. */
	if (result == -ECANCELED && load->only_host && !load->error)
		result = 0;
	if (result == 0 && load->bad_puts > 0) {
		error_set_failed(&load->error,
				 "%s: plugin %s returned %" G_GUINT64_FORMAT " invalid values",
				 load->bytes->label, plugin_name(load->sink), load->bad_puts);
		return -EINVAL;
	}
	for (guint i = 0; result == 0 && i < N_ROW_CLASSES; i++)
		result = deliver(load, &load->queues[i]);
	return result;
}

/* Reads the rows of a sample; CTPROF_SAMPLE_NONE: only finds the samples. */
static Loaded *read_sample(Load *load, guint64 sample, guint64 n_exits, GError **error)
{
	g_autoptr(Loaded) loaded = loaded_new();

	load->loaded = loaded;
	load->has_found = FALSE;
	load->input.sample = sample;
	load->input.n_exits = n_exits;
	int result = read_whole(load);
	if (result < 0)
		explain(load, result, error);
	end_reading(load);
	return result < 0 ? NULL : g_steal_pointer(&loaded);
}

gboolean recording_list(Recording *load, GError **error)
{
	static guint64 n_files;

	load->input.file = ++n_files;
	load->input.size = bytes_size(load->bytes);
	load->input.n_parts = load->bytes->ends->len;
	load->input.part_ends = (const guint64 *)(gconstpointer)load->bytes->ends->data;
	g_array_set_size(load->samples, 0);
	g_autoptr(Loaded) nothing = read_sample(load, CTPROF_SAMPLE_NONE, 0, error);
	return nothing != NULL;
}

Recording *recording_open(Plugin *sink, const char *path, GError **error)
{
	g_autoptr(Recording) load = g_new0(Recording, 1);

	load->sink = sink;
	load->samples = g_array_new(FALSE, FALSE, sizeof(struct ctprof_recorded));
	load->on_demand = g_array_new(FALSE, FALSE, sizeof(guint32));
	lend(load);
	if (!sink->sink.read || !sink->self) {
		error_set_failed(error, "plugin %s: cannot read a snapshot", plugin_name(sink));
		return NULL;
	}
	if (!(load->bytes = bytes_open(path, error)))
		return NULL;
	limits_set_memory();
	return recording_list(load, error) ? g_steal_pointer(&load) : NULL;
}

void recording_set_must_check(Recording *recording, gboolean must_check)
{
	recording->input.must_check = must_check ? 1 : 0;
}

Bytes *recording_bytes(const Recording *recording)
{
	return recording->bytes;
}

guint recording_n_samples(const Recording *recording)
{
	return MAX(recording->samples->len, 1);
}

static const struct ctprof_recorded *sample_of(const Recording *recording, guint sample)
{
	return &g_array_index(recording->samples, struct ctprof_recorded, sample);
}

guint recording_part(const Recording *recording, guint sample)
{
	return sample < recording->samples->len ? (guint)sample_of(recording, sample)->part
						: G_MAXUINT;
}

guint64 recording_time(const Recording *recording, guint sample)
{
	return sample < recording->samples->len ? sample_of(recording, sample)->realtime_ns : 0;
}

const LoadFacts *recording_facts(const Recording *recording)
{
	return &recording->loaded->facts;
}

gboolean recording_peek_host(const Recording *recording, struct ctprof_rows *ret_rows)
{
	const struct row_queue *queue = &recording->queues[ROW_HOST];

	if (queue->filled == 0)
		return FALSE;
	batch_view(queue->batch, ret_rows);
	ret_rows->n = queue->filled;
	return TRUE;
}

guint recording_find_key(const Recording *recording, guint sample)
{
	while (sample > 0 && !sample_of(recording, sample)->is_key)
		sample--;
	return sample;
}

gboolean recording_cut(Recording *recording, guint first, guint last, Output *output,
		       GError **error)
{
	Plugin *sink = recording->sink;

	if (!sink->sink.cut || recording->samples->len == 0)
		return error_set_failed(error, "%s: not a recording", recording->bytes->label);
	sink->output = output;
	crash_enter(plugin_name(sink), "cut");
	int result = sink->sink.cut(sink->self, &recording->input, first, last);
	crash_leave();
	if (result < 0 && !output_failed(output, error))
		explain(recording, result, error);
	end_reading(recording);
	return result >= 0;
}

const char *recording_damage(const Recording *recording)
{
	return recording->damage;
}

Loaded *recording_read(Recording *recording, guint sample, guint n_exits, TakeRows each,
		       gpointer data, GError **error)
{
	recording->each = each;
	recording->data = data;
	return read_sample(recording, sample, n_exits, error);
}

Loaded *recording_read_host(Recording *recording, guint sample, guint n_exits, TakeRows each,
			    gpointer data, GError **error)
{
	recording->only_host = TRUE;
	Loaded *loaded = recording_read(recording, sample, n_exits, each, data, error);
	recording->only_host = FALSE;
	return loaded;
}
