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
 * Of a sink that reads files of its own format:
 *
 *	open -> read... -> close
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

/* What an 8-byte value contains: struct ctprof_metric_info.type. */
enum ctprof_type {
	CTPROF_TYPE_U64 = 10,  /* a uint64_t; also char and bool */
	CTPROF_TYPE_I64 = 20,  /* an int64_t */
	CTPROF_TYPE_TEXT = 30, /* address of a struct ctprof_text */
	CTPROF_TYPE_CPUS = 40, /* address of a struct ctprof_cpus */
	CTPROF_TYPE_MAP = 50,  /* address of a struct ctprof_map */
};

/* A registered metric. */
struct ctprof_metric_info {
	uint32_t struct_size;
	uint32_t index;  /* of its slot in a row of its scope */
	uint32_t type;   /* enum ctprof_type */
	uint32_t wanted; /* 1: it was requested, and a live source offers it */
	const struct ctprof_metric *metric;
	/* Name of the source that fills it.  Until end() the first one that declared
	 * it; then the one that did put values, the most preferred of them, if any. */
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
	/* CLOCK_REALTIME when the capture began; of a recorded root, when it was
	 * recorded, or now if it does not show that. */
	uint64_t realtime_ns;
	/* CLOCK_BOOTTIME at that moment; of a recorded root, its uptime; 0: unknown. */
	uint64_t monotonic_ns;
	uint64_t n_metrics;
	/* n_metrics, ordered by rank, then as registered.  Valid until end() has
	 * returned. */
	const struct ctprof_metric_info *metrics;
	uint64_t n_options;
	const struct ctprof_fact *options; /* n_options of the capture, as given */
	const char *version;               /* of ctprof */
	const char *kernel;                /* release of the running kernel; NULL: recorded root */
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
	CTPROF_STATE_LEFT_OUT = 20, /* does not work on this host; why says the reason */
	CTPROF_STATE_FAILED = 30,   /* switched off after failures */
};

/* What one plugin did during the capture. */
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
	/* As in struct ctprof_capture, when the last value was read; of a recorded
	 * root the same as there. */
	uint64_t realtime_ns;
	uint64_t monotonic_ns;
	uint64_t threads;        /* number of thread rows written */
	uint64_t processes;      /* number of their processes */
	uint64_t vanished;       /* threads that ended while being read */
	uint64_t cpu_ns;         /* user and system time of ctprof */
	uint64_t peak_rss_bytes; /* largest resident set of ctprof */
	uint64_t n_plugins;
	const struct ctprof_plugin_report *plugins; /* n_plugins */
};

/* ---- reading back ------------------------------------------------------ */

/* What a fact is about: ctprof_input.fact(). */
enum ctprof_fact_kind {
	/* When and how the capture was made.  Known keys: captured_at_unix_ns,
	 * begin_boottime_ns, version (of ctprof), kernel. */
	CTPROF_FACT_CAPTURE = 10,
	CTPROF_FACT_OPTION = 20, /* an option of the capture, as given */
	CTPROF_FACT_PLUGIN = 30, /* key: name of a plugin; value: its state */
};

/*
 * The file and the functions that the host offers to read(), valid for that
 * call and on its thread only.  The first argument is always that pointer.
 * The functions copy what is pointed to.
 */
struct ctprof_input {
	uint32_t struct_size;
	/* Limits that the reader must enforce; each is at least 1. */
	uint32_t max_depth;      /* levels of nesting */
	uint32_t max_string;     /* bytes of a name or text */
	uint32_t max_window_log; /* log2 of the bytes a decompressor may look back */
	uint64_t max_bytes;      /* size of the file, decompressed */
	uint64_t max_threads;    /* rows of thread scope; the same of exit and object scope */
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
};

struct ctprof_report; /* report.h */

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
