/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "frames.h"
#include "growth.h"
#include "kept.h"
#include "preface.h"
#include "read.h"

/* The destination of the values that the reader of documents puts. */
struct cursor {
	struct ctprof_batch batch; /* its handle is this */
	struct replay *replay;
	struct kept_rows *rows;
	struct kept_row *row; /* the one begun last */
};

#define NO_SAMPLE SIZE_MAX

struct replay {
	const struct ctprof_host *host;
	const struct ctprof_input *input; /* of this call */
	struct ctprof_host table;         /* host for the reader, with our put functions */
	struct ctprof_input frame_input;  /* the same for a frame */
	const struct seek_frame *frame;
	uint64_t frame_left;
	uint64_t file; /* the file that has these frames; 0: none */
	struct seek_table frames;
	size_t at;         /* the sample that is kept, or NO_SAMPLE */
	size_t exits_from; /* the first sample whose exits and marks are kept with it */
	struct reader reader;
	bool has_reader;
	struct kept kept;
	struct kept_rows exits; /* exits of earlier samples, while a key frame is being read */
	struct cursor cursors[KEPT_N_CLASSES];
	struct preface preface;
	int error; /* error of a put function, which cannot return it */
};

/* ---- for the reader of documents: metrics, facts and bytes ---------------------- */

static int take_metric(const struct ctprof_input *input, const char *plugin,
		       const struct ctprof_metric *metric, uint32_t *ret_slot)
{
	struct replay *replay = input->handle;

	return preface_add_metric(&replay->preface, &replay->kept, plugin, metric, ret_slot);
}

/* Keeps the exits of the samples before a key frame if the metrics are the same. */
static int seal(const struct ctprof_input *input)
{
	struct replay *replay = input->handle;
	struct kept_rows *exits = &replay->kept.of[KEPT_EXIT], *before = &replay->exits;

	if (exits->n_slots != before->n_slots ||
	    (exits->n_slots > 0 && memcmp(exits->types, before->types, exits->n_slots) != 0))
		return 0;
	kept_rows_free(exits);
	*exits = *before;
	*before = (struct kept_rows){0};
	return 0;
}

static void take_fact(const struct ctprof_input *input, uint32_t kind, const char *key,
		      const char *value)
{
	struct replay *replay = input->handle;
	int r = preface_add_fact(&replay->preface, kind, key, value);

	replay->error = replay->error < 0 ? replay->error : r;
}

/* Forgets the sample that is kept, except for its marks. */
static void forget_document(struct replay *replay)
{
	if (replay->has_reader)
		reader_free(&replay->reader);
	replay->has_reader = false;
	kept_free(&replay->kept);
	preface_drop_document(&replay->preface);
	replay->at = NO_SAMPLE;
	replay->error = 0;
}

static void forget(struct replay *replay)
{
	forget_document(replay);
	preface_clear(&replay->preface);
}

static int64_t frame_read(const struct ctprof_input *input, void *data, uint64_t size)
{
	struct replay *replay = input->handle;
	uint64_t n = size < replay->frame_left ? size : replay->frame_left;
	int64_t got = n > 0 ? replay->input->read(replay->input, data, n) : 0;

	if (got > 0)
		replay->frame_left -= (uint64_t)got;
	return got;
}

static int frame_rewind(const struct ctprof_input *input)
{
	struct replay *replay = input->handle;

	replay->frame_left = replay->frame->size;
	return replay->input->seek(replay->input, replay->frame->offset);
}

static CTPROF_PRINTF(3, 4) void frame_fault(const struct ctprof_input *input, uint64_t offset,
					    const char *format, ...)
{
	struct replay *replay = input->handle;
	char sentence[512];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	replay->input->fault(replay->input, UINT64_MAX, "sample %zu, byte %ju: %s",
			     (size_t)(replay->frame - replay->frames.frames),
			     (uintmax_t)(offset == UINT64_MAX ? 0 : offset), sentence);
}

/* ---- rows --------------------------------------------------------------------------- */

/* Finds the row for an item in a frame of changes: an existing row, or a new cgroup or object. */
static int change_row(struct replay *replay, enum kept_class class,
		      const struct ctprof_target *target, struct kept_row **ret_row)
{
	struct kept_rows *rows = &replay->kept.of[class];
	uint32_t nth = class == KEPT_OBJECT ? replay->reader.named.nth : 0;
	bool is_new;

	if (class == KEPT_THREAD) {
		*ret_row = kept_find(rows, target, 0);
		if (*ret_row && (*ret_row)->sample != 0)
			return 0;
		replay->frame_input.fault(&replay->frame_input, UINT64_MAX,
					  "expected changes of threads of the previous sample, "
					  "found changes of others");
		return -EBADMSG;
	}
	int r = kept_take_nth(rows, target, nth, ret_row, &is_new);
	/* Values that a new row lacks had not been requested. */
	for (uint32_t i = 0; r == 0 && is_new && i < rows->n_slots; i++)
		(*ret_row)->states[i] = CTPROF_ABSENT_SKIPPED;
	return r;
}

static int whole_row(struct replay *replay, enum kept_class class,
		     const struct ctprof_target *target, struct kept_row **ret_row)
{
	bool is_new;
	int r = kept_take(&replay->kept.of[class], target, ret_row, &is_new);

	if (r == -EINVAL)
		replay->frame_input.fault(&replay->frame_input, UINT64_MAX,
					  "expected at most %d objects of one name, found more",
					  KEPT_MAX_NTH);
	if (r == 0)
		preface_begin_row(&replay->preface, &replay->kept, class, *ret_row);
	return r == -EINVAL ? -EBADMSG : r;
}

static int take_row(const struct ctprof_input *input, uint32_t scope,
		    const struct ctprof_target *target, struct ctprof_batch **ret_batch,
		    uint64_t *ret_row)
{
	struct replay *replay = input->handle;
	enum kept_class class = kept_class_of(scope);
	const struct reader *reader = &replay->reader;
	struct cursor *cursor = &replay->cursors[class];
	bool changes =
		reader->pass == PASS_DELTA && (class != KEPT_THREAD || reader->threads.partial);
	int r = replay->error;

	if (r == 0 && class == KEPT_EXIT) {
		cursor->row = kept_append(&replay->kept.of[class], target, 0);
		r = cursor->row ? 0 : -ENOMEM;
	} else if (r == 0) {
		r = changes ? change_row(replay, class, target, &cursor->row)
			    : whole_row(replay, class, target, &cursor->row);
	}
	*ret_batch = &cursor->batch;
	*ret_row = 0;
	return r;
}

static void note_gone(struct reader *reader, const struct ctprof_target *target, uint32_t nth)
{
	struct replay *replay = reader->context;
	enum kept_class class = target->group  ? KEPT_OBJECT
				: target->path ? KEPT_CGROUP
					       : KEPT_THREAD;
	struct kept_row *row = kept_find(&replay->kept.of[class], target, nth);

	if (row)
		row->sample = 0;
}

/* ---- values --------------------------------------------------------------------------- */

static void put(struct ctprof_batch *batch, uint32_t slot, uint8_t state, uint64_t bits)
{
	const struct cursor *cursor = batch->handle;
	struct replay *replay = cursor->replay;

	if (kept_set(cursor->rows, cursor->row, replay->preface.definitions[slot].index, state,
		     bits) < 0)
		replay->error = -ENOMEM;
}

static void put_u64(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint64_t value)
{
	(void)row;
	put(batch, slot, CTPROF_PRESENT, value);
}

static void put_i64(struct ctprof_batch *batch, uint64_t row, uint32_t slot, int64_t value)
{
	(void)row;
	put(batch, slot, CTPROF_PRESENT, (uint64_t)value);
}

static void put_absent(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint32_t why)
{
	(void)row;
	put(batch, slot, (uint8_t)why, 0);
}

/* Stores a value consisting of a head and items, in the form that rows point to. */
static void put_items(struct ctprof_batch *batch, uint32_t slot, const void *head, size_t head_size,
		      const void *items, size_t size)
{
	const struct cursor *cursor = batch->handle;
	FREED char *bytes = malloc(head_size + size + 1);

	if (!bytes) {
		cursor->replay->error = -ENOMEM;
		return;
	}
	memcpy(bytes, head, head_size);
	if (size > 0)
		memcpy(bytes + head_size, items, size);
	bytes[head_size + size] = '\0';
	put(batch, slot, CTPROF_PRESENT, (uintptr_t)bytes);
}

static void put_text(struct ctprof_batch *batch, uint64_t row, uint32_t slot, const char *text,
		     size_t length)
{
	const struct ctprof_text head = {.length = (uint32_t)length};

	(void)row;
	put_items(batch, slot, &head, offsetof(struct ctprof_text, bytes), text, length);
}

static void put_cpuset(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
		       const uint32_t *cpus, size_t n)
{
	const struct ctprof_cpus head = {.n = (uint32_t)n};

	(void)row;
	put_items(batch, slot, &head, offsetof(struct ctprof_cpus, cpus), cpus, n * sizeof *cpus);
}

static void put_map(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
		    const struct ctprof_map_entry *entries, size_t n)
{
	const struct ctprof_map head = {.n = n};

	(void)row;
	put_items(batch, slot, &head, offsetof(struct ctprof_map, entries), entries,
		  n * sizeof *entries);
}

/* Adds the growth to the histogram of the sample before. */
static void put_growth(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
		       const uint64_t *growth, size_t n)
{
	const struct cursor *cursor = batch->handle;
	struct replay *replay = cursor->replay;
	int r = growth_add(cursor->rows, cursor->row, replay->preface.definitions[slot].index,
			   growth);

	(void)row;
	(void)n;
	if (r == -EBADMSG)
		replay->frame_input.fault(&replay->frame_input, UINT64_MAX,
					  "expected the growth of a histogram of the previous "
					  "sample, found growth of none or beyond 64 bits");
	replay->error = r < 0 ? r : replay->error;
}

/* ---- frames ------------------------------------------------------------------------------ */

static void lend(struct replay *replay)
{
	const struct ctprof_input *input = replay->input;

	replay->frame_input = (struct ctprof_input){
		.struct_size = sizeof replay->frame_input,
		.max_depth = input->max_depth,
		.max_string = input->max_string,
		.max_window_log = input->max_window_log,
		.max_bytes = input->max_bytes,
		.max_threads = input->max_threads,
		.handle = replay,
		.read = frame_read,
		.rewind = frame_rewind,
		.metric = take_metric,
		.seal = seal,
		.row = take_row,
		.fact = take_fact,
		.fault = frame_fault,
	};
	for (size_t i = 0; i < KEPT_N_CLASSES; i++)
		replay->cursors[i] = (struct cursor){
			.batch = {.struct_size = sizeof(struct ctprof_batch),
				  .n = 1,
				  .handle = &replay->cursors[i]},
			.replay = replay,
			.rows = &replay->kept.of[i],
			.row = replay->kept.of[i].n > 0 ? replay->kept.of[i].rows[0] : NULL,
		};
}

static int read_key(struct replay *replay)
{
	struct kept_rows *exits = &replay->kept.of[KEPT_EXIT];

	replay->exits = *exits;
	*exits = (struct kept_rows){0};
	forget_document(replay);
	replay->reader = (struct reader){
		.host = &replay->table,
		.input = &replay->frame_input,
		.gone = note_gone,
		.context = replay,
	};
	replay->has_reader = true;
	kept_begin(&replay->kept);
	int r = reader_init(&replay->reader);
	r = r < 0 ? r : reader_read(&replay->reader);
	kept_rows_free(&replay->exits);
	return r;
}

static int read_delta(struct replay *replay)
{
	preface_begin_sample(&replay->preface);
	int r = reader_read_delta(&replay->reader);
	for (size_t i = 0; i < KEPT_N_CLASSES; i++)
		if (i != KEPT_EXIT) /* the exits may come from thousands of frames */
			kept_sweep(&replay->kept.of[i], 1, NULL, NULL);
	kept_sort(&replay->kept.of[KEPT_THREAD]);
	kept_sort(&replay->kept.of[KEPT_CGROUP]);
	return r;
}

static int read_frame(struct replay *replay, size_t sample)
{
	replay->frame = &replay->frames.frames[sample];
	int r = replay->frame->is_key ? read_key(replay) : read_delta(replay);
	r = r < 0 ? r : replay->error;
	replay->at = r < 0 ? NO_SAMPLE : sample;
	return r;
}

/* Advances the kept rows to the sample, with the exits and marks of the last n_exits samples. */
static int go_to(struct replay *replay, size_t sample, uint64_t n_exits)
{
	size_t wanted = n_exits > sample ? 0 : sample + 1 - (size_t)n_exits, next = wanted;
	int r = 0;

	if (replay->at == sample && replay->exits_from == wanted)
		return 0;
	while (next > 0 && !replay->frames.frames[next].is_key)
		next--;
	if (replay->at != NO_SAMPLE && replay->at >= next && replay->at < sample &&
	    (replay->at < wanted || replay->exits_from == wanted))
		next = replay->at + 1;
	for (; r == 0 && next <= sample; next++) {
		if (next <= wanted) {
			kept_clear(&replay->kept.of[KEPT_EXIT]);
			preface_drop_marks(&replay->preface);
		}
		r = read_frame(replay, next);
	}
	replay->exits_from = wanted;
	if (r < 0)
		forget(replay);
	return r;
}

/* ---- to the host ------------------------------------------------------------------------ */

static int declare(struct replay *replay)
{
	const struct ctprof_input *input = replay->input;

	for (uint32_t i = 0; i < replay->preface.n_definitions; i++) {
		struct definition *definition = &replay->preface.definitions[i];
		int r = input->metric(input, definition->plugin, &definition->metric,
				      &definition->slot);

		definition->taken = r == 0;
		if (r < 0 && r != -EINVAL && r != -EEXIST)
			return r;
	}
	return input->seal(input);
}

static void hand_value(const struct replay *replay, const struct definition *definition,
		       uint64_t bits, struct ctprof_batch *batch, uint64_t row)
{
	const struct ctprof_host *host = replay->host;
	const void *value = (const void *)(uintptr_t)bits;
	uint32_t slot = definition->slot;

	switch (replay->kept.of[definition->class].types[definition->index]) {
	case CTPROF_TYPE_I64:
		host->put_i64(batch, row, slot, (int64_t)bits);
		break;
	case CTPROF_TYPE_TEXT:
		host->put_text(batch, row, slot, ((const struct ctprof_text *)value)->bytes,
			       ((const struct ctprof_text *)value)->length);
		break;
	case CTPROF_TYPE_CPUS:
		host->put_cpuset(batch, row, slot, ((const struct ctprof_cpus *)value)->cpus,
				 ((const struct ctprof_cpus *)value)->n);
		break;
	case CTPROF_TYPE_MAP:
		host->put_map(batch, row, slot, ((const struct ctprof_map *)value)->entries,
			      ((const struct ctprof_map *)value)->n);
		break;
	default:
		host->put_u64(batch, row, slot, bits);
	}
}

static int hand_row(const struct replay *replay, enum kept_class class, const struct kept_row *row)
{
	struct ctprof_batch *batch;
	uint64_t place;
	int r = replay->input->row(replay->input, kept_scopes[class], &row->target, &batch, &place);

	for (uint32_t i = 0; r == 0 && i < replay->preface.n_definitions; i++) {
		const struct definition *definition = &replay->preface.definitions[i];

		if (!definition_fits(definition, class, &row->target))
			continue;
		uint8_t state = row->states[definition->index];
		if (state == CTPROF_PRESENT)
			hand_value(replay, definition, row->values[definition->index], batch,
				   place);
		else
			replay->host->put_absent(batch, place, definition->slot, state);
	}
	return r;
}

static int hand_rows(const struct replay *replay)
{
	int r = 0;

	for (enum kept_class class = 0; class < KEPT_N_CLASSES; class ++) {
		const struct kept_rows *rows = &replay->kept.of[class];

		for (size_t i = 0; r == 0 && i < rows->n; i++)
			r = hand_row(replay, class, rows->rows[i]);
	}
	return r;
}

static int hand_on(struct replay *replay)
{
	const struct ctprof_input *input = replay->input;
	int r = declare(replay);

	for (uint32_t i = 0; r == 0 && i < replay->preface.n_facts; i++)
		input->fact(input, replay->preface.facts[i].kind, replay->preface.facts[i].key,
			    replay->preface.facts[i].value);
	return r < 0 ? r : hand_rows(replay);
}

/* ---- the whole ------------------------------------------------------------------------------ */

struct replay *replay_new(const struct ctprof_host *host)
{
	struct replay *replay = calloc(1, sizeof *replay);

	if (!replay)
		return NULL;
	replay->host = host;
	replay->at = NO_SAMPLE;
	/* The host's struct may be longer or shorter than ours. */
	memcpy(&replay->table, host,
	       host->struct_size < sizeof *host ? host->struct_size : sizeof *host);
	replay->table.put_u64 = put_u64;
	replay->table.put_i64 = put_i64;
	replay->table.put_text = put_text;
	replay->table.put_cpuset = put_cpuset;
	replay->table.put_map = put_map;
	replay->table.put_absent = put_absent;
	replay->table.put_histogram = put_growth;
	return replay;
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	forget(replay);
	seek_table_clear(&replay->frames);
	free(replay);
}

static int list_samples(struct replay *replay)
{
	const struct ctprof_input *input = replay->input;
	int r = 0;

	forget(replay);
	seek_table_clear(&replay->frames);
	replay->file = 0;
	r = frames_find(input, &replay->frames);
	for (size_t i = 0; r == 0 && i < replay->frames.n; i++) {
		const struct seek_frame *frame = &replay->frames.frames[i];
		const struct ctprof_recorded sample = {
			.struct_size = sizeof sample,
			.is_key = frame->is_key,
			.realtime_ns = frame->realtime_ns,
			.part = frame->part,
		};

		r = input->found(input, &sample);
	}
	if (r == 0)
		replay->file = input->file;
	return r;
}

/* Lists the samples of a new file. */
static int take_file(struct replay *replay, const struct ctprof_input *input)
{
	replay->input = input;
	lend(replay);
	return replay->file == 0 || replay->file != input->file ? list_samples(replay) : 0;
}

int replay_read(struct replay *replay, const struct ctprof_input *input)
{
	int r = take_file(replay, input);

	if (r < 0 || input->sample == CTPROF_SAMPLE_NONE)
		return r;
	/* The file is a single document. */
	if (replay->frames.n == 0)
		return (r = input->rewind(input)) < 0
			       ? r
			       : read_snapshot(replay->host, input, replay->frames.tail);
	if (input->sample >= replay->frames.n) {
		input->fault(input, UINT64_MAX, "expected sample %ju, found %zu samples",
			     (uintmax_t)input->sample, replay->frames.n);
		return -EBADMSG;
	}
	r = go_to(replay, (size_t)input->sample, input->n_exits > 0 ? input->n_exits : 1);
	return r < 0 ? r : hand_on(replay);
}

int replay_cut(struct replay *replay, const struct ctprof_input *input, uint64_t first,
	       uint64_t last)
{
	int r = take_file(replay, input);
	if (r < 0)
		return r;
	if (first > last || last >= replay->frames.n) {
		input->fault(input, UINT64_MAX, "expected samples up to %ju, found %zu",
			     (uintmax_t)last, replay->frames.n);
		return -EBADMSG;
	}
	return frames_cut(input, replay->host, &replay->frames, (size_t)first, (size_t)last);
}
