/* SPDX-License-Identifier: 0BSD */
/*
 * ctprof sink plugins: they write captures, draw reports, and read files of
 * their own format back.
 *
 * The host calls the ops of a sink that writes a capture in this order:
 *
 *	open -> begin -> rows(HOST) -> rows(THREAD)... -> rows(EXIT)...
 *	     -> rows(CGROUP)... -> rows(OBJECT)... -> rows(CAPTURE) -> end -> close
 *
 * Thread rows come ordered by (tgid, tid), in several calls; cgroup rows ordered
 * bytewise by path; exit and object rows in the order of their source.  rows() is not
 * called for a scope without rows.  Calls never overlap, but may come from
 * different threads.  After a negative return, or when the capture is aborted,
 * the next call is close() and the output is discarded.
 *
 * In the samples of a recording, thread rows without values (n_slots is 0) may come
 * before the others, in any order: their targets have CTPROF_TARGET_SAME.  The sink must
 * ignore such a target if it does not know the thread from an earlier sample.
 *
 * A sink that has finish() also writes recordings, files of many samples.  Each
 * sample is a capture of its own; the metrics are those of the first:
 *
 *	open -> (begin -> rows... -> end)... -> finish -> close
 *
 * After finish(), begin() may be called again, for the first sample of another file.
 * A failed sample does not end the recording: the host removes what was written of
 * it, and the sample of the next begin() must be readable without the failed one.
 *
 * The ops of a sink that reads files of its own format:
 *
 *	open -> read... -> close
 *
 * The ops of a sink that writes tables, whose rows the host makes from captures, samples
 * and groups; all calls of table() come before the first records():
 *
 *	open -> table... -> records... -> finish -> close
 */
#ifndef CTPROF_SINK_H
#define CTPROF_SINK_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The structs that the 8-byte value of a row may point to: text, CPUs, map. */

/* A text. */
struct ctprof_text {
	uint32_t length; /* in bytes, without the NUL */
	char bytes[1];   /* length bytes and a NUL */
};

/* A set of CPUs. */
struct ctprof_cpus {
	uint32_t n;       /* number of CPUs */
	uint32_t cpus[1]; /* n CPU numbers, ascending */
};

/* A map. */
struct ctprof_map {
	uint64_t n;                         /* number of entries */
	struct ctprof_map_entry entries[1]; /* n entries, ordered bytewise by key */
};

/* The content of an 8-byte value: struct ctprof_metric_info.type. */
enum ctprof_type {
	CTPROF_TYPE_U64 = 10,  /* a uint64_t; also char and bool */
	CTPROF_TYPE_I64 = 20,  /* an int64_t */
	CTPROF_TYPE_TEXT = 30, /* address of a struct ctprof_text */
	CTPROF_TYPE_CPUS = 40, /* address of a struct ctprof_cpus */
	/* Address of a struct ctprof_map; for a HISTOGRAM, its keys are the numbers, in
	 * decimal, of the buckets that are not empty. */
	CTPROF_TYPE_MAP = 50,
	/* The rest are types of table columns only.  Since 1.5. */
	CTPROF_TYPE_REAL = 60, /* the bits of a double, finite */
	CTPROF_TYPE_BOOL = 70, /* 0 or 1 */
	CTPROF_TYPE_TIME = 80, /* a uint64_t: CLOCK_REALTIME in nanoseconds */
};

/* A registered metric. */
struct ctprof_metric_info {
	uint32_t struct_size;
	uint32_t index;  /* position of its slot in a row of its scope */
	uint32_t type;   /* enum ctprof_type */
	uint32_t wanted; /* 1: it was requested, and a live source offers it */
	const struct ctprof_metric *metric;
	/* Name of the source that fills it: before end(), the first that declared it;
	 * from then on, the most preferred of those that put a value, if any did. */
	const char *plugin;
};

/* A fact about the capture: an option and its value, as text. */
struct ctprof_fact {
	uint32_t struct_size;
	uint32_t reserved;
	const char *key;   /* option name */
	const char *value; /* as given by the user */
};

/* The capture that begins: begin().  Borrowed for the call, except metrics. */
struct ctprof_capture {
	uint32_t struct_size;
	uint32_t jobs; /* number of workers */
	/* CLOCK_REALTIME when the capture began; for a recorded root, when it
	 * was recorded, or the current time if the root does not show that. */
	uint64_t realtime_ns;
	/* CLOCK_BOOTTIME at that moment; for a recorded root, its uptime; 0:
	 * unknown. */
	uint64_t monotonic_ns;
	uint64_t n_metrics;
	/* n_metrics, ordered by rank, then as registered.  Valid until end() has
	 * returned. */
	const struct ctprof_metric_info *metrics;
	uint64_t n_options;
	const struct ctprof_fact *options; /* n_options of the capture, as given */
	const char *version;               /* of ctprof */
	const char *kernel;                /* release of the running kernel; NULL: recorded root */
	/* Number of the sample in a recording, from 1; 0: not a recording.  Since
	 * 1.4. */
	uint64_t sample;
	/* One sentence about the time since the previous sample, if its values do not show
	 * it (the host was suspended, samples are missing); NULL: nothing.  Since 1.4. */
	const char *note;
	/* The user's marks since the previous sample, in the order of time.  Key: the moment
	 * (CLOCK_REALTIME in nanoseconds, decimal), value: the name.  Since 1.6. */
	uint64_t n_marks;
	const struct ctprof_fact *marks;
};

/*
 * Rows of one scope.  The value of metric m (of that scope) in row i is
 * values[i * n_slots + m->index] if states[i * n_slots + m->index] is
 * CTPROF_PRESENT; otherwise the state is the reason (enum ctprof_absence) and
 * the value is undefined.  Everything is borrowed for the call.
 */
struct ctprof_rows {
	uint32_t struct_size;
	uint32_t scope;   /* CTPROF_SCOPE_THREAD, _EXIT, _CGROUP, _OBJECT, _HOST or _CAPTURE */
	uint64_t n;       /* number of rows */
	uint64_t n_slots; /* values per row */
	const struct ctprof_target *targets; /* n: use ctprof_rows_target(); task_fd is -1 */
	const uint64_t *values;              /* n * n_slots; see enum ctprof_type */
	const uint8_t *states;               /* n * n_slots; enum ctprof_absence */
};

/* The state of a plugin after the capture: struct ctprof_plugin_report.state. */
enum ctprof_plugin_state {
	CTPROF_STATE_LIVE = 10,     /* worked to the end */
	CTPROF_STATE_LEFT_OUT = 20, /* does not work on this host; why gives the reason */
	CTPROF_STATE_FAILED = 30,   /* switched off after failures */
};

/* The work of one plugin during the capture. */
struct ctprof_plugin_report {
	uint32_t struct_size;
	uint32_t state; /* enum ctprof_plugin_state */
	uint32_t kind;  /* enum ctprof_kind */
	uint32_t reserved;
	uint64_t batches;  /* number of collect() calls */
	uint64_t failures; /* failed calls, plus rejected puts */
	uint64_t cpu_ns;   /* CPU time inside the plugin */
	const char *name;
	const char *version;
	const char *why; /* NULL if live */
};

/* The capture that ends: end().  Borrowed for the call. */
struct ctprof_capture_end {
	uint32_t struct_size;
	uint32_t reserved;
	/* As in struct ctprof_capture, but when the last value was read; for a
	 * recorded root, the same as there. */
	uint64_t realtime_ns;
	uint64_t monotonic_ns;
	uint64_t threads;        /* number of thread rows written */
	uint64_t processes;      /* number of their processes */
	uint64_t vanished;       /* threads that ended while being read */
	uint64_t cpu_ns;         /* user and system time of ctprof */
	uint64_t peak_rss_bytes; /* largest resident set of ctprof */
	uint64_t n_plugins;
	const struct ctprof_plugin_report *plugins; /* n_plugins */
	/* Number of processes that cannot be listed, and so have no rows (hidepid=1);
	 * UINT64_MAX: other users' processes are hidden (hidepid=2), so their number is
	 * unknown.  Since 1.4. */
	uint64_t unseen;
	/* Digest of the key from which pseudonyms were made, if names were replaced by them;
	 * NULL: the names are the original ones.  Since 1.5. */
	const char *redaction_key;
	uint64_t n_replaced;
	const struct ctprof_fact *replaced; /* key: a field; value: number of values replaced */
};

/* ---- tables: since 1.5 --------------------------------------------------- */

/* The kind of a table's rows: bits of struct ctprof_sink_ops.tables. */
#define CTPROF_TABLE_THREADS 1u   /* a thread */
#define CTPROF_TABLE_GROUPS 2u    /* a group of threads in a capture */
#define CTPROF_TABLE_CGROUPS 4u   /* a cgroup */
#define CTPROF_TABLE_OBJECTS 8u   /* an object of a source */
#define CTPROF_TABLE_WINDOWS 16u  /* a group of threads between two samples of a recording */
#define CTPROF_TABLE_CAPTURES 32u /* a capture, with the values of its host */

/* struct ctprof_table_column.flags */
/* The column identifies the row (host, time, names) and is not a metric. */
#define CTPROF_TABLE_COLUMN_NAMES 1u
/* Each text is a JSON object, made from a map. */
#define CTPROF_TABLE_COLUMN_JSON 2u
/* UINT64_MAX means "no limit". */
#define CTPROF_TABLE_COLUMN_UNLIMITED 4u

/* A column of a table. */
struct ctprof_table_column {
	uint32_t struct_size;
	/* Type of its values, enum ctprof_type: U64, I64, TEXT, REAL, BOOL or TIME. */
	uint32_t type;
	uint32_t flags; /* CTPROF_TABLE_COLUMN_* */
	/* Kind of the metric that is shown or folded: enum ctprof_metric_kind; otherwise 0. */
	uint32_t kind;
	/* [a-z][a-z0-9_.]*, unique in the table without regard to dots. */
	const char *name;
	const char *unit; /* "ns", "bytes", "none", "ratio", "text", ... */
	const char *help; /* one clause, no full stop */
};

/* A table that begins: table().  Valid until finish() has returned. */
struct ctprof_table {
	uint32_t struct_size;
	uint32_t number; /* of the table, from 0, as in struct ctprof_records.table */
	uint32_t rows;   /* what its rows describe: one bit, CTPROF_TABLE_* */
	uint32_t reserved;
	const char *name;    /* "thread", "group", "cgroup", "object", "window", "capture" */
	const char *version; /* of ctprof */
	uint64_t n_columns;  /* at least 1 */
	const struct ctprof_table_column *columns;
};

/*
 * Rows of a table.  The value of column c in row i is values[i * n_columns + c] if
 * present[i * n_columns + c] is 1; if that is 0, the value is absent and must not be
 * written as a number.  Texts are UTF-8 without NUL.  Everything is borrowed for the call.
 */
struct ctprof_records {
	uint32_t struct_size;
	uint32_t table; /* number of the table */
	uint64_t n;     /* number of rows, at least 1 */
	uint64_t n_columns;
	const uint64_t *values; /* n * n_columns; see enum ctprof_type */
	const uint8_t *present; /* n * n_columns: 1 or 0 */
};

/* ---- reading back ------------------------------------------------------ */

/* The subject of a fact: ctprof_input.fact(). */
enum ctprof_fact_kind {
	/* When and how the capture was made.  Known keys: captured_at_unix_ns,
	 * begin_boottime_ns, skew_ns, version (of ctprof), kernel, note (of a sample),
	 * unseen (struct ctprof_capture_end; missing: none). */
	CTPROF_FACT_CAPTURE = 10,
	CTPROF_FACT_OPTION = 20, /* an option of the capture, as given */
	CTPROF_FACT_PLUGIN = 30, /* key: name of a plugin; value: its state */
	/* Key: name of a plugin; value: "KIND BATCHES FAILURES CPU_NS VERSION" of its
	 * struct ctprof_plugin_report.  Since 1.5. */
	CTPROF_FACT_REPORT = 40,
	/* Names have been replaced by pseudonyms.  Key: "key"; value: as
	 * ctprof_capture_end.redaction_key.  Since 1.5. */
	CTPROF_FACT_REDACTED = 50,
	/* A mark of one of the n_exits samples, as in struct ctprof_capture, in the order of
	 * time.  Key: its moment, value: its name.  Since 1.6. */
	CTPROF_FACT_MARK = 60,
};

/* A sample of a recording: ctprof_input.found().  Since 1.4. */
struct ctprof_recorded {
	uint32_t struct_size;
	uint32_t is_key;      /* 1: readable without the samples before it */
	uint64_t realtime_ns; /* CLOCK_REALTIME when it began, to the millisecond at least */
	uint64_t part;        /* the part of the file it is in, from 0.  Since 1.6. */
};

/* ctprof_input.sample: no rows are wanted, only calls of found(). */
#define CTPROF_SAMPLE_NONE UINT64_MAX

/*
 * The file and the functions that the host offers to read(), valid for that
 * call and on its thread only.  The first argument is always that pointer.  The
 * functions copy what their arguments point to.
 */
struct ctprof_input {
	uint32_t struct_size;
	/* Limits that the reader must enforce; each is at least 1. */
	uint32_t max_depth;      /* levels of nesting */
	uint32_t max_string;     /* bytes of a name or text */
	uint32_t max_window_log; /* log2 of the bytes a decompressor may look back */
	uint64_t max_bytes;      /* size of the file, decompressed */
	uint64_t max_threads;    /* rows of thread scope; also of exit and of object scope */
	void *handle;            /* for the host only */

	/* Reads the next bytes of the file, as stored, into data.  Returns their
	 * number (at most size), 0 at the end of the file, or -errno, which the
	 * host explains itself. */
	int64_t (*read)(const struct ctprof_input *input, void *data, uint64_t size);
	/* Goes back to the first byte of the file.  Returns 0, or -errno, which the
	 * host explains itself. */
	int (*rewind)(const struct ctprof_input *input);

	/* Declares a metric of the file and sets *ret_slot to its slot.  plugin:
	 * the source that filled it.  help and origin may be "".  Returns 0;
	 * -EINVAL: malformed, or of a kind this host does not know; -EEXIST: the
	 * name is taken; -EBUSY: after seal(). */
	int (*metric)(const struct ctprof_input *input, const char *plugin,
		      const struct ctprof_metric *metric, uint32_t *ret_slot);
	/* Ends the declarations of metrics.  Returns 0 or -errno. */
	int (*seal)(const struct ctprof_input *input);
	/*
	 * Begins the next row of a scope, after seal().  Every slot is absent as
	 * UNSUPPORTED; in the row of a thread other than the leader, slots of
	 * process and mm scope as INAPPLICABLE.  The put functions of struct
	 * ctprof_host take *ret_batch and *ret_row until the next row() of that
	 * scope.  Returns 0, or a negative number: the host needs no more rows, and
	 * read() must return that number.
	 */
	int (*row)(const struct ctprof_input *input, uint32_t scope,
		   const struct ctprof_target *target, struct ctprof_batch **ret_batch,
		   uint64_t *ret_row);
	/* Reports a fact of the file (kind: enum ctprof_fact_kind). */
	void (*fact)(const struct ctprof_input *input, uint32_t kind, const char *key,
		     const char *value);
	/* Explains, in one sentence, the negative errno about to be returned: what
	 * was expected, and what was found.  offset: of the byte concerned, in the
	 * decompressed text; UINT64_MAX: none.  The last call before the return
	 * counts. */
	void (*fault)(const struct ctprof_input *input, uint64_t offset, const char *format, ...)
		CTPROF_PRINTF(3, 4);

	/* The rest is for readers of recordings, since 1.4. */

	/* Size of the file in bytes; 0: unknown, in which case only a snapshot or the
	 * first sample of a recording can be read, and seek() fails. */
	uint64_t size;
	/* The sample to read, from 0; CTPROF_SAMPLE_NONE: none. */
	uint64_t sample;
	/* Number of samples, ending with that one, whose exit rows and marks are wanted;
	 * 1: only its own. */
	uint64_t n_exits;
	/* Identifies the file: if it is the same as in the previous call, so is the
	 * file, and its samples have been reported by found(); 0: the file has no
	 * identity. */
	uint64_t file;
	/* Continues to read at offset.  Returns 0 or -errno, which the host explains
	 * itself. */
	int (*seek)(const struct ctprof_input *input, uint64_t offset);
	/* Reports a sample of the file; called for each, in their order.
	 * Returns 0 or -errno. */
	int (*found)(const struct ctprof_input *input, const struct ctprof_recorded *sample);
	/* Reports that the end of the file is damaged or missing, in a sentence that
	 * says what is lost; the samples found can be read. */
	void (*damaged)(const struct ctprof_input *input, const char *sentence);
	/* The file may be several recordings one after the other, each whole or cut off:
	 * n_parts of them, and the offset at which each ends, the last one being size.  0 and
	 * NULL: it is one.  Since 1.6. */
	uint64_t n_parts;
	const uint64_t *part_ends;
	/* Not 0: rows cannot be taken back, so a snapshot must be checked to its end before its
	 * first row.  Since 1.6. */
	uint64_t must_check;
};

struct ctprof_report; /* report.h */

/* struct ctprof_sink_ops.flags.  Since 1.5. */
/* Its table files are text, which may be written to a terminal. */
#define CTPROF_SINK_TEXT 1u

/* The functions of a sink.  Those that return int return 0 or -errno, after
 * host->error(); read() after input->fault(). */
struct ctprof_sink_ops {
	uint32_t struct_size;
	uint32_t reserved;
	/* Required.  Creates the instance and sets *ret_self to it.  host is valid
	 * until close() has returned.  After a negative return close() is not
	 * called. */
	int (*open)(const struct ctprof_host *host, void **ret_self);
	/* Required.  Frees the instance; may be called at any point after open(). */
	void (*close)(void *self);
	/* Write a capture with host->write(), in the order above: all three or
	 * none. */
	int (*begin)(void *self, const struct ctprof_capture *capture);
	int (*rows)(void *self, const struct ctprof_rows *rows);
	int (*end)(void *self, const struct ctprof_capture_end *end);
	/* Draws a finished report (report.h) with host->write(); called between open
	 * and close.  A sink has this, or begin, rows and end, or both. */
	int (*report)(void *self, const struct ctprof_report *report);
	/* Optional.  Reads one file; may be called again for another.  Declares the
	 * metrics, then adds the rows: threads in the order of the file, rows of
	 * other scopes before, between or after them.  After a negative return the
	 * host discards all that was read of the file. */
	int (*read)(void *self, const struct ctprof_input *input);
	/* Optional; since 1.4.  Writes the end of a recording, after the end() of its
	 * last sample; a sink with table() must have it, to write the end of a table file. */
	int (*finish)(void *self);
	/* Optional; since 1.4.  Writes the samples first to last of a file as a new
	 * recording, with host->write().  That begins with the latest sample, at or
	 * before first, that is readable without the samples before it. */
	int (*cut)(void *self, const struct ctprof_input *input, uint64_t first, uint64_t last);
	/* Write tables with host->write(), in the order above.  A sink has both and finish(),
	 * or neither.  These and the members below are since 1.5. */
	int (*table)(void *self, const struct ctprof_table *table);
	int (*records)(void *self, const struct ctprof_records *records);
	uint32_t tables; /* tables it accepts, bits CTPROF_TABLE_*; 0: all */
	/* Tables to write if the user names none, one or more bits; 0: THREADS. */
	uint32_t usual_tables;
	uint32_t flags; /* CTPROF_SINK_* */
	uint32_t reserved_after_flags;
};

/* Returns the target of row i < rows->n, also if the host's struct
 * ctprof_target is larger than the one the plugin was compiled with. */
static inline const struct ctprof_target *ctprof_rows_target(const struct ctprof_rows *rows,
							     uint64_t i)
{
	const char *base = (const char *)rows->targets;

	return (const struct ctprof_target *)(const void *)(base + i * rows->targets->struct_size);
}

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_SINK_H */
