/* SPDX-License-Identifier: 0BSD */
/*
 * ctprof sink plugins: what writes a capture.
 *
 * Life of a sink:
 *	open -> begin -> rows(HOST) -> rows(THREAD)... -> rows(CGROUP)...
 *	     -> rows(OBJECT)... -> rows(CAPTURE) -> end -> close
 *
 * Thread rows come ordered by (tgid, tid), in pieces; cgroup rows ordered
 * bytewise by path; object rows as their source named them.  A scope without rows is left out.
 *Calls never overlap, but may come from different threads.  After a negative return, or when the
 * capture is broken off, close() follows at once and the output is discarded.
 *
 * Life of a sink that reads files of its own format back:
 *	open -> read... -> close
 */
#ifndef CTPROF_SINK_H
#define CTPROF_SINK_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stored forms behind a row's 8-byte values. */

/* A text: length bytes, then a NUL. */
struct ctprof_text {
	uint32_t length;
	char bytes[1]; /* length + 1 of them */
};

/* A set of CPUs, ascending. */
struct ctprof_cpus {
	uint32_t n;
	uint32_t cpus[1]; /* n of them */
};

/* A map, ordered bytewise by key. */
struct ctprof_map {
	uint64_t n;
	struct ctprof_map_entry entries[1]; /* n of them */
};

/* What an 8-byte value is: struct ctprof_metric_info.type. */
enum ctprof_type {
	CTPROF_TYPE_U64 = 10,  /* also char and bool */
	CTPROF_TYPE_I64 = 20,  /* the same bits, signed */
	CTPROF_TYPE_TEXT = 30, /* address of a struct ctprof_text */
	CTPROF_TYPE_CPUS = 40, /* address of a struct ctprof_cpus */
	CTPROF_TYPE_MAP = 50,  /* address of a struct ctprof_map */
};

/* A registered metric. */
struct ctprof_metric_info {
	uint32_t struct_size;
	uint32_t index;  /* place in a row of its scope's batches */
	uint32_t type;   /* enum ctprof_type */
	uint32_t wanted; /* 1: somebody asked for it and a live source offers it */
	const struct ctprof_metric *metric;
	/* Name of the source that fills it.  Until end() the first one that declared
	 * it; then the one that did put values, the most preferred of them, if any. */
	const char *plugin;
};

/* A fact about the capture, as text. */
struct ctprof_fact {
	uint32_t struct_size;
	uint32_t reserved;
	const char *key;
	const char *value;
};

/* Given to begin(). */
struct ctprof_capture {
	uint32_t struct_size;
	uint32_t jobs;         /* workers */
	uint64_t realtime_ns;  /* CLOCK_REALTIME when the capture began */
	uint64_t monotonic_ns; /* CLOCK_BOOTTIME at that moment */
	uint64_t n_metrics;
	/* In the order of lists: by rank, then as registered.  Valid until end() has
	 * returned, unlike the rest. */
	const struct ctprof_metric_info *metrics;
	uint64_t n_options;
	const struct ctprof_fact *options; /* the capture's options, as given */
	const char *version;               /* ctprof's */
	const char *kernel;                /* release of the running kernel; NULL: recorded root */
};

/*
 * Rows of one scope.  Row i's value of metric m (of that scope) is
 * values[i * n_slots + m->index] when states[i * n_slots + m->index] is
 * CTPROF_PRESENT; otherwise the state is the reason (enum ctprof_absence) and
 * the value means nothing.  Everything is borrowed for the call.
 */
struct ctprof_rows {
	uint32_t struct_size;
	uint32_t scope; /* CTPROF_SCOPE_THREAD, _CGROUP, _OBJECT, _HOST or _CAPTURE */
	uint64_t n;
	uint64_t n_slots;
	const struct ctprof_target *targets; /* stride: targets->struct_size; task_fd is -1 */
	const uint64_t *values;
	const uint8_t *states;
};

/* How one plugin fared: struct ctprof_plugin_report.state. */
enum ctprof_plugin_state {
	CTPROF_STATE_LIVE = 10,
	CTPROF_STATE_LEFT_OUT = 20, /* cannot work here: why says it */
	CTPROF_STATE_FAILED = 30,   /* switched off after failures */
};

struct ctprof_plugin_report {
	uint32_t struct_size;
	uint32_t state; /* enum ctprof_plugin_state */
	uint32_t kind;  /* enum ctprof_kind */
	uint32_t reserved;
	uint64_t batches;  /* collect() calls */
	uint64_t failures; /* of them, failed; plus bad puts */
	uint64_t cpu_ns;   /* CPU time inside the plugin */
	const char *name;
	const char *version;
	const char *why; /* NULL when live */
};

/* Given to end(). */
struct ctprof_capture_end {
	uint32_t struct_size;
	uint32_t reserved;
	uint64_t realtime_ns;  /* CLOCK_REALTIME when the last value was read */
	uint64_t monotonic_ns; /* CLOCK_BOOTTIME at that moment */
	uint64_t threads;      /* rows written */
	uint64_t processes;    /* of how many processes */
	uint64_t vanished;     /* threads that went away while being read */
	uint64_t cpu_ns;       /* ctprof's own user + system time */
	uint64_t peak_rss_bytes;
	uint64_t n_plugins;
	const struct ctprof_plugin_report *plugins;
};

/* ---- reading back ------------------------------------------------------ */

/* What a fact is about: ctprof_input.fact(). */
enum ctprof_fact_kind {
	/* When and how the capture was made.  Known keys: captured_at_unix_ns,
	 * begin_boottime_ns, version (ctprof's), kernel. */
	CTPROF_FACT_CAPTURE = 10,
	CTPROF_FACT_OPTION = 20, /* an option of the capture, as given */
	CTPROF_FACT_PLUGIN = 30, /* key: a plugin's name; value: its state */
};

/*
 * What the host lends to read(), for that call and its thread only.  First
 * argument everywhere: that same pointer.  What is pointed to is copied.
 */
struct ctprof_input {
	uint32_t struct_size;
	/* What is believed at most; each is at least 1. */
	uint32_t max_depth;      /* nesting */
	uint32_t max_string;     /* bytes of a name or text */
	uint32_t max_window_log; /* log2 of the bytes a decompressor may look back */
	uint64_t max_bytes;      /* of the file, decompressed */
	uint64_t max_threads;    /* rows of thread scope; as many of object scope */
	void *handle;            /* the host's */

	/* The file's next bytes, as stored: how many (at most size), 0 at its
	 * end, or -errno, of which the host has the sentence. */
	int64_t (*read)(const struct ctprof_input *input, void *data, uint64_t size);
	/* Back to the file's first byte.  0 or -errno, likewise. */
	int (*rewind)(const struct ctprof_input *input);

	/* Declares a metric of the file; plugin filled it.  help and origin may be
	 * "".  -EINVAL: malformed, or of a kind this host does not know; -EEXIST:
	 * the name is taken; -EBUSY: after seal(). */
	int (*metric)(const struct ctprof_input *input, const char *plugin,
		      const struct ctprof_metric *metric, uint32_t *ret_slot);
	/* No more metrics.  0 or -errno. */
	int (*seal)(const struct ctprof_input *input);
	/*
	 * Begins the next row of a scope, every slot absent as UNSUPPORTED (in the
	 * row of a thread that is not a leader, those of process and mm scope as
	 * INAPPLICABLE), after seal().  What row() gave counts for the put_* functions
	 * of struct ctprof_host until the next row() of that scope.  Negative: the
	 * host wants no more; read() ends with that number.
	 */
	int (*row)(const struct ctprof_input *input, uint32_t scope,
		   const struct ctprof_target *target, struct ctprof_batch **ret_batch,
		   uint64_t *ret_row);
	/* Tells a fact (enum ctprof_fact_kind). */
	void (*fact)(const struct ctprof_input *input, uint32_t kind, const char *key,
		     const char *value);
	/* The sentence that explains the negative errno about to be returned:
	 * what was expected, and what found.  offset: of the byte it is about, in
	 * the decompressed text; UINT64_MAX: of none.  The last one counts. */
	void (*fault)(const struct ctprof_input *input, uint64_t offset, const char *format, ...)
		CTPROF_PRINTF(3, 4);
};

struct ctprof_report; /* report.h */

struct ctprof_sink_ops {
	uint32_t struct_size;
	uint32_t reserved;
	/* Required: makes the instance. */
	int (*open)(const struct ctprof_host *host, void **ret_self);
	/* Required: ends it, at any point of its life. */
	void (*close)(void *self);
	/* As a capture is written; see the life above.  All three or none. */
	int (*begin)(void *self, const struct ctprof_capture *capture);
	int (*rows)(void *self, const struct ctprof_rows *rows);
	int (*end)(void *self, const struct ctprof_capture_end *end);
	/* Draws a finished report (see report.h) with host->write(); the life is
	 * then open -> report -> close.  A sink has this, or begin, rows and end,
	 * or both. */
	int (*report)(void *self, const struct ctprof_report *report);
	/* Optional: reads a file back, and then maybe another.  Metrics first, then
	 * rows: threads in the file's order, those of other scopes in between.  0,
	 * or a negative errno after input->fault(): nothing of the file counts. */
	int (*read)(void *self, const struct ctprof_input *input);
};

/* Row i's target, whatever size of target the host was compiled with. */
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
